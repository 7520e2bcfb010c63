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

/**
 * Where each object lies: first and last column, row and slice, five numbers an object: x0, y0, x1, y1, slice.
 * @param {ArrayLike<number>} labels @param {number[]} shape slices, rows, columns @param {number} count of objects
 */
export function boxesOf(labels, shape, count) {
  const [depth, height, width] = shape;
  const boxes = new Int32Array(count * 5).fill(-1);
  const voxels = new Int32Array(count * 2);
  for (let z = 0, at = 0; z < depth; z++) {
    const inSlice = new Map();
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++, at++) {
        const object = labels[at] - 1;
        if (object < 0) continue;
        const k = 5 * object;
        if (boxes[k] < 0) [boxes[k], boxes[k + 1], boxes[k + 2], boxes[k + 3]] = [x, y, x, y];
        boxes[k] = Math.min(boxes[k], x);
        boxes[k + 2] = Math.max(boxes[k + 2], x);
        boxes[k + 3] = y > boxes[k + 3] ? y : boxes[k + 3];
        boxes[k + 1] = y < boxes[k + 1] ? y : boxes[k + 1];
        if (depth > 1) inSlice.set(object, (inSlice.get(object) ?? 0) + 1);
        else boxes[k + 4] = 0;
      }
    }
    for (const [object, n] of inSlice)
      if (n > voxels[object]) {
        voxels[object] = n;
        boxes[5 * object + 4] = z;
      }
  }
  return boxes;
}
