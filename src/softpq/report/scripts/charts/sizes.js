// The score against the size of objects.
import { s, shown } from "../dom.js";
import { telling } from "../tip.js";
import { BOX, FIFTHS, axes, canvas, scale } from "./frame.js";

/**
 * @param {{from: number, to: number, count: number, found: number, credit: number, pick: () => void}[]} bins by area
 */
export function sizeChart(bins) {
  const x = scale(0, Math.max(1, bins.length), BOX.left, BOX.right);
  const y = scale(0, 1, BOX.bottom, BOX.top);
  const line = (/** @type {"found"|"credit"} */ key) =>
    s("polyline", { class: `line ${key}`, points: bins.map((bin, k) => `${x(k + 0.5)},${y(bin[key])}`).join(" ") });
  const middle = bins.map((bin, k) => ({ bin, k })).filter(({ k }) => bins.length < 7 || k % 2 === 0);
  return canvas(
    "Score against object size",
    axes(
      x,
      y,
      middle.map(({ k }) => k + 0.5),
      FIFTHS,
      "area of the truth object (pixels, up to)",
      "share and credit",
      (t) => compact(bins[Math.floor(t)].to),
    ),
    line("found"),
    line("credit"),
    ...bins.flatMap((bin, k) => [
      s("circle", { class: "mark found", cx: x(k + 0.5), cy: y(bin.found), r: 3.5 }),
      s("circle", { class: "mark credit", cx: x(k + 0.5), cy: y(bin.credit), r: 3.5 }),
      telling(
        s("rect", { class: "hit", tabindex: 0, x: x(k), width: x(1) - x(0), y: BOX.top, height: BOX.bottom - BOX.top }),
        () => [
          `area ${bin.from} to ${bin.to}: ${bin.count} objects, ${(100 * bin.found).toFixed(0)} % matched, credit ${shown(bin.credit)}`,
        ],
        bin.pick,
      ),
    ]),
    s(
      "g",
      { class: "axes" },
      s("circle", { class: "mark found", cx: 300, cy: 222, r: 4 }),
      s("text", { x: 310, y: 227 }, "share matched"),
      s("circle", { class: "mark credit", cx: 300, cy: 240, r: 4 }),
      s("text", { x: 310, y: 245 }, "IoU credit (SoftPQ)"),
    ),
  );
}

/** @param {number} value */
function compact(value) {
  return value >= 1e6 ? `${(value / 1e6).toFixed(1)}M` : value >= 1e4 ? `${(value / 1e3).toFixed(0)}k` : String(value);
}
