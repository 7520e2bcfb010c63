// Many small objects: instead of outlines, each pixel of the screen takes the colour of the object below it.
// What this costs depends on the screen, not on the number of objects.
import { BOX } from "./contours.js";
/** @typedef {import("./labels.js").Objects} Labels */

/**
 * @typedef {object} Layer one side, as it is to be seen
 * @property {Labels} labels
 * @property {Uint8Array} verdicts by object
 * @property {(number[]|null)[]} colours by verdict; null for what is not shown
 * @property {boolean} fills
 * @property {boolean} lines
 * @property {boolean} dashed
 *
 * @typedef {{scale: number, down: number, x: number, y: number}} View in pixels of the canvas, across and down
 */

/** Packed as the bytes of a picture: red comes first. @param {number[]} colour @param {number} alpha from 0 to 255 */
function packed([r, g, b], alpha) {
  return ((alpha << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

const HALO = packed([0, 0, 0], 190);

/** Which column (or row) of the picture each one of the canvas shows; -1 for none. */
function sampled(/** @type {number} */ size, /** @type {number} */ from, /** @type {number} */ scale, most = 0) {
  return Int32Array.from({ length: size }, (_, k) => {
    const at = Math.floor((k + 0.5 - from) / scale);
    return at >= 0 && at < most ? at : -1;
  });
}

/**
 * Colours for every pixel of the canvas.
 * @param {Layer[]} layers the upper ones last @param {number} slice @param {View} view
 * @param {number} width @param {number} height @param {number} opacity of what is filled, from 0 to 1
 */
export function rastered(layers, slice, view, width, height, opacity) {
  const pixels = new Uint32Array(width * height);
  for (const layer of layers) {
    const [, rows, columns] = layer.labels.shape;
    const xs = sampled(width, view.x, view.scale, columns);
    const ys = sampled(height, view.y, view.down, rows);
    paintLayer(pixels, layer, layer.labels.plane(slice), columns, xs, ys, opacity);
  }
  return pixels;
}

/**
 * @param {Uint32Array} pixels @param {Layer} layer @param {ArrayLike<number>} plane @param {number} columns
 * @param {Int32Array} xs @param {Int32Array} ys @param {number} opacity
 */
function paintLayer(pixels, { verdicts, colours, fills, lines, dashed }, plane, columns, xs, ys, opacity) {
  const solid = colours.map((colour) => (colour ? packed(colour, 255) : 0));
  const thin = colours.map((colour) => (colour ? packed(colour, Math.round(255 * opacity)) : 0));
  const hidden = colours.map((colour) => !colour);
  const width = xs.length;
  let above = new Uint32Array(width);
  let row = new Uint32Array(width);
  for (let j = 0; j < ys.length; j++) {
    [above, row] = [row, above];
    const start = ys[j] * columns;
    for (let i = 0; i < width; i++) {
      const label = ys[j] < 0 || xs[i] < 0 ? 0 : plane[start + xs[i]];
      row[i] = label && hidden[verdicts[label - 1]] ? 0 : label;
    }
    for (let i = 0, at = j * width; i < width; i++, at++) {
      const label = row[i];
      const left = i ? row[i - 1] : label;
      const up = j ? above[i] : label;
      const edge = lines && (label !== left || label !== up) && !(dashed && ((i + j) & 7) < 3);
      if (label && edge) pixels[at] = solid[verdicts[label - 1]];
      else if (label && fills && !pixels[at]) pixels[at] = thin[verdicts[label - 1]];
      if (!edge) continue;
      if (left !== label) pixels[at - 1] = left ? solid[verdicts[left - 1]] : pixels[at - 1] || HALO;
      if (up !== label) pixels[at - width] = up ? solid[verdicts[up - 1]] : pixels[at - width] || HALO;
      if (!label) pixels[at] ||= HALO;
    }
  }
}

/**
 * How many objects of a side lie in each square of the image, and how many of them are errors.
 * @param {Layer} layer @param {boolean[]} isError by verdict @param {number} slice @param {number} size of a square
 * @param {number} across squares @param {number} down
 */
export function densityOf({ labels, verdicts }, isError, slice, size, across, down) {
  const all = new Float32Array(across * down);
  const wrong = new Float32Array(across * down);
  const { boxes, count } = labels;
  for (let object = 0, k = 0; object < count; object++, k += BOX) {
    if (boxes[k] < 0 || (slice >= 0 && (slice < boxes[k + 5] || slice > boxes[k + 6]))) continue;
    const i = Math.floor((boxes[k] + boxes[k + 2] + 1) / 2 / size);
    const j = Math.floor((boxes[k + 1] + boxes[k + 3] + 1) / 2 / size);
    if (i >= across || j >= down) continue;
    all[j * across + i]++;
    if (isError[verdicts[object]]) wrong[j * across + i]++;
  }
  return { all, wrong };
}
