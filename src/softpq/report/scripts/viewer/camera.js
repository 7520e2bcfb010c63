// Where the picture is shown: its scale, and which part of it.
/** @typedef {import("./viewer.js").Viewer} Viewer */

const MOST = 80;

/** The scale at which all of the picture is seen. @param {Viewer} viewer */
function whole({ picture, paneSize, aspect }) {
  const [, height, width] = picture?.shape ?? [1, 1, 1];
  return Math.min(paneSize.width / width, paneSize.height / (height * aspect)) * 0.98;
}

/** The middle of the pane stays on the picture. @param {Viewer} viewer */
function limited(viewer) {
  const [, height, width] = viewer.picture?.shape ?? [1, 1, 1];
  const { view, paneSize, aspect } = viewer;
  const within = (/** @type {number} */ at, /** @type {number} */ size, /** @type {number} */ room) =>
    Math.min(room / 2, Math.max(room / 2 - size * view.scale, at));
  view.x = within(view.x, width, paneSize.width);
  view.y = within(view.y, height * aspect, paneSize.height);
}

/** Show all of the picture. @param {Viewer} viewer */
export function fit(viewer) {
  if (!viewer.picture) return;
  const [, height, width] = viewer.picture.shape;
  const box = viewer.paneSize;
  const scale = whole(viewer);
  const down = scale * viewer.aspect;
  viewer.view = { scale, x: (box.width - scale * width) / 2, y: (box.height - down * height) / 2 };
  viewer.moved = false;
}

/** @param {Viewer} viewer @param {number} x @param {number} y */
export function shift(viewer, x, y) {
  viewer.view.x += x;
  viewer.view.y += y;
  viewer.moved = true;
  limited(viewer);
}

/** @param {Viewer} viewer @param {number} by @param {number} [x] @param {number} [y] a place that stays where it is */
export function zoom(viewer, by, x, y) {
  const { view, paneSize } = viewer;
  const [px, py] = [x ?? paneSize.width / 2, y ?? paneSize.height / 2];
  const scale = Math.min(MOST, Math.max(whole(viewer) / 2, view.scale * by));
  const ratio = scale / view.scale;
  viewer.view = { scale, x: px - (px - view.x) * ratio, y: py - (py - view.y) * ratio };
  viewer.moved = true;
  limited(viewer);
}

/**
 * Put a place of the picture into the middle.
 * @param {Viewer} viewer @param {number} scale @param {number} x @param {number} y
 */
export function lookAt(viewer, scale, x, y) {
  const { width, height } = viewer.paneSize;
  const limit = Math.min(MOST, scale);
  viewer.view = { scale: limit, x: width / 2 - limit * x, y: height / 2 - limit * viewer.aspect * y };
  viewer.moved = true;
}
