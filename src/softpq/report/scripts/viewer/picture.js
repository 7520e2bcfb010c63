// The pixels of one picture: labels of each side, and the raw image.
import { boxesOf, outlinesOf } from "./contours.js";
/** @typedef {import("../data.js").Picture} Picture */

/** Labels of one picture, as places from 1. */
export class Labels {
  /** @param {any} data @param {number[]} shape */
  constructor(data, shape) {
    this.data = data;
    this.shape = shape;
    /** @type {Map<number, any>} */ this.planes = new Map();
    /** @type {Map<number, Map<number, number[][]>>} */ this.outlines = new Map();
    /** @type {Int32Array|null} */ this.boxes = null;
  }

  /** @param {number} slice -1 for the projection */
  plane(slice) {
    const [depth, height, width] = this.shape;
    const size = height * width;
    let plane = this.planes.get(slice);
    if (!plane) {
      if (slice >= 0) plane = this.data.subarray(slice * size, (slice + 1) * size);
      else {
        plane = this.data.slice(0, size);
        for (let z = 1; z < depth; z++)
          for (let k = 0; k < size; k++) plane[k] = Math.max(plane[k], this.data[z * size + k]);
      }
      this.planes.set(slice, plane);
    }
    return plane;
  }

  /** @param {number} slice */
  loops(slice) {
    let found = this.outlines.get(slice);
    if (!found) {
      if (this.outlines.size > 8) this.outlines.clear();
      this.outlines.set(slice, (found = outlinesOf(this.plane(slice), this.shape[2], this.shape[1])));
    }
    return found;
  }

  /** @param {number} object @param {number} count */
  box(object, count) {
    this.boxes ??= boxesOf(this.data, this.shape, count);
    return this.boxes.subarray(5 * object, 5 * object + 5);
  }
}

/** The raw image: channels and slices, decoded when they are looked at. */
export class RawImage {
  /** @param {Picture} picture */
  constructor(picture) {
    this.picture = picture;
    /** @type {(Uint8Array|null)[][]} */ this.planes = picture.raw.map((channel) => channel.map(() => null));
  }

  /**
   * Channels stretched and put together.
   * @param {number} slice -1 for the brightest of all @param {string} channel a number, or "all"
   * @param {number} percent
   */
  async composed(slice, channel, percent) {
    const [depth, height, width] = this.picture.shape;
    const wanted = channel === "all" ? this.picture.raw.map((_, k) => k) : [Number(channel)];
    const slices = slice >= 0 ? [slice] : Array.from({ length: depth }, (_, z) => z);
    const planes = [];
    for (const one of wanted) planes.push(stretched(await this.brightest(one, slices), percent));
    const pixels = new ImageData(width, height);
    const colours = channelColours(planes.length);
    for (let k = 0; k < width * height; k++) {
      const sum = [0, 0, 0];
      planes.forEach((plane, c) => {
        for (let j = 0; j < 3; j++) sum[j] += plane[k] * colours[c][j];
      });
      pixels.data.set([...sum, 255], 4 * k);
    }
    return asCanvas(pixels);
  }

  /** @param {number} channel @param {number[]} slices */
  async brightest(channel, slices) {
    const [, height, width] = this.picture.shape;
    const most = new Uint8ClampedArray(width * height);
    for (const slice of slices) {
      const plane = (this.planes[channel][slice] ??= await decoded(this.picture.raw[channel][slice], width, height));
      for (let k = 0; k < most.length; k++) most[k] = Math.max(most[k], plane[k]);
    }
    return most;
  }
}

/** @param {string} source a data URL @param {number} width @param {number} height */
async function decoded(source, width, height) {
  const element = new Image();
  element.src = source;
  await element.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { willReadFrequently: true }));
  context.drawImage(element, 0, 0);
  const pixels = context.getImageData(0, 0, width, height).data;
  const grey = new Uint8Array(width * height);
  for (let k = 0; k < grey.length; k++) grey[k] = pixels[4 * k];
  return grey;
}

/**
 * Grey shapes of both sides, where there is no raw image.
 * @param {number[]} shape @param {ArrayLike<number>|undefined} truth @param {ArrayLike<number>|undefined} pred
 */
export function silhouettes([, height, width], truth, pred) {
  const pixels = new ImageData(width, height);
  for (let k = 0; k < width * height; k++) {
    const shade = 18 + (truth?.[k] ? 34 : 0) + (pred?.[k] ? 22 : 0);
    pixels.data.set([shade, shade, shade + 4, 255], 4 * k);
  }
  return asCanvas(pixels);
}

/** @param {ImageData} pixels */
function asCanvas(pixels) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [pixels.width, pixels.height];
  /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")).putImageData(pixels, 0, 0);
  return canvas;
}

/**
 * Spread grey values between two percentiles over the whole range.
 * @param {Uint8ClampedArray} plane @param {number} percent cut off at each end
 */
export function stretched(plane, percent) {
  if (!percent) return plane;
  const counts = new Uint32Array(256);
  for (let k = 0; k < plane.length; k++) counts[plane[k]]++;
  const cut = (plane.length * percent) / 100;
  let low = 0;
  let high = 255;
  for (let sum = counts[0]; sum <= cut && low < 255; sum += counts[++low]);
  for (let sum = counts[255]; sum <= cut && high > low; sum += counts[--high]);
  const span = Math.max(1, high - low);
  return plane.map((value) => ((value - low) * 255) / span);
}

/** @param {number} count */
function channelColours(count) {
  if (count === 1) return [[1, 1, 1]];
  if (count === 3)
    return [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ];
  return [
    [0, 1, 0],
    [1, 0, 1],
    [0, 0.6, 1],
    [1, 1, 0],
    [1, 0.4, 0],
    [0.6, 0.6, 0.6],
  ].slice(0, count);
}
