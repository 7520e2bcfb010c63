// Classes: scores of each, computed anew, and the way to its objects.
import { byId, h, refill, shown } from "../dom.js";
import { byClassOf, meanOfClasses } from "../engine/by_class.js";
import { table } from "./tables.js";
/** @typedef {import("./page.js").Page} Page */
/** @typedef {import("../engine/by_class.js").OfClass} OfClass */

const METRICS = ["pq", "sq", "f1", "precision", "recall", "iou", "aji"];

/** @param {Page} page @returns {Generator<undefined, {classes: OfClass[], others: OfClass[]}>} */
function* steps({ full, state, settings, over }) {
  const { model, other, score } = state;
  const classes = yield* byClassOf(full, model, score, settings, over);
  const others = other === model ? [] : yield* byClassOf(full, other, score, settings, over);
  return { classes, others };
}

/** Scores of each class, a moment after the sliders stand still. @param {Page} page */
export function showClasses(page) {
  const names = page.full.head.classNames;
  byId("by-class").hidden = !names.length;
  if (!names.length) return;
  byId("classes").classList.add("stale");
  page.classing.start(steps(page), (found) => {
    page.classes = found;
    fill(page, names, found);
    byId("classes").classList.remove("stale");
    document.body.dataset.classes = String(Number(document.body.dataset.classes ?? 0) + 1);
  });
}

/** @param {Page} page @param {string[]} names @param {{classes: OfClass[], others: OfClass[]}} found */
function fill(page, names, { classes, others }) {
  const { threshold, strict } = page.full.head;
  const number = (/** @type {number} */ value) => ({ value, shown: [shown(value)] });
  const pick = (/** @type {string} */ name) => () => page.set({ kind: page.state.kind === name ? "" : name });
  const rows = classes.map((one, k) => ({
    cells: [
      { value: names[k], shown: [h("button", { type: "button", class: "plain", onclick: pick(names[k]) }, names[k])] },
      number(one.values.softpq),
      ...(others.length ? [number(others[k].values.softpq)] : []),
      ...METRICS.map((metric) => number(one.values[metric])),
      ...[one.matched, one.nTruth, one.nPred].map((value) => ({ value })),
    ],
    kind: page.state.kind === names[k] ? "current" : "",
  }));
  const mean = [
    number(meanOfClasses(classes, "softpq")),
    ...(others.length ? [number(meanOfClasses(others, "softpq"))] : []),
    ...METRICS.map((metric) => number(meanOfClasses(classes, metric))),
  ];
  const counts = ["matched", "nTruth", "nPred"].map(() => ({ value: NaN, shown: [""] })); // which have no mean
  rows.push({ cells: [{ value: "mean of classes", shown: ["mean of classes"] }, ...mean, ...counts], kind: "mean" });
  const at = `${strict ? "above" : "at"} ${threshold}`;
  const columns = [
    { name: "class", less: true },
    { name: "SoftPQ" },
    ...(others.length ? [{ name: `SoftPQ of ${page.labels[page.state.other]}` }] : []),
    ...METRICS.map((name) => ({ name: ["iou", "aji"].includes(name) ? name : `${name} ${at}` })),
    ...[`matched ${at}`, "truth objects", "predictions"].map((name) => ({ name })),
  ];
  const model = page.modelNames.length > 1 ? `${page.labels[page.state.model]}: ` : "";
  const caption = `${model}each class by itself, ${page.over === "pooled" ? "pooled" : "mean over images"}`;
  refill(byId("classes"), table(columns, rows, { id: "class-table", caption }));
}
