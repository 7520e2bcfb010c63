// Outlines of objects in a label image, along the edges of pixels.

/**
 * The closed outlines of every object, as lists of corners x, y, x, y, ...
 * @param {ArrayLike<number>} labels places from 1, 0 is background, row by row
 * @param {number} width @param {number} height
 * @returns {Map<number, number[][]>} object -> loops
 */
export function outlinesOf(labels, width, height) {
  const corners = width + 1;
  /** @type {Map<number, Map<number, number[]>>} */ const edges = new Map();
  const add = (/** @type {number} */ object, /** @type {number} */ from, /** @type {number} */ to) => {
    let own = edges.get(object);
    if (!own) edges.set(object, (own = new Map()));
    const ends = own.get(from);
    if (ends) ends.push(to);
    else own.set(from, [to]);
  };
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      const object = labels[at];
      if (!object) continue;
      const corner = y * corners + x;
      if (y === 0 || labels[at - width] !== object) add(object, corner, corner + 1);
      if (x === width - 1 || labels[at + 1] !== object) add(object, corner + 1, corner + 1 + corners);
      if (y === height - 1 || labels[at + width] !== object) add(object, corner + 1 + corners, corner + corners);
      if (x === 0 || labels[at - 1] !== object) add(object, corner + corners, corner);
    }
  }
  /** @type {Map<number, number[][]>} */ const loops = new Map();
  for (const [object, own] of edges) loops.set(object, loopsOf(own, corners));
  return loops;
}

/** @param {Map<number, number[]>} edges from a corner to the next ones @param {number} corners of a row */
function loopsOf(edges, corners) {
  const loops = [];
  for (const first of edges.keys()) {
    for (let ends = edges.get(first); ends && ends.length; ends = edges.get(first)) {
      const loop = [];
      let from = first;
      let direction = 0;
      do {
        const next = /** @type {number[]} */ (edges.get(from));
        // Where two pieces touch at a corner, turn right, so that the outline stays with one piece.
        const to = next.length > 1 ? rightmost(next, from, direction, corners) : next[0];
        next.splice(next.indexOf(to), 1);
        if (to - from !== direction) loop.push(from % corners, Math.floor(from / corners));
        direction = to - from;
        from = to;
      } while (from !== first);
      loops.push(loop);
    }
  }
  return loops;
}

/** @param {number[]} ends @param {number} from @param {number} direction @param {number} corners */
function rightmost(ends, from, direction, corners) {
  const turn = new Map([
    [1, corners],
    [corners, -1],
    [-1, -corners],
    [-corners, 1],
  ]).get(direction);
  return ends.find((to) => to - from === turn) ?? ends[0];
}

/** How many numbers a box has: first column and row, last column and row, best slice, first and last slice. */
export const BOX = 7;

/**
 * Where each object lies, in runs of pixels: x0, y0, x1, y1, the slice with most of it, and its first and last slice.
 * @param {ArrayLike<number>} labels @param {number[]} shape slices, rows, columns @param {number} count of objects
 */
export function boxesOf(labels, [depth, height, width], count) {
  const boxes = new Int32Array(count * BOX).fill(-1);
  const most = new Int32Array(count);
  const here = new Int32Array(count);
  for (let z = 0, row = 0; z < depth; z++) {
    for (let y = 0; y < height; y++, row += width) {
      for (let x = 0, end; x < width; x = end) {
        const label = labels[row + x];
        for (end = x + 1; end < width && labels[row + end] === label; end++);
        if (label) extend(boxes, here, label - 1, x, end - 1, y, z);
      }
    }
    if (depth > 1) takeSlice(boxes, here, most, z);
  }
  return boxes;
}

/**
 * A run of pixels of one object.
 * @param {Int32Array} boxes @param {Int32Array} here pixels in this slice @param {number} object
 * @param {number} first @param {number} last @param {number} y @param {number} z
 */
export function extend(boxes, here, object, first, last, y, z) {
  const k = BOX * object;
  here[object] += last - first + 1;
  if (boxes[k] < 0) {
    boxes[k] = first;
    boxes[k + 1] = boxes[k + 3] = y;
    boxes[k + 2] = last;
    boxes[k + 4] = boxes[k + 5] = boxes[k + 6] = z;
    return;
  }
  if (first < boxes[k]) boxes[k] = first;
  if (last > boxes[k + 2]) boxes[k + 2] = last;
  if (y < boxes[k + 1]) boxes[k + 1] = y;
  if (y > boxes[k + 3]) boxes[k + 3] = y;
  boxes[k + 6] = z;
}

/** @param {Int32Array} boxes @param {Int32Array} here @param {Int32Array} most so far @param {number} z */
export function takeSlice(boxes, here, most, z) {
  for (let object = 0; object < most.length; object++) {
    if (here[object] > most[object]) {
      most[object] = here[object];
      boxes[BOX * object + 4] = z;
    }
    here[object] = 0;
  }
}
