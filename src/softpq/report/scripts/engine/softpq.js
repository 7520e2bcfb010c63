// SoftPQ in every reading: the sums of images, and their value, as in the Python package.
import { softPairs } from "./credits.js";
import { bestOf, matchPairs } from "./matching.js";
/** @typedef {import("./table.js").Table} Table */

/**
 * @typedef {object} Settings
 * @property {number} low
 * @property {number} high
 * @property {string} penalty
 * @property {string} priority
 * @property {string} reading
 *
 * @typedef {object} Parts sums that add over images
 * @property {number} matched
 * @property {number} matchedIou
 * @property {number} soft
 * @property {number} softIou
 * @property {number} forgiven
 * @property {number} nTruth
 * @property {number} nPred
 */

/** @type {Record<string, (n: number) => number>} */
export const PENALTIES = {
  sqrt: (n) => Math.sqrt(n + 1),
  linear: (n) => n + 1,
  log: (n) => Math.max(1, Math.log(n + 1)),
  "log-raw": (n) => Math.log(n + 1),
};

/**
 * The table's two sides, the one that soft pairs are grouped by first.
 * @param {Table} table @param {string} priority
 */
function sided(table, priority) {
  const over = priority === "over";
  return {
    group: over ? table.pairTruth : table.pairPred,
    other: over ? table.pairPred : table.pairTruth,
    nGroup: (over ? table.truthAreas : table.predAreas).length,
    nOther: (over ? table.predAreas : table.truthAreas).length,
  };
}

/**
 * What every pair counts: the divisor of its IoU, 0 if it counts nothing.
 * @param {Table} table @param {Settings} settings @param {Uint8Array} matched pairs at the upper threshold
 * @typedef {{divisor: Float64Array, isSoft: Uint8Array, isHard: Uint8Array, credit: Float64Array}} Weights
 * @returns {Weights}
 */
export function weightsOf(table, settings, matched) {
  const { pairIou } = table;
  const n = pairIou.length;
  const { group, nGroup } = sided(table, settings.priority);
  const count = new Int32Array(nGroup);
  const released = settings.reading === "released";
  const isHard = released ? firstHard(table, settings) : matched;
  const { isSoft, credit } = released ? releasedSoft(table, settings) : softPairs(table, settings.low, matched);
  for (let k = 0; k < n; k++) count[group[k]] += isSoft[k];
  const penalty = PENALTIES[settings.penalty];
  const divisor = new Float64Array(n);
  for (let k = 0; k < n; k++) divisor[k] = isSoft[k] ? penalty(count[group[k]]) : isHard[k];
  return { divisor, isSoft, isHard, credit };
}

/** The authors' program takes all pairs between the thresholds. @param {Table} table @param {Settings} settings */
function releasedSoft({ pairIou }, { low, high }) {
  const isSoft = new Uint8Array(pairIou.length);
  for (let k = 0; k < isSoft.length; k++) if (pairIou[k] > low && pairIou[k] < high) isSoft[k] = 1;
  return { isSoft, credit: pairIou };
}

/**
 * The authors' program sums the first pair above the threshold of each row.
 * @param {Table} table @param {Settings} settings
 */
function firstHard(table, settings) {
  const { group, nGroup } = sided(table, settings.priority);
  const has = new Uint8Array(nGroup);
  const first = new Uint8Array(group.length);
  for (let k = 0; k < group.length; k++) {
    if (table.pairIou[k] > settings.high && !has[group[k]]) {
      has[group[k]] = 1;
      first[k] = 1;
    }
  }
  return first;
}

/**
 * The sums of SoftPQ of a table of one image.
 * @param {Table} table @param {Settings} settings
 * @returns {Parts}
 */
export function partsOf(table, settings) {
  return partsByImage(table, settings)[0];
}

/**
 * The sums of SoftPQ, for each image of the table.
 * @param {Table} table @param {Settings} settings
 * @param {Uint8Array} [matched] pairs matched at the upper threshold @param {Weights} [weights]
 * @returns {Parts[]}
 */
export function partsByImage(
  table,
  settings,
  matched = matchPairs(table, settings.high),
  weights = weightsOf(table, settings, matched),
) {
  const { pairIou, bounds } = table;
  const { divisor, isSoft, isHard, credit } = weights;
  const fewer = forgiven(table, settings, matched, isSoft, isHard);
  const found = [];
  for (let image = 0; image + 1 < bounds.pair.length; image++) {
    let nMatched = 0;
    let matchedIou = 0;
    let soft = 0;
    let softIou = 0;
    for (let k = bounds.pair[image]; k < bounds.pair[image + 1]; k++) {
      nMatched += matched[k];
      if (isHard[k]) matchedIou += pairIou[k];
      else if (isSoft[k]) {
        soft++;
        softIou += credit[k] / divisor[k];
      }
    }
    found.push({
      matched: nMatched,
      matchedIou,
      soft,
      softIou,
      forgiven: fewer[image],
      nTruth: bounds.truth[image + 1] - bounds.truth[image],
      nPred: bounds.pred[image + 1] - bounds.pred[image],
    });
  }
  return found;
}

