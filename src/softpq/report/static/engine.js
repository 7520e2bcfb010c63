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
  };
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
 * @returns {{divisor: Float64Array, isSoft: Uint8Array, isHard: Uint8Array}}
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
 * The sums of SoftPQ for one image.
 * @param {Table} table @param {Settings} settings @param {Uint8Array} [known] pairs matched at the upper threshold
 * @returns {Parts}
 */
export function partsOf(table, settings, known) {
  const matched = known ?? matchPairs(table, settings.high);
  const { divisor, isSoft, isHard } = weightsOf(table, settings, matched);
  const parts = noParts();
  parts.nTruth = table.truthAreas.length;
  parts.nPred = table.predAreas.length;
  for (let k = 0; k < divisor.length; k++) {
    parts.matched += matched[k];
    if (isHard[k]) parts.matchedIou += table.pairIou[k];
    else if (isSoft[k]) { parts.soft++; parts.softIou += table.pairIou[k] / divisor[k]; }
  }
  parts.forgiven = forgiven(table, settings, matched, isSoft, isHard);
  return parts;
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
 * Objects that the reading does not count as wrong.
 * @param {Table} table @param {Settings} settings
 * @param {Uint8Array} matched @param {Uint8Array} isSoft @param {Uint8Array} isHard
 */
function forgiven(table, settings, matched, isSoft, isHard) {
  if (settings.reading === "text") return 0;
  const { group, other, nGroup, nOther } = sided(table, settings.priority);
  const groupFound = marked(group, nGroup, settings.reading === "released" ? isHard : matched);
  const otherFound = marked(other, nOther, matched);
  const counted = new Uint8Array(nOther), free = [];
  let count = 0;
  for (let k = 0; k < group.length; k++) {
    if (!isSoft[k]) continue;
    if (settings.reading === "released") { count += groupFound[group[k]]; continue; }
    if (otherFound[other[k]]) continue;
    if (settings.reading === "figures" && !groupFound[group[k]]) continue;
    if (!counted[other[k]]) { counted[other[k]] = 1; count++; }
    if (!groupFound[group[k]]) free.push(k);
  }
  return settings.reading === "unified" ? count - mostPairs(table, Int32Array.from(free)) : count;
}

/** @param {Int32Array} side @param {number} size @param {Uint8Array} pairs */
function marked(side, size, pairs) {
  const mark = new Uint8Array(size);
  for (let k = 0; k < side.length; k++) if (pairs[k]) mark[side[k]] = 1;
  return mark;
}

/** How many of these pairs can be chosen one to one. @param {Table} table @param {Int32Array} pairs */
function mostPairs(table, pairs) {
  if (!pairs.length) return 0;
  const chosen = bestOf(table, pairs, new Float64Array(pairs.length));
  return chosen.reduce((sum, one) => sum + one, 0);
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

export const TRUTH_VERDICTS = ["matched", "partial", "split", "merged", "missed"];
export const PRED_VERDICTS = ["matched", "partial", "merger", "fragment", "ghost"];

/**
 * What happened to each object, as positions in TRUTH_VERDICTS and PRED_VERDICTS.
 * @param {Table} table @param {Settings} settings @param {Uint8Array} [known]
 */
export function verdictsOf(table, settings, known) {
  const matched = known ?? matchPairs(table, settings.high), n = matched.length;
  const soft = new Uint8Array(n), truthHeld = new Uint8Array(n), predHeld = new Uint8Array(n);
  for (let k = 0; k < n; k++) {
    soft[k] = !matched[k] && table.pairIou[k] > settings.low ? 1 : 0;
    truthHeld[k] = 2 * table.pairPixels[k] > table.truthAreas[table.pairTruth[k]] ? 1 : 0;
    predHeld[k] = 2 * table.pairPixels[k] > table.predAreas[table.pairPred[k]] ? 1 : 0;
  }
  return {
    truth: oneSide(table.pairTruth, table.pairPred, table.truthAreas.length, table.predAreas.length,
      matched, soft, truthHeld, predHeld),
    pred: oneSide(table.pairPred, table.pairTruth, table.predAreas.length, table.truthAreas.length,
      matched, soft, predHeld, truthHeld),
  };
}

/**
 * @param {Int32Array} mine @param {Int32Array} theirs @param {number} nMine @param {number} nTheirs
 * @param {Uint8Array} matched @param {Uint8Array} soft
 * @param {Uint8Array} held pairs in which the partner covers most of the object
 * @param {Uint8Array} holds pairs in which the object covers most of the partner
 * @returns {Uint8Array} places in the list of verdicts
 */
function oneSide(mine, theirs, nMine, nTheirs, matched, soft, held, holds) {
  const nSoft = new Int32Array(nMine), nHolds = new Int32Array(nMine), nPartners = new Int32Array(nTheirs);
  const verdict = new Uint8Array(nMine).fill(4), found = new Uint8Array(nMine), inside = new Uint8Array(nMine);
  for (let k = 0; k < mine.length; k++) {
    nSoft[mine[k]] += soft[k];
    nHolds[mine[k]] += holds[k];
    if (matched[k]) found[mine[k]] = 1;
    if (matched[k] || soft[k] || held[k]) nPartners[theirs[k]]++;
  }
  for (let k = 0; k < mine.length; k++) if (held[k] && nPartners[theirs[k]] > 1) inside[mine[k]] = 1;
  for (let k = 0; k < nMine; k++) {
    if (found[k]) verdict[k] = 0;
    else if (inside[k]) verdict[k] = 3; // merged, fragment
    else if (nSoft[k] > 1 || (nSoft[k] === 0 && nHolds[k] > 1)) verdict[k] = 2; // split, merger
    else if (nSoft[k] === 1) verdict[k] = 1;
  }
  return verdict;
}
