// The scores of the run, with intervals: they stay as they are.
import { dotChart } from "../charts/dots.js";
import { byId, h, shortened, shown, signed } from "../dom.js";
/** @typedef {import("../data.js").Report} Report */

/** @param {string[]} headings @param {any[]} rows @param {string} [caption] */
function table(headings, rows, caption) {
  return h(
    "table",
    { class: "numbers" },
    caption ? h("caption", {}, caption) : null,
    h("thead", {}, h("tr", {}, ...headings.map((text) => h("th", {}, text)))),
    h("tbody", {}, ...rows),
  );
}

/** @param {string} name */
function modelCell(name) {
  return h("th", { class: "model", title: name }, shortened(name, 30));
}

/** @param {any} found of one model and metric @param {boolean} best */
function valueCell({ pooled: [value, low, high], mean }, best) {
  return h(
    "td",
    { class: best ? "best" : "", title: `mean over images ${shown(mean[0])}` },
    h("b", {}, shown(value)),
    best ? h("span", { class: "star" }, " ★") : null,
    low === null ? null : h("small", {}, `${shown(low)}–${shown(high)}`),
  );
}

/** The best value of a metric. @param {any} head @param {string[]} modelNames @param {string} metric */
function bestOf(head, modelNames, metric) {
  const values = modelNames.map((name) => head.summary[name][metric].common[0]).filter((v) => v !== null);
  return head.lowerIsBetter.includes(metric) ? Math.min(...values) : Math.max(...values);
}

/** @param {Report} report @param {string[]} modelNames */
export function buildSummary(report, modelNames) {
  const { head, names } = report;
  const several =
    names.length > 1 ? ", with 95 % intervals over images where there are enough" : "; one image gives no interval";
  const marked = modelNames.length > 1 ? " The best model is marked." : "";
  byId("summary-note").textContent =
    `Pooled over all objects${several}, at the settings the report was made with.${marked}`;
  const row = (/** @type {string} */ name) => {
    const cells = head.metrics.map((/** @type {string} */ metric) => {
      const found = head.summary[name][metric];
      return valueCell(
        found,
        modelNames.length > 1 && found.common[0] !== null && found.common[0] === bestOf(head, modelNames, metric),
      );
    });
    return h("tr", {}, modelCell(name), ...cells);
  };
  byId("summary").append(table(["model", ...head.metrics], modelNames.map(row)));
  buildDots(report, modelNames);
  if (head.comparisons.length) byId("comparisons").append(comparisonTable(report));
  buildClasses(report);
}

/** @param {Report} report @param {string[]} modelNames */
function buildDots({ head, names }, modelNames) {
  const metric = head.metrics.includes("softpq") ? "softpq" : head.metrics[0];
  const title = metric === "softpq" ? "SoftPQ" : metric;
  const rows = modelNames.map((model) => ({ model, values: head.summary[model][metric].pooled }));
  const interval = names.length > 1 ? ", 95 % interval" : "";
  byId("dots").append(h("h3", {}, `${title}, pooled${interval}`), dotChart(rows, "models with intervals"));
}

/** @param {Report} report */
function comparisonTable({ head }) {
  const row = (/** @type {any} */ { model, values: [gap, low, high, p, from, to] }) => {
    const rank = from === to ? `${from}` : `${from}–${to}`;
    const texts = [signed(gap ?? NaN), low === null ? "–" : `${signed(low)} to ${signed(high)}`, shown(p, 4), rank];
    return h("tr", {}, modelCell(model), ...texts.map((text) => h("td", {}, text)));
  };
  const first = shortened(head.comparisons[0].first, 40);
  return table(
    ["model", "difference", "95 % interval", "p (Holm)", "rank"],
    head.comparisons.map(row),
    `Differences of SoftPQ to ${first}, on the images that all models have`,
  );
}

/** @param {Report} report */
function buildClasses({ head }) {
  for (const [model, classes] of Object.entries(head.classes)) {
    const rows = Object.entries(classes).map(([label, values]) => {
      const cells = values.map((/** @type {number|null} */ value) => h("td", {}, shown(value)));
      return h("tr", {}, h("th", { class: "model" }, label), ...cells);
    });
    byId("classes").append(table(["class", ...head.metrics], rows, `${model}: by class, pooled`));
  }
}
