// SoftPQ over both thresholds.
import { s, shown } from "../dom.js";
import { GRID } from "../engine/background.js";
import { telling } from "../tip.js";
import { BOX, FIFTHS, axes, canvas, scale, viridis } from "./frame.js";

const SIZE = 1 / GRID.length;
const x = scale(0, 1.03, BOX.left, BOX.right - 60);
const y = scale(-0.03, 1.03, BOX.bottom, BOX.top);

/**
 * A cell for each pair of thresholds.
 * @param {Float64Array} surface @param {number} least @param {number} most
 * @param {(low: number, high: number) => void} set
 */
function cellsOf(surface, least, most, set) {
  const shade = most - least < 1e-9 ? () => 1 : scale(least, most, 0, 1);
  const cells = [];
  for (let k = 0; k < surface.length; k++) {
    const value = surface[k];
    if (Number.isNaN(value)) continue;
    const low = Math.floor(k / GRID.length) * SIZE;
    const high = GRID[k % GRID.length];
    const place = { x: x(high - SIZE / 2), y: y(low + SIZE / 2) };
    const size = { width: x(SIZE) - x(0) + 0.4, height: y(0) - y(SIZE) + 0.4 };
    const cell = s("rect", { ...place, ...size, fill: viridis(shade(value)) });
    const said = `l = ${low.toFixed(2)}, h = ${high.toFixed(2)}: SoftPQ ${shown(value)}`;
    cells.push(
      telling(
        cell,
        () => [said],
        () => set(low, high),
      ),
    );
  }
  return cells;
}

const DIRECTIONS = /** @type {Record<string, [number, number]>} */ ({
  ArrowRight: [SIZE, 0],
  ArrowLeft: [-SIZE, 0],
  ArrowUp: [0, SIZE],
  ArrowDown: [0, -SIZE],
});

/**
 * @param {Float64Array|null} surface
 * @param {{low: number, high: number, set: (low: number, high: number) => void,
 *   step: (high: number, low: number) => void}} options
 */
export function surfaceChart(surface, { low, high, set, step }) {
  const defined = surface ? Array.from(surface).filter((v) => !Number.isNaN(v)) : [];
  const least = Math.min(...defined);
  const most = Math.max(...defined);
  const svg = canvas(
    "SoftPQ for all pairs of thresholds",
    axes(x, y, FIFTHS, FIFTHS, "h (iou_high)", "l (iou_low)"),
    ...(surface ? cellsOf(surface, least, most, set) : []),
    surface ? colourBar(least, most) : s("text", { x: 180, y: 130, class: "name" }, "computing …"),
    s("g", { class: "here" }, s("circle", { r: 7 }), s("circle", { r: 2.5, class: "dot" })),
  );
  movePoint(svg, low, high);
  svg.setAttribute("tabindex", "0");
  svg.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (!DIRECTIONS[event.key]) return;
    event.preventDefault();
    step(...DIRECTIONS[event.key]);
  });
  return svg;
}

/** Put the circle of the surface where the thresholds are. @param {any} svg @param {number} low @param {number} high */
export function movePoint(svg, low, high) {
  svg.querySelector(".here").setAttribute("transform", `translate(${x(high)} ${y(low)})`);
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
