// Telling objects apart by what is around them, whatever their numbers: the numbers of native/colours.hpp, bit for bit,
// where the idea is told.

const MOST_MARKS = 64;
const MOST_TRIES = 16;
const MARK = 0x2545f491;

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
export function mixedDouble(value) {
  asDouble[0] = value;
  return mixed(asBits[0] ^ mixed(asBits[1] + 0x9e3779b9));
}

/**
 * What links objects: `connect` calls join for objects of one part; `gather` adds to the sum of every open object what
 * it sees of others; `meet` adds who they are; `forget` says that only these are asked for from now on.
 * @typedef {object} Links
 * @property {(join: (a: number, b: number) => void) => void} connect
 * @property {(open: Uint8Array, colour: Uint32Array, sums: Uint32Array) => void} gather
 * @property {(open: Uint8Array, sums: Uint32Array) => void} meet
 * @property {(open: Uint8Array) => void} forget
 */

/** A colour for each object. @param {number} nodes @param {Links} links */
export function coloursOf(nodes, links) {
  return new Colours(nodes, links).solve();
}

class Colours {
  /** @param {number} nodes @param {Links} links */
  constructor(nodes, links) {
    this.links = links;
    this.part = new Int32Array(nodes);
    this.kinds = new Int32Array(nodes); // how many kinds of open objects a part has
    this.colour = new Uint32Array(nodes);
    this.sums = new Uint32Array(nodes);
    this.isOpen = new Uint8Array(nodes);
    /** @type {number[]} */ this.open = [];
    this.trying = false;
    this.findParts();
  }

  solve() {
    this.numberTwins();
    this.refine();
    for (let k = 0; k < MOST_MARKS && this.open.length; k++) this.mark();
    return this.colour;
  }

  /** Alone, or two that have only each other: nothing to tell apart. */
  findParts() {
    const { part } = this;
    const nodes = part.length;
    for (let node = 0; node < nodes; node++) part[node] = node;
    const root = (/** @type {number} */ from) => {
      let node = from;
      while (part[node] !== node) node = part[node] = part[part[node]];
      return node;
    };
    this.links.connect((a, b) => {
      part[root(a)] = root(b);
    });
    const sizes = new Int32Array(nodes);
    for (let node = 0; node < nodes; node++) sizes[(part[node] = root(node))]++;
    for (let node = 0; node < nodes; node++)
      if (sizes[part[node]] > 2) {
        this.isOpen[node] = 1;
        this.open.push(node);
      }
  }

  /** Whichever of twins comes first, everything stays as it is. How many there are is a part of what they are. */
  numberTwins() {
    const { colour, sums } = this;
    this.links.forget(this.isOpen);
    this.links.meet(this.isOpen, sums);
    for (const twins of this.byKind(this.open, sums))
      twins.forEach((node, rank) => {
        colour[node] = mixed((twins.length << 16) + rank);
      });
  }

  /** Mixes open objects until no part has more kinds of them. */
  refine() {
    const { colour, sums, isOpen } = this;
    for (const node of this.open) this.kinds[this.part[node]] = 0;
    for (let moving = this.settle(this.open); moving.length; moving = this.settle(moving)) {
      for (const node of moving) sums[node] = 0;
      this.links.gather(isOpen, colour, sums);
      for (const node of moving) colour[node] = mixed(colour[node] + 0x7f4a7c15 + sums[node]);
    }
    this.open = this.open.filter((node) => isOpen[node]);
  }

  /**
   * Objects whose colour no other of their part has are known from now on; returns the others of parts with more kinds.
   * @param {number[]} nodes
   */
  settle(nodes) {
    const { part, kinds, isOpen } = this;
    /** @type {Map<number, number>} */ const now = new Map();
    /** @type {Map<number, number>} */ const shared = new Map();
    for (const kind of this.byKind(nodes, this.colour)) {
      const at = part[kind[0]];
      now.set(at, (now.get(at) ?? 0) + 1);
      if (kind.length === 1) isOpen[kind[0]] = 0;
      else shared.set(at, (shared.get(at) ?? 0) + 1);
    }
    const moving = nodes.filter((node) => isOpen[node] && (now.get(part[node]) ?? 0) > kinds[part[node]]);
    for (const [at, count] of shared) kinds[at] = count;
    if (!this.trying) this.links.forget(isOpen);
    return moving;
  }

  /** In every part, one open object of the smallest kind gets another colour. */
  mark() {
    const choices = this.smallestKinds();
    const highest = new Uint32Array(choices.length);
    const best = choices.map((nodes) => nodes[0]);
    const most = Math.min(MOST_TRIES, Math.max(...choices.map((nodes) => nodes.length)));
    for (let k = 0; k < most; k++)
      this.tryMarks(choices, k).forEach((seen, at) => {
        if (k >= choices[at].length || seen <= highest[at]) return;
        highest[at] = seen;
        best[at] = choices[at][k];
      });
    for (const node of best) this.colour[node] = mixed(this.colour[node] + MARK);
    this.refine();
  }

  /** For every part with open objects, those of the kind that has fewest; of such, of the smallest colour. */
  smallestKinds() {
    const { part, colour } = this;
    /** @type {Map<number, number[]>} */ const found = new Map();
    for (const kind of this.byKind(this.open, colour)) {
      const other = found.get(part[kind[0]]);
      const less = other && (kind.length - other.length || colour[kind[0]] - colour[other[0]]);
      if (less === undefined || less < 0) found.set(part[kind[0]], kind);
    }
    return [...found.values()];
  }

  /**
   * What follows in each part if the k-th choice is marked, as one number; nothing is changed.
   * @param {number[][]} choices @param {number} k
   */
  tryMarks(choices, k) {
    const { part, colour, isOpen } = this;
    const all = this.open;
    const before = all.map((node) => colour[node]);
    const place = new Map(choices.map(([first], at) => [part[first], at]));
    const placeOf = (/** @type {number} */ node) => /** @type {number} */ (place.get(part[node]));
    for (const nodes of choices) if (k < nodes.length) colour[nodes[k]] = mixed(colour[nodes[k]] + MARK);
    this.open = all.filter((node) => k < choices[placeOf(node)].length);
    this.trying = true;
    this.refine();
    this.trying = false;
    const seen = new Uint32Array(choices.length);
    for (const node of all) seen[placeOf(node)] += mixed(colour[node]);
    all.forEach((node, at) => {
      colour[node] = before[at];
      isOpen[node] = 1;
    });
    this.open = all;
    return seen;
  }

  /** Objects of one part with one value, in order. @param {number[]} nodes @param {Uint32Array} value */
  byKind(nodes, value) {
    /** @type {Map<number, number[]>} */ const found = new Map();
    for (const node of nodes) {
      const key = this.part[node] * 2 ** 32 + value[node];
      const kind = found.get(key);
      if (kind) kind.push(node);
      else found.set(key, [node]);
    }
    return found.values();
  }
}
