// Which of equally good matchings is taken: the same numbers as in the Python package (native/ties.hpp).
import { AtomTies } from "./atom_ties.js";
import { coloursOf, mixed, mixedDouble } from "./colours.js";
/** @typedef {import("./table.js").Table} Table */

/** @type {WeakMap<Table, Uint32Array>} */ const known = new WeakMap();

/**
 * A number for each pair; of matchings with equal sums of IoUs, that with the largest sum of these is taken.
 * @param {Table} table @returns {Uint32Array}
 */
export function tieBreaksOf(table) {
  for (const steps = prepareTies(table); !steps.next().done;);
  return /** @type {Uint32Array} */ (known.get(table));
}

/** The same in steps, an image each, to be asked for later. @param {Table} table @returns {Generator<undefined>} */
export function* prepareTies(table) {
  if (known.has(table)) return;
  const found = new Uint32Array(table.pairIou.length);
  const { truth, pred, pair, atom } = table.bounds;
  for (let k = 0; k + 1 < pair.length; k++) {
    const size = [truth[k + 1] - truth[k], pred[k + 1] - pred[k]];
    const ties =
      atom[k] < atom[k + 1]
        ? new AtomTies(table, k)
        : new TieBreaks(table, pair[k], pair[k + 1], truth[k], pred[k], size);
    found.set(ties.solve(), pair[k]);
    yield;
  }
  known.set(table, found);
}

class TieBreaks {
  /**
   * The rows of one image.
   * @param {Table} table @param {number} first @param {number} end pairs
   * @param {number} firstTruth @param {number} firstPred @param {number[]} size how many objects of both sides
   */
  constructor(table, first, end, firstTruth, firstPred, size) {
    const n = end - first;
    this.nodes = size[0] + size[1];
    this.truth = new Int32Array(n);
    this.pred = new Int32Array(n); // nodes: predictions come after the truth objects
    this.own = new Uint32Array(n);
    this.toTruth = new Uint32Array(n);
    this.toPred = new Uint32Array(n);
    this.active = Array.from({ length: n }, (_, k) => k); // pairs of which an object is open
    for (let k = 0; k < n; k++) {
      const pixels = table.pairPixels[first + k];
      const ofTruth = mixedDouble(pixels / table.truthAreas[table.pairTruth[first + k]]);
      const ofPred = mixedDouble(pixels / table.predAreas[table.pairPred[first + k]]);
      this.truth[k] = table.pairTruth[first + k] - firstTruth;
      this.pred[k] = size[0] + table.pairPred[first + k] - firstPred;
      this.own[k] = mixedDouble(table.pairIou[first + k]);
      this.toTruth[k] = mixed(this.own[k] + Math.imul(3, ofTruth) + Math.imul(5, ofPred));
      this.toPred[k] = mixed(this.own[k] + Math.imul(3, ofPred) + Math.imul(5, ofTruth));
    }
  }

  solve() {
    const colour = coloursOf(this.nodes, this);
    return this.own.map((own, k) => mixed(colour[this.truth[k]] + colour[this.pred[k]] + own));
  }

  /** @param {(a: number, b: number) => void} join */
  connect(join) {
    for (let k = 0; k < this.truth.length; k++) join(this.truth[k], this.pred[k]);
  }

  /** @param {Uint8Array} _ @param {Uint32Array} colour @param {Uint32Array} sums */
  gather(_, colour, sums) {
    this.see(sums, (node) => colour[node]);
  }

  /** @param {Uint8Array} _ @param {Uint32Array} sums */
  meet(_, sums) {
    this.see(sums, mixed);
  }

  /** @param {Uint8Array} open */
  forget(open) {
    this.active = this.active.filter((k) => open[this.truth[k]] || open[this.pred[k]]);
  }

  /** @param {Uint32Array} sums @param {(node: number) => number} valueOf */
  see(sums, valueOf) {
    const { truth, pred, toTruth, toPred } = this;
    for (const k of this.active) {
      sums[truth[k]] += mixed(valueOf(pred[k]) ^ toTruth[k]); // of nodes that are known nobody asks
      sums[pred[k]] += mixed(valueOf(truth[k]) ^ toPred[k]);
    }
  }
}
