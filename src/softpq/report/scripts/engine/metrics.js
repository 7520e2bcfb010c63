// Metrics of tables at one threshold, as in the Python package: sums of images, and quotients of sums.
import { setsOf } from "./atoms.js";
import { matchPairs } from "./matching.js";
/** @typedef {import("./table.js").Table} Table */

/** @typedef {Record<string, number>} Sums that add over images */

const MAP = [0.5, 0.75, 0.9];
const RANGE = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95];

/**
 * @param {number[]} thresholds @returns {(s: Sums) => [number, number][]} of the mean accuracy over them
 */
function accuracies(thresholds) {
  return (s) => thresholds.map((t) => [s[`tp ${t}`], s.nTruth + s.nPred - s[`tp ${t}`]]);
}

/** Numerators and denominators; the value is the mean of their quotients. */
/** @type {Record<string, (s: Sums) => [number, number][]>} */
const TERMS = {
  pq: (s) => [[2 * s.iouSum, s.nTruth + s.nPred]],
  sq: (s) => [[s.iouSum, s.tp]],
  rq: (s) => [[2 * s.tp, s.nTruth + s.nPred]],
  mean_matched_iou: (s) => [[s.iouSum, s.tp]],
  mean_true_iou: (s) => [[s.iouSum, s.nTruth]],
  f1: (s) => [[2 * s.tp, s.nTruth + s.nPred]],
  precision: (s) => [[s.tp, s.nPred]],
  recall: (s) => [[s.tp, s.nTruth]],
  accuracy: (s) => [[s.tp, s.nTruth + s.nPred - s.tp]],
  map: accuracies(MAP),
  accuracy_range: accuracies(RANGE),
  iou: (s) => [[s.both, s.inTruth + s.inPred - s.both]],
  dice: (s) => [[2 * s.both, s.inTruth + s.inPred]],
  aji: (s) => [[s.ajiShared, s.ajiUnion]],
  seg: (s) => [[s.segIou, s.nTruth]],
};

/** Metrics that the page computes; SoftPQ has a file of its own. */
export const COMPUTED = Object.keys(TERMS);

/** @param {string} name @param {Sums} sums */
export function metricOf(name, sums) {
  if (!sums.nTruth && !sums.nPred) return NaN;
  const terms = TERMS[name](sums);
  return terms.reduce((sum, [top, bottom]) => sum + (bottom ? top / bottom : 0), 0) / terms.length;
}

/** @param {Sums[]} all @returns {Sums} */
export function addedSums(all) {
  /** @type {Sums} */ const total = { nTruth: 0, nPred: 0 };
  for (const one of all) for (const [name, value] of Object.entries(one)) total[name] = (total[name] ?? 0) + value;
  return total;
}

/** All sums of the table of one image. @param {Table} table @param {number} threshold @returns {Sums} */
export function sumsOf(table, threshold) {
  /** @type {Sums} */
  const sums = { nTruth: table.truthAreas.length, nPred: table.predAreas.length, ...found(table, threshold) };
  for (const t of RANGE) sums[`tp ${t}`] = found(table, t).tp;
  return { ...sums, ...covered(table), ...aggregated(table), segIou: coveredMostly(table) };
}

/** @param {Table} table @param {number} threshold */
function found(table, threshold) {
  const sums = { tp: 0, iouSum: 0 };
  matchPairs(table, threshold).forEach((yes, k) => {
    if (yes) {
      sums.tp++;
      sums.iouSum += table.pairIou[k];
    }
  });
  return sums;
}

/** @param {Float64Array} values */
const total = (values) => values.reduce((sum, one) => sum + one, 0);

/** Pixels that are object of any class on each side, and on both: each once. @param {Table} table @returns {Sums} */
function covered(table) {
  const { atoms, truthAreas, predAreas, pairPixels } = table.across ?? table;
  if (!atoms) return { inTruth: total(truthAreas), inPred: total(predAreas), both: total(pairPixels) };
  const sums = { inTruth: 0, inPred: 0, both: 0 };
  atoms.pixels.forEach((pixels, k) => {
    const [truth, pred] = setsOf(atoms, k);
    if (truth.length) sums.inTruth += pixels;
    if (pred.length) sums.inPred += pixels;
    if (truth.length && pred.length) sums.both += pixels;
  });
  return sums;
}

/**
 * The sums of AJI: every truth object with the prediction of largest IoU; equal ones are averaged.
 * @param {Table} table @returns {Sums}
 */
function aggregated({ truthAreas, predAreas, pairTruth, pairPred, pairPixels, pairIou }) {
  /** @type {number[][]} */ const best = Array.from(truthAreas, () => []);
  for (let k = 0; k < pairIou.length; k++) {
    const twins = best[pairTruth[k]];
    const more = twins.length ? pairIou[k] - pairIou[twins[0]] || pairPixels[k] - pairPixels[twins[0]] : 1;
    if (more > 0) best[pairTruth[k]] = [k];
    else if (more === 0) twins.push(k);
  }
  const unused = Float64Array.from(predAreas, () => 1);
  let shared = 0;
  let union = total(truthAreas);
  for (const twins of best) {
    for (const k of twins) unused[pairPred[k]] *= 1 - 1 / twins.length;
    if (!twins.length) continue;
    shared += pairPixels[twins[0]];
    union += predAreas[pairPred[twins[0]]] - pairPixels[twins[0]];
  }
  return { ajiShared: shared, ajiUnion: union + total(predAreas.map((area, k) => area * unused[k])) };
}

/** SEG: the largest IoU with what covers more than half of an object. @param {Table} table */
function coveredMostly({ truthAreas, pairTruth, pairPixels, pairIou }) {
  const best = new Float64Array(truthAreas.length);
  for (let k = 0; k < pairIou.length; k++)
    if (2 * pairPixels[k] > truthAreas[pairTruth[k]]) best[pairTruth[k]] = Math.max(best[pairTruth[k]], pairIou[k]);
  return total(best);
}
