// One-to-one matching at a threshold: most pairs first, then the largest sum of IoUs.
import { bestEdges, exactWeight } from "./assignment.js";
import { mixed } from "./colours.js";
import { tieBreaksOf } from "./ties.js";
/** @typedef {import("./table.js").Table} Table */

/**
 * Match one to one at a threshold: most pairs first, then the largest sum of IoUs.
 * @param {Table} table @param {number} threshold
 * @returns {Uint8Array} 1 for matched pairs
 */
export function matchPairs(table, threshold) {
  const { pairIou, pairTruth, pairPred } = table;
  const n = pairIou.length;
  const ofTruth = new Int32Array(table.truthAreas.length);
  const ofPred = new Int32Array(table.predAreas.length);
  for (let k = 0; k < n; k++)
    if (pairIou[k] >= threshold) {
      ofTruth[pairTruth[k]]++;
      ofPred[pairPred[k]]++;
    }
  const matched = new Uint8Array(n);
  const contested = [];
  for (let k = 0; k < n; k++) {
    if (pairIou[k] < threshold) continue;
    if (ofTruth[pairTruth[k]] === 1 && ofPred[pairPred[k]] === 1) matched[k] = 1;
    else contested.push(k);
  }
  if (contested.length) {
    const pairs = Int32Array.from(contested);
    const chosen = theOnlyBest(table, pairs) ?? theBest(table, pairs);
    for (let k = 0; k < pairs.length; k++) matched[pairs[k]] = chosen[k];
  }
  return matched;
}

/** @param {Table} table @param {Int32Array} pairs */
function theBest(table, pairs) {
  const ties = tieBreaksOf(table);
  return bestOf(table, pairs, (k) => exactWeight(table.pairIou[k], ties[k]));
}

/**
 * Where objects overlap, breaking ties takes long, and mostly there is none: then two opposite ways to break them, by
 * random numbers, give the same. Null if they do not.
 * @param {Table} table @param {Int32Array} pairs
 */
function theOnlyBest(table, pairs) {
  if (!table.atoms) return null;
  const [one, other] = [0, 0xffffffff].map((flip) =>
    bestOf(table, pairs, (k) => exactWeight(table.pairIou[k], (mixed(k) ^ flip) >>> 0)),
  );
  return one.every((yes, k) => yes === other[k]) ? one : null;
}

/**
 * The best one-to-one choice of some pairs.
 * @param {Table} table @param {Int32Array} pairs @param {(pair: number) => bigint} weightOf
 */
export function bestOf(table, pairs, weightOf) {
  const rows = renumbered(pairs, table.pairTruth, table.truthAreas.length);
  const columns = renumbered(pairs, table.pairPred, table.predAreas.length);
  return bestEdges(rows.count, columns.count, rows.places, columns.places, Array.from(pairs, weightOf));
}

/** @param {Int32Array} pairs @param {Int32Array} side @param {number} size */
function renumbered(pairs, side, size) {
  const name = new Int32Array(size).fill(-1);
  const places = new Int32Array(pairs.length);
  let count = 0;
  for (let k = 0; k < pairs.length; k++) {
    const object = side[pairs[k]];
    if (name[object] < 0) name[object] = count++;
    places[k] = name[object];
  }
  return { places, count };
}
