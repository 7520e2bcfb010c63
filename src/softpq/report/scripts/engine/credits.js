// Which pairs count softly beside a matching, and for how much: every pixel gives its credit once.
//
// Where objects overlap, a match of two members of an atom accounts for its pixels. What is left of both sides are the
// pairs that own the pixels; of those that are soft, the ones of one object share them.
import { setsOf } from "./atoms.js";
/** @typedef {import("./table.js").Table} Table */
/** @typedef {import("./atoms.js").Atoms} Atoms */

/** @typedef {{isSoft: Uint8Array, credit: Float64Array}} Soft credit stands where the IoU stood */

/** @type {WeakMap<Uint8Array, {table: Table, low: number, soft: Soft}>} */ const known = new WeakMap();
/** @type {WeakMap<Uint8Array, Owners>} */ const ownersOf = new WeakMap();

/**
 * For every pair: whether it is soft, and what it counts for if it is.
 * @param {Table} table @param {number} low @param {Uint8Array} matched @returns {Soft}
 */
export function softPairs(table, low, matched) {
  const before = known.get(matched);
  if (before && before.table === table && before.low === low) return before.soft;
  const isSoft = new Uint8Array(matched.length);
  const soft = { isSoft, credit: table.pairIou };
  if (table.atoms) soft.credit = ownersFor(table, matched).credits(low, isSoft);
  else for (let k = 0; k < isSoft.length; k++) if (!matched[k] && table.pairIou[k] > low) isSoft[k] = 1;
  known.set(matched, { table, low, soft });
  return soft;
}

/** They do not depend on the lower threshold. @param {Table} table @param {Uint8Array} matched */
function ownersFor(table, matched) {
  let found = ownersOf.get(matched);
  if (found?.table !== table) ownersOf.set(matched, (found = new Owners(table, matched)));
  return /** @type {Owners} */ (found);
}

/** @type {WeakMap<Table, {start: Int32Array, pair: Int32Array}>} */ const inAtoms = new WeakMap();

/**
 * The pairs of every atom: truth object by truth object, each with all predictions.
 * @param {Table} table
 */
export function pairsInAtoms(table) {
  const before = inAtoms.get(table);
  if (before) return before;
  const { pairTruth, pairPred } = table;
  const atoms = /** @type {Atoms} */ (table.atoms);
  const first = new Int32Array(table.truthAreas.length + 1); // pairs of each truth object, ascending by prediction
  for (const t of pairTruth) first[t + 1]++;
  for (let t = 1; t < first.length; t++) first[t] += first[t - 1];
  const start = new Int32Array(atoms.pixels.length + 1);
  for (let k = 0; k < atoms.pixels.length; k++) {
    const [truth, pred] = setsOf(atoms, k);
    start[k + 1] = start[k] + truth.length * pred.length;
  }
  const pair = new Int32Array(start[start.length - 1]);
  for (let k = 0, at = 0; k < atoms.pixels.length; k++) {
    const [truth, pred] = setsOf(atoms, k);
    for (const t of truth) {
      let place = first[t];
      for (const p of pred) {
        while (pairPred[place] < p) place++;
        pair[at++] = place;
      }
    }
  }
  const found = { start, pair };
  inAtoms.set(table, found);
  return found;
}

/** The pairs that own the pixels of each atom, beside a matching. */
class Owners {
  /** @param {Table} table @param {Uint8Array} matched */
  constructor(table, matched) {
    this.table = table;
    this.matched = matched;
    this.pixels = /** @type {Atoms} */ (table.atoms).pixels;
    this.start = new Int32Array(this.pixels.length + 1);
    this.pair = new Int32Array(0);
    this.find();
  }

  find() {
    const { pairTruth, pairPred, truthAreas, predAreas } = this.table;
    const atoms = /** @type {Atoms} */ (this.table.atoms);
    const [ofTruth, ofPred] = [truthAreas, predAreas].map(({ length }) => new Int32Array(length).fill(-1)); // partners
    this.matched.forEach((yes, k) => {
      if (yes) [ofTruth[pairTruth[k]], ofPred[pairPred[k]]] = [pairPred[k], pairTruth[k]];
    });
    const [inTruth, inPred] = [truthAreas, predAreas].map(({ length }) => new Int32Array(length).fill(-1)); // last atom
    const { pair } = pairsInAtoms(this.table);
    const found = new Int32Array(pair.length);
    let count = 0;
    for (let atom = 0, at = 0; atom < this.pixels.length; atom++) {
      const [truth, pred] = setsOf(atoms, atom);
      for (const t of truth) inTruth[t] = atom;
      for (const p of pred) inPred[p] = atom;
      for (const t of truth) {
        const taken = ofTruth[t] >= 0 && inPred[ofTruth[t]] === atom;
        for (let j = 0; j < pred.length; j++, at++) {
          const partner = ofPred[pred[j]];
          if (!taken && !(partner >= 0 && inTruth[partner] === atom)) found[count++] = pair[at];
        }
      }
      this.start[atom + 1] = count;
    }
    this.pair = found.slice(0, count);
  }

  /** @param {number} low @param {Uint8Array} isSoft to be filled @returns {Float64Array} */
  credits(low, isSoft) {
    const { table, matched } = this;
    const { pairPixels, pairIou, truthAreas, predAreas, pairTruth, pairPred } = table;
    const own = this.plain();
    for (let atom = 0; atom < this.pixels.length; atom++)
      for (let k = this.start[atom]; k < this.start[atom + 1]; k++) own[this.pair[k]] += this.pixels[atom];
    const union = pairIou.map((_, k) => truthAreas[pairTruth[k]] + predAreas[pairPred[k]] - pairPixels[k]);
    for (let k = 0; k < isSoft.length; k++) if (!matched[k] && own[k] / union[k] > low) isSoft[k] = 1;
    const shares = this.shared(isSoft);
    return shares.map((pixels, k) => (matched[k] ? pairIou[k] : pixels / union[k]));
  }

  /** Pixels of pairs of images where nothing overlaps: there is no atom of theirs. */
  plain() {
    const { bounds, pairPixels } = this.table;
    const found = new Float64Array(pairPixels.length);
    for (let image = 0; image + 1 < bounds.pair.length; image++)
      if (bounds.atom[image] === bounds.atom[image + 1])
        for (let k = bounds.pair[image]; k < bounds.pair[image + 1]; k++) found[k] = pairPixels[k];
    return found;
  }

  /** Pixels that are credited to each pair. @param {Uint8Array} isSoft */
  shared(isSoft) {
    const { pairTruth, pairPred, truthAreas, predAreas } = this.table;
    const [ofTruth, ofPred] = [truthAreas, predAreas].map(({ length }) => new Int32Array(length)); // soft ones, here
    const shares = this.plain();
    for (let atom = 0; atom < this.pixels.length; atom++) {
      const soft = this.pair.subarray(this.start[atom], this.start[atom + 1]);
      for (const pair of soft) {
        ofTruth[pairTruth[pair]] += isSoft[pair];
        ofPred[pairPred[pair]] += isSoft[pair];
      }
      for (const pair of soft)
        if (isSoft[pair])
          shares[pair] += this.pixels[atom] / Math.max(ofTruth[pairTruth[pair]], ofPred[pairPred[pair]]);
      for (const pair of soft) ofTruth[pairTruth[pair]] = ofPred[pairPred[pair]] = 0;
    }
    return shares;
  }
}
