// The score against the size of objects.
import { s, shown } from "../dom.js";
import { BOX, FIFTHS, axes, canvas, scale } from "./frame.js";
import { answering } from "./spots.js";

/**
 * @param {{from: number, to: number, count: number, found: number, credit: number, pick: () => void}[]} bins by area
 * @param {string} unit of areas
 */
export function sizeChart(bins, unit) {
  const x = scale(0, Math.max(1, bins.length), BOX.left, BOX.right);
  const y = scale(0, 1, BOX.bottom, BOX.top);
  const line = (/** @type {"found"|"credit"} */ key) =>
    s("polyline", { class: `line ${key}`, points: bins.map((bin, k) => `${x(k + 0.5)},${y(bin[key])}`).join(" ") });
  const middle = bins.map((bin, k) => ({ bin, k })).filter(({ k }) => bins.length < 7 || k % 2 === 0);
  const places = middle.map(({ k }) => k + 0.5);
  const svg = canvas(
    "Score against object size",
    axes(x, y, places, FIFTHS, `size of the truth object (${unit}, up to)`, "share and credit", (t) =>
      compact(bins[Math.floor(t)].to),
    ),
    line("found"),
    line("credit"),
    ...bins.flatMap((bin, k) => [
      s("circle", { class: "mark found", cx: x(k + 0.5), cy: y(bin.found), r: 3.5 }),
      s("rect", { class: "mark credit", x: x(k + 0.5) - 3.5, y: y(bin.credit) - 3.5, width: 7, height: 7 }),
    ]),
    s(
      "g",
      { class: "axes" },
      s("circle", { class: "mark found", cx: 300, cy: 222, r: 4 }),
      s("text", { x: 310, y: 227 }, "share matched"),
      s("rect", { class: "mark credit", x: 296, y: 236, width: 8, height: 8 }),
      s("text", { x: 310, y: 245 }, "IoU credit (SoftPQ)"),
    ),
  );
  const spots = bins.map(({ from, to, count, found, credit, pick }, k) => ({
    x: x(k),
    y: BOX.top,
    width: x(1) - x(0),
    height: BOX.bottom - BOX.top,
    tell: `${from} to ${to} ${unit}: ${count} objects, ${(100 * found).toFixed(0)} % matched, credit ${shown(credit)}`,
    pick,
  }));
  return answering(svg, spots, "Score against object size");
}

/** @param {number} value */
function compact(value) {
  return value >= 1e6 ? `${(value / 1e6).toFixed(1)}M` : value >= 1e4 ? `${(value / 1e3).toFixed(0)}k` : String(value);
}
