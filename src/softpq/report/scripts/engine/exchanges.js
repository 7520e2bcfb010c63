// Exchanging two models unit by unit, with the same exchanges as in Python (softpq.dataset.exchanges).
import { facts } from "../facts.js";

/** Scramble 32 bits: the last step of MurmurHash3. @param {number} value */
export function mixed(value) {
  let y = value >>> 0;
  y = Math.imul(y ^ (y >>> 16), 0x85ebca6b);
  y = Math.imul(y ^ (y >>> 13), 0xc2b2ae35);
  return (y ^ (y >>> 16)) >>> 0;
}

/**
 * Which units are exchanged, 32 to a word: all possible ways of few units, else a sample.
 * @typedef {{units: number, rows: number, words: Uint32Array, width: number, complete: boolean}} Exchanges
 * @param {number} units @param {number} pairs of models @param {number} seed @returns {Exchanges}
 */
export function exchangesOf(units, pairs, seed) {
  const { allUpTo, atLeast, perPair } = facts.statistics;
  const complete = units <= allUpTo;
  const rows = complete ? 2 ** units : Math.max(atLeast, perPair * pairs);
  const width = Math.max(1, Math.ceil(units / 32));
  const start = mixed(seed);
  const words = new Uint32Array(rows * width);
  for (let k = 0; k < words.length; k++) words[k] = complete ? k : mixed((start + k) % 2 ** 32);
  return { units, rows, words, width, complete };
}

/**
 * What is exchanged in each exchange: the sum of a column over the units that are. Eight units are looked up at once.
 * @param {Exchanges} exchanges @param {Float64Array} column
 */
export function sumsAfter({ rows, words, width }, column) {
  const bytes = 4 * width;
  const table = new Float64Array(bytes * 256);
  for (let byte = 0; byte < bytes; byte++)
    for (let set = 1; set < 256; set++) {
      const lowest = 31 - Math.clz32(set & -set);
      table[byte * 256 + set] = table[byte * 256 + (set & (set - 1))] + (column[8 * byte + lowest] ?? 0);
    }
  const found = new Float64Array(rows);
  for (let row = 0, at = 0; row < rows; row++) {
    let sum = 0;
    for (let k = 0, base = 0; k < width; k++, at++, base += 1024) {
      const word = words[at];
      sum +=
        table[base + (word & 255)] +
        table[base + 256 + ((word >>> 8) & 255)] +
        table[base + 512 + ((word >>> 16) & 255)] +
        table[base + 768 + (word >>> 24)];
    }
    found[row] = sum;
  }
  return found;
}
