// Several models on the images that all have: what may be said of them at the present settings, as in Python.
import { facts } from "../facts.js";
import { pooledValue } from "./analysis.js";
import {
  exchangesFor,
  fewestFor,
  holm,
  intervalOf,
  overUnits,
  pairsOf,
  termsOf,
  testsOf,
  valueOfTerms,
} from "./statistics.js";
/** @typedef {import("./softpq.js").Parts} Parts */
/** @typedef {import("./softpq.js").Settings} Settings */
/** @typedef {import("./statistics.js").Interval} Interval */
/** @typedef {import("./statistics.js").Terms} Terms */
/** @typedef {import("../data.js").Report} Report */

/**
 * @typedef {object} Compared
 * @property {Interval[]} intervals of each model on its own images
 * @property {number[]} values on the images that all have
 * @property {number} units images or groups that say something
 * @property {string} reason why nothing is said of chance; nothing if it is
 * @property {{pair: [number, number], gap: Interval, p: number, adjusted: number}[]} pairs
 * @property {[number, number][]} ranks first and last possible one of each model
 */

export class Field {
  /** @param {Report} report */
  constructor(report) {
    this.report = report;
    const { models } = report;
    this.images = [...models[0].images].filter((image) => models.every((model) => model.placeOf.has(image)));
    this.units = this.unitsOf(this.images);
    this.informative = this.informativeOf(models.keys(), this.images);
  }

  /** The unit of each image, numbered as they come: its group, or itself. @param {ArrayLike<number>} images */
  unitsOf(images) {
    const { groups } = this.report.head;
    const known = new Map();
    return Int32Array.from(images, (image) => {
      const key = groups[image] === null ? image : `group ${groups[image]}`;
      if (!known.has(key)) known.set(key, known.size);
      return known.get(key);
    });
  }

  /**
   * Whether some model or the truth has an object.
   * @param {Iterable<number>} models @param {ArrayLike<number>} images
   */
  informativeOf(models, images) {
    const some = [...models].map((k) => this.report.models[k]);
    return Uint8Array.from(images, (image) => {
      const tables = some.map(({ tables: all, placeOf }) => all[/** @type {number} */ (placeOf.get(image))]);
      return tables.some((table) => table.truthAreas.length + table.predAreas.length) ? 1 : 0;
    });
  }

  /**
   * Sums of all models over the units that all have.
   * @param {Parts[][]} parts by model and image @param {Settings} settings @param {string} over
   */
  terms(parts, settings, over) {
    const chosen = parts.map((own, k) => termsOf(this.common(own, k), settings, over));
    if (chosen.some((one) => one === null)) return null;
    return overUnits(/** @type {Terms[]} */ (chosen), this.units, this.informative, over === "mean");
  }

  /**
   * Which model is best, and whether that is clear.
   * @param {Parts[][]} parts @param {Settings} settings @param {string} over @returns {[number, number]}
   */
  best(parts, settings, over) {
    const terms = this.terms(parts, settings, over);
    const values = terms ? terms.map(valueOfTerms) : parts.map((own, k) => pooledValue(this.common(own, k), settings));
    const best = values.indexOf(Math.max(...values));
    if (!terms) return [best, 0]; // the authors' program: no quotient of sums
    const units = terms[0].top.length;
    if (units < facts.statistics.fewest) return [best, 0];
    const p = holm(testsOf(terms, this.exchanges(units)).map((test) => test.p()));
    const against = pairsOf(terms.length).map((pair, k) => (pair.includes(best) ? p[k] : 0));
    return [best, Math.max(...against) <= this.alpha ? 1 : 0];
  }

  /** Of the images that all have. @param {Parts[]} own of all of its images @param {number} model */
  common(own, model) {
    const { placeOf } = this.report.models[model];
    return this.images.map((image) => own[/** @type {number} */ (placeOf.get(image))]);
  }

  /** How many units say something. */
  get informativeUnits() {
    return new Set(this.units.filter((_, k) => this.informative[k])).size;
  }

  get alpha() {
    return 1 - this.report.head.level;
  }

  /** @param {number} units */
  exchanges(units) {
    return exchangesFor(units, this.report.models.length, this.report.head.seed);
  }

  /**
   * Of one model, on all of its images.
   * @param {number} model @param {Parts[]} parts @param {Settings} settings @param {string} over
   */
  interval(model, parts, settings, over) {
    const { images } = this.report.models[model];
    const terms = termsOf(parts, settings, over);
    if (!terms || !parts.length) return { value: NaN, low: NaN, high: NaN };
    const informative = this.informativeOf([model], images);
    const [own] = overUnits([terms], this.unitsOf(images), informative, over === "mean");
    const nothing = { value: own.top.length ? valueOfTerms(own) : NaN, low: NaN, high: NaN };
    return own.top.length < fewestFor(over) ? nothing : intervalOf(own, this.report.head.level);
  }
}

/**
 * All that may be said of the models, in steps.
 * @param {Report} report @param {Parts[][]} parts by model and image @param {Settings} settings @param {string} over
 * @returns {Generator<undefined, Compared>}
 */
export function* comparedOf(report, parts, settings, over) {
  const field = new Field(report);
  const intervals = [];
  for (const [k, own] of parts.entries()) {
    intervals.push(field.interval(k, own, settings, over));
    yield;
  }
  const terms = field.terms(parts, settings, over);
  const units = terms ? terms[0].top.length : field.informativeUnits;
  const ofProgram = (/** @type {Parts[]} */ own, /** @type {number} */ k) =>
    pooledValue(field.common(own, k), settings);
  const values = terms ? terms.map(valueOfTerms) : parts.map(ofProgram);
  const all = pairsOf(parts.length);
  const few = units < facts.statistics.fewest ? "too few" : "";
  const reason = terms ? few : few || "no quotient";
  if (!terms || reason || parts.length < 2) {
    const pairs = all.map((pair) => ({ pair, gap: without(values, pair), p: NaN, adjusted: NaN }));
    return { intervals, values, units, reason, pairs, ranks: parts.map(() => [1, parts.length]) };
  }
  yield;
  const tests = testsOf(terms, field.exchanges(units));
  yield;
  /** @type {Compared["pairs"]} */ const pairs = [];
  for (const [k, test] of tests.entries()) {
    pairs.push({ pair: all[k], gap: test.interval(report.head.level), p: test.p(), adjusted: NaN });
    yield;
  }
  holm(pairs.map((one) => one.p)).forEach((p, k) => {
    pairs[k].adjusted = p;
  });
  return { intervals, values, units, reason, pairs, ranks: ranksOf(pairs, parts.length, field.alpha) };
}

/** @param {number[]} values @param {[number, number]} pair @returns {Interval} */
function without(values, [i, j]) {
  return { value: values[i] - values[j], low: NaN, high: NaN };
}

/**
 * First and last possible rank of each model.
 * @param {Compared["pairs"]} pairs @param {number} models @param {number} alpha @returns {[number, number][]}
 */
function ranksOf(pairs, models, alpha) {
  const ranks = Array.from({ length: models }, () => /** @type {[number, number]} */ ([1, models]));
  for (const { pair, gap, adjusted } of pairs) {
    if (!(adjusted <= alpha)) continue;
    const [better, worse] = gap.value > 0 ? pair : [pair[1], pair[0]];
    ranks[better][1]--;
    ranks[worse][0]++;
  }
  return ranks;
}
