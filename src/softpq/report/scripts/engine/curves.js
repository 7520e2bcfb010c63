// PQ, F1 and accuracy of every model against the threshold of a match.
import { meanOf, nextAbove } from "./analysis.js";
import { matchPairs } from "./matching.js";
import { hardValues } from "./softpq.js";
import { prepareTies } from "./ties.js";
/** @typedef {import("../data.js").Report} Report */
/** @typedef {import("../data.js").ModelData} ModelData */

/** Metrics of a matching, and the thresholds at which they are shown. */
export const CURVES = /** @type {const} */ (["pq", "f1", "accuracy"]);
export const THRESHOLDS = Array.from({ length: 20 }, (_, k) => (k + 1) / 20);

/** @typedef {{matched: number, matchedIou: number, nTruth: number, nPred: number}} Sums */
/** @typedef {Record<typeof CURVES[number], Float64Array>} Curves of one model, a value for each threshold */

/** @param {Sums} sums @returns {Record<typeof CURVES[number], number>} */
export function valuesOf(sums) {
  const all = sums.nTruth + sums.nPred - sums.matched;
  return { ...hardValues(sums), accuracy: all ? sums.matched / all : NaN };
}

/** The sums of each image at a threshold. @param {ModelData} model @param {number} threshold @returns {Sums[]} */
function sumsOf({ whole }, threshold) {
  const matched = matchPairs(whole, threshold);
  const { truth, pred, pair } = whole.bounds;
  const found = [];
  for (let image = 0; image + 1 < pair.length; image++) {
    const sums = {
      matched: 0,
      matchedIou: 0,
      nTruth: truth[image + 1] - truth[image],
      nPred: pred[image + 1] - pred[image],
    };
    for (let k = pair[image]; k < pair[image + 1]; k++)
      if (matched[k]) {
        sums.matched++;
        sums.matchedIou += whole.pairIou[k];
      }
    found.push(sums);
  }
  return found;
}

/** @param {Sums[]} sums by image @param {string} over */
function summarised(sums, over) {
  if (over !== "pooled") {
    const values = sums.map(valuesOf);
    return Object.fromEntries(CURVES.map((name) => [name, meanOf(values.map((one) => one[name]))]));
  }
  const total = { matched: 0, matchedIou: 0, nTruth: 0, nPred: 0 };
  for (const one of sums) for (const key of /** @type {(keyof Sums)[]} */ (Object.keys(total))) total[key] += one[key];
  return valuesOf(total);
}

/**
 * @param {Report} report @param {string} over @param {boolean} strict whether matches must exceed the threshold
 * @returns {Generator<undefined, Curves[]>}
 */
export function* curvesOf(report, over, strict) {
  const found = report.models.map(
    () => /** @type {any} */ (Object.fromEntries(CURVES.map((name) => [name, new Float64Array(THRESHOLDS.length)]))),
  );
  for (const [m, model] of report.models.entries()) {
    yield* prepareTies(model.whole);
    for (const [k, threshold] of THRESHOLDS.entries()) {
      const values = summarised(sumsOf(model, strict ? nextAbove(threshold) : threshold), over);
      for (const name of CURVES) found[m][name][k] = /** @type {any} */ (values)[name];
      yield;
    }
  }
  return found;
}
