// Which of equally good matchings is taken: the same numbers as in the Python package (native/ties.hpp tells the idea).
import { AtomTies } from "./atom_ties.js";
/** @typedef {import("./table.js").Table} Table */

const MOST_MARKS = 64;

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

/** @param {number} x @returns {number} 32 bits */
export function mixed(x) {
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

/** How many different numbers there are. @param {Uint32Array} values */
function distinct(values) {
  const sorted = values.slice().sort();
  let count = sorted.length ? 1 : 0;
  for (let k = 1; k < sorted.length; k++) if (sorted[k] !== sorted[k - 1]) count++;
  return count;
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
    this.sizes = new Int32Array(this.nodes); // of parts
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
    let now = distinct(this.colour);
    while (now > before) {
      this.gather((node) => this.colour[node]);
      for (let node = 0; node < this.nodes; node++)
        this.colour[node] = mixed(this.colour[node] + 0x7f4a7c15 + this.sums[node]);
      before = now;
      now = distinct(this.colour);
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
    for (let node = 0; node < this.nodes; node++) this.sizes[(part[node] = root(node))]++;
  }

  /**
   * Nodes that share their colour with another one of their part, which mostly are few, in order.
   * @param {Uint32Array} [also] what to compare after part and colour
   */
  alike(also) {
    const { part, colour } = this;
    this.before = colour.slice();
    const keys = new Float64Array(this.nodes); // if they are rounded, more are found, which does no harm
    for (let node = 0; node < this.nodes; node++) keys[node] = part[node] * 2 ** 32 + colour[node];
    const sorted = keys.slice().sort();
    /** @type {Set<number>} */ const twice = new Set();
    for (let k = 1; k < sorted.length; k++) if (sorted[k] === sorted[k - 1]) twice.add(sorted[k]);
    const found = [];
    for (let node = 0; twice.size && node < this.nodes; node++) if (twice.has(keys[node])) found.push(node);
    return found.sort((a, b) => part[a] - part[b] || colour[a] - colour[b] || (also ? also[a] - also[b] : 0) || a - b);
  }

  tellTwinsApart() {
    this.gather((node) => mixed(node));
    const { part, sums, colour } = this;
    const order = this.alike(sums);
    const { before } = this;
    let some = false;
    let rank = 0;
    for (let k = 1; k < order.length; k++) {
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
    const order = this.alike();
    const { part, before, colour, sizes } = this;
    let some = false;
    let done = -1;
    for (let k = 1; k < order.length; k++) {
      const [a, b] = [order[k - 1], order[k]];
      if (part[a] === done || part[a] !== part[b] || before[a] !== before[b]) continue;
      done = part[a];
      if (sizes[done] === 2) continue; // two objects that have only each other
      colour[a] = mixed(before[a] + 0x2545f491);
      some = true;
    }
    return some;
  }
}
