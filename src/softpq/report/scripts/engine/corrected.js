// What right classes would bring: objects that were found, under the name of another class (as softpq.explain.classes).
import { matchPairs } from "./matching.js";
import { byClass, restricted } from "./table.js";
/** @typedef {import("../data.js").ModelData} ModelData */
/** @typedef {import("./table.js").Table} Table */

/** @param {ArrayLike<number>} positions @param {number} size */
function flags(positions, size) {
  const found = new Uint8Array(size);
  for (let k = 0; k < positions.length; k++) found[positions[k]] = 1;
  return found;
}

/**
 * The objects of an image that are looked at, with all pairs, and their classes.
 * @param {ModelData} model @param {number} place
 */
function everything({ across, known, kept }, place) {
  const table = across[place];
  const { truthClass, predClass } = /** @type {import("../data.js").Known} */ (known);
  if (!kept) return { table, truthClass: truthClass[place], predClass: predClass[place] };
  const { truth, pred } = kept[place];
  return {
    table: restricted(table, flags(truth, table.truthAreas.length), flags(pred, table.predAreas.length)),
    truthClass: Uint16Array.from(truth, (k) => truthClass[place][k]),
    predClass: Uint16Array.from(pred, (k) => predClass[place][k]),
  };
}

/**
 * The table of an image if predictions had the class of the object that they match: what matches an object of its class
 * stays; of what is left, all classes are matched together.
 * @param {ModelData} model @param {number} place @param {{high: number}} settings @returns {Table}
 */
export function classesCorrected(model, place, { high }) {
  const now = model.tables[place];
  if (!model.parted[place]) return now;
  const { table, truthClass, predClass } = everything(model, place);
  const matched = matchPairs(now, high);
  const right = [...matched.keys()].filter((k) => matched[k]);
  const free = (/** @type {Int32Array} */ of, /** @type {number} */ size) => {
    const taken = flags(
      right.map((k) => of[k]),
      size,
    );
    return taken.map((yes) => 1 - yes);
  };
  const freeTruth = free(now.pairTruth, truthClass.length);
  const freePred = free(now.pairPred, predClass.length);
  const left = restricted(table, freeTruth, freePred);
  const [truths, preds] = [freeTruth, freePred].map((one) => [...one.keys()].filter((k) => one[k]));
  const renamed = predClass.slice();
  matchPairs(left, high).forEach((yes, k) => {
    if (yes) renamed[preds[left.pairPred[k]]] = truthClass[truths[left.pairTruth[k]]];
  });
  return byClass(table, truthClass, renamed);
}
