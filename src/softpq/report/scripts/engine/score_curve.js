// SoftPQ at every score of predictions, as softpq.score_curve: which threshold would be the best one.
import { meanOf, pooledValue } from "./analysis.js";
import { partOf } from "./narrowing.js";
import { partsOf, valueOf } from "./softpq.js";
/** @typedef {import("../data.js").Report} Report */
/** @typedef {import("../data.js").ModelData} ModelData */
/** @typedef {import("./softpq.js").Settings} Settings */
/** @typedef {import("./softpq.js").Parts} Parts */
/** @typedef {import("./table.js").Table} Table */

const MOST = 240; // thresholds that are tried; of more scores, every second, third ...
const FEWEST = 24;
const WORK = 8e6; // members of atoms that may be looked at

/** @typedef {{thresholds: Float64Array, values: Float64Array[], best: number[], all: number}} ScoreCurve by model */

/** As many as can be tried: less where objects lie deep over each other. @param {Report} report */
function affordable({ models }) {
  const tables = models.flatMap((model) => model.tables);
  const members = tables.map(({ atoms }) => (atoms ? atoms.truth.length + atoms.pred.length : 0));
  const work = tables.reduce((sum, table, k) => sum + Math.min(MOST, table.predAreas.length) * members[k], 0);
  return Math.max(FEWEST, Math.min(MOST, Math.floor((MOST * WORK) / Math.max(1, work))));
}

/** @param {Float64Array} scores ascending @param {number} most */
function thresholdsOf(scores, most) {
  const step = Math.ceil(scores.length / most);
  return scores.filter((_, k) => k % step === 0 || k === scores.length - 1);
}

/**
 * Of every model, in steps.
 * @param {Report} report all objects @param {number} kind class, 0 for all @param {Settings} settings
 * @param {string} over @returns {Generator<undefined, ScoreCurve>}
 */
export function* scoreCurveOf(report, kind, settings, over) {
  const scores = /** @type {Float64Array} */ (report.scores);
  const thresholds = thresholdsOf(scores, affordable(report));
  const values = report.models.map(() => new Float64Array(thresholds.length));
  for (const [m, model] of report.models.entries()) {
    /** @type {Map<Table, Parts>} */ const known = new Map(); // a threshold changes few images
    for (const [k, score] of thresholds.entries()) {
      const parts = [];
      for (let place = 0; place < model.tables.length; place++) {
        const table = model.known ? partOf(model, place, { kind, score }).table : model.tables[place];
        if (!known.has(table)) {
          known.set(table, partsOf(table, settings));
          yield;
        }
        parts.push(/** @type {Parts} */ (known.get(table)));
      }
      values[m][k] =
        over === "pooled" ? pooledValue(parts, settings) : meanOf(parts.map((one) => valueOf(one, settings)));
    }
  }
  return { thresholds, values, best: values.map(bestOf), all: scores.length };
}

/** Place of the largest value; of equal ones the last. @param {Float64Array} values */
function bestOf(values) {
  let best = -1;
  values.forEach((value, k) => {
    if (!Number.isNaN(value) && (best < 0 || value >= values[best])) best = k;
  });
  return best;
}
