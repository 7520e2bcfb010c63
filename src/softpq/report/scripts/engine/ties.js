// Which of equally good matchings is taken: the same numbers as in the Python package (native/ties.hpp tells the idea).
/** @typedef {import("./table.js").Table} Table */

const MOST_MARKS = 64;

/** @type {WeakMap<Table, Uint32Array>} */ const known = new WeakMap();

/**
 * A number for each pair; of matchings with equal sums of IoUs, that with the largest sum of these is taken.
 * @param {Table} table
 */
export function tieBreaksOf(table) {
  const found = known.get(table) ?? new Uint32Array(table.pairIou.length);
  if (!known.has(table)) {
    const { truth, pred, pair } = table.bounds;
    for (let k = 0; k + 1 < pair.length; k++) {
      const size = [truth[k + 1] - truth[k], pred[k + 1] - pred[k]];
      found.set(new TieBreaks(table, pair[k], pair[k + 1], truth[k], pred[k], size).solve(), pair[k]);
    }
    known.set(table, found);
  }
  return found;
}

/** @param {number} x @returns {number} 32 bits */
function mixed(x) {
  let y = x >>> 0;
  y = Math.imul(y ^ (y >>> 16), 0x85ebca6b);
  y = Math.imul(y ^ (y >>> 13), 0xc2b2ae35);
  return (y ^ (y >>> 16)) >>> 0;
}

const asDouble = new Float64Array(1);
const asBits = new Uint32Array(asDouble.buffer);

/** @param {number} value */
function mixedDouble(value) {
  asDouble[0] = value;
  return mixed(asBits[0] ^ mixed(asBits[1] + 0x9e3779b9));
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
    this.pair = new Uint32Array(n);
    this.toTruth = new Uint32Array(n);
    this.toPred = new Uint32Array(n);
    this.colour = new Uint32Array(this.nodes);
    this.before = this.colour;
    this.sums = new Uint32Array(this.nodes);
    this.part = new Int32Array(this.nodes);
    for (let k = 0; k < n; k++) {
      const pixels = table.pairPixels[first + k];
      const ofTruth = mixedDouble(pixels / table.truthAreas[table.pairTruth[first + k]]);
      const ofPred = mixedDouble(pixels / table.predAreas[table.pairPred[first + k]]);
      this.truth[k] = table.pairTruth[first + k] - firstTruth;
      this.pred[k] = size[0] + table.pairPred[first + k] - firstPred;
      this.pair[k] = mixedDouble(table.pairIou[first + k]);
      this.toTruth[k] = mixed(this.pair[k] + Math.imul(3, ofTruth) + Math.imul(5, ofPred));
      this.toPred[k] = mixed(this.pair[k] + Math.imul(3, ofPred) + Math.imul(5, ofTruth));
    }
  }

  solve() {
    this.refine();
    this.findParts();
    this.tellTwinsApart();
    for (let k = 0; k < MOST_MARKS && this.markOnePerPart(); k++) this.refine();
    return this.pair.map((own, k) => mixed(this.colour[this.truth[k]] + this.colour[this.pred[k]] + own));
  }

  refine() {
    let before = 0;
    let now = new Set(this.colour).size;
    while (now > before) {
      this.gather((node) => this.colour[node]);
      for (let node = 0; node < this.nodes; node++)
        this.colour[node] = mixed(this.colour[node] + 0x7f4a7c15 + this.sums[node]);
      before = now;
      now = new Set(this.colour).size;
    }
  }

  /** For every node, the sum over its pairs of what the partner is. @param {(node: number) => number} valueOf */
  gather(valueOf) {
    const { truth, pred, sums } = this;
    sums.fill(0);
    for (let k = 0; k < truth.length; k++) {
      sums[truth[k]] += mixed(valueOf(pred[k]) ^ this.toTruth[k]);
      sums[pred[k]] += mixed(valueOf(truth[k]) ^ this.toPred[k]);
    }
  }

  findParts() {
    const { part, truth, pred } = this;
    for (let node = 0; node < this.nodes; node++) part[node] = node;
    const root = (/** @type {number} */ start) => {
      let node = start;
      while (part[node] !== node) node = part[node] = part[part[node]];
      return node;
    };
    for (let k = 0; k < truth.length; k++) part[root(truth[k])] = root(pred[k]);
    for (let node = 0; node < this.nodes; node++) part[node] = root(node);
  }

  /** @param {Uint32Array} [also] what to compare after part and colour */
  ordered(also) {
    const { part, colour } = this;
    this.before = colour.slice();
    const order = Int32Array.from(colour, (_, node) => node);
    return order.sort((a, b) => part[a] - part[b] || colour[a] - colour[b] || (also ? also[a] - also[b] : 0) || a - b);
  }

  tellTwinsApart() {
    this.gather((node) => mixed(node));
    const { part, sums, colour } = this;
    const order = this.ordered(sums);
    const { before } = this;
    let some = false;
    let rank = 0;
    for (let k = 1; k < this.nodes; k++) {
      const [a, b] = [order[k - 1], order[k]];
      rank = part[a] === part[b] && sums[a] === sums[b] && before[a] === before[b] ? rank + 1 : 0;
      if (rank) {
        colour[b] = mixed(before[b] + rank);
        some = true;
      }
    }
    if (some) this.refine();
  }

  markOnePerPart() {
    const order = this.ordered();
    const { part, before, colour } = this;
    let some = false;
    let done = -1;
    for (let k = 1; k < this.nodes; k++) {
      const [a, b] = [order[k - 1], order[k]];
      if (part[a] === done || part[a] !== part[b] || before[a] !== before[b]) continue;
      done = part[a];
      const alone = part[order[k - 2]] !== part[b] && part[order[k + 1]] !== part[b];
      if (alone) continue; // two objects that have only each other
      colour[a] = mixed(before[a] + 0x2545f491);
      some = true;
    }
    return some;
  }
}
