// The models at the present thresholds, ranked, with what may be said of their differences.
import { dotChart } from "../charts/dots.js";
import { byId, h, refill, roving, shown, signed } from "../dom.js";
import { atThreshold, many, nounOf, saidOfDots } from "./sentences.js";
import { table } from "./tables.js";
/** @typedef {import("./page.js").Page} Page */
/** @typedef {import("./tables.js").Cell} Cell */

/** Models from the best to the worst on the images that all have. @param {Page} page @returns {number[]} */
export function ranking(page) {
  const values = page.commonValues;
  const rank = (/** @type {number} */ k) => (Number.isNaN(values[k]) ? -1 : values[k]);
  return page.modelNames.map((_, k) => k).sort((a, b) => rank(b) - rank(a) || a - b);
}

/**
 * What is known of two models, the first less the second.
 * @param {Page} page @param {number} first @param {number} second
 */
export function differenceOf({ compared }, first, second) {
  const found = compared?.pairs.find(({ pair }) => pair.includes(first) && pair.includes(second));
  if (!found) return null;
  if (found.pair[0] === first) return { ...found.gap, adjusted: found.adjusted };
  const { value, low, high } = found.gap;
  return { value: -value, low: -high, high: -low, adjusted: found.adjusted };
}

/** @param {number} value @param {number} low @param {number} high @returns {Cell} */
function withInterval(value, low, high) {
  const small = Number.isNaN(low) ? "" : h("small", {}, `${shown(low)} to ${shown(high)}`);
  return { value, shown: [h("b", {}, shown(value, 4)), small] };
}

/** @param {Page} page @param {number} model @param {number[]} order @param {string} name */
function rowOf(page, model, order, name) {
  const { over, compared } = page;
  const scores = page.analysis.scoresOf(model);
  const hard = page.hard[model][over];
  const sum = (/** @type {"matched"|"soft"|"nTruth"|"nPred"} */ key) =>
    scores.parts.reduce((total, one) => total + one[key], 0);
  const interval = compared?.intervals[model];
  const [from, to] = compared?.ranks[model] ?? [1, order.length];
  const gap = model === order[0] ? null : differenceOf(page, model, order[0]);
  const several = order.length > 1;
  /** @type {Cell[]} */
  const cells = [
    {
      value: page.modelNames[model],
      shown: [h("button", { type: "button", class: "plain", onclick: () => page.set({ model }) }, name)],
      title: page.modelNames[model],
    },
    withInterval(scores[over], interval?.low ?? NaN, interval?.high ?? NaN),
    ...(several
      ? [
          { value: from, shown: [from === to ? String(from) : `${from}–${to}`] },
          gap ? { value: gap.value, shown: [signed(gap.value), intervalText(gap)] } : { value: 0, shown: ["best"] },
          { value: gap?.adjusted ?? NaN, shown: [shown(gap?.adjusted, 4)] },
        ]
      : []),
    ...[hard.pq, hard.f1].map((value) => ({ value, shown: [shown(value, 4)] })),
    ...[sum("matched"), sum("soft"), sum("nTruth"), sum("nPred")].map((value) => ({ value })),
  ];
  return { cells, kind: model === page.state.model ? "current" : "" };
}

/** @param {{low: number, high: number}} gap */
function intervalText({ low, high }) {
  return Number.isNaN(low) ? "" : h("small", {}, `${signed(low)} to ${signed(high)}`);
}

/** @param {Page} page */
export function showModels(page) {
  const order = ranking(page);
  const { level } = page.report.head;
  const at = atThreshold(page.report);
  const percent = `${+(100 * level).toFixed(1)} %`;
  const best = page.labels[order[0]];
  const columns = [
    { name: "model", less: true, title: "the best first, by SoftPQ on the images that all models have" },
    { name: `SoftPQ (${page.over})`, title: `with its ${percent} interval, where there are enough images` },
    ...(order.length > 1
      ? [
          { name: "rank", less: true, title: `ranks that it may have, at ${percent}` },
          { name: "to the best", title: `difference to ${best}, with its ${percent} interval` },
          {
            name: "p (Holm)",
            less: true,
            title: "of exchanging the two models image by image, adjusted over all pairs",
          },
        ]
      : []),
    ...[`PQ ${at}`, `F1 ${at}`, "matched", "soft pairs", "truth objects", "predictions"].map((name) => ({ name })),
  ];
  const rows = order.map((model) => rowOf(page, model, order, page.labels[model]));
  const sorted = (/** @type {any} */ next) => {
    page.modelOrder = next;
  };
  const made = table(columns, rows, { id: "models", order: page.modelOrder ?? undefined, sorted });
  roving(made.querySelector("tbody"), "th button");
  byId("live").classList.toggle("stale", !page.compared);
  refill(byId("live"), made);
  byId("live-note").textContent = notes(page);
  showDots(page, order);
}

/** @param {Page} page */
function notes({ report, state, compared }) {
  const { whole, wholePieces } = report.models[state.model];
  const said = [];
  if (state.reading === "released" && whole !== wholePieces)
    said.push("The released reading counts connected pieces of labels; verdicts and the viewer show labels.");
  if (compared?.reason === "no quotient" && report.models.length > 1)
    said.push(
      "The released reading is no quotient of sums: intervals and p-values are of the mean over images (over images: mean).",
    );
  if (compared?.reason === "too few" && report.models.length > 1)
    said.push(
      `${many(compared.units, nounOf(report))} in common ${compared.units === 1 ? "is" : "are"} too few to tell models apart: at least 6 are needed.`,
    );
  return said.join(" ");
}

/** @param {Page} page */
export function showNow(page) {
  const { model } = page.state;
  byId("now").replaceChildren(
    h("span", {}, "SoftPQ "),
    h("b", { id: "softpq-now" }, shown(page.analysis.scoresOf(model)[page.over], 4)),
    h("span", {}, ` PQ ${atThreshold(page.report)} `),
    h("b", { id: "pq-now" }, shown(page.hard[model][page.over].pq, 4)),
  );
}

/** @param {Page} page @param {number[]} order */
function showDots(page, order) {
  const rows = order.map((model) => {
    const value = page.analysis.scoresOf(model)[page.over];
    const interval = page.compared?.intervals[model];
    return { model: page.modelNames[model], values: [value, interval?.low ?? NaN, interval?.high ?? NaN] };
  });
  const data = { headings: ["model", "SoftPQ", "low", "high"], rows: rows.map((r) => [r.model, ...r.values]) };
  const label = "SoftPQ of each model with its interval";
  const named = order.map((model, k) => ({ ...rows[k], model: page.labels[model] }));
  page.cards.put("dots", dotChart(named, label), data, saidOfDots(named));
}

/** Whether the two best models have the same value. @param {Page} page */
export function isTied(page) {
  const [best, next] = ranking(page);
  return next !== undefined && page.commonValues[best] === page.commonValues[next];
}
