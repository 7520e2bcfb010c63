// Objects that may lie over each other: each is a list of runs of pixels.
import { startsOf } from "../engine/atoms.js";
import { BOX, extend, takeSlice } from "./contours.js";
import { Objects } from "./labels.js";

/** Objects as runs within rows, in the flat order of pixels. */
export class Runs extends Objects {
  /**
   * @param {Uint32Array} data how many runs each object has; gaps before them; their lengths
   * @param {number[]} shape @param {number} count of objects
   */
  constructor(data, shape, count) {
    super(shape, count);
    this.layered = true;
    this.start = startsOf(data.subarray(0, count)); // runs of each object
    const total = this.start[count];
    this.first = new Uint32Array(total);
    this.end = new Uint32Array(total);
    for (let object = 0; object < count; object++)
      for (let k = this.start[object], at = 0; k < this.start[object + 1]; k++) {
        this.first[k] = at + data[count + k];
        at = this.end[k] = this.first[k] + data[count + total + k];
      }
    /** @type {{slice: number, labels: Uint32Array}|null} */ this.flat = null;
  }

  boxed() {
    const [depth, height, width] = this.shape;
    const boxes = new Int32Array(this.count * BOX).fill(-1);
    const most = new Int32Array(this.count);
    const here = new Int32Array(this.count);
    const at = this.start.slice(0, -1);
    for (let z = 0; z < depth; z++) {
      const stop = (z + 1) * height * width;
      for (let object = 0; object < this.count; object++)
        for (; at[object] < this.start[object + 1] && this.first[at[object]] < stop; at[object]++) {
          const from = this.first[at[object]];
          const x = from % width;
          extend(boxes, here, object, x, x + this.end[at[object]] - from - 1, Math.floor(from / width) % height, z);
        }
      if (depth > 1) takeSlice(boxes, here, most, z);
    }
    return boxes;
  }

  /** The place of the first run of an object that ends behind a pixel. @param {number} object @param {number} at */
  runFrom(object, at) {
    let [low, high] = [this.start[object], this.start[object + 1]];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.end[middle] <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** @param {number} object @param {number} slice @param {number} at */
  covers(object, slice, at) {
    const size = this.shape[1] * this.shape[2];
    const [, , , , , first, last] = this.box(object);
    for (let z = slice < 0 ? first : slice; z <= (slice < 0 ? last : slice); z++) {
      const k = this.runFrom(object, z * size + at);
      if (k < this.start[object + 1] && this.first[k] <= z * size + at) return true;
    }
    return false;
  }

  /**
   * All runs of an object in a slice.
   * @param {number} object @param {number} slice @param {(k: number) => void} body
   */
  forRuns(object, slice, body) {
    const size = this.shape[1] * this.shape[2];
    const from = slice < 0 ? this.start[object] : this.runFrom(object, slice * size);
    for (let k = from; k < this.start[object + 1] && (slice < 0 || this.first[k] < (slice + 1) * size); k++) body(k);
  }

  /** @param {number} object @param {number} slice */
  maskOf(object, slice) {
    const [x0, y0, x1, y1] = this.box(object);
    const [, height, width] = this.shape;
    const across = x1 - x0 + 1;
    const mask = new Uint8Array(across * (y1 - y0 + 1));
    this.forRuns(object, slice, (k) => {
      const y = Math.floor(this.first[k] / width) % height;
      const at = (y - y0) * across + (this.first[k] % width) - x0;
      mask.fill(1, at, at + this.end[k] - this.first[k]);
    });
    return mask;
  }

  /** Seen from above: smaller objects lie on larger ones. @param {number} slice */
  plane(slice) {
    if (this.flat?.slice !== slice)
      this.flat = {
        slice,
        labels: this.planeOf(
          slice,
          Int32Array.from({ length: this.count }, (_, k) => k),
        ),
      };
    return this.flat.labels;
  }

  /** @param {number} slice @param {Int32Array} place */
  planeOf(slice, place) {
    const size = this.shape[1] * this.shape[2];
    const labels = new Uint32Array(size);
    const area = Float64Array.from({ length: this.count }, (_, object) => {
      let sum = 0;
      for (let k = this.start[object]; k < this.start[object + 1]; k++) sum += this.end[k] - this.first[k];
      return sum;
    });
    const order = Array.from(area.keys()).filter((object) => place[object] >= 0);
    for (const object of order.sort((a, b) => area[b] - area[a]))
      this.forRuns(object, slice, (k) =>
        labels.fill(place[object] + 1, this.first[k] - slice * size, this.end[k] - slice * size),
      );
    return labels;
  }
}
