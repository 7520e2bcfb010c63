// Long computations, in steps: what repairs would bring, and SoftPQ on a grid of thresholds.
import { meanOf, pooledValue, tableFor } from "./analysis.js";
import { Field } from "./comparing.js";
import { matchPairs } from "./matching.js";
import { repairedImage, repairsOf } from "./repairs.js";
import { addParts, noParts, partsByImage, partsOf, valueOf } from "./softpq.js";
import { prepareTies } from "./ties.js";
/** @typedef {import("./softpq.js").Settings} Settings */
/** @typedef {import("./softpq.js").Parts} Parts */
/** @typedef {import("./table.js").Table} Table */
/** @typedef {import("../data.js").ModelData} ModelData */
/** @typedef {import("../data.js").Report} Report */

/**
 * By how much SoftPQ would rise if one kind of error were repaired in all images, in steps.
 * @param {ModelData} model @param {Settings} settings @param {string} over
 * @returns {Generator<undefined, Record<string, number>>}
 */
export function* gainsOf(model, settings, over) {
  /** @type {Record<string, number[]>} */ const values = {};
  /** @type {Record<string, Parts>} */ const totals = {};
  const names = repairsOf(model);
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
    for (const name of names) {
      const then = partsOf(repairedImage(name, model, k, settings), settings);
      addParts(totals[name], then);
      values[name].push(valueOf(then, settings));
      yield;
    }
  }
  const before = over === "pooled" ? valueOf(now, settings) : meanOf(nowValues);
  return Object.fromEntries(
    names.map((name) => [name, (over === "pooled" ? valueOf(totals[name], settings) : meanOf(values[name])) - before]),
  );
}

export const GRID = Array.from({ length: 20 }, (_, k) => (k + 1) / 20);

const LOWS = [0, ...GRID.slice(0, -1)];

/** The place of a pair of thresholds in the grid. @param {number} row of the lower one @param {number} column */
export const gridPlace = (row, column) => row * GRID.length + column;

/**
 * SoftPQ on a grid of thresholds, in steps; rows are lower thresholds (0, .05, ...), columns upper ones (.05, .1, ...).
 * @typedef {{surfaces: Float64Array[], best: Int8Array, clear: Uint8Array}} Surfaces of every model, and who is best
 * @param {Report} report @param {Settings} settings @param {string} over
 * @returns {Generator<undefined, Surfaces>}
 */
export function* surfacesOf(report, settings, over) {
  const size = LOWS.length * GRID.length;
  const surfaces = report.models.map(() => new Float64Array(size).fill(NaN));
  const best = new Int8Array(size).fill(-1);
  const clear = new Uint8Array(size);
  const field = new Field(report);
  for (let column = 0; column < GRID.length; column++) {
    const high = GRID[column];
    const tables = report.models.map((model) => tableFor(model, settings));
    const matched = [];
    for (const table of tables) {
      yield* prepareTies(table);
      matched.push(matchPairs(table, high));
      yield;
    }
    for (let row = 0; row < LOWS.length && LOWS[row] <= high; row++) {
      const here = { ...settings, low: LOWS[row], high };
      const k = gridPlace(row, column);
      const parts = [];
      for (const [m, table] of tables.entries()) {
        parts.push(partsByImage(table, here, matched[m]));
        surfaces[m][k] = overImages(parts[m], here, over);
        yield;
      }
      if (parts.length > 1) [best[k], clear[k]] = field.best(parts, here, over);
    }
  }
  return { surfaces, best, clear };
}

/** @param {Parts[]} parts @param {Settings} settings @param {string} over */
function overImages(parts, settings, over) {
  return over === "pooled" ? pooledValue(parts, settings) : meanOf(parts.map((one) => valueOf(one, settings)));
}
