// Both thresholds: SoftPQ of one model, or which model is best.
import { s, shown } from "../dom.js";
import { GRID, gridPlace } from "../engine/background.js";
import { tip } from "../tip.js";
import { BOX, FIFTHS, axes, canvas, modelColour, scale, viridis } from "./frame.js";

const SIZE = 1 / GRID.length;
const x = scale(0, 1.03, BOX.left, BOX.right - 60);
const y = scale(-0.03, 1.03, BOX.bottom, BOX.top);

/** @typedef {{fill: string, tell: string, faint?: boolean}} Cell */

/** A square for each pair of thresholds that has one. @param {(k: number) => Cell|null} cellOf */
function cellsOf(cellOf) {
  const cells = [];
  for (let k = 0; k < GRID.length ** 2; k++) {
    const cell = cellOf(k);
    if (!cell) continue;
    const [low, high] = thresholdsAt(k);
    const place = { x: x(high - SIZE / 2), y: y(low + SIZE / 2) };
    const size = { width: x(SIZE) - x(0) + 0.4, height: y(0) - y(SIZE) + 0.4 };
    cells.push(s("rect", { ...place, ...size, fill: cell.fill, "fill-opacity": cell.faint ? 0.45 : null }));
  }
  return cells;
}

/** @param {number} k @returns {[number, number]} the pair of thresholds at a place of the grid */
export function thresholdsAt(k) {
  return [Math.floor(k / GRID.length) * SIZE, GRID[k % GRID.length]];
}

const DIRECTIONS = /** @type {Record<string, [number, number]>} */ ({
  ArrowRight: [SIZE, 0],
  ArrowLeft: [-SIZE, 0],
  ArrowUp: [0, SIZE],
  ArrowDown: [0, -SIZE],
});

/**
 * @typedef {{low: number, high: number, set: (low: number, high: number) => void,
 *   step: (high: number, low: number) => void}} Options
 *
 * @param {string} label @param {((k: number) => Cell|null)|null} cellOf null while it is computed
 * @param {Options} options @param {Node} [key] what colours mean
 */
export function gridChart(label, cellOf, { low, high, set, step }, key) {
  const svg = canvas(
    label,
    axes(x, y, FIFTHS, FIFTHS, "h (iou_high)", "l (iou_low)"),
    ...(cellOf ? cellsOf(cellOf) : [s("text", { x: 180, y: 130, class: "name" }, "computing …")]),
    key ?? null,
    s("g", { class: "here" }, s("circle", { r: 7 }), s("circle", { r: 2.5, class: "dot" })),
  );
  movePoint(svg, low, high);
  svg.setAttribute("tabindex", "0");
  svg.setAttribute("role", "application");
  svg.setAttribute("aria-label", `${label}. Arrow keys move the thresholds; a table follows.`);
  svg.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (!DIRECTIONS[event.key]) return;
    event.preventDefault();
    step(...DIRECTIONS[event.key]);
  });
  if (cellOf) listen(svg, cellOf, set);
  return svg;
}

/** @param {any} svg @param {(k: number) => Cell|null} cellOf @param {(low: number, high: number) => void} set */
function listen(svg, cellOf, set) {
  const at = (/** @type {any} */ event) => {
    const box = svg.getBoundingClientRect();
    const size = svg.viewBox.baseVal.width / box.width;
    const column = Math.round(x.invert((event.clientX - box.left) * size) / SIZE) - 1;
    const row = Math.round(y.invert((event.clientY - box.top) * size) / SIZE);
    const inside = row >= 0 && column >= 0 && row < GRID.length && column < GRID.length;
    return inside ? gridPlace(row, column) : -1;
  };
  svg.addEventListener("pointermove", (/** @type {any} */ event) => {
    const k = at(event);
    const cell = k < 0 ? null : cellOf(k);
    if (cell) tip.show(event, cell.tell);
    else tip.hide();
  });
  svg.addEventListener("pointerleave", tip.hide);
  svg.addEventListener("click", (/** @type {any} */ event) => {
    const k = at(event);
    if (k >= 0 && cellOf(k)) set(...thresholdsAt(k));
  });
}

/** Put the circle where the thresholds are. @param {any} svg @param {number} low @param {number} high */
export function movePoint(svg, low, high) {
  svg.querySelector(".here")?.setAttribute("transform", `translate(${x(high)} ${y(low)})`);
}

/**
 * SoftPQ of one model; colours are the same for all models.
 * @param {Float64Array[]|null} surfaces @param {number} model @param {Options} options
 */
export function surfaceChart(surfaces, model, options) {
  const label = "SoftPQ for all pairs of thresholds";
  if (!surfaces) return gridChart(label, null, options);
  const defined = surfaces.flatMap((one) => [...one]).filter((v) => !Number.isNaN(v));
  const [least, most] = [Math.min(...defined), Math.max(...defined)];
  const shade = most - least < 1e-9 ? () => 1 : scale(least, most, 0, 1);
  const cellOf = (/** @type {number} */ k) => {
    const value = surfaces[model][k];
    if (Number.isNaN(value)) return null;
    const [low, high] = thresholdsAt(k);
    const tell = `l = ${low.toFixed(2)}, h = ${high.toFixed(2)}: SoftPQ ${shown(value)}`;
    return { fill: viridis(shade(value)), tell };
  };
  return gridChart(label, cellOf, options, colourBar(least, most));
}

/**
 * Which model is best; faint where another one might be.
 * @param {import("../engine/background.js").Surfaces|null} found @param {string[]} names @param {Options} options
 */
export function winnerChart(found, names, options) {
  const label = "The best model for all pairs of thresholds";
  const cellOf = (/** @type {number} */ k) => {
    const best = found?.best[k] ?? -1;
    if (!found || best < 0) return null;
    const [low, high] = thresholdsAt(k);
    const how = found.clear[k] ? "clearly" : "but not clearly";
    const value = shown(found.surfaces[best][k]);
    const tell = `l = ${low.toFixed(2)}, h = ${high.toFixed(2)}: ${names[best]} is best (${value}), ${how}`;
    return { fill: modelColour(best), tell, faint: !found.clear[k] };
  };
  return gridChart(label, found ? cellOf : null, options);
}

/** @param {number} least @param {number} most */
function colourBar(least, most) {
  const up = scale(0, 1, BOX.bottom, BOX.top);
  const steps = Array.from({ length: 40 }, (_, k) => k / 40);
  return s(
    "g",
    { class: "axes" },
    ...steps.map((t) =>
      s("rect", { x: 404, width: 12, y: up(t + 1 / 40), height: up(0) - up(1 / 40) + 0.5, fill: viridis(t) }),
    ),
    s("text", { x: 420, y: up(0) - 4 }, shown(least, 2)),
    s("text", { x: 420, y: up(1) + 8 }, shown(most, 2)),
  );
}
