// What would fixing it bring: the same table with one kind of error repaired, as in softpq.attribution.
import { codeOf, facts } from "../facts.js";
import { classesCorrected } from "./corrected.js";
import { LAYERED_REPAIRS } from "./layered_repairs.js";
import { matchPairs } from "./matching.js";
import { makeTable, restricted } from "./table.js";
import { tieBreaksOf } from "./ties.js";
import { verdictsOf } from "./verdicts.js";
/** @typedef {import("./table.js").Table} Table */
/** @typedef {import("./softpq.js").Settings} Settings */
/** @typedef {import("../data.js").ModelData} ModelData */

/**
 * The image as a list: so many pixels of truth object i and prediction j; -1 is background.
 * @param {Table} table
 */
function pixelRows(table) {
  const { truthAreas, predAreas, pairTruth, pairPred, pairPixels } = table;
  const truthAlone = truthAreas.slice();
  const predAlone = predAreas.slice();
  for (let k = 0; k < pairPixels.length; k++) {
    truthAlone[pairTruth[k]] -= pairPixels[k];
    predAlone[pairPred[k]] -= pairPixels[k];
  }
  const truth = [...pairTruth];
  const pred = [...pairPred];
  const pixels = [...pairPixels];
  truthAlone.forEach((n, object) => {
    if (n) {
      truth.push(object);
      pred.push(-1);
      pixels.push(n);
    }
  });
  predAlone.forEach((n, object) => {
    if (n) {
      truth.push(-1);
      pred.push(object);
      pixels.push(n);
    }
  });
  return { truth, pred, pixels };
}

/**
 * The table of such a list; objects without a pixel are gone.
 * @param {number[]} truth @param {number[]} pred @param {number[]} pixels
 * @returns {Table}
 */
function tableOfRows(truth, pred, pixels) {
  const truthAreas = /** @type {number[]} */ ([]);
  const predAreas = /** @type {number[]} */ ([]);
  const truthPlace = placesIn(truth, pixels, truthAreas);
  const predPlace = placesIn(pred, pixels, predAreas);
  /** @type {Map<number, number>} */ const shared = new Map();
  const width = predAreas.length + 1;
  for (let k = 0; k < pixels.length; k++) {
    if (truth[k] < 0 || pred[k] < 0) continue;
    const key =
      /** @type {number} */ (truthPlace.get(truth[k])) * width + /** @type {number} */ (predPlace.get(pred[k]));
    shared.set(key, (shared.get(key) ?? 0) + pixels[k]);
  }
  const keys = [...shared.keys()].sort((a, b) => a - b);
  return makeTable(
    truthAreas,
    predAreas,
    keys.map((key) => Math.floor(key / width)),
    keys.map((key) => key % width),
    keys.map((key) => /** @type {number} */ (shared.get(key))),
  );
}

/** @param {number[]} names @param {number[]} pixels @param {number[]} areas */
function placesIn(names, pixels, areas) {
  /** @type {Map<number, number>} */ const place = new Map();
  for (const name of [...new Set(names)].sort((a, b) => a - b))
    if (name >= 0) {
      place.set(name, place.size);
      areas.push(0);
    }
  names.forEach((name, k) => {
    if (name >= 0) areas[/** @type {number} */ (place.get(name))] += pixels[k];
  });
  return place;
}

/**
 * Predictions that lie mostly in a truth object with fragments become one.
 * @param {Table} table @param {Settings} settings
 */
function joinSplits(table, settings) {
  const matched = matchPairs(table, settings.high);
  const { pred: verdict } = verdictsOf(table, settings, matched);
  const isMatched = new Uint8Array(table.predAreas.length);
  matched.forEach((yes, k) => {
    if (yes) isMatched[table.pairPred[k]] = 1;
  });
  const inside = matched.map((yes, k) => {
    const pred = table.pairPred[k];
    return yes || (!isMatched[pred] && 2 * table.pairPixels[k] > table.predAreas[pred]) ? 1 : 0;
  });
  const hasFragment = new Uint8Array(table.truthAreas.length);
  inside.forEach((yes, k) => {
    if (yes && verdict[table.pairPred[k]] === codeOf("pred", "fragment")) hasFragment[table.pairTruth[k]] = 1;
  });
  const joined = [...inside.keys()].filter((k) => inside[k] && hasFragment[table.pairTruth[k]]);
  const name = Int32Array.from(table.predAreas, (_, k) => k);
  for (const k of joined) name[table.pairPred[k]] = table.predAreas.length + table.pairTruth[k];
  const { truth, pred, pixels } = pixelRows(table);
  return tableOfRows(
    truth,
    pred.map((p) => (p < 0 ? -1 : name[p])),
    pixels,
  );
}

/** Predictions that cover most of several truth objects are cut along them. @param {Table} table */
function separateMerges(table) {
  const { pairPixels, pairTruth, pairPred, truthAreas, predAreas } = table;
  const holds = pairPixels.map((n, k) => (2 * n > truthAreas[pairTruth[k]] ? 1 : 0));
  const heldBy = new Int32Array(predAreas.length);
  holds.forEach((yes, k) => {
    heldBy[pairPred[k]] += yes;
  });
  const keeps = new Int32Array(predAreas.length).fill(-1);
  const cut = [...holds.keys()].filter((k) => holds[k] && heldBy[pairPred[k]] > 1);
  const ties = cut.length ? tieBreaksOf(table) : [];
  for (const k of cut) {
    const best = keeps[pairPred[k]];
    const more = pairPixels[k] - pairPixels[best] || table.pairIou[k] - table.pairIou[best] || ties[k] - ties[best];
    if (best < 0 || more > 0) keeps[pairPred[k]] = k;
  }
  const { truth, pred, pixels } = pixelRows(table);
  let fresh = predAreas.length;
  for (const k of cut) if (keeps[pairPred[k]] !== k) pred[k] = fresh++;
  return tableOfRows(truth, pred, pixels);
}

