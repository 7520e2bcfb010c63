// What the page carries: a JSON head, and columns of numbers as compressed text.
import { joinTables, makeTable } from "./engine/table.js";
import { learn } from "./facts.js";
/** @typedef {import("./engine/table.js").Table} Table */

/**
 * @typedef {object} ModelData
 * @property {string} name
 * @property {Int32Array} images position of each of its images in the list of names
 * @property {Map<number, number>} placeOf from an image to its place here
 * @property {Table[]} tables
 * @property {Table} whole all of them in one
 * @property {Table} wholePieces the same with tables of connected pieces, where they are others
 * @property {BigUint64Array[]} truthIds
 * @property {BigUint64Array[]} predIds
 * @property {Record<string, (number|null)[]>} values
 *
 * @typedef {{dtype: string, blob: string}} StoredLabels
 *
 * @typedef {object} Picture
 * @property {number} image
 * @property {number[]} shape slices, rows, columns
 * @property {number} step every so many pixels are shown
 * @property {StoredLabels} truth
 * @property {Record<string, StoredLabels>} preds by model
 * @property {string[][]} raw channel -> slice -> data URL
 * @property {boolean} colour whether the channels are red, green and blue
 * @property {string} why
 *
 * @typedef {object} Report
 * @property {any} head
 * @property {string[]} names
 * @property {ModelData[]} models
 * @property {Map<number, Picture>} pictures by image
 */

/** @param {string} text base64 @returns {Promise<ArrayBuffer>} */
export async function inflate(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let k = 0; k < binary.length; k++) bytes[k] = binary.charCodeAt(k);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

/** @param {string} id @returns {Promise<ArrayBuffer>} */
export function blob(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no part ${id}`);
  return inflate(element.textContent ?? "");
}

/** @type {Record<string, (buffer: ArrayBuffer) => any>} */
const KINDS = {
  u1: (b) => new Uint8Array(b),
  u2: (b) => new Uint16Array(b),
  u4: (b) => new Uint32Array(b),
  i4: (b) => new Int32Array(b),
  f8: (b) => new Float64Array(b),
  u8: (b) => new BigUint64Array(b),
};

/** @param {string} kind @param {ArrayBuffer} buffer */
export function numbers(kind, buffer) {
  return KINDS[kind](buffer);
}

/**
 * Cut a buffer into named columns.
 * @param {ArrayBuffer} buffer @param {[string, string, number][]} columns name, kind, bytes
 * @returns {Record<string, any>}
 */
function cut(buffer, columns) {
  /** @type {Record<string, any>} */ const found = {};
  let at = 0;
  for (const [name, kind, bytes] of columns) {
    found[name] = numbers(kind, buffer.slice(at, at + bytes));
    at += bytes;
  }
  return found;
}

/** @param {Record<string, any>} all columns over all images */
function tablesFrom(all) {
  const tables = [];
  const truthIds = [];
  const predIds = [];
  let truth = 0;
  let pred = 0;
  let pair = 0;
  for (let k = 0; k < all.nTruth.length; k++) {
    const [truthEnd, predEnd, pairEnd] = [truth + all.nTruth[k], pred + all.nPred[k], pair + all.nPairs[k]];
    const pairs = (/** @type {string} */ name) => all[name].subarray(pair, pairEnd);
    tables.push(
      makeTable(
        all.truthAreas.subarray(truth, truthEnd),
        all.predAreas.subarray(pred, predEnd),
        pairs("pairTruth"),
        pairs("pairPred"),
        pairs("pairPixels"),
      ),
    );
    truthIds.push(all.truthIds.subarray(truth, truthEnd));
    predIds.push(all.predIds.subarray(pred, predEnd));
    [truth, pred, pair] = [truthEnd, predEnd, pairEnd];
  }
  return { tables, truthIds, predIds };
}

/** @param {any} model @returns {Promise<ModelData>} */
async function loadModel(model) {
  const { tables, truthIds, predIds } = tablesFrom(cut(await blob(model.blob), model.columns));
  const ofPieces = tablesFrom(cut(await blob(model.piecesBlob), model.piecesColumns)).tables;
  const whole = joinTables(tables);
  const pieces = [...tables];
  ofPieces.forEach((table, k) => {
    pieces[model.piecesOf[k]] = table;
  });
  const images = Int32Array.from(model.images);
  return {
    name: model.name,
    images,
    placeOf: new Map(Array.from(images, (image, place) => [image, place])),
    tables,
    whole,
    wholePieces: ofPieces.length ? joinTables(pieces) : whole,
    truthIds,
    predIds,
    values: model.values,
  };
}

/** @returns {Promise<Report>} */
export async function loadReport() {
  const head = JSON.parse(document.getElementById("head-data")?.textContent ?? "{}");
  learn(head.facts);
  const models = await Promise.all(head.models.map(loadModel));
  const pictures = new Map(head.pictures.map((/** @type {Picture} */ picture) => [picture.image, picture]));
  return { head, names: head.names, models, pictures };
}
