// Which truth object shares how many pixels with which prediction, by position.
import { atomsByClass, joinedAtoms, overlaps, renumberedAtoms, setsOf } from "./atoms.js";
/** @typedef {import("./atoms.js").Atoms} Atoms */

/**
 * @typedef {object} Table which truth object shares how many pixels with which prediction, by position
 * @property {Float64Array} truthAreas
 * @property {Float64Array} predAreas
 * @property {Int32Array} pairTruth
 * @property {Int32Array} pairPred
 * @property {Float64Array} pairPixels
 * @property {Float64Array} pairIou
 * @property {Atoms|null} atoms what is under each pixel, where objects overlap; null where they do not
 * @property {Table|null} across where objects of different classes make no pairs: the table with those pairs
 * @property {Bounds} bounds which rows belong to which image; most tables are of one
 *
 * @typedef {object} Bounds where the rows of each image begin, and where the last ends
 * @property {Int32Array} truth
 * @property {Int32Array} pred
 * @property {Int32Array} pair
 * @property {Int32Array} atom none of images where nothing overlaps
 */

/**
 * @param {ArrayLike<number>} truthAreas @param {ArrayLike<number>} predAreas
 * @param {ArrayLike<number>} pairTruth @param {ArrayLike<number>} pairPred @param {ArrayLike<number>} pairPixels
 * @param {Atoms|null} [atoms] where objects overlap
 * @param {Table|null} [across] with the pairs of different classes
 * @returns {Table}
 */
export function makeTable(truthAreas, predAreas, pairTruth, pairPred, pairPixels, atoms = null, across = null) {
  const under = atoms && overlaps(atoms) ? atoms : null;
  const n = pairPixels.length;
  const pairIou = new Float64Array(n);
  for (let k = 0; k < n; k++) {
    pairIou[k] = pairPixels[k] / (truthAreas[pairTruth[k]] + predAreas[pairPred[k]] - pairPixels[k]);
  }
  return {
    truthAreas: new Float64Array(truthAreas),
    predAreas: new Float64Array(predAreas),
    pairTruth: new Int32Array(pairTruth),
    pairPred: new Int32Array(pairPred),
    pairPixels: new Float64Array(pairPixels),
    pairIou,
    atoms: under,
    across,
    bounds: {
      truth: Int32Array.of(0, truthAreas.length),
      pred: Int32Array.of(0, predAreas.length),
      pair: Int32Array.of(0, n),
      atom: Int32Array.of(0, under?.pixels.length ?? 0),
    },
  };
}

/**
 * One table of many images: objects of different images share nothing, so all is done for all of them in one pass.
 * @param {Table[]} tables @returns {Table}
 */
export function joinTables(tables) {
  if (tables.length === 1) return tables[0];
  const across = tables.some((one) => one.across) ? joinTables(tables.map((one) => one.across ?? one)) : null;
  const starts = (/** @type {(table: Table) => ArrayLike<any>} */ of) => {
    const found = new Int32Array(tables.length + 1);
    tables.forEach((one, k) => (found[k + 1] = found[k] + of(one).length));
    return found;
  };
  const bounds = {
    truth: starts((t) => t.truthAreas),
    pred: starts((t) => t.predAreas),
    pair: starts((t) => t.pairIou),
    atom: starts((t) => t.atoms?.pixels ?? []),
  };
  const last = tables.length;
  const nPairs = bounds.pair[last];
  /** @type {Table} */ const joined = {
    truthAreas: new Float64Array(bounds.truth[last]),
    predAreas: new Float64Array(bounds.pred[last]),
    pairTruth: new Int32Array(nPairs),
    pairPred: new Int32Array(nPairs),
    pairPixels: new Float64Array(nPairs),
    pairIou: new Float64Array(nPairs),
    atoms: bounds.atom[last] ? joinedAtoms(tables, bounds.truth, bounds.pred) : null,
    across,
    bounds,
  };
  tables.forEach((table, image) => {
    joined.truthAreas.set(table.truthAreas, bounds.truth[image]);
    joined.predAreas.set(table.predAreas, bounds.pred[image]);
    const at = bounds.pair[image];
    for (let k = 0; k < table.pairIou.length; k++) {
      joined.pairTruth[at + k] = table.pairTruth[k] + bounds.truth[image];
      joined.pairPred[at + k] = table.pairPred[k] + bounds.pred[image];
    }
    joined.pairPixels.set(table.pairPixels, at);
    joined.pairIou.set(table.pairIou, at);
  });
  return joined;
}

