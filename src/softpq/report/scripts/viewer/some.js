// Some objects of a picture, under other numbers: those of one class, or with a score.
import { BOX } from "./contours.js";
import { Objects } from "./labels.js";

export class Some extends Objects {
  /** @param {Objects} all @param {Int32Array} kept positions in all of them, ascending */
  constructor(all, kept) {
    super(all.shape, kept.length);
    this.all = all;
    this.kept = kept;
    this.layered = all.layered;
    this.place = new Int32Array(all.count).fill(-1);
    kept.forEach((object, k) => {
      this.place[object] = k;
    });
    /** @type {{slice: number, labels: Uint32Array}|null} */ this.flat = null;
  }

  boxed() {
    const found = new Int32Array(this.count * BOX);
    this.kept.forEach((object, k) => found.set(this.all.box(object), k * BOX));
    return found;
  }

  /** @param {number} object @param {number} slice @param {number} at */
  covers(object, slice, at) {
    return this.all.covers(this.kept[object], slice, at);
  }

  /** @param {number} object @param {number} slice */
  loops(object, slice) {
    return this.all.loops(this.kept[object], slice);
  }

  /** @param {number} slice */
  plane(slice) {
    if (this.flat?.slice !== slice) this.flat = { slice, labels: this.all.planeOf(slice, this.place) };
    return this.flat.labels;
  }
}

/** @type {WeakMap<Objects, Some>} */ const last = new WeakMap();

/**
 * What is looked at of all objects; the last answer is remembered.
 * @template {Objects|undefined} T
 * @param {T} all @param {Int32Array|undefined} kept nothing for all @returns {T|Some}
 */
export function some(all, kept) {
  if (!all || !kept || kept.length === all.count) return all;
  let found = last.get(all);
  if (found?.kept !== kept) last.set(all, (found = new Some(all, kept)));
  return /** @type {Some} */ (found);
}
