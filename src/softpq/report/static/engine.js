// The arithmetic of scores on tables, as in the Python package: matching, SoftPQ in every reading, verdicts.
import { bestEdges } from "./assignment.js";

/**
 * @typedef {object} Table which truth object shares how many pixels with which prediction, by position
 * @property {Float64Array} truthAreas
 * @property {Float64Array} predAreas
 * @property {Int32Array} pairTruth
 * @property {Int32Array} pairPred
 * @property {Float64Array} pairPixels
 * @property {Float64Array} pairIou
 * @property {Float64Array} tieBreaks tiny amounts that decide between equal sums, one per pair
 * @property {Bounds} bounds which rows belong to which image; most tables are of one
 *
 * @typedef {object} Bounds where the rows of each image begin, and where the last ends
 * @property {Int32Array} truth
 * @property {Int32Array} pred
 * @property {Int32Array} pair
 *
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

export const READINGS = ["text", "figures", "unified", "released"];
export const PRIORITIES = ["over", "under"];

/** @type {Record<string, [number, number]>} */
export const PRESETS = { general: [0.25, 0.5], precise: [0.45, 0.7], exploratory: [0.1, 0.5], paper: [0.05, 0.5] };

/**
 * @param {ArrayLike<number>} truthAreas @param {ArrayLike<number>} predAreas
 * @param {ArrayLike<number>} pairTruth @param {ArrayLike<number>} pairPred @param {ArrayLike<number>} pairPixels
 * @param {ArrayLike<number>} [tieBreaks]
 * @returns {Table}
 */
export function makeTable(truthAreas, predAreas, pairTruth, pairPred, pairPixels, tieBreaks) {
  const n = pairPixels.length, pairIou = new Float64Array(n);
  for (let k = 0; k < n; k++) {
    pairIou[k] = pairPixels[k] / (truthAreas[pairTruth[k]] + predAreas[pairPred[k]] - pairPixels[k]);
  }
  return {
    truthAreas: Float64Array.from(truthAreas),
    predAreas: Float64Array.from(predAreas),
    pairTruth: Int32Array.from(pairTruth),
    pairPred: Int32Array.from(pairPred),
    pairPixels: Float64Array.from(pairPixels),
    pairIou,
    tieBreaks: tieBreaks ? Float64Array.from(tieBreaks) : new Float64Array(n),
    bounds: { truth: Int32Array.of(0, truthAreas.length), pred: Int32Array.of(0, predAreas.length), pair: Int32Array.of(0, n) },
  };
}

/**
 * One table of many images: objects of different images share nothing, so all is done for all of them in one pass.
 * @param {Table[]} tables @returns {Table}
 */
export function joinTables(tables) {
  const starts = (/** @type {(table: Table) => ArrayLike<any>} */ of) => {
    const found = new Int32Array(tables.length + 1);
    tables.forEach((table, k) => { found[k + 1] = found[k] + of(table).length; });
    return found;
  };
  const bounds = { truth: starts((t) => t.truthAreas), pred: starts((t) => t.predAreas), pair: starts((t) => t.pairIou) };
  const last = tables.length, nPairs = bounds.pair[last];
  /** @type {Table} */ const joined = {
    truthAreas: new Float64Array(bounds.truth[last]), predAreas: new Float64Array(bounds.pred[last]),
    pairTruth: new Int32Array(nPairs), pairPred: new Int32Array(nPairs), pairPixels: new Float64Array(nPairs),
    pairIou: new Float64Array(nPairs), tieBreaks: new Float64Array(nPairs), bounds,
  };
  tables.forEach((table, image) => {
    joined.truthAreas.set(table.truthAreas, bounds.truth[image]);
    joined.predAreas.set(table.predAreas, bounds.pred[image]);
    const at = bounds.pair[image];
    for (let k = 0; k < table.pairIou.length; k++) {
      joined.pairTruth[at + k] = table.pairTruth[k] + bounds.truth[image];
      joined.pairPred[at + k] = table.pairPred[k] + bounds.pred[image];
    }
    for (const name of /** @type {("pairPixels"|"pairIou"|"tieBreaks")[]} */ (["pairPixels", "pairIou", "tieBreaks"])) joined[name].set(table[name], at);
  });
  return joined;
}

/**
 * Match one to one at a threshold: most pairs first, then the largest sum of IoUs.
 * @param {Table} table @param {number} threshold
 * @returns {Uint8Array} 1 for matched pairs
 */
export function matchPairs(table, threshold) {
  const { pairIou, pairTruth, pairPred } = table, n = pairIou.length;
  const ofTruth = new Int32Array(table.truthAreas.length), ofPred = new Int32Array(table.predAreas.length);
  for (let k = 0; k < n; k++) if (pairIou[k] >= threshold) { ofTruth[pairTruth[k]]++; ofPred[pairPred[k]]++; }
  const matched = new Uint8Array(n), contested = [];
  for (let k = 0; k < n; k++) {
    if (pairIou[k] < threshold) continue;
    if (ofTruth[pairTruth[k]] === 1 && ofPred[pairPred[k]] === 1) matched[k] = 1;
    else contested.push(k);
  }
  if (contested.length) {
    const pairs = Int32Array.from(contested);
    const weight = Float64Array.from(pairs, (k) => pairIou[k] + (threshold < 0.5 ? table.tieBreaks[k] : 0));
    const chosen = bestOf(table, pairs, weight);
    for (let k = 0; k < pairs.length; k++) matched[pairs[k]] = chosen[k];
  }
  return matched;
}

