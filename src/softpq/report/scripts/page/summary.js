// The scores of the run, with intervals: they stay as they are.
import { byId, distinct, h, shown } from "../dom.js";
import { table } from "./tables.js";
/** @typedef {import("../data.js").Report} Report */

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

/** @param {Report} report @param {string[]} modelNames */
export function buildSummary(report, modelNames) {
  const { head, names } = report;
  const several = names.length > 1 ? ", with 95 % intervals where there are enough images" : "";
  const marked = modelNames.length > 1 ? " ★ is the highest (or lowest, where less is better), not a proof." : "";
  byId("summary-note").textContent =
    `Pooled over all objects${several}, at the settings the report was made with.${marked}`;
  const short = distinct(modelNames, 34);
  const best = Object.fromEntries(
    head.metrics.map((/** @type {string} */ one) => [one, bestOf(head, modelNames, one)]),
  );
  const rows = head.ranking.map((/** @type {number} */ k) => {
    const name = modelNames[k];
    const values = head.metrics.map((/** @type {string} */ metric) =>
      valueCell(head.summary[name][metric], best[metric] === name),
    );
    return { cells: [{ value: name, shown: [short[k]], title: name }, ...values] };
  });
  byId("summary").append(table(columnsOf("model", head), rows, { id: "metrics" }));
  buildClasses(report);
}

/** @param {string} first @param {any} head */
function columnsOf(first, head) {
  const metrics = head.metrics.map((/** @type {string} */ name) => ({ name, less: head.lowerIsBetter.includes(name) }));
  return [{ name: first, less: true }, ...metrics];
}

/** @param {Report} report */
function buildClasses({ head }) {
  byId("classes").hidden = !Object.keys(head.classes).length;
  Object.entries(head.classes).forEach(([model, classes], k) => {
    const rows = Object.entries(classes).map(([label, values]) => ({
      cells: [
        { value: label },
        ...values.map((/** @type {number|null} */ value) => ({ value, shown: [shown(value)] })),
      ],
    }));
    const caption = `${model}: by class, pooled`;
    byId("classes").append(table(columnsOf("class", head), rows, { id: `classes-${k}`, caption }));
  });
}
