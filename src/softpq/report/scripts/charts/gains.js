// What fixing errors would bring: repairs of every model.
import { h, s, signed } from "../dom.js";
import { WIDTH, scale } from "./frame.js";
import { answering } from "./spots.js";

/** @param {Record<string, number>|null} gains */
export function gainChart(gains) {
  if (!gains) return h("p", { class: "quiet" }, "computing …");
  const rows = Object.entries(gains).sort((a, b) => b[1] - a[1]);
  const most = Math.max(0.001, ...rows.map(([, gain]) => Math.abs(gain) || 0));
  const x = scale(0, most, 0, 222);
  const height = rows.length * 34 + 8;
  const svg = s(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${height}`, class: "gains" },
    ...rows.flatMap(([name, gain], k) => [
      s("text", { class: "name", x: 150, y: k * 34 + 24, "text-anchor": "end" }, name),
      s("rect", {
        class: gain >= 0 ? "gain" : "gain loss",
        x: 158,
        y: k * 34 + 8,
        width: Math.max(1, x(Math.abs(gain || 0))),
        height: 22,
      }),
      s("text", { class: "name", x: 166 + x(Math.abs(gain || 0)), y: k * 34 + 24 }, signed(gain)),
    ]),
  );
  const spots = rows.map(([name, gain], k) => ({
    x: 0,
    y: k * 34,
    width: WIDTH,
    height: 34,
    tell: `SoftPQ ${signed(gain)} with ${name}, all else as it is`,
  }));
  return answering(svg, spots, "What fixing errors would bring");
}
