// What fixing errors would bring.
import { h, signed } from "../dom.js";
import { telling } from "../tip.js";

/** @param {Record<string, number>|null} gains @param {string} metric */
export function gainChart(gains, metric) {
  if (!gains) return h("p", { class: "quiet" }, "computing …");
  const most = Math.max(0.001, ...Object.values(gains).map((g) => Math.abs(g) || 0));
  return h(
    "div",
    { class: "bars" },
    ...Object.entries(gains)
      .sort((a, b) => b[1] - a[1])
      .map(([name, gain]) => {
        const bar = h("div", { class: gain >= 0 ? "gain" : "gain loss" });
        bar.style.width = `${(100 * Math.abs(gain || 0)) / most}%`;
        return telling(
          h(
            "div",
            { class: "bar-row", tabindex: 0 },
            h("span", { class: "bar-name" }, name),
            h("div", { class: "stack" }, bar),
            h("span", { class: "bar-value" }, signed(gain)),
          ),
          () => [`${metric} ${signed(gain)} with ${name}, all else as it is`],
        );
      }),
  );
}