/**
 * The parts of a list that belong to each image.
 * @template {Float64Array|Uint8Array} T
 * @param {T} all @param {Int32Array} bounds
 * @returns {T[]}
 */
export function byImage(all, bounds) {
  return Array.from({ length: bounds.length - 1 }, (_, k) => /** @type {T} */ (all.subarray(bounds[k], bounds[k + 1])));
}

/** Where each object that is kept comes to lie; -1 for the others. @param {ArrayLike<any>} keep */
function placesOf(keep) {
  let count = 0;
  return Int32Array.from(keep, (yes) => (yes ? count++ : -1));
}

/**
 * The table of one image without some objects, as if they had never been there.
 * @param {Table} table @param {ArrayLike<any>} keepTruth @param {ArrayLike<any>} keepPred @returns {Table}
 */
export function restricted(table, keepTruth, keepPred) {
  const [truth, pred] = [placesOf(keepTruth), placesOf(keepPred)];
  const kept = [...table.pairIou.keys()].filter((k) => keepTruth[table.pairTruth[k]] && keepPred[table.pairPred[k]]);
  return makeTable(
    table.truthAreas.filter((_, k) => keepTruth[k]),
    table.predAreas.filter((_, k) => keepPred[k]),
    kept.map((k) => truth[table.pairTruth[k]]),
    kept.map((k) => pred[table.pairPred[k]]),
    kept.map((k) => table.pairPixels[k]),
    table.atoms && renumberedAtoms(table.atoms, truth, pred),
    table.across && restricted(table.across, keepTruth, keepPred),
  );
}

/**
 * The same objects, of which only those of one class make pairs.
 * @param {Table} table @param {ArrayLike<number>} truthClass @param {ArrayLike<number>} predClass
 */
export function byClass(table, truthClass, predClass) {
  const { pairTruth, pairPred, pairPixels, atoms } = table;
  const kept = [...pairPixels.keys()].filter((k) => truthClass[pairTruth[k]] === predClass[pairPred[k]]);
  return makeTable(
    table.truthAreas,
    table.predAreas,
    kept.map((k) => pairTruth[k]),
    kept.map((k) => pairPred[k]),
    kept.map((k) => pairPixels[k]),
    atoms && atomsByClass(atoms, truthClass, predClass),
    table,
  );
}

/**
 * The table of atoms: areas and pairs are sums over them.
 * @param {number} nTruth @param {number} nPred @param {Atoms} atoms
 */
export function tableOfAtoms(nTruth, nPred, atoms) {
  const truthAreas = new Float64Array(nTruth);
  const predAreas = new Float64Array(nPred);
  /** @type {Map<number, number>} */ const shared = new Map();
  const width = nPred + 1;
  for (let k = 0; k < atoms.pixels.length; k++) {
    const [truth, pred] = setsOf(atoms, k);
    for (const t of truth) truthAreas[t] += atoms.pixels[k];
    for (const p of pred) predAreas[p] += atoms.pixels[k];
    for (const t of truth)
      for (const p of pred) shared.set(t * width + p, (shared.get(t * width + p) ?? 0) + atoms.pixels[k]);
  }
  const keys = [...shared.keys()].sort((a, b) => a - b);
  return makeTable(
    truthAreas,
    predAreas,
    keys.map((key) => Math.floor(key / width)),
    keys.map((key) => key % width),
    keys.map((key) => /** @type {number} */ (shared.get(key))),
    atoms,
  );
}
