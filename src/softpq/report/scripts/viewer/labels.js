// The labels of one picture: where objects lie, and their outlines, found when they are looked at.
import { BOX, boxesOf, outlinesOf } from "./contours.js";

const KEPT = 60_000; // outlines

/** @param {number[]} asked @returns {never} */
function missing(...asked) {
  throw new Error(`objects of no kind cannot say ${asked}`);
}

/** Objects of one side of a picture: what all kinds of them have in common. */
export class Objects {
  /** @param {number[]} shape @param {number} count of objects */
  constructor(shape, count) {
    this.shape = shape;
    this.count = count;
    this.layered = false; // whether they may lie over each other
    /** @type {Int32Array|null} */ this.known = null;
    /** @type {Map<number, number[][]>} */ this.outlines = new Map();
  }

  get boxes() {
    return (this.known ??= this.boxed());
  }

  /** @returns {Int32Array} */
  boxed() {
    return missing();
  }

  /** The pixels of an object within its box. @param {number} object @param {number} slice @returns {Uint8Array} */
  maskOf(object, slice) {
    return missing(object, slice);
  }

  /** The object of each pixel as its place from 1. @param {number} slice @returns {ArrayLike<number>} */
  plane(slice) {
    return missing(slice);
  }

  /**
   * Whether an object lies at a pixel.
   * @param {number} object @param {number} slice -1 for any @param {number} at @returns {boolean}
   */
  covers(object, slice, at) {
    return missing(object, slice, at);
  }

  /** The plane of some objects only. @param {number} slice @param {Int32Array} place of each, -1 for others */
  planeOf(slice, place) {
    return Uint32Array.from(this.plane(slice), (label) => (label ? place[label - 1] + 1 : 0));
  }

  /** Of one object: x0, y0, x1, y1, best slice, first and last slice. @param {number} object */
  box(object) {
    return this.boxes.subarray(BOX * object, BOX * (object + 1));
  }

  /**
   * The objects at a pixel, the smaller ones first.
   * @param {number} slice @param {number} x @param {number} y
   */
  objectsAt(slice, x, y) {
    const at = y * this.shape[2] + x;
    const size = (/** @type {number} */ object) => {
      const [x0, y0, x1, y1] = this.box(object);
      return (x1 - x0 + 1) * (y1 - y0 + 1);
    };
    const there = this.within(slice, x, y, x, y).filter((object) => this.covers(object, slice, at));
    return there.sort((a, b) => size(a) - size(b));
  }

  /**
   * Objects whose boxes touch a part of the picture.
   * @param {number} slice @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1
   */
  within(slice, x0, y0, x1, y1) {
    const { boxes } = this;
    const found = [];
    for (let object = 0, k = 0; object < this.count; object++, k += BOX) {
      if (boxes[k] < 0 || boxes[k] > x1 || boxes[k + 2] < x0 || boxes[k + 1] > y1 || boxes[k + 3] < y0) continue;
      if (slice < 0 || (slice >= boxes[k + 5] && slice <= boxes[k + 6])) found.push(object);
    }
    return found;
  }

  /**
   * The outlines of one object; in the projection, of all that it covers.
   * @param {number} object @param {number} slice
   */
  loops(object, slice) {
    const key = object * (this.shape[0] + 1) + slice + 1;
    let found = this.outlines.get(key);
    if (!found) {
      if (this.outlines.size > KEPT) this.outlines.clear();
      this.outlines.set(key, (found = this.traced(object, slice)));
    }
    return found;
  }

  /** @param {number} object @param {number} slice */
  traced(object, slice) {
    const [x0, y0, x1, y1] = this.box(object);
    const loops = outlinesOf(this.maskOf(object, slice), x1 - x0 + 1, y1 - y0 + 1).get(1) ?? [];
    for (const loop of loops)
      for (let k = 0; k < loop.length; k += 2) {
        loop[k] += x0;
        loop[k + 1] += y0;
      }
    return loops;
  }
}

/** Labels of one picture, as places from 1: each pixel has one object at most. */
export class Labels extends Objects {
  /** @param {any} data @param {number[]} shape @param {number} count of objects */
  constructor(data, shape, count) {
    super(shape, count);
    this.data = data;
  }

  boxed() {
    return boxesOf(this.data, this.shape, this.count);
  }

  /** @param {number} slice */
  plane(slice) {
    const size = this.shape[1] * this.shape[2];
    return this.data.subarray(slice * size, (slice + 1) * size);
  }

  /** @param {number} object @param {number} slice @param {number} at */
  covers(object, slice, at) {
    const size = this.shape[1] * this.shape[2];
    if (slice >= 0) return this.data[slice * size + at] === object + 1;
    const box = this.box(object);
    for (let z = box[5]; z <= box[6]; z++) if (this.data[z * size + at] === object + 1) return true;
    return false;
  }

  /** In a projection there may be several. @param {number} slice @param {number} x @param {number} y */
  objectsAt(slice, x, y) {
    if (slice < 0) return super.objectsAt(slice, x, y);
    const label = this.plane(slice)[y * this.shape[2] + x];
    return label ? [label - 1] : [];
  }

  /** @param {number} object @param {number} slice */
  maskOf(object, slice) {
    const [x0, y0, x1, y1, , first, last] = this.box(object);
    const [, height, width] = this.shape;
    const mask = new Uint8Array((x1 - x0 + 1) * (y1 - y0 + 1));
    for (let z = slice < 0 ? first : slice; z <= (slice < 0 ? last : slice); z++)
      for (let y = y0, at = 0; y <= y1; y++) {
        const row = (z * height + y) * width;
        for (let x = x0; x <= x1; x++, at++) if (this.data[row + x] === object + 1) mask[at] = 1;
      }
    return mask;
  }
}
