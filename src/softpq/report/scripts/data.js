// What the page carries: a JSON head, and columns of numbers as compressed text.
import { makeAtoms } from "./engine/atoms.js";
import { byClass, joinTables, makeTable } from "./engine/table.js";
import { learn } from "./facts.js";
/** @typedef {import("./engine/table.js").Table} Table */

/**
 * @typedef {object} ModelData
 * @property {string} name
 * @property {Int32Array} images position of each of its images in the list of names
 * @property {Map<number, number>} placeOf from an image to its place here
 * @property {Table[]} tables
 * @property {Table[]} across the same; where objects of different classes make no pairs, with those pairs
 * @property {boolean[]} parted of each image, whether objects of different classes make no pairs
 * @property {Known|null} known classes and scores of objects, by image
 * @property {{truth: Int32Array, pred: Int32Array}[]|null} kept by image, where only some objects are looked at
 * @property {Table} whole all of them in one
 * @property {Table} wholePieces the same with tables of connected pieces, where they are others
 * @property {BigUint64Array[]} truthIds
 * @property {BigUint64Array[]} predIds
 * @property {Record<string, (number|null)[]>} values
 *
 * @typedef {{truthClass: Uint16Array[], predClass: Uint16Array[], predScore: Float64Array[]}} Known class 0 is none
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
 * @property {string[]} channels their names, where they are known
 * @property {{shape: number[], raw: string[]}|null} [fine] the raw image with more pixels than the labels
 * @property {number[]|null} sizes of a voxel: slices, rows, columns
 * @property {string} unit of sizes
 * @property {string} thumbnail data URL
 * @property {string} why
 *
 * @typedef {object} Report
 * @property {any} head
 * @property {string[]} names
 * @property {ModelData[]} models
 * @property {Map<number, Picture>} pictures by image
 * @property {Float64Array|null} scores all that predictions have, ascending; null if they have none
 */

/** For browsers that cannot do it themselves. @param {string} text */
function fromBase64(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let k = 0; k < binary.length; k++) bytes[k] = binary.charCodeAt(k);
  return bytes;
}

/** @param {string} text base64 @returns {Promise<ArrayBuffer>} */
export async function inflate(text) {
  const bytes = /** @type {any} */ (Uint8Array).fromBase64?.(text) ?? fromBase64(text);
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
  const atomsAt = all.nAtoms ? atomsFrom(all) : () => null;
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
        atomsAt(k),
      ),
    );
    truthIds.push(all.truthIds.subarray(truth, truthEnd));
    predIds.push(all.predIds.subarray(pred, predEnd));
    [truth, pred, pair] = [truthEnd, predEnd, pairEnd];
  }
  return { tables, truthIds, predIds };
}

/** What is under the pixels of each image, in order. @param {Record<string, any>} all */
function atomsFrom(all) {
  let [atom, truth, pred] = [0, 0, 0];
  const sum = (/** @type {Int32Array} */ counts) => counts.reduce((a, b) => a + b, 0);
  return (/** @type {number} */ image) => {
    const end = atom + all.nAtoms[image];
    const [truths, preds] = [all.atomTruths.subarray(atom, end), all.atomPreds.subarray(atom, end)];
    const [truthEnd, predEnd] = [truth + sum(truths), pred + sum(preds)];
    const found = makeAtoms(
      all.atomPixels.subarray(atom, end),
      truths,
      all.atomTruth.subarray(truth, truthEnd),
      preds,
      all.atomPred.subarray(pred, predEnd),
    );
    [atom, truth, pred] = [end, truthEnd, predEnd];
    return found;
  };
}

/** @param {any} model @param {Table[]} tables @returns {Promise<Known|null>} */
async function knownOf(model, tables) {
  if (!model.knownBlob) return null;
  const all = cut(await blob(model.knownBlob), model.knownColumns);
  const parted = (/** @type {any} */ column, /** @type {(table: Table) => number} */ size) => {
    let at = 0;
    return tables.map((table) => column.subarray(at, (at += size(table))));
  };
  return {
    truthClass: parted(all.truthClass, (table) => table.truthAreas.length),
    predClass: parted(all.predClass, (table) => table.predAreas.length),
    predScore: parted(all.predScore, (table) => table.predAreas.length),
  };
}

/** @param {any} model @returns {Promise<ModelData>} */
async function loadModel(model) {
  const { tables: across, truthIds, predIds } = tablesFrom(cut(await blob(model.blob), model.columns));
  const known = await knownOf(model, across);
  const tables = across.slice();
  for (const k of model.byClass) if (known) tables[k] = byClass(across[k], known.truthClass[k], known.predClass[k]);
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
    across,
    parted: tables.map((table, k) => table !== across[k]),
    known,
    kept: null,
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
  return { head, names: head.names, models, pictures, scores: scoresOf(models) };
}

/** All different scores of predictions. @param {ModelData[]} models */
function scoresOf(models) {
  const all = new Set(models.flatMap(({ known }) => known?.predScore.flatMap((scores) => [...scores]) ?? []));
  const found = Float64Array.from([...all].filter((score) => !Number.isNaN(score))).sort();
  return found.length ? found : null;
}
