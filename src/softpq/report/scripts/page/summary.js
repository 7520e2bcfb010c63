// The scores of the run, with intervals: they stay as they are, as long as all objects are looked at.
import { byId, distinct, h, shown } from "../dom.js";
import { hardThreshold } from "../engine/analysis.js";
import { allMetrics } from "../engine/by_class.js";
import { copied } from "./copying.js";
import { table } from "./tables.js";
/** @typedef {import("./page.js").Page} Page */

/** @param {any} found of one model and metric @param {boolean} best */
function valueCell({ pooled: [value, low, high], mean }, best) {
  const small = low === null ? "" : h("small", {}, `${shown(low)} to ${shown(high)}`);
  const parts = [h("b", {}, shown(value)), best ? h("span", { class: "star" }, " ★") : "", small];
  return { value, shown: parts, kind: best ? "best" : "", title: `mean over images ${shown(mean[0])}` };
}

/**
 * The model with the best value of a metric; none where two of them look the same.
 * @param {any} head @param {string[]} modelNames @param {string} metric
 */
function bestOf(head, modelNames, metric) {
  const sign = head.lowerIsBetter.includes(metric) ? 1 : -1;
  const values = modelNames.map((name) => head.summary[name][metric].common[0]);
  const order = modelNames
    .map((name, k) => ({ name, value: values[k] }))
    .filter((one) => one.value !== null)
    .sort((a, b) => sign * (a.value - b.value));
  return order.length > 1 && shown(order[0].value) !== shown(order[1].value) ? order[0].name : null;
}

/** What is said below the heading. @param {Page} page @param {boolean} some whether only some objects are looked at */
function noteOf({ full, modelNames }, some) {
  const { head, names } = full;
  const refused = head.refused.length ? ` Left out, as objects overlap: ${head.refused.join(", ")}.` : "";
  if (some)
    return `Of the objects that are looked at, pooled, without intervals, at the settings the report was made with.${refused}`;
  const several = names.length > 1 ? ", with 95 % intervals where there are enough images" : "";
  const marked = modelNames.length > 1 ? " ★ is the highest (or lowest, where less is better), not a proof." : "";
  return `Pooled over all objects${several}, at the settings the report was made with.${marked}${refused}`;
}

/** @param {Page} page */
export function showSummary(page) {
  const { full, report, modelNames } = page;
  const { head } = full;
  byId("summary-note").textContent = noteOf(page, report !== full);
  if (report === full) return fill(page, statedCells(head, modelNames));
  byId("summary").classList.add("stale");
  page.summing.start(computed(page), (values) => fill(page, computedCells(head, values)));
}

/** The table for a paper, of all objects. @param {any} head */
export function buildTables(head) {
  for (const [kind, text] of Object.entries(head.tables)) {
    const made = copied(`table-${kind.toLowerCase()}`, text, `table as ${kind}`);
    byId("tables").append(h("details", {}, h("summary", {}, `This table as ${kind}, for a paper`), made));
  }
}

/** @param {Page} page @param {(model: number) => any[]} cellsOf */
function fill({ full, modelNames }, cellsOf) {
  const { head } = full;
  const short = distinct(modelNames, 34);
  const rows = head.ranking.map((/** @type {number} */ k) => ({
    cells: [{ value: modelNames[k], shown: [short[k]], title: modelNames[k] }, ...cellsOf(k)],
  }));
  byId("summary").replaceChildren(table(columnsOf("model", head), rows, { id: "metrics" }));
  byId("summary").classList.remove("stale");
}

/** With intervals, as Python found them. @param {any} head @param {string[]} modelNames */
function statedCells(head, modelNames) {
  const best = Object.fromEntries(
    head.metrics.map((/** @type {string} */ one) => [one, bestOf(head, modelNames, one)]),
  );
  return (/** @type {number} */ k) =>
    head.metrics.map((/** @type {string} */ metric) =>
      valueCell(head.summary[modelNames[k]][metric], best[metric] === modelNames[k]),
    );
}

/**
 * What the page can compute, of some objects, model by model.
 * @param {Page} page @returns {Generator<undefined, Record<string, number>[]>}
 */
function* computed({ report }) {
  const { head } = report;
  const found = [];
  for (const model of report.models) {
    found.push(allMetrics(model, head.settings, hardThreshold(head), "pooled").values);
    yield;
  }
  return found;
}

/** @param {any} head @param {Record<string, number>[]} values by model */
function computedCells(head, values) {
  return (/** @type {number} */ k) =>
    head.metrics.map((/** @type {string} */ metric) => ({
      value: values[k][metric] ?? NaN,
      shown: [shown(values[k][metric] ?? NaN)],
    }));
}

/** @param {string} first @param {any} head */
function columnsOf(first, head) {
  const metrics = head.metrics.map((/** @type {string} */ name) => ({ name, less: head.lowerIsBetter.includes(name) }));
  return [{ name: first, less: true }, ...metrics];
}
