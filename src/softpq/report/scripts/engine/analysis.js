// All numbers of the page at one choice of settings, computed when they are asked for.
import { matchPairs } from "./matching.js";
import { addParts, factorOf, hardValues, noParts, partsByImage, valueOf, weightsOf } from "./softpq.js";
import { byImage } from "./table.js";
import { verdictsOf } from "./verdicts.js";
/** @typedef {import("./softpq.js").Settings} Settings */
/** @typedef {import("./softpq.js").Parts} Parts */
/** @typedef {import("./table.js").Table} Table */
/** @typedef {import("../data.js").Report} Report */
/** @typedef {import("../data.js").ModelData} ModelData */

/**
 * @typedef {object} Scores of one model
 * @property {Uint8Array} allMatched pairs of all images
 * @property {Float64Array} divisor what the IoU of each pair is divided by, 0 if it does not count
 * @property {Float64Array} credit what counts of each pair before that: its IoU, or less where objects overlap
 * @property {Uint8Array[]} matched the same by image
 * @property {Parts[]} parts
 * @property {Float64Array} values SoftPQ by image
 * @property {number} pooled
 * @property {number} mean
 */

/** @param {ArrayLike<number>} values @returns {number} mean of the defined ones */
export function meanOf(values) {
  let sum = 0;
  let n = 0;
  for (let k = 0; k < values.length; k++)
    if (!Number.isNaN(values[k])) {
      sum += values[k];
      n++;
    }
  return n ? sum / n : NaN;
}

/** The table that the reading looks at. @param {ModelData} model @param {Settings} settings */
export function tableFor(model, settings) {
  return settings.reading === "released" ? model.wholePieces : model.whole;
}

/** @param {Parts[]} parts @param {Settings} settings */
export function pooledValue(parts, settings) {
  const total = noParts();
  for (const one of parts) addParts(total, one);
  return parts.length ? valueOf(total, settings) : NaN;
}

/**
 * @param {ModelData} model @param {Settings} settings @returns {Scores}
 */
export function scoresOf(model, settings) {
  const allMatched = matchPairs(model.whole, settings.high);
  const used = tableFor(model, settings);
  const weights = weightsOf(model.whole, settings, allMatched);
  const parts = used === model.whole ? partsByImage(used, settings, allMatched, weights) : partsByImage(used, settings);
  const values = Float64Array.from(parts, (one) => valueOf(one, settings));
  const matched = byImage(allMatched, model.whole.bounds.pair);
  return {
    allMatched,
    divisor: weights.divisor,
    credit: weights.credit,
    matched,
    parts,
    values,
    pooled: pooledValue(parts, settings),
    mean: meanOf(values),
  };
}

/** Of PQ and the like: the least IoU of a match. @param {{threshold: number, strict: boolean}} head */
export function hardThreshold({ threshold, strict }) {
  return strict ? nextAbove(threshold) : threshold;
}

/** The next larger number: at least that is above the one before. @param {number} value positive */
export function nextAbove(value) {
  const number = new Float64Array([value]);
  new BigUint64Array(number.buffer)[0]++;
  return number[0];
}

/**
 * PQ and F1 by image, pooled and mean, at a threshold.
 * @param {ModelData} model @param {number} threshold
 */
export function hardScoresOf(model, threshold) {
  const total = { matched: 0, matchedIou: 0, nTruth: 0, nPred: 0 };
  const allMatched = byImage(matchPairs(model.whole, threshold), model.whole.bounds.pair);
  const pq = new Float64Array(model.tables.length);
  const f1 = new Float64Array(model.tables.length);
  model.tables.forEach((table, k) => {
    const one = { matched: 0, matchedIou: 0, nTruth: table.truthAreas.length, nPred: table.predAreas.length };
    const matched = allMatched[k];
    for (let j = 0; j < matched.length; j++)
      if (matched[j]) {
        one.matched++;
        one.matchedIou += table.pairIou[j];
      }
    ({ pq: pq[k], f1: f1[k] } = hardValues(one));
    for (const key of /** @type {(keyof typeof total)[]} */ (Object.keys(total))) total[key] += one[key];
  });
  const pooled = hardValues(total);
  return { pq, f1, pooled, mean: { pq: meanOf(pq), f1: meanOf(f1) } };
}

export class Analysis {
  /** @param {Report} report @param {Settings} settings */
  constructor(report, settings) {
    this.report = report;
    this.settings = settings;
    /** @type {(Scores|undefined)[]} */ this.scores = [];
    /** @type {({truth: Uint8Array, pred: Uint8Array}[]|undefined)[]} */ this.verdicts = [];
    /** @type {({truth: Uint8Array, pred: Uint8Array}|undefined)[]} */ this.allVerdicts = [];
    /** @type {(Float64Array|undefined)[]} */ this.credits = [];
  }

  /** @param {number} model @returns {Scores} */
  scoresOf(model) {
    return (this.scores[model] ??= scoresOf(this.report.models[model], this.settings));
  }

  /** @param {number} model */
  verdictsOf(model) {
    const { truth, pred } = this.allVerdictsOf(model);
    const { bounds } = this.report.models[model].whole;
    return (this.verdicts[model] ??= byImage(truth, bounds.truth).map((one, k) => ({
      truth: one,
      pred: pred.subarray(bounds.pred[k], bounds.pred[k + 1]),
    })));
  }

  /** The same for all images together. @param {number} model */
  allVerdictsOf(model) {
    return (this.allVerdicts[model] ??= verdictsOf(
      this.report.models[model].whole,
      this.settings,
      this.scoresOf(model).allMatched,
    ));
  }

  /** What each truth object of all images adds: its IoUs, weighted. @param {number} model */
  creditsOf(model) {
    const known = this.credits[model];
    if (known) return known;
    const { whole } = this.report.models[model];
    const total = new Float64Array(whole.truthAreas.length);
    const { divisor, credit } = this.scoresOf(model);
    for (let k = 0; k < divisor.length; k++) if (divisor[k]) total[whole.pairTruth[k]] += credit[k] / divisor[k];
    return (this.credits[model] = total);
  }

  /**
   * What the pairs of one object are, and what they add to the score of the image.
   * @param {number} model @param {number} place @param {"truth"|"pred"} side @param {number} object
   */
  pairsOf(model, place, side, object) {
    const table = this.report.models[model].tables[place];
    const scores = this.scoresOf(model);
    const { divisor, isSoft, credit } = weightsOf(table, this.settings, scores.matched[place]);
    const factor = factorOf(scores.parts[place], this.settings);
    const mine = side === "truth" ? table.pairTruth : table.pairPred;
    const theirs = side === "truth" ? table.pairPred : table.pairTruth;
    const found = [];
    for (let k = 0; k < mine.length; k++) {
      if (mine[k] !== object) continue;
      const weight = divisor[k] ? 1 / divisor[k] : 0;
      const iou = table.pairIou[k];
      const none = iou > this.settings.low ? "taken by a match" : "too small";
      const kind = scores.matched[place][k] ? "matched" : isSoft[k] ? "soft" : none;
      found.push({ partner: theirs[k], iou, kind, weight, adds: factor * credit[k] * weight });
    }
    return found.sort((a, b) => b.iou - a.iou);
  }
}
