// Some of the objects: those of one class, and predictions with at least some score. All else follows from the tables.
import { joinTables, restricted } from "./table.js";
/** @typedef {import("../data.js").Report} Report */
/** @typedef {import("../data.js").ModelData} ModelData */
/** @typedef {import("./table.js").Table} Table */

/** @typedef {{kind: number, score: number}} Narrow class, 0 for all; the least score */

/** @typedef {{table: Table, truth: Int32Array, pred: Int32Array}} Part objects that are kept, by position */

/** @type {WeakMap<Table, Map<string, Part>>} */ const known = new WeakMap();

/** @param {ArrayLike<any>} keep */
const positions = (keep) => Int32Array.from(Array.from(keep, (yes, k) => (yes ? k : -1)).filter((k) => k >= 0));

/**
 * Some objects of an image; the same ones are found once. Of one class, how many predictions are left says which.
 * @param {ModelData} model @param {number} place @param {Narrow} narrow @param {Table} [table] that of the model
 * @returns {Part}
 */
export function partOf(model, place, { kind, score }, table = model.tables[place]) {
  const { truthClass, predClass, predScore } = /** @type {import("../data.js").Known} */ (model.known);
  const keepTruth = Array.from(truthClass[place], (one) => !kind || one === kind);
  const keepPred = Array.from(predClass[place], (one, k) => (!kind || one === kind) && !(predScore[place][k] < score));
  let parts = known.get(table);
  if (!parts) known.set(table, (parts = new Map()));
  const key = `${kind} ${keepPred.filter(Boolean).length}`;
  let part = parts.get(key);
  if (!part) {
    const all = keepTruth.every(Boolean) && keepPred.every(Boolean);
    const less = all ? table : restricted(table, keepTruth, keepPred);
    parts.set(key, (part = { table: less, truth: positions(keepTruth), pred: positions(keepPred) }));
  }
  return part;
}

/** @param {ModelData} model @param {Narrow} narrow @returns {ModelData} */
export function narrowedModel(model, narrow) {
  const { kind } = narrow;
  if (!model.known) return model;
  const parts = model.tables.map((_, place) => partOf(model, place, narrow));
  const tables = parts.map((part) => part.table);
  const whole = joinTables(tables);
  const chosen = (/** @type {BigUint64Array} */ ids, /** @type {Int32Array} */ at) =>
    BigUint64Array.from(at, (k) => ids[k]);
  return {
    ...model,
    tables,
    whole,
    wholePieces: whole, // pieces have no class and no score
    parted: kind ? [] : model.parted, // one class cannot be confused with itself
    kept: parts.map(({ truth, pred }) => ({ truth, pred })),
    truthIds: model.truthIds.map((ids, place) => chosen(ids, parts[place].truth)),
    predIds: model.predIds.map((ids, place) => chosen(ids, parts[place].pred)),
  };
}

/** Whether all objects are looked at. @param {Report} report @param {Narrow} narrow */
export function isWhole(report, { kind, score }) {
  return !kind && !(report.scores && score > report.scores[0]);
}

/** The report of some of the objects. @param {Report} report @param {Narrow} narrow @returns {Report} */
export function narrowed(report, narrow) {
  if (isWhole(report, narrow)) return report;
  return { ...report, models: report.models.map((model) => narrowedModel(model, narrow)) };
}
