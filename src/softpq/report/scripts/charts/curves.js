// Metrics against the threshold of a match: a panel for each metric, a line for each model.
import { s, shown } from "../dom.js";
import { CURVES, THRESHOLDS } from "../engine/curves.js";
import { FIFTHS, modelColour, scale } from "./frame.js";
import { answering } from "./spots.js";
/** @typedef {import("../engine/curves.js").Curves} Curves */

const PANEL = { width: 312, left: 40, right: 300, top: 30, bottom: 214 };
const TITLES = { pq: "PQ", f1: "F1", accuracy: "accuracy, TP / (TP + FP + FN)" };
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "12 4"];

/** How the line of a model is drawn: not by colour alone. @param {number} model */
export function lineOf(model) {
  return { stroke: modelColour(model), "stroke-dasharray": DASHES[model % DASHES.length] || null };
}

/**
 * @param {Curves[]|null} curves by model @param {string[]} names @param {number} threshold of the run
 * @param {number} current model
 */
export function curveChart(curves, names, threshold, current) {
  const x = scale(0, 1, PANEL.left, PANEL.right);
  const y = scale(0, 1, PANEL.bottom, PANEL.top);
  const panels = CURVES.map((metric, k) =>
    s(
      "g",
      { transform: `translate(${k * PANEL.width} 0)` },
      frame(x, y, TITLES[metric], threshold),
      ...(curves ?? []).map((one, m) => line(one[metric], m, x, y, m === current)),
    ),
  );
  const svg = s("svg", { viewBox: "0 0 940 262", class: "curves" }, ...panels);
  const label = "PQ, F1 and accuracy against the threshold of a match";
  return answering(svg, curves ? spotsOf(curves, names, x) : [], label);
}

/** @param {any} x @param {any} y @param {string} title @param {number} threshold */
function frame(x, y, title, threshold) {
  const { left, right, top, bottom } = PANEL;
  return s(
    "g",
    { class: "axes" },
    ...FIFTHS.map((t) => s("line", { class: "grid", x1: left, x2: right, y1: y(t), y2: y(t) })),
    ...FIFTHS.map((t) => s("text", { x: left - 6, y: y(t) + 4, "text-anchor": "end" }, String(t))),
    ...FIFTHS.map((t) => s("text", { x: x(t), y: bottom + 19, "text-anchor": "middle" }, String(t))),
    s("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }),
    s("line", { class: "reference", x1: x(threshold), x2: x(threshold), y1: top, y2: bottom }),
    s("text", { class: "name", x: (left + right) / 2, y: 18, "text-anchor": "middle" }, title),
    s("text", { class: "name", x: (left + right) / 2, y: bottom + 40, "text-anchor": "middle" }, "IoU threshold"),
  );
}

/** @param {Float64Array} values @param {number} model @param {any} x @param {any} y @param {boolean} current */
function line(values, model, x, y, current) {
  const points = THRESHOLDS.map((t, k) => [t, values[k]]).filter(([, value]) => !Number.isNaN(value));
  const d = points.map(([t, value], k) => `${k ? "L" : "M"}${x(t).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  return s("path", { class: "curve", d, fill: "none", "stroke-width": current ? 3 : 1.8, ...lineOf(model) });
}

/** @param {Curves[]} curves @param {string[]} names @param {any} x */
function spotsOf(curves, names, x) {
  const width = x(1 / THRESHOLDS.length) - x(0);
  return CURVES.flatMap((metric, panel) =>
    THRESHOLDS.map((t, k) => ({
      x: panel * PANEL.width + x(t) - width / 2,
      y: PANEL.top,
      width,
      height: PANEL.bottom - PANEL.top,
      tell: `${metric} at ${t}: ${curves.map((one, m) => `${names[m]} ${shown(one[metric][k])}`).join(", ")}`,
    })),
  );
}
