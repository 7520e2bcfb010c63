// What is under a pixel where objects overlap: so many pixels lie under exactly these truth objects and predictions.

/**
 * @typedef {object} Atoms atom k is under truth[truthStart[k]] to truth[truthStart[k + 1] - 1], by position, ascending
 * @property {Int32Array} truthStart
 * @property {Int32Array} truth
 * @property {Int32Array} predStart
 * @property {Int32Array} pred
 * @property {Float64Array} pixels
 */

/** Where each of some lists begins, and where the last ends. @param {ArrayLike<number>} counts */
export function startsOf(counts) {
  const found = new Int32Array(counts.length + 1);
  for (let k = 0; k < counts.length; k++) found[k + 1] = found[k] + counts[k];
  return found;
}

/**
 * @param {ArrayLike<number>} pixels @param {ArrayLike<number>} truths how many each atom has
 * @param {ArrayLike<number>} truth @param {ArrayLike<number>} preds @param {ArrayLike<number>} pred
 * @returns {Atoms}
 */
export function makeAtoms(pixels, truths, truth, preds, pred) {
  return {
    truthStart: startsOf(truths),
    truth: Int32Array.from(truth),
    predStart: startsOf(preds),
    pred: Int32Array.from(pred),
    pixels: Float64Array.from(pixels),
  };
}

/** Whether a pixel is under several objects of one side. @param {Atoms} atoms */
export function overlaps({ truthStart, predStart }) {
  for (let k = 1; k < truthStart.length; k++)
    if (truthStart[k] - truthStart[k - 1] > 1 || predStart[k] - predStart[k - 1] > 1) return true;
  return false;
}

/** The atoms of sets in any order: those with equal sets become one, those without a member are gone. */
export class AtomsOfSets {
  constructor() {
    /** @type {Map<string, {truth: number[], pred: number[], pixels: number}>} */ this.found = new Map();
  }

  /** @param {number[]} truth ascending @param {number[]} pred ascending @param {number} pixels */
  add(truth, pred, pixels) {
    if (!truth.length && !pred.length) return;
    const key = `${truth.join()}|${pred.join()}`;
    const known = this.found.get(key);
    if (known) known.pixels += pixels;
    else this.found.set(key, { truth, pred, pixels });
  }

  /** @returns {Atoms} */
  done() {
    const all = [...this.found.values()];
    return makeAtoms(
      all.map((one) => one.pixels),
      all.map((one) => one.truth.length),
      all.flatMap((one) => one.truth),
      all.map((one) => one.pred.length),
      all.flatMap((one) => one.pred),
    );
  }
}

/** The members of both sides of an atom. @param {Atoms} atoms @param {number} k @returns {[Int32Array, Int32Array]} */
export function setsOf({ truthStart, truth, predStart, pred }, k) {
  return [truth.subarray(truthStart[k], truthStart[k + 1]), pred.subarray(predStart[k], predStart[k + 1])];
}

/**
 * With other positions: -1 takes an object out.
 * @param {Atoms} atoms @param {Int32Array} truthPlace @param {Int32Array} predPlace both keep the order
 */
export function renumberedAtoms(atoms, truthPlace, predPlace) {
  const found = new AtomsOfSets();
  for (let k = 0; k < atoms.pixels.length; k++) {
    const [truth, pred] = setsOf(atoms, k);
    const kept = (/** @type {Int32Array} */ set, /** @type {Int32Array} */ place) =>
      Array.from(set, (one) => place[one]).filter((one) => one >= 0);
    found.add(kept(truth, truthPlace), kept(pred, predPlace), atoms.pixels[k]);
  }
  return found.done();
}

/**
 * Each class by itself, as if the others were not there.
 * @param {Atoms} atoms @param {ArrayLike<number>} truthClass @param {ArrayLike<number>} predClass
 */
export function atomsByClass(atoms, truthClass, predClass) {
  const found = new AtomsOfSets();
  for (let k = 0; k < atoms.pixels.length; k++) {
    const [truth, pred] = setsOf(atoms, k).map((set) => [...set]);
    const kinds = new Set([...truth.map((t) => truthClass[t]), ...pred.map((p) => predClass[p])]);
    for (const kind of kinds)
      found.add(
        truth.filter((t) => truthClass[t] === kind),
        pred.filter((p) => predClass[p] === kind),
        atoms.pixels[k],
      );
  }
  return found.done();
}

/**
 * The atoms of many images in one list.
 * @param {{atoms: Atoms|null}[]} tables null where nothing overlaps
 * @param {Int32Array} truthBounds @param {Int32Array} predBounds
 * @returns {Atoms}
 */
export function joinedAtoms(tables, truthBounds, predBounds) {
  const all = tables.map((table) => table.atoms);
  const part = (/** @type {"truth"|"pred"} */ side, /** @type {Int32Array} */ bounds) =>
    all.flatMap((atoms, image) => (atoms ? Array.from(atoms[side], (one) => one + bounds[image]) : []));
  const counts = (/** @type {"truthStart"|"predStart"} */ side) =>
    all.flatMap((atoms) => (atoms ? Array.from(atoms.pixels, (_, k) => atoms[side][k + 1] - atoms[side][k]) : []));
  const pixels = all.flatMap((atoms) => (atoms ? [...atoms.pixels] : []));
  return makeAtoms(
    pixels,
    counts("truthStart"),
    part("truth", truthBounds),
    counts("predStart"),
    part("pred", predBounds),
  );
}
