// What happened to each object.
import { matchPairs } from "./engine.js";
/** @typedef {import("./engine.js").Table} Table */
/** @typedef {import("./engine.js").Settings} Settings */

export const TRUTH_VERDICTS = ["matched", "partial", "split", "merged", "missed"];
export const PRED_VERDICTS = ["matched", "partial", "merger", "fragment", "ghost"];

const SOFT = 1, TRUTH_HELD = 2, PRED_HELD = 4, MATCHED = 8;

/**
 * What happened to each object, as positions in TRUTH_VERDICTS and PRED_VERDICTS.
 * @param {Table} table @param {Settings} settings @param {Uint8Array} [known]
 */
export function verdictsOf(table, settings, known) {
  const matched = known ?? matchPairs(table, settings.high);
  const { pairTruth, pairPred, pairPixels, pairIou, truthAreas, predAreas } = table, n = matched.length;
  const links = new Uint8Array(n), truth = new Side(truthAreas.length), pred = new Side(predAreas.length);
  for (let k = 0; k < n; k++) {
    const t = pairTruth[k], p = pairPred[k], twice = 2 * pairPixels[k];
    const link = (matched[k] ? MATCHED : pairIou[k] > settings.low ? SOFT : 0) |
      (twice > truthAreas[t] ? TRUTH_HELD : 0) | (twice > predAreas[p] ? PRED_HELD : 0);
    links[k] = link;
    if (link & MATCHED) truth.found[t] = pred.found[p] = 1;
    else if (link & SOFT) { truth.soft[t] += truth.soft[t] < 2 ? 1 : 0; pred.soft[p] += pred.soft[p] < 2 ? 1 : 0; }
    if (link & PRED_HELD) truth.holds[t] += truth.holds[t] < 2 ? 1 : 0;
    if (link & TRUTH_HELD) pred.holds[p] += pred.holds[p] < 2 ? 1 : 0;
    if (link & (MATCHED | SOFT | TRUTH_HELD)) pred.partners[p] += pred.partners[p] < 2 ? 1 : 0;
    if (link & (MATCHED | SOFT | PRED_HELD)) truth.partners[t] += truth.partners[t] < 2 ? 1 : 0;
  }
  for (let k = 0; k < n; k++) {
    if (links[k] & TRUTH_HELD && pred.partners[pairPred[k]] > 1) truth.inside[pairTruth[k]] = 1;
    if (links[k] & PRED_HELD && truth.partners[pairTruth[k]] > 1) pred.inside[pairPred[k]] = 1;
  }
  return { truth: truth.verdicts(), pred: pred.verdicts() };
}

/** The objects of one side; counts end at two, as more makes no difference. */
class Side {
  /** @param {number} size */
  constructor(size) {
    this.found = new Uint8Array(size);
    this.soft = new Uint8Array(size); // soft partners
    this.holds = new Uint8Array(size); // partners that lie mostly in the object
    this.partners = new Uint8Array(size);
    this.inside = new Uint8Array(size); // lies mostly in a partner that has others
  }

  /** @returns {Uint8Array} places in the list of verdicts */
  verdicts() {
    const verdict = new Uint8Array(this.found.length).fill(4); // missed, ghost
    for (let k = 0; k < verdict.length; k++) {
      if (this.found[k]) verdict[k] = 0;
      else if (this.inside[k]) verdict[k] = 3; // merged, fragment
      else if (this.soft[k] > 1 || (this.soft[k] === 0 && this.holds[k] > 1)) verdict[k] = 2; // split, merger
      else if (this.soft[k] === 1) verdict[k] = 1; // partial
    }
    return verdict;
  }
}
