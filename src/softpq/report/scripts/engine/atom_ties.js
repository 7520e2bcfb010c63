// Which of equally good matchings is taken where objects overlap: the numbers of native/mask_ties.hpp, bit for bit.
// Colours have 64 bits, kept as two halves of 32.
/** @typedef {import("./table.js").Table} Table */

const MOST_MARKS = 64;

let high = 0; // what the last operation found
let low = 0;

/** @param {number} a @param {number} b @returns {number} the upper half of their product, 32 bits each */
function upper(a, b) {
  const a0 = a & 0xffff;
  const a1 = a >>> 16;
  const b0 = b & 0xffff;
  const b1 = b >>> 16;
  const middle = a1 * b0 + ((a0 * b0) >>> 16);
  const last = a0 * b1 + (middle & 0xffff);
  return a1 * b1 + (middle >>> 16) + (last >>> 16);
}

/** Begin with 64 bits. @param {number} h @param {number} l */
function take(h, l) {
  high = h;
  low = l;
}

/** high and low += 64 bits. @param {number} h @param {number} l */
function add(h, l) {
  const sum = low + l;
  high = (high + h + (sum > 0xffffffff ? 1 : 0)) >>> 0;
  low = sum >>> 0;
}

/** high and low *= 64 bits. @param {number} h @param {number} l */
function multiply(h, l) {
  high = (upper(low, l) + Math.imul(low, h) + Math.imul(high, l)) >>> 0;
  low = Math.imul(low, l) >>> 0;
}

/** high and low ^= themselves, shifted to the right. @param {number} by */
function shiftIn(by) {
  low = (low ^ ((low >>> by) | (high << (32 - by)))) >>> 0;
  high = (high ^ (high >>> by)) >>> 0;
}

/** The last step of splitmix64. @param {number} h @param {number} l */
function scramble(h, l) {
  take(h >>> 0, l >>> 0);
  add(0x9e3779b9, 0x7f4a7c15);
  shiftIn(30);
  multiply(0xbf58476d, 0x1ce4e5b9);
  shiftIn(27);
  multiply(0x94d049bb, 0x133111eb);
  shiftIn(31);
}

/** Many numbers of 64 bits. */
class Wide {
  /** @param {number} size */
  constructor(size) {
    this.high = new Uint32Array(size);
    this.low = new Uint32Array(size);
  }

  /** Keep what the last operation found. @param {number} k */
  keep(k) {
    this.high[k] = high;
    this.low[k] = low;
  }

  /** Add it. @param {number} k */
  gain(k) {
    add(this.high[k], this.low[k]);
    this.keep(k);
  }

  /** @param {number} a @param {number} b @returns {number} below, above or 0 */
  compare(a, b) {
    return this.high[a] - this.high[b] || this.low[a] - this.low[b];
  }

  get distinct() {
    return new Set(Array.from(this.high, (h, k) => h * 2097152 + (this.low[k] >>> 11))).size;
  }

  copy() {
    const found = new Wide(0);
    [found.high, found.low] = [this.high.slice(), this.low.slice()];
    return found;
  }

  clear() {
    this.high.fill(0);
    this.low.fill(0);
  }
}

export class AtomTies {
  /** @param {Table} table @param {number} image */
  constructor(table, image) {
    const { bounds, truthAreas, predAreas } = table;
    const [truth0, pred0] = [bounds.truth[image], bounds.pred[image]];
    this.table = table;
    this.image = image;
    this.truths = bounds.truth[image + 1] - truth0;
    this.nodes = this.truths + bounds.pred[image + 1] - pred0;
    this.areas = [
      ...truthAreas.subarray(truth0, bounds.truth[image + 1]),
      ...predAreas.subarray(pred0, bounds.pred[image + 1]),
    ];
    this.colour = new Wide(this.nodes);
    this.sums = new Wide(this.nodes);
    this.part = new Int32Array(this.nodes);
    this.seen = new Wide(2); // by side, in one atom
    this.sides = [new Wide(2), new Wide(2)]; // 3 and 5 times what each side is
    this.start = new Int32Array(0); // members of each atom
    this.node = new Int32Array(0);
    this.share = new Wide(0);
    this.readMembers();
  }

