// Cards that compare models: against the threshold, image by image, and by what repairs would bring.
import { curveChart, lineOf } from "../charts/curves.js";
import { repairGrid } from "../charts/repairs.js";
import { scatter } from "../charts/scatter.js";
import { h, s, shortened, shown } from "../dom.js";
import { CURVES, THRESHOLDS } from "../engine/curves.js";
import { ranking } from "./models.js";
import { saidOfCurves, saidOfDuel, saidOfRepairs } from "./sentences.js";
/** @typedef {import("./cards.js").Cards} Cards */

/** PQ, F1 and accuracy, computed once for pooled and once for the mean. @param {Cards} cards */
export function showCurves(cards) {
  const { page, curves } = cards;
  const { over, model } = page.state;
  const key = `${over} ${page.narrowedTo}`;
  if (curves.key === key) {
    if (curves.model !== model) drawCurves(cards);
    return;
  }
  cards.curves = { key, model, value: null };
  drawCurves(cards);
  page.workshop.start("curves", { over, strict: page.report.head.strict }, (value) => {
    cards.curves = { key, model: page.state.model, value };
    drawCurves(cards);
    document.body.dataset.curves = over;
  });
}

/** @param {Cards} cards */
function drawCurves(cards) {
  const { page, curves } = cards;
  const { value } = curves;
  curves.model = page.state.model;
  const { threshold } = page.report.head;
  const several = page.modelNames.length > 1;
  const headings = [
    "threshold",
    ...page.modelNames.flatMap((name) => CURVES.map((metric) => (several ? `${metric} of ${name}` : metric))),
  ];
  const rows = THRESHOLDS.map((t, k) => [t, ...(value ?? []).flatMap((one) => CURVES.map((metric) => one[metric][k]))]);
  const chart = curveChart(value, page.labels, threshold, page.state.model);
  cards.put(
    "curves",
    chart,
    { headings, rows: value ? rows : [] },
    value ? saidOfCurves(value, page.labels) : "computing …",
  );
  if (several) cards.bodies.curves.append(h("div", { class: "legend" }, ...page.labels.map(legendOf)));
}

/** @param {string} name @param {number} model */
function legendOf(name, model) {
  const line = s("line", { x1: 0, x2: 26, y1: 6, y2: 6, "stroke-width": 2.5, ...lineOf(model) });
  return h("span", {}, s("svg", { viewBox: "0 0 26 12", class: "line-key", "aria-hidden": "true" }, line), name);
}

/** One model against the other, image by image. @param {Cards} cards */
export function showDuel(cards) {
  if (!cards.bodies.duel) return;
  const { page } = cards;
  const { model, other, image: current } = page.state;
  const [mine, theirs] = [model, other].map((k) => page.analysis.scoresOf(k).values);
  const [first, second] = [page.labels[model], page.labels[other]];
  const { images } = page.report.models[model];
  const { placeOf } = page.report.models[other];
  const points = Array.from(images, (image, k) => ({
    name: page.report.names[image],
    x: theirs[placeOf.get(image) ?? -1] ?? NaN,
    y: mine[k],
    pick: () => page.lookAt(image),
    current: image === current,
  }));
  const options = {
    label: "SoftPQ of two models, by image",
    xName: `SoftPQ of ${second}`,
    yName: `SoftPQ of ${shortened(first, 22)}`,
    yFrom: 0,
    yTo: 1,
    diagonal: true,
    tell: (/** @type {any} */ p) => `${p.name}: ${first} ${shown(p.y)}, ${second} ${shown(p.x)}`,
  };
  const data = {
    headings: ["image", first, second, "difference"],
    rows: points.map(({ name, x, y }) => [name, y, x, y - x]),
  };
  cards.put("duel", scatter(points, options), data, saidOfDuel(points, first, second));
}

/** Models by repairs; it takes long where there is much, and follows then. @param {Cards} cards */
export function showRepairs(cards) {
  const { page, bodies } = cards;
  if (!bodies.repairs) return;
  bodies.repairs.classList.add("stale");
  const { settings } = page;
  const { over } = page.state;
  if (!bodies.repairs.firstChild) drawRepairs(cards, null);
  page.workshop.start("repairs", { settings, over }, (value) => {
    drawRepairs(cards, value);
    bodies.repairs.classList.remove("stale");
    document.body.dataset.repairs = String(Number(document.body.dataset.repairs ?? 0) + 1);
  });
}

/** @param {Cards} cards @param {Record<string, number>[]|null} value */
function drawRepairs(cards, value) {
  const { page } = cards;
  const chart = repairGrid(value, page.modelNames, ranking(page), (model) => page.set({ model }));
  const repairs = Object.keys(value?.[0] ?? {});
  const rows = (value ?? []).map((one, k) => [page.modelNames[k], ...repairs.map((name) => one[name])]);
  cards.put(
    "repairs",
    chart,
    { headings: ["model", ...repairs], rows },
    value ? saidOfRepairs(value, page.labels) : "",
  );
}
