// What happened to each object.
import { codeOf } from "../facts.js";
import { softPairs } from "./credits.js";
import { matchPairs } from "./matching.js";
/** @typedef {import("./table.js").Table} Table */
/** @typedef {import("./softpq.js").Settings} Settings */

const SOFT = 1;
const TRUTH_HELD = 2;
const PRED_HELD = 4;
const MATCHED = 8;

/**
 * What happened to each object, as codes, see facts.js.
 * @param {Table} table @param {Settings} settings @param {Uint8Array} [known]
 */
export function verdictsOf(table, settings, known) {
  const matched = known ?? matchPairs(table, settings.high);
  const { pairTruth, pairPred, pairPixels, truthAreas, predAreas } = table;
  const n = matched.length;
  const { isSoft } = softPairs(table, settings.low, matched);
  const links = new Uint8Array(n);
  const truth = new Side(truthAreas.length);
  const pred = new Side(predAreas.length);
  for (let k = 0; k < n; k++) {
    const t = pairTruth[k];
    const p = pairPred[k];
    const twice = 2 * pairPixels[k];
    const link =
      (matched[k] ? MATCHED : isSoft[k] ? SOFT : 0) |
      (twice > truthAreas[t] ? TRUTH_HELD : 0) |
      (twice > predAreas[p] ? PRED_HELD : 0);
    links[k] = link;
    if (link & MATCHED) truth.found[t] = pred.found[p] = 1;
    else if (link & SOFT) {
      truth.soft[t] += truth.soft[t] < 2 ? 1 : 0;
      pred.soft[p] += pred.soft[p] < 2 ? 1 : 0;
    }
    if (link & PRED_HELD) truth.holds[t] += truth.holds[t] < 2 ? 1 : 0;
    if (link & TRUTH_HELD) pred.holds[p] += pred.holds[p] < 2 ? 1 : 0;
    if (link & (MATCHED | SOFT | TRUTH_HELD)) pred.partners[p] += pred.partners[p] < 2 ? 1 : 0;
    if (link & (MATCHED | SOFT | PRED_HELD)) truth.partners[t] += truth.partners[t] < 2 ? 1 : 0;
  }
  for (let k = 0; k < n; k++) {
    if (links[k] & TRUTH_HELD && pred.partners[pairPred[k]] > 1) truth.inside[pairTruth[k]] = 1;
    if (links[k] & PRED_HELD && truth.partners[pairTruth[k]] > 1) pred.inside[pairPred[k]] = 1;
  }
  if (table.atoms) again(table, settings, matched, truth, pred);
  return {
    truth: truth.verdicts(["matched", "merged", "split", "partial", "missed"].map((name) => codeOf("truth", name))),
    pred: pred.verdicts(
      ["matched", "fragment", "merger", "partial", "ghost", "duplicate"].map((name) => codeOf("pred", name)),
    ),
  };
}

/**
 * Predictions that could be matched with an object that has its match; on label images they are fragments.
 * @param {Table} table @param {Settings} settings @param {Uint8Array} matched @param {Side} truth @param {Side} pred
 */
function again({ bounds, pairIou, pairTruth, pairPred }, { high }, matched, truth, pred) {
  for (let image = 0; image + 1 < bounds.pair.length; image++) {
    if (bounds.atom[image] === bounds.atom[image + 1]) continue;
    for (let k = bounds.pair[image]; k < bounds.pair[image + 1]; k++)
      if (!matched[k] && pairIou[k] >= high && truth.found[pairTruth[k]]) pred.again[pairPred[k]] = 1;
  }
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
    this.again = new Uint8Array(size); // is the second one of an object
  }

  /**
   * @param {number[]} codes found, inside of another, several, one, none, the second one
   * @returns {Uint8Array} a code for each object
   */
  verdicts([found, inside, several, one, none, second]) {
    const verdict = new Uint8Array(this.found.length).fill(none);
    for (let k = 0; k < verdict.length; k++) {
      if (this.found[k]) verdict[k] = found;
      else if (this.again[k]) verdict[k] = second;
      else if (this.inside[k]) verdict[k] = inside;
      else if (this.soft[k] > 1 || (this.soft[k] === 0 && this.holds[k] > 1)) verdict[k] = several;
      else if (this.soft[k] === 1) verdict[k] = one;
    }
    return verdict;
  }
}
