// Long computations, in steps: what repairs would bring, and SoftPQ on a grid of thresholds.
import { facts } from "../facts.js";
import { meanOf, pooledValue, tableFor } from "./analysis.js";
import { matchPairs } from "./matching.js";
import { REPAIRS } from "./repairs.js";
import { addParts, noParts, partsByImage, partsOf, valueOf } from "./softpq.js";
/** @typedef {import("./softpq.js").Settings} Settings */
/** @typedef {import("./softpq.js").Parts} Parts */
/** @typedef {import("./table.js").Table} Table */
/** @typedef {import("../data.js").ModelData} ModelData */

/** @param {Settings} settings @param {Table} table @param {Record<string, Parts>} totals repair -> parts so far */
function addRepaired(settings, table, totals) {
  for (const name of facts.repairs) addParts(totals[name], partsOf(REPAIRS[name](table, settings), settings));
}

/**
 * By how much SoftPQ would rise if one kind of error were repaired in all images, in steps.
 * @param {ModelData} model @param {Settings} settings @param {string} over
 * @returns {Generator<undefined, Record<string, number>>}
 */
export function* gainsOf(model, settings, over) {
  /** @type {Record<string, number[]>} */ const values = {};
  /** @type {Record<string, Parts>} */ const totals = {};
  const names = facts.repairs;
  const now = noParts();
  const nowValues = [];
  for (const name of names) {
    values[name] = [];
    totals[name] = noParts();
  }
  for (let k = 0; k < model.tables.length; k++) {
    const table = model.tables[k];
    const parts = partsOf(table, settings);
    addParts(now, parts);
    nowValues.push(valueOf(parts, settings));
    /** @type {Record<string, Parts>} */ const here = Object.fromEntries(names.map((name) => [name, noParts()]));
    addRepaired(settings, table, here);
    for (const name of names) {
      addParts(totals[name], here[name]);
      values[name].push(valueOf(here[name], settings));
    }
    yield;
  }
  const before = over === "pooled" ? valueOf(now, settings) : meanOf(nowValues);
  return Object.fromEntries(
    names.map((name) => [name, (over === "pooled" ? valueOf(totals[name], settings) : meanOf(values[name])) - before]),
  );
}

export const GRID = Array.from({ length: 20 }, (_, k) => (k + 1) / 20);

/**
 * SoftPQ on a grid of thresholds, in steps; rows are lower thresholds (0, .05, ...), columns upper ones (.05, .1, ...).
 * @param {ModelData} model @param {Settings} settings @param {string} over
 * @returns {Generator<undefined, Float64Array>}
 */
export function* surfaceOf(model, settings, over) {
  const lows = [0, ...GRID.slice(0, -1)];
  const surface = new Float64Array(lows.length * GRID.length).fill(NaN);
  for (let column = 0; column < GRID.length; column++) {
    const high = GRID[column];
    const table = tableFor(model, settings);
    const matched = matchPairs(table, high);
    for (let row = 0; row < lows.length && lows[row] <= high; row++) {
      const parts = partsByImage(table, { ...settings, low: lows[row], high }, matched);
      surface[row * GRID.length + column] =
        over === "pooled" ? pooledValue(parts, settings) : meanOf(parts.map((one) => valueOf(one, settings)));
      yield;
    }
  }
  return surface;
}
