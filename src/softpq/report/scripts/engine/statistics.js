// Intervals and tests over images (or groups of them), as in Python: softpq.dataset.statistics says why these.
import { facts } from "../facts.js";
import { tQuantile } from "./distributions.js";
import { exchangesOf, sumsAfter } from "./exchanges.js";
import { valueOf } from "./softpq.js";
/** @typedef {import("./softpq.js").Parts} Parts */
/** @typedef {import("./softpq.js").Settings} Settings */
/** @typedef {import("./exchanges.js").Exchanges} Exchanges */

/** @typedef {{top: Float64Array, bottom: Float64Array}} Terms numerators and denominators, one per image or unit */
/** @typedef {{value: number, low: number, high: number}} Interval NaN where there is none */

/** @param {Float64Array} values */
const total = (values) => values.reduce((sum, one) => sum + one, 0);

/** @param {Terms} terms */
export function valueOfTerms({ top, bottom }) {
  const below = total(bottom);
  return below ? total(top) / below : 0;
}

/**
 * The sums that a score is a quotient of, image by image; null where it is none.
 * @param {Parts[]} parts @param {Settings} settings @param {string} over @returns {Terms|null}
 */
export function termsOf(parts, settings, over) {
  const made = (/** @type {(p: Parts) => number} */ top, /** @type {(p: Parts) => number} */ bottom) => ({
    top: Float64Array.from(parts, top),
    bottom: Float64Array.from(parts, bottom),
  });
  if (over === "mean") {
    const values = parts.map((one) => valueOf(one, settings));
    const defined = values.map((value) => (Number.isNaN(value) ? 0 : 1));
    return { top: Float64Array.from(values, (v) => (Number.isNaN(v) ? 0 : v)), bottom: Float64Array.from(defined) };
  }
  if (settings.reading === "released") return null;
  const matched = parts.reduce((sum, one) => sum + one.matched, 0);
  if (settings.reading !== "unified" && !matched)
    return made(
      (p) => p.softIou,
      (p) => p.nTruth,
    );
  return made(
    (p) => 2 * (p.matchedIou + p.softIou),
    (p) => p.nTruth + p.nPred - p.forgiven,
  );
}

/**
 * Sum what images say over units, and leave out units that say nothing.
 * @param {Terms[]} models @param {Int32Array} unitOf each image @param {Uint8Array} informative by image
 * @param {boolean} everywhere only units where every model says something
 */
export function overUnits(models, unitOf, informative, everywhere) {
  const count = unitOf.reduce((most, unit) => Math.max(most, unit + 1), 0);
  const summed = (/** @type {ArrayLike<number>} */ column) => {
    const found = new Float64Array(count);
    for (let k = 0; k < column.length; k++) found[unitOf[k]] += column[k];
    return found;
  };
  const sums = models.map(({ top, bottom }) => ({ top: summed(top), bottom: summed(bottom) }));
  const says = summed(informative);
  const kept = Array.from(says.keys()).filter((k) =>
    everywhere ? sums.every(({ bottom }) => bottom[k] > 0) : says[k] > 0,
  );
  const of = (/** @type {Float64Array} */ column) => Float64Array.from(kept, (k) => column[k]);
  return sums.map(({ top, bottom }) => ({ top: of(top), bottom: of(bottom) }));
}

/**
 * The interval of one model: the jackknife on the logit scale, with effective degrees of freedom.
 * @param {Terms} terms of units @param {number} level @returns {Interval}
 */
export function intervalOf(terms, level) {
  const { top, bottom } = terms;
  const [above, below, n] = [total(top), total(bottom), top.length];
  const value = valueOfTerms(terms);
  const without = top.map((one, k) => (below - bottom[k] ? (above - one) / (below - bottom[k]) : 0));
  const mean = total(without) / n;
  const error = Math.sqrt(((n - 1) / n) * without.reduce((sum, one) => sum + (one - mean) ** 2, 0));
  if (value <= 0 || value >= 1 || error <= 1e-12) return { value, low: NaN, high: NaN };
  const effective = below ** 2 / bottom.reduce((sum, one) => sum + one * one, 0);
  const reach = (tQuantile((1 + level) / 2, Math.max(1, effective - 1)) * error) / (value * (1 - value));
  const middle = Math.log(value / (1 - value));
  const expit = (/** @type {number} */ x) => (x > -700 ? 1 / (1 + Math.exp(-x)) : 0);
  return { value, low: expit(middle - reach), high: expit(middle + reach) };
}

/** How many units an interval of one model takes. @param {string} over */
export function fewestFor(over) {
  return over === "mean" ? facts.statistics.fewestOfMeans : facts.statistics.fewestPooled;
}