  /** The members of every atom as nodes, and their shares. */
  readMembers() {
    const { bounds, atoms } = this.table;
    const { truthStart, truth, predStart, pred, pixels } = /** @type {import("./atoms.js").Atoms} */ (atoms);
    const asDouble = new Float64Array(1);
    const asBits = new Uint32Array(asDouble.buffer);
    const [first, end] = [bounds.atom[this.image], bounds.atom[this.image + 1]];
    const count = truthStart[end] - truthStart[first] + predStart[end] - predStart[first];
    this.start = new Int32Array(end - first + 1);
    this.node = new Int32Array(count);
    this.share = new Wide(count);
    let at = 0;
    const put = (/** @type {number} */ node, /** @type {number} */ area) => {
      this.node[at] = node;
      asDouble[0] = area / this.areas[node];
      scramble(asBits[1], asBits[0]);
      this.share.keep(at++);
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
    this.refine();
    this.findParts();
    this.tellTwinsApart();
    for (let k = 0; k < MOST_MARKS && this.markOnePerPart(); k++) this.refine();
    const { bounds, pairTruth, pairPred } = this.table;
    const [first, end] = [bounds.pair[this.image], bounds.pair[this.image + 1]];
    return Uint32Array.from({ length: end - first }, (_, k) => {
      const truth = pairTruth[first + k] - bounds.truth[this.image];
      const pred = this.truths + pairPred[first + k] - bounds.pred[this.image];
      take(this.colour.high[truth], this.colour.low[truth]);
      add(this.colour.high[pred], this.colour.low[pred]);
      return high;
    });
  }

  refine() {
    const { colour, sums } = this;
    let before = 0;
    let now = colour.distinct;
    while (now > before) {
      sums.clear();
      for (let atom = 0; atom + 1 < this.start.length; atom++) this.mix(atom);
      for (let node = 0; node < this.nodes; node++) {
        take(sums.high[node], sums.low[node]);
        multiply(0, 7);
        add(colour.high[node], colour.low[node]);
        scramble(high, low);
        colour.keep(node);
      }
      before = now;
      now = colour.distinct;
    }
  }

  /** Every member sees who else is there, on its own side and on the other. @param {number} atom */
  mix(atom) {
    const { node, share, colour, sums, truths, seen, sides } = this;
    seen.clear();
    for (let k = this.start[atom]; k < this.start[atom + 1]; k++) {
      scramble(colour.high[node[k]] ^ share.high[k], colour.low[node[k]] ^ share.low[k]);
      seen.gain(node[k] < truths ? 0 : 1);
    }
    for (const [j, factor] of [3, 5].entries())
      for (const side of [0, 1]) {
        scramble(seen.high[side], seen.low[side]);
        multiply(0, factor);
        sides[j].keep(side);
      }
    for (let k = this.start[atom]; k < this.start[atom + 1]; k++) {
      const side = node[k] < truths ? 0 : 1;
      take(share.high[k], share.low[k]);
      add(sides[0].high[side], sides[0].low[side]);
      add(sides[1].high[1 - side], sides[1].low[1 - side]);
      scramble(high, low);
      sums.gain(node[k]);
    }
  }

  findParts() {
    const { part, node, start } = this;
    for (let k = 0; k < this.nodes; k++) part[k] = k;
    const root = (/** @type {number} */ from) => {
      let at = from;
      while (part[at] !== at) at = part[at] = part[part[at]];
      return at;
    };
    for (let atom = 0; atom + 1 < start.length; atom++)
      for (let k = start[atom] + 1; k < start[atom + 1]; k++) part[root(node[k])] = root(node[start[atom]]);
    for (let k = 0; k < this.nodes; k++) part[k] = root(k);
  }

  /** Equal masks of one side: whichever comes first, everything stays as it is. */
  tellTwinsApart() {
    const { sums, colour, truths } = this;
    sums.clear();
    for (let atom = 0; atom + 1 < this.start.length; atom++)
      for (let k = this.start[atom]; k < this.start[atom + 1]; k++) {
        scramble(0, 2 * atom + (this.node[k] < truths ? 0 : 1));
        sums.gain(this.node[k]);
      }
    const order = this.ordered((a, b) => sums.compare(a, b));
    const before = colour.copy();
    let some = false;
    let rank = 0;
    for (let k = 1; k < this.nodes; k++) {
      const [a, b] = [order[k - 1], order[k]];
      rank = sums.compare(a, b) === 0 && a < truths === b < truths && this.areas[a] > 0 ? rank + 1 : 0;
      if (!rank) continue;
      some = true;
      take(before.high[b], before.low[b]);
      add(0, rank);
      scramble(high, low);
      colour.keep(b);
    }
    if (some) this.refine();
  }

  markOnePerPart() {
    const { part, colour } = this;
    const order = this.ordered((a, b) => part[a] - part[b] || colour.compare(a, b));
    const before = colour.copy();
    let some = false;
    let done = -1;
    for (let k = 1; k < this.nodes; k++) {
      const [a, b] = [order[k - 1], order[k]];
      if (part[a] === done || part[a] !== part[b] || before.compare(a, b) !== 0) continue;
      done = part[a];
      const alone = part[order[k - 2]] !== done && part[order[k + 1]] !== done;
      if (alone) continue; // two objects that have only each other
      take(before.high[a], before.low[a]);
      add(0, 0x2545f491);
      scramble(high, low);
      colour.keep(a);
      some = true;
    }
    return some;
  }

  /** @param {(a: number, b: number) => number} by */
  ordered(by) {
    return Array.from({ length: this.nodes }, (_, k) => k).sort((a, b) => by(a, b) || a - b);
  }
}
