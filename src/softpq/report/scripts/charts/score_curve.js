// What a threshold on the scores of predictions does.
import { s, shown } from "../dom.js";
import { BOX, axes, canvas, modelColour, niceTicks, scale } from "./frame.js";
import { answering } from "./spots.js";

/**
 * @param {import("../engine/score_curve.js").ScoreCurve} curve @param {string[]} names of models
 * @param {{score: number, model: number, set: (score: number) => void}} options
 */
export function scoreChart({ thresholds, values, best }, names, { score, model, set }) {
  const [low, high] = [thresholds[0], thresholds[thresholds.length - 1]];
  const top = Math.max(0.05, ...values.flatMap((one) => [...one].filter((v) => !Number.isNaN(v))));
  const x = scale(low, high, BOX.left + 4, BOX.right - 8);
  const y = scale(0, top * 1.06, BOX.bottom, BOX.top);
  const text = (/** @type {number} */ t) => String(+t.toFixed(3));
  const lines = values.map((one, k) => {
    const points = [...one.keys()].filter((at) => !Number.isNaN(one[at]));
    const places = points.map((at) => `${x(thresholds[at])},${y(one[at])}`).join(" ");
    const width = k === model ? 2.5 : 1.4;
    return s("polyline", { fill: "none", stroke: modelColour(k), "stroke-width": width, points: places });
  });
  const marks = best.flatMap((at, k) =>
    at < 0 ? [] : [s("circle", { cx: x(thresholds[at]), cy: y(values[k][at]), r: 4.5, fill: modelColour(k) })],
  );
  const now = x(Math.min(high, Math.max(low, score)));
  const svg = canvas(
    "SoftPQ against the least score",
    axes(x, y, niceTicks(low, high), niceTicks(0, top), "least score of predictions", "SoftPQ", text, text),
    ...lines,
    ...marks,
    s("line", { class: "now-line", x1: now, x2: now, y1: BOX.top, y2: BOX.bottom }),
  );
  const half = (/** @type {number} */ a, /** @type {number} */ b) => x((thresholds[a] + thresholds[b]) / 2);
  const last = thresholds.length - 1;
  const spots = Array.from(thresholds, (t, k) => {
    const from = k ? half(k - 1, k) : BOX.left;
    const to = k < last ? half(k, k + 1) : BOX.right;
    const told = values.map((one, m) => `${names.length > 1 ? `${names[m]} ` : "SoftPQ "}${shown(one[k])}`).join(", ");
    const tell = `score ≥ ${text(t)}: ${told}`;
    return { x: from, y: BOX.top, width: to - from, height: BOX.bottom - BOX.top, tell, pick: () => set(t) };
  });
  return answering(svg, spots, "SoftPQ against the least score");
}
