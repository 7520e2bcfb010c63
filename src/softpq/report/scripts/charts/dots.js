// A dot and an interval for each model.
import { distinct, h, s, shown } from "../dom.js";
import { niceTicks, placed, scale } from "./frame.js";
import { answering } from "./spots.js";

const ROW = 38;

/**
 * A dot and an interval for each model.
 * @param {{model: string, values: (number|null)[]}[]} rows value, low, high
 * @param {string} label
 */
export function dotChart(rows, label) {
  const numbers = rows.flatMap((row) => row.values).filter((v) => v !== null && !Number.isNaN(v));
  if (!numbers.length) return h("p", { class: "quiet" }, "Nothing to show: no image has an object.");
  const least = Math.max(0, Math.min(...numbers.map(Number)) - 0.03);
  const most = Math.max(Math.min(1, Math.max(...numbers.map(Number)) + 0.03), least + 0.05);
  const height = 30 + rows.length * ROW;
  const x = scale(least, most, 14, 440);
  const ticks = niceTicks(least, most);
  const names = distinct(
    rows.map((row) => row.model),
    46,
  );
  const svg = s(
    "svg",
    { viewBox: `0 0 460 ${height}`, class: "dots" },
    s(
      "g",
      { class: "axes" },
      ...ticks.map((t) => s("line", { class: "grid", x1: x(t), x2: x(t), y1: 4, y2: height - 26 })),
      ...ticks.map((t) => s("text", { ...placed(x(t), t.toFixed(2)), y: height - 8 }, t.toFixed(2))),
    ),
    ...rows.map(({ values }, k) => interval(values, names[k], k, x)),
  );
  const spots = rows.map(({ model, values: [value, low, high] }, k) => ({
    x: 0,
    y: k * ROW,
    width: 460,
    height: ROW,
    tell: `${model}: ${shown(value, 4)} (${shown(low, 4)} to ${shown(high, 4)})`,
  }));
  return answering(svg, spots, label);
}

/** @param {(number|null)[]} values @param {string} name @param {number} k @param {any} x */
function interval([value, low, high], name, k, x) {
  const at = 28 + k * ROW;
  const text = s("text", { x: 14, y: at - 12 }, name);
  if (value === null || Number.isNaN(value)) return s("g", { class: "interval" }, text);
  const ends = low === null || Number.isNaN(low) ? [value, value] : [low, high];
  const line = s("line", { x1: x(ends[0]), x2: x(ends[1]), y1: at, y2: at });
  return s("g", { class: "interval" }, text, line, s("circle", { cx: x(value), cy: at, r: 4.5 }));
}
