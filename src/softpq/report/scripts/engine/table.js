// Which truth object shares how many pixels with which prediction, by position.

/**
 * @typedef {object} Table which truth object shares how many pixels with which prediction, by position
 * @property {Float64Array} truthAreas
 * @property {Float64Array} predAreas
 * @property {Int32Array} pairTruth
 * @property {Int32Array} pairPred
 * @property {Float64Array} pairPixels
 * @property {Float64Array} pairIou
 * @property {Bounds} bounds which rows belong to which image; most tables are of one
 *
 * @typedef {object} Bounds where the rows of each image begin, and where the last ends
 * @property {Int32Array} truth
 * @property {Int32Array} pred
 * @property {Int32Array} pair
 */

/**
 * @param {ArrayLike<number>} truthAreas @param {ArrayLike<number>} predAreas
 * @param {ArrayLike<number>} pairTruth @param {ArrayLike<number>} pairPred @param {ArrayLike<number>} pairPixels
 * @returns {Table}
 */
export function makeTable(truthAreas, predAreas, pairTruth, pairPred, pairPixels) {
  const n = pairPixels.length;
  const pairIou = new Float64Array(n);
  for (let k = 0; k < n; k++) {
    pairIou[k] = pairPixels[k] / (truthAreas[pairTruth[k]] + predAreas[pairPred[k]] - pairPixels[k]);
  }
  return {
    truthAreas: Float64Array.from(truthAreas),
    predAreas: Float64Array.from(predAreas),
    pairTruth: Int32Array.from(pairTruth),
    pairPred: Int32Array.from(pairPred),
    pairPixels: Float64Array.from(pairPixels),
    pairIou,
    bounds: {
      truth: Int32Array.of(0, truthAreas.length),
      pred: Int32Array.of(0, predAreas.length),
      pair: Int32Array.of(0, n),
    },
  };
}

/**
 * One table of many images: objects of different images share nothing, so all is done for all of them in one pass.
 * @param {Table[]} tables @returns {Table}
 */
export function joinTables(tables) {
  const starts = (/** @type {(table: Table) => ArrayLike<any>} */ of) => {
    const found = new Int32Array(tables.length + 1);
    tables.forEach((table, k) => {
      found[k + 1] = found[k] + of(table).length;
    });
    return found;
  };
  const bounds = {
    truth: starts((t) => t.truthAreas),
    pred: starts((t) => t.predAreas),
    pair: starts((t) => t.pairIou),
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