/** The exchange test of a difference. */
export class ExchangeTest {
  /**
   * @param {Terms} one @param {Terms} two @param {Exchanges} exchanges
   * @param {{top: Float64Array, bottom: Float64Array}[]} sums of the two after every exchange
   */
  constructor(one, two, exchanges, [first, second]) {
    const [top1, bottom1] = [total(one.top), total(one.bottom)];
    const [top2, bottom2] = [total(two.top), total(two.bottom)];
    this.gap = valueOfTerms(one) - valueOfTerms(two);
    this.complete = exchanges.complete;
    this.alpha = new Float64Array(exchanges.rows);
    this.beta = new Float64Array(exchanges.rows);
    this.size = 0;
    for (let k = 0; k < exchanges.rows; k++) {
      const x = second.top[k] - first.top[k];
      const y = second.bottom[k];
      const z = y - first.bottom[k];
      const alpha = (top1 + x) / (bottom1 + z) - (top2 - x) / (bottom2 - z);
      const beta = y / (bottom1 + z) - (bottom2 - y) / (bottom2 - z);
      if (!Number.isFinite(alpha) || !Number.isFinite(beta)) continue;
      this.alpha[this.size] = alpha;
      this.beta[this.size++] = beta;
    }
  }

  /** How often an exchange gives at least as large a difference, if the true one is q. @param {number} [q] */
  p(q = 0) {
    const least = Math.abs(this.gap - q) - 1e-12;
    let count = 0;
    for (let k = 0; k < this.size; k++) if (Math.abs(this.alpha[k] + this.beta[k] * q) >= least) count++;
    return this.complete ? count / Math.max(1, this.size) : (1 + count) / (this.size + 1);
  }

  /** @param {number} level @returns {Interval} the differences that are not rejected */
  interval(level) {
    const alpha = 1 - level;
    const none = { value: this.gap, low: NaN, high: NaN };
    if (this.p(this.gap) <= alpha) return none;
    const ends = [-1, 1].map((sign) => this.end(alpha, sign));
    return ends.some((end) => end === null) ? none : { value: this.gap, low: Number(ends[0]), high: Number(ends[1]) };
  }

  /**
   * Where p falls to alpha, going outwards; null if it does not before the limit.
   * @param {number} alpha @param {number} limit
   */
  end(alpha, limit) {
    let step = 0.01;
    let inside = this.gap;
    /** @type {number} */ let outside;
    for (;;) {
      outside = this.gap + Math.sign(limit) * step;
      if (Math.abs(outside) > 1) outside = limit;
      if (this.p(outside) <= alpha) break;
      if (outside === limit) return null;
      [inside, step] = [outside, step * 2];
    }
    while (Math.abs(outside - inside) > 1e-12) {
      const middle = (inside + outside) / 2;
      if (this.p(middle) > alpha) inside = middle;
      else outside = middle;
    }
    return inside;
  }
}

/** Adjust p-values of several tests. @param {number[]} p */
export function holm(p) {
  const adjusted = p.map(() => NaN);
  const known = Array.from(p.keys())
    .filter((k) => !Number.isNaN(p[k]))
    .sort((a, b) => p[a] - p[b]);
  let running = 0;
  known.forEach((k, place) => {
    running = Math.max(running, Math.min(1, (known.length - place) * p[k]));
    adjusted[k] = running;
  });
  return adjusted;
}

/** All pairs of so many models. @param {number} models @returns {[number, number][]} */
export function pairsOf(models) {
  const found = [];
  for (let i = 0; i < models; i++) for (let j = i + 1; j < models; j++) found.push([i, j]);
  return /** @type {[number, number][]} */ (found);
}

/**
 * The tests of all pairs of models.
 * @param {Terms[]} models over the same units @param {Exchanges} exchanges
 */
export function testsOf(models, exchanges) {
  const sums = models.map(({ top, bottom }) => ({
    top: sumsAfter(exchanges, top),
    bottom: sumsAfter(exchanges, bottom),
  }));
  return pairsOf(models.length).map(([i, j]) => new ExchangeTest(models[i], models[j], exchanges, [sums[i], sums[j]]));
}

/** @type {Exchanges|null} */ let last = null;
let lastKey = "";

/**
 * The exchanges of so many units; the last ones are kept.
 * @param {number} units @param {number} models @param {number} seed
 */
export function exchangesFor(units, models, seed) {
  const key = [units, models, seed].join();
  if (key !== lastKey || !last) last = exchangesOf(units, pairsOf(models).length, seed);
  lastKey = key;
  return last;
}