/**
 * The best one-to-one choice of some pairs.
 * @param {Table} table @param {Int32Array} pairs @param {Float64Array} weight
 */
function bestOf(table, pairs, weight) {
  const rows = renumbered(pairs, table.pairTruth, table.truthAreas.length);
  const columns = renumbered(pairs, table.pairPred, table.predAreas.length);
  return bestEdges(rows.count, columns.count, rows.places, columns.places, weight);
}

/** @param {Int32Array} pairs @param {Int32Array} side @param {number} size */
function renumbered(pairs, side, size) {
  const name = new Int32Array(size).fill(-1), places = new Int32Array(pairs.length);
  let count = 0;
  for (let k = 0; k < pairs.length; k++) {
    const object = side[pairs[k]];
    if (name[object] < 0) name[object] = count++;
    places[k] = name[object];
  }
  return { places, count };
}

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
 * @typedef {{divisor: Float64Array, isSoft: Uint8Array, isHard: Uint8Array}} Weights
 * @returns {Weights}
 */
export function weightsOf(table, settings, matched) {
  const { low, high, reading } = settings, { pairIou } = table, n = pairIou.length;
  const { group, nGroup } = sided(table, settings.priority);
  const isSoft = new Uint8Array(n), count = new Int32Array(nGroup);
  const released = reading === "released";
  const isHard = released ? firstHard(table, settings) : matched;
  for (let k = 0; k < n; k++) {
    if (pairIou[k] > low && (released ? pairIou[k] < high : !matched[k])) { isSoft[k] = 1; count[group[k]]++; }
  }
  const penalty = PENALTIES[settings.penalty], divisor = new Float64Array(n);
  for (let k = 0; k < n; k++) divisor[k] = isSoft[k] ? penalty(count[group[k]]) : isHard[k];
  return { divisor, isSoft, isHard };
}

/**
 * The authors' program sums the first pair above the threshold of each row.
 * @param {Table} table @param {Settings} settings
 */
function firstHard(table, settings) {
  const { group, nGroup } = sided(table, settings.priority);
  const has = new Uint8Array(nGroup), first = new Uint8Array(group.length);
  for (let k = 0; k < group.length; k++) {
    if (table.pairIou[k] > settings.high && !has[group[k]]) { has[group[k]] = 1; first[k] = 1; }
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
export function partsByImage(table, settings, matched = matchPairs(table, settings.high), weights = weightsOf(table, settings, matched)) {
  const { pairIou, bounds } = table, { divisor, isSoft, isHard } = weights;
  const fewer = forgiven(table, settings, matched, isSoft, isHard), found = [];
  for (let image = 0; image + 1 < bounds.pair.length; image++) {
    let nMatched = 0, matchedIou = 0, soft = 0, softIou = 0;
    for (let k = bounds.pair[image]; k < bounds.pair[image + 1]; k++) {
      nMatched += matched[k];
      if (isHard[k]) matchedIou += pairIou[k];
      else if (isSoft[k]) { soft++; softIou += pairIou[k] / divisor[k]; }
    }
    found.push({ matched: nMatched, matchedIou, soft, softIou, forgiven: fewer[image],
      nTruth: bounds.truth[image + 1] - bounds.truth[image], nPred: bounds.pred[image + 1] - bounds.pred[image] });
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
  const nImages = table.bounds.pair.length - 1, counts = new Int32Array(nImages);
  if (settings.reading === "text") return counts;
  const { group, other, nGroup, nOther } = sided(table, settings.priority);
  const groupFound = marked(group, nGroup, settings.reading === "released" ? isHard : matched);
  const otherFound = marked(other, nOther, matched);
  const counted = new Uint8Array(nOther), free = /** @type {number[]} */ ([]);
  for (let image = 0; image < nImages; image++) {
    for (let k = table.bounds.pair[image]; k < table.bounds.pair[image + 1]; k++) {
      if (!isSoft[k]) continue;
      if (settings.reading === "released") { counts[image] += groupFound[group[k]]; continue; }
      if (otherFound[other[k]]) continue;
      if (settings.reading === "figures" && !groupFound[group[k]]) continue;
      if (!counted[other[k]]) { counted[other[k]] = 1; counts[image]++; }
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
  const chosen = bestOf(table, pairs, new Float64Array(pairs.length));
  for (let k = 0, image = 0; k < pairs.length; k++) {
    while (pairs[k] >= table.bounds.pair[image + 1]) image++;
    counts[image] -= chosen[k];
  }
}

/**
 * The parts of a list that belong to each image.
 * @template {Float64Array|Uint8Array} T
 * @param {T} all @param {Int32Array} bounds
 * @returns {T[]}
 */
export function byImage(all, bounds) {
  return Array.from({ length: bounds.length - 1 }, (_, k) => /** @type {T} */ (all.subarray(bounds[k], bounds[k + 1])));
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
