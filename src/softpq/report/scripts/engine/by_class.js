// Scores of every class by itself: objects of other classes are not there.
import { hardThreshold, meanOf, scoresOf } from "./analysis.js";
import { COMPUTED, addedSums, metricOf, sumsOf } from "./metrics.js";
import { narrowedModel } from "./narrowing.js";
/** @typedef {import("../data.js").Report} Report */
/** @typedef {import("../data.js").ModelData} ModelData */
/** @typedef {import("./softpq.js").Settings} Settings */

/**
 * @typedef {object} OfClass scores of one class
 * @property {Record<string, number>} values metric -> value
 * @property {number} matched @property {number} nTruth @property {number} nPred
 */

/**
 * All metrics that the page computes, of one model.
 * @param {ModelData} model @param {Settings} settings @param {number} threshold of PQ and the like
 * @param {string} over pooled or mean @returns {OfClass}
 */
export function allMetrics(model, settings, threshold, over) {
  const softpq = scoresOf(model, settings)[over === "pooled" ? "pooled" : "mean"];
  const sums = model.tables.map((table) => sumsOf(table, threshold));
  const total = addedSums(sums);
  const value = (/** @type {string} */ name) =>
    over === "pooled" ? metricOf(name, total) : meanOf(sums.map((one) => metricOf(name, one)));
  const values = { softpq, ...Object.fromEntries(COMPUTED.map((name) => [name, value(name)])) };
  return { values, matched: total.tp ?? 0, nTruth: total.nTruth, nPred: total.nPred };
}

/**
 * Of every class of one model, in steps.
 * @param {Report} report all objects @param {number} model @param {number} score @param {Settings} settings
 * @param {string} over @returns {Generator<undefined, OfClass[]>}
 */
export function* byClassOf(report, model, score, settings, over) {
  const found = [];
  for (let kind = 1; kind <= report.head.classNames.length; kind++) {
    const some = narrowedModel(report.models[model], { kind, score });
    found.push(allMetrics(some, settings, hardThreshold(report.head), over));
    yield;
  }
  return found;
}

/** The mean over classes that have objects. @param {OfClass[]} classes @param {string} metric */
export function meanOfClasses(classes, metric) {
  return meanOf(classes.map((one) => one.values[metric]));
}
