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
