// What happened to the objects of each model.
import { h, shortened } from "../dom.js";
import { codeOf, verdictsFor } from "../facts.js";
import { telling } from "../tip.js";
/** @typedef {import("../facts.js").Side} Side */

/**
 * @typedef {object} Row
 * @property {string} model
 * @property {boolean} current
 * @property {Record<Side, number[]>} counts by code
 * @property {(side: Side, verdict: number) => void} pick
 *
 * @typedef {{name: string, side: Side, code: number}} Kind
 */

/** All that can happen to truth objects, and ghosts. @returns {Kind[]} */
function kinds() {
  const truth = verdictsFor("truth").map(({ name, side }, code) => ({ name, side, code }));
  return [...truth, { name: "ghost", side: "pred", code: codeOf("pred", "ghost") }];
}

/** @param {Row} row @param {Kind} kind @param {number} total */
function segment(row, { name, side, code }, total) {
  const count = row.counts[side][code];
  const attributes = { class: `segment fill-${name}`, type: "button", "data-verdict": name, hidden: !count };
  const label = { "aria-label": `${row.model}: ${count} ${name}` };
  const button = h("button", { ...attributes, ...label }, count / total > 0.045 ? String(count) : "");
  button.style.width = `${(100 * count) / total}%`;
  return telling(
    button,
    () => [`${row.model}: ${count} ${name} ${side === "truth" ? "truth objects" : "predictions"}`],
    () => row.pick(side, code),
  );
}

/** @param {Row[]} rows */
export function verdictChart(rows) {
  const all = kinds();
  const sums = rows.map((row) => all.reduce((sum, { side, code }) => sum + row.counts[side][code], 0));
  const total = Math.max(1, ...sums);
  const bar = (/** @type {Row} */ row) =>
    h(
      "div",
      { class: row.current ? "bar-row current" : "bar-row" },
      h("span", { class: "bar-name", title: row.model }, shortened(row.model, 18)),
      h("div", { class: "stack" }, ...all.map((kind) => segment(row, kind, total))),
    );
  const legend = all.map(({ name }) => h("span", {}, h("i", { class: `fill-${name}` }), name));
  return h("div", { class: "bars" }, ...rows.map(bar), h("div", { class: "legend" }, ...legend));
}