/** Every missed truth object gets a perfect prediction. @param {Table} table @param {Settings} settings */
function findMisses(table, settings) {
  const { truth: verdict } = verdictsOf(table, settings);
  const nPred = table.predAreas.length;
  const { truth, pred, pixels } = pixelRows(table);
  return tableOfRows(
    truth,
    pred.map((p, k) => (truth[k] >= 0 && verdict[truth[k]] === codeOf("truth", "missed") ? nPred + truth[k] : p)),
    pixels,
  );
}

/** @param {Table} table @param {Settings} settings */
function removeGhosts(table, settings) {
  const { pred: verdict } = verdictsOf(table, settings);
  const { truth, pred, pixels } = pixelRows(table);
  return tableOfRows(
    truth,
    pred.map((p) => (p >= 0 && verdict[p] === codeOf("pred", "ghost") ? -1 : p)),
    pixels,
  );
}

/** Every matched prediction becomes exactly its truth object. @param {Table} table @param {Settings} settings */
function perfectOutlines(table, settings) {
  const matched = matchPairs(table, settings.high);
  const partner = new Int32Array(table.truthAreas.length).fill(-1);
  const isMatched = new Uint8Array(table.predAreas.length);
  matched.forEach((yes, k) => {
    if (yes) {
      partner[table.pairTruth[k]] = table.pairPred[k];
      isMatched[table.pairPred[k]] = 1;
    }
  });
  const { truth, pred, pixels } = pixelRows(table);
  const repaired = pred.map((p, k) => {
    const own = truth[k] >= 0 ? partner[truth[k]] : -1;
    if (own >= 0) return own;
    return p >= 0 && isMatched[p] ? -1 : p;
  });
  return tableOfRows(truth, repaired, pixels);
}

/**
 * Every partial truth object gets a perfect prediction: its soft partner if that is partial, too, else another one.
 * @param {Table} table @param {Settings} settings
 */
function completePartials(table, settings) {
  const matched = matchPairs(table, settings.high);
  const verdicts = verdictsOf(table, settings, matched);
  const [ofTruth, ofPred] = [codeOf("truth", "partial"), codeOf("pred", "partial")];
  const nPred = table.predAreas.length;
  const taken = new Uint8Array(nPred);
  matched.forEach((yes, k) => {
    const [t, p] = [table.pairTruth[k], table.pairPred[k]];
    const soft = !yes && table.pairIou[k] > settings.low && verdicts.truth[t] === ofTruth;
    if (soft && verdicts.pred[p] === ofPred) taken[p] = 1;
  });
  const { truth, pred, pixels } = pixelRows(table);
  const repaired = pred.map((p, k) => {
    if (truth[k] >= 0 && verdicts.truth[truth[k]] === ofTruth) return nPred + truth[k];
    return p >= 0 && taken[p] ? -1 : p;
  });
  return tableOfRows(truth, repaired, pixels);
}

/** @type {Record<string, (table: Table, settings: Settings) => Table>} */
export const REPAIRS = {
  "splits joined": joinSplits,
  "merges separated": separateMerges,
  "misses found": findMisses,
  "ghosts removed": removeGhosts,
  "partials completed": completePartials,
  "outlines perfect": perfectOutlines,
};

/** @type {Record<string, (model: ModelData, place: number, settings: Settings) => Table>} */
const OF_CLASSES = { "classes corrected": classesCorrected };

/** What can be repaired in some image. @param {ModelData} model */
export function repairsOf(model) {
  return facts.repairs.filter((/** @type {string} */ name) => !OF_CLASSES[name] || model.parted.some(Boolean));
}

/**
 * An image with one kind of error repaired.
 * @param {string} name @param {ModelData} model @param {number} place @param {Settings} settings
 */
export function repairedImage(name, model, place, settings) {
  return OF_CLASSES[name]?.(model, place, settings) ?? repaired(name, model.tables[place], settings);
}

/**
 * The table with one kind of error repaired; what cannot be repaired there stays as it is.
 * @param {string} name @param {Table} table @param {Settings} settings @returns {Table}
 */
export function repaired(name, table, settings) {
  if (table.atoms) return LAYERED_REPAIRS[name]?.(table, settings) ?? table;
  const [truth, pred] = [table.truthAreas, table.predAreas].map((areas) => Array.from(areas, (area) => area > 0));
  if (truth.every(Boolean) && pred.every(Boolean)) return REPAIRS[name]?.(table, settings) ?? table;
  const done = repaired(name, restricted(table, truth, pred), settings); // objects without pixels stay as they are
  const lost = name === "ghosts removed" ? [] : pred.filter((there) => !there);
  return makeTable(
    [...done.truthAreas, ...truth.filter((there) => !there).map(Number)],
    [...done.predAreas, ...lost.map(Number)],
    done.pairTruth,
    done.pairPred,
    done.pairPixels,
  );
}
