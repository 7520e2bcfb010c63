// A dot and an interval for each model.
import { h, s, shortened, shown } from "../dom.js";
import { telling } from "../tip.js";
import { niceTicks, scale } from "./frame.js";

/**
 * A dot and an interval for each model.
 * @param {{model: string, values: (number|null)[]}[]} rows value, low, high
 * @param {string} label
 */
export function dotChart(rows, label) {
  const numbers = rows.flatMap((row) => row.values).filter((v) => v !== null);
  if (!numbers.length) return h("p", { class: "quiet" }, "Nothing to show: no image has an object.");
  const least = Math.max(0, Math.min(...numbers) - 0.03);
  const most = Math.min(1, Math.max(...numbers) + 0.03);
  const height = 34 + rows.length * 26;
  const x = scale(least, Math.max(most, least + 0.05), 150, 440);
  const ticks = niceTicks(least, Math.max(most, least + 0.05));
  return s(
    "svg",
    { viewBox: `0 0 460 ${height}`, role: "img", "aria-label": label, class: "dots" },
    s(
      "g",
      { class: "axes" },
      ...ticks.map((t) => s("line", { class: "grid", x1: x(t), x2: x(t), y1: 4, y2: height - 26 })),
      ...ticks.map((t) => s("text", { x: x(t), y: height - 10, "text-anchor": "middle" }, t.toFixed(2))),
    ),
    ...rows
      .filter((row) => row.values[0] !== null)
      .map((row, k) => {
        const [value, low, high] = /** @type {number[]} */ (row.values);
        const at = 18 + k * 26;
        return telling(
          s(
            "g",
            { class: "interval" },
            s("text", { x: 142, y: at + 4, "text-anchor": "end" }, shortened(row.model, 17)),
            s("line", { x1: x(low ?? value), x2: x(high ?? value), y1: at, y2: at }),
            s("circle", { cx: x(value), cy: at, r: 4.5 }),
            s("rect", { class: "hit", x: 0, y: at - 12, width: 460, height: 24 }),
          ),
          () => [`${row.model}: ${shown(value, 4)} (${shown(low, 4)} to ${shown(high, 4)})`],
        );
      }),
  );
}
