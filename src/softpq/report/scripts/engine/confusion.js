// Objects of all classes matched together: which class was taken for which.
import { matchPairs } from "./matching.js";
import { partOf } from "./narrowing.js";
/** @typedef {import("../data.js").ModelData} ModelData */

/** @typedef {{place: number, side: "truth"|"pred", object: number}} Member of all objects, by position */

/**
 * Cells of a square table: rows are classes of truth, columns of predictions; 0 is none, the last one is not matched.
 * @param {ModelData} model @param {number} classes how many there are @param {number} high @param {number} score
 * @returns {Member[][][]}
 */
export function confusedOf(model, classes, high, score) {
  const size = classes + 2;
  const cells = Array.from({ length: size }, () => Array.from({ length: size }, () => /** @type {Member[]} */ ([])));
  if (!model.known) return cells;
  const { truthClass, predClass } = model.known;
  for (let place = 0; place < model.across.length; place++) {
    const { table, truth, pred } = partOf(model, place, { kind: 0, score }, model.across[place]);
    const partner = new Int32Array(truth.length).fill(-1);
    const taken = new Uint8Array(pred.length);
    matchPairs(table, high).forEach((yes, k) => {
      if (yes) {
        partner[table.pairTruth[k]] = table.pairPred[k];
        taken[table.pairPred[k]] = 1;
      }
    });
    settle(table, partner, truthClass[place], predClass[place], truth, pred);
    taken.fill(0);
    partner.forEach((p) => p >= 0 && (taken[p] = 1));
    truth.forEach((object, k) => {
      const column = partner[k] < 0 ? size - 1 : predClass[place][pred[partner[k]]];
      cells[truthClass[place][object]][column].push({ place, side: "truth", object });
    });
    pred.forEach((object, k) => {
      if (!taken[k]) cells[size - 1][predClass[place][object]].push({ place, side: "pred", object });
    });
  }
  return cells;
}

/**
 * Objects that overlap the same others by the same pixels, and are as large, may change places: classes decide
 * then, those that agree first, as in softpq.table.class_pairs.
 * @param {import("./table.js").Table} table @param {Int32Array} partner of each truth object; it is changed
 * @param {ArrayLike<number>} truthClass @param {ArrayLike<number>} predClass
 * @param {ArrayLike<number>} truth @param {ArrayLike<number>} pred positions of those that are in the table
 */
function settle(table, partner, truthClass, predClass, truth, pred) {
  const classes = [Array.from(truth, (k) => truthClass[k]), Array.from(pred, (k) => predClass[k])];
  const { truthAreas, predAreas, pairTruth, pairPred, pairPixels } = table;
  const back = new Int32Array(predAreas.length).fill(-1);
  partner.forEach((p, t) => p >= 0 && (back[p] = t));
  exchange(alike(predAreas, pairPred, pairTruth, pairPixels), partner, back, classes[0], classes[1]);
  exchange(alike(truthAreas, pairTruth, pairPred, pairPixels), back, partner, classes[1], classes[0]);
}

/**
 * Groups of objects that are alike.
 * @param {ArrayLike<number>} areas @param {ArrayLike<number>} own @param {ArrayLike<number>} other
 * @param {ArrayLike<number>} pixels
 */
function alike(areas, own, other, pixels) {
  /** @type {Map<number, [number, number][]>} */ const shared = new Map();
  for (let k = 0; k < own.length; k++) {
    if (!shared.has(own[k])) shared.set(own[k], []);
    shared.get(own[k])?.push([other[k], pixels[k]]);
  }
  /** @type {Map<string, number[]>} */ const groups = new Map();
  for (const [one, overlaps] of shared) {
    const key = `${areas[one]}: ${overlaps.sort((a, b) => a[0] - b[0] || a[1] - b[1]).join(" ")}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].filter((members) => members.length > 1);
}

/**
 * Members of a group change places: those of the class of their partner come first.
 * @param {number[][]} groups @param {Int32Array} partner of slots @param {Int32Array} back of members
 * @param {number[]} slotClass @param {number[]} memberClass
 */
function exchange(groups, partner, back, slotClass, memberClass) {
  for (const members of groups) {
    const slots = members.map((one) => back[one]).filter((slot) => slot >= 0);
    slots.sort((a, b) => slotClass[a] - slotClass[b]);
    const free = [...members].sort((a, b) => memberClass[a] - memberClass[b]);
    for (const one of members) back[one] = -1;
    const take = (/** @type {number} */ slot, /** @type {number} */ at) => {
      const [one] = free.splice(at, 1);
      [partner[slot], back[one]] = [one, slot];
    };
    const left = slots.filter((slot) => {
      const at = free.findIndex((one) => memberClass[one] === slotClass[slot]);
      if (at >= 0) take(slot, at);
      return at < 0;
    });
    for (const slot of left) take(slot, 0);
  }
}
