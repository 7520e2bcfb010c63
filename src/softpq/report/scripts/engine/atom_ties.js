// Which of equally good matchings is taken where objects overlap: the numbers of native/mask_ties.hpp, bit for bit.
import { coloursOf, mixed, mixedDouble } from "./colours.js";
/** @typedef {import("./table.js").Table} Table */

export class AtomTies {
  /** @param {Table} table @param {number} image */
  constructor(table, image) {
    const { bounds, truthAreas, predAreas } = table;
    const [truth0, pred0] = [bounds.truth[image], bounds.pred[image]];
    this.table = table;
    this.image = image;
    this.truths = bounds.truth[image + 1] - truth0;
    this.areas = [
      ...truthAreas.subarray(truth0, bounds.truth[image + 1]),
      ...predAreas.subarray(pred0, bounds.pred[image + 1]),
    ];
    this.start = new Int32Array(0); // members of each atom
    this.node = new Int32Array(0);
    this.share = new Uint32Array(0);
    this.readMembers();
    this.active = Array.from({ length: this.start.length - 1 }, (_, k) => k); // atoms with an open object
  }

  /** The members of every atom as nodes, and their shares. */
  readMembers() {
    const { bounds, atoms } = this.table;
    const { truthStart, truth, predStart, pred, pixels } = /** @type {import("./atoms.js").Atoms} */ (atoms);
    const [first, end] = [bounds.atom[this.image], bounds.atom[this.image + 1]];
    const count = truthStart[end] - truthStart[first] + predStart[end] - predStart[first];
    this.start = new Int32Array(end - first + 1);
    this.node = new Int32Array(count);
    this.share = new Uint32Array(count);
    let at = 0;
    const put = (/** @type {number} */ node, /** @type {number} */ area) => {
      this.node[at] = node;
      this.share[at++] = mixedDouble(area / this.areas[node]);
    };
    for (let k = first; k < end; k++) {
      for (let j = truthStart[k]; j < truthStart[k + 1]; j++) put(truth[j] - bounds.truth[this.image], pixels[k]);
      for (let j = predStart[k]; j < predStart[k + 1]; j++)
        put(this.truths + pred[j] - bounds.pred[this.image], pixels[k]);
      this.start[k - first + 1] = at;
    }
  }

  /** A number for each pair of the image. */
  solve() {
    const colour = coloursOf(this.areas.length, this);
    const { bounds, pairTruth, pairPred } = this.table;
    const [first, end] = [bounds.pair[this.image], bounds.pair[this.image + 1]];
    return Uint32Array.from({ length: end - first }, (_, k) => {
      const truth = pairTruth[first + k] - bounds.truth[this.image];
      const pred = this.truths + pairPred[first + k] - bounds.pred[this.image];
      return mixed(colour[truth] + colour[pred]);
    });
  }

  /** @param {(a: number, b: number) => void} join */
  connect(join) {
    const { node, start } = this;
    for (let atom = 0; atom + 1 < start.length; atom++)
      for (let k = start[atom] + 1; k < start[atom + 1]; k++) join(node[k], node[start[atom]]);
  }

  /**
   * Every member of an atom sees who else is there, on its own side and on the other.
   * @param {Uint8Array} open @param {Uint32Array} colour @param {Uint32Array} sums
   */
  gather(open, colour, sums) {
    const { node, start, share, truths } = this;
    for (const atom of this.active) {
      let [truth, pred] = [0, 0];
      for (let k = start[atom]; k < start[atom + 1]; k++) {
        const seen = mixed(colour[node[k]] ^ share[k]);
        if (node[k] < truths) truth = (truth + seen) >>> 0;
        else pred = (pred + seen) >>> 0;
      }
      truth = mixed(truth);
      pred = mixed(pred);
      for (let k = start[atom]; k < start[atom + 1]; k++) {
        const [own, other] = node[k] < truths ? [truth, pred] : [pred, truth];
        if (open[node[k]]) sums[node[k]] += mixed(share[k] + Math.imul(3, own) + Math.imul(5, other));
      }
    }
  }

  /** @param {Uint8Array} open @param {Uint32Array} sums */
  meet(open, sums) {
    const { node, start, truths } = this;
    for (const atom of this.active)
      for (let k = start[atom]; k < start[atom + 1]; k++)
        if (open[node[k]]) sums[node[k]] += mixed(2 * atom + (node[k] < truths ? 1 : 2));
  }

  /** @param {Uint8Array} open */
  forget(open) {
    this.active = this.active.filter((atom) => this.hasOpen(open, atom));
  }

  /** @param {Uint8Array} open @param {number} atom */
  hasOpen(open, atom) {
    for (let k = this.start[atom]; k < this.start[atom + 1]; k++) if (open[this.node[k]]) return true;
    return false;
  }
}