/** @returns {Parts} */
export function noParts() {
  return { matched: 0, matchedIou: 0, soft: 0, softIou: 0, forgiven: 0, nTruth: 0, nPred: 0 };
}

/** @param {Parts} total @param {Parts} more */
export function addParts(total, more) {
  total.matched += more.matched;
  total.matchedIou += more.matchedIou;
  total.soft += more.soft;
  total.softIou += more.softIou;
  total.forgiven += more.forgiven;
  total.nTruth += more.nTruth;
  total.nPred += more.nPred;
}

/**
 * Objects that the reading does not count as wrong, for each image.
 * @param {Table} table @param {Settings} settings
 * @param {Uint8Array} matched @param {Uint8Array} isSoft @param {Uint8Array} isHard
 */
function forgiven(table, settings, matched, isSoft, isHard) {
  const nImages = table.bounds.pair.length - 1;
  const counts = new Int32Array(nImages);
  if (settings.reading === "text") return counts;
  const { group, other, nGroup, nOther } = sided(table, settings.priority);
  const groupFound = marked(group, nGroup, settings.reading === "released" ? isHard : matched);
  const otherFound = marked(other, nOther, matched);
  const counted = new Uint8Array(nOther);
  const free = /** @type {number[]} */ ([]);
  for (let image = 0; image < nImages; image++) {
    for (let k = table.bounds.pair[image]; k < table.bounds.pair[image + 1]; k++) {
      if (!isSoft[k]) continue;
      if (settings.reading === "released") {
        counts[image] += groupFound[group[k]];
        continue;
      }
      if (otherFound[other[k]]) continue;
      if (settings.reading === "figures" && !groupFound[group[k]]) continue;
      if (!counted[other[k]]) {
        counted[other[k]] = 1;
        counts[image]++;
      }
      if (!groupFound[group[k]]) free.push(k);
    }
  }
  if (settings.reading === "unified") claim(table, Int32Array.from(free), counts);
  return counts;
}

/** @param {Int32Array} side @param {number} size @param {Uint8Array} pairs */
function marked(side, size, pairs) {
  const mark = new Uint8Array(size);
  for (let k = 0; k < side.length; k++) if (pairs[k]) mark[side[k]] = 1;
  return mark;
}

/**
 * Take off, for each image, as many as can be chosen one to one of these pairs.
 * @param {Table} table @param {Int32Array} pairs ascending @param {Int32Array} counts
 */
function claim(table, pairs, counts) {
  if (!pairs.length) return;
  const chosen = bestOf(table, pairs, () => 0n);
  for (let k = 0, image = 0; k < pairs.length; k++) {
    while (pairs[k] >= table.bounds.pair[image + 1]) image++;
    counts[image] -= chosen[k];
  }
}

/**
 * The value of sums; NaN where neither side has an object.
 * @param {Parts} parts @param {{reading: string, priority: string}} settings
 */
export function valueOf(parts, settings) {
  const factor = factorOf(parts, settings);
  return Number.isNaN(factor) ? NaN : factor * (parts.matchedIou + parts.softIou);
}

/**
 * What one unit of IoU adds to the score.
 * @param {Parts} parts @param {{reading: string, priority: string}} settings
 */
export function factorOf(parts, settings) {
  const { matched, nTruth, nPred } = parts;
  if (settings.reading === "released") return releasedFactor(parts, settings.priority);
  if (nTruth === 0 && nPred === 0) return NaN;
  if (settings.reading !== "unified" && matched === 0) return nTruth ? 1 / nTruth : 0;
  const denominator = nTruth + nPred - parts.forgiven;
  return denominator ? 2 / denominator : 0;
}

/** @param {Parts} parts @param {string} priority */
function releasedFactor({ matched, nTruth, nPred, forgiven: fewer }, priority) {
  if (nTruth === 0 || nPred === 0) return 0;
  if (!matched) return 1 / nTruth;
  const [lessened, kept] = priority === "over" ? [nPred, nTruth] : [nTruth, nPred];
  const wrong = Math.max(lessened - matched - fewer, 0) + (kept - matched);
  return (1 / matched) * ((2 * matched) / (2 * matched + wrong));
}

/**
 * PQ and F1 of sums of a matching.
 * @param {{matched: number, matchedIou: number, nTruth: number, nPred: number}} parts
 */
export function hardValues({ matched, matchedIou, nTruth, nPred }) {
  if (nTruth + nPred === 0) return { pq: NaN, f1: NaN };
  return { pq: (2 * matchedIou) / (nTruth + nPred), f1: (2 * matched) / (nTruth + nPred) };
}
