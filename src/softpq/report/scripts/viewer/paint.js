// Painting: the picture below, and objects in the colours of their verdicts, in as much detail as the screen has.
import { SIDES, verdictsFor } from "../facts.js";
import { viridis } from "../charts/frame.js";
import { baseOf } from "./base.js";
import { outlines } from "./outlines.js";
import { densityOf, rastered } from "./raster.js";
import { paintScaleBar } from "./scale_bar.js";
/** @typedef {import("./viewer.js").Viewer} Viewer */
/** @typedef {import("../facts.js").Side} Side */
/** @typedef {import("./labels.js").Objects} Labels */

/** @typedef {"outlines"|"lines"|"fills"|"density"} Detail lines and fills are painted pixel by pixel */

const SMALL = 7; // objects that are so many pixels of the screen across are noise as outlines
const TINY = 5; // and as fills: a share of errors tells more
const MOST_CORNERS = 12_000;
const SQUARE = 8;

/**
 * One side of what is painted.
 * @typedef {{side: Side, labels: Labels, verdicts: Uint8Array, seen: number[]}} Part
 */

/** Size the canvas and clear it. @param {Viewer} viewer @param {any} canvas */
function cleared(viewer, canvas) {
  const { width, height } = viewer.paneSize;
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = "#0c0e11";
  context.fillRect(0, 0, canvas.width, canvas.height);
  const { scale, x, y } = viewer.view;
  context.setTransform(scale * ratio, 0, 0, scale * viewer.aspect * ratio, x * ratio, y * ratio);
  return { context, ratio };
}

/**
 * Paint one pane.
 * @param {Viewer} viewer @param {any} canvas @param {number} model @param {number|undefined} place of the image
 */
export function paintPane(viewer, canvas, model, place) {
  const { context, ratio } = cleared(viewer, canvas);
  const base = baseOf(viewer, model);
  if (base) paintBase(viewer, context, base, viewer.view.scale * ratio);
  if (place === undefined) return;
  const parts = partsOf(viewer, model, place);
  const detail = detailOf(viewer, parts);
  canvas.dataset.detail = detail;
  if (detail === "outlines") outlines(viewer, context, parts, model);
  else if (detail === "density") paintDensity(viewer, context, parts);
  else paintPixels(viewer, context, canvas, parts, ratio, detail === "fills");
  if (detail !== "outlines") outlines(viewer, context, parts, model, true);
  viewer.sides.mark(context, ratio);
  paintScaleBar(viewer, context, ratio);
  if (detail === "density") paintKey(context, ratio);
}

/**
 * The level of a picture that has about as many pixels as the screen.
 * @param {Viewer} viewer @param {any} context @param {any[]} levels @param {number} scale
 */
function paintBase(viewer, context, levels, scale) {
  const [, height, width] = viewer.picture?.shape ?? [1, levels[0].height, levels[0].width];
  const own = (scale * width) / levels[0].width; // the finest level may have more pixels than the labels
  let k = 0;
  while (k + 1 < levels.length && own * 2 ** (k + 1) <= 1.01) k++;
  context.imageSmoothingEnabled = own < 2;
  context.drawImage(levels[k], 0, 0, width, height);
}

/** @param {Viewer} viewer @param {number} model @param {number} place @returns {Part[]} */
function partsOf(viewer, model, place) {
  const { view, paneSize, slice, aspect } = viewer;
  const down = view.scale * aspect;
  const [x0, y0] = [-view.x / view.scale, -view.y / down];
  const [x1, y1] = [x0 + paneSize.width / view.scale, y0 + paneSize.height / down];
  const found = [];
  for (const side of SIDES) {
    const labels = viewer.labelsOf(side, model);
    if (!labels) continue;
    const verdicts = viewer.analysis.verdictsOf(model)[place][side];
    const seen = labels.within(slice, x0, y0, x1, y1).filter((object) => !viewer.isHidden(side, verdicts[object]));
    found.push({ side, labels, verdicts, seen });
  }
  return found;
}

/** How objects are shown at this scale. @param {Viewer} viewer @param {Part[]} parts @returns {Detail} */
function detailOf({ view, slice }, parts) {
  const truth = parts[0]?.seen.length ? parts[0] : parts[1];
  if (slice < 0 || !truth?.seen.length) return "outlines";
  let [across, corners] = [0, 0];
  for (const { labels, seen } of parts)
    for (const object of seen) {
      const [x0, y0, x1, y1] = labels.box(object);
      corners += x1 - x0 + y1 - y0 + 2;
      across += labels === truth.labels ? Math.max(x1 - x0, y1 - y0) + 1 : 0;
    }
  const size = (across / truth.seen.length) * view.scale;
  if (size < TINY) return "density";
  if (size < SMALL) return "fills";
  const layered = parts.some(({ labels }) => labels.layered); // then a pixel has several colours
  return corners > MOST_CORNERS * (layered ? 4 : 1) ? "lines" : "outlines";
}

/**
 * @param {Viewer} viewer @param {any} context @param {any} canvas @param {Part[]} parts @param {number} ratio
 * @param {boolean} filled
 */
function paintPixels(viewer, context, canvas, parts, ratio, filled) {
  const { layers, view, slice, opacity } = viewer;
  const shown = parts
    .filter(({ side }) => layers[side] || layers.fill)
    .map(({ side, labels, verdicts }) => ({
      labels,
      verdicts,
      colours: verdictsFor(side).map((one, code) => (viewer.isHidden(side, code) ? null : one.colour)),
      fills: filled || (layers.fill && side === "truth"),
      lines: layers[side],
      dashed: side === "pred" && !filled,
    }));
  const scale = view.scale * ratio;
  const scaled = { scale, down: scale * viewer.aspect, x: view.x * ratio, y: view.y * ratio };
  const pixels = rastered(shown, slice, scaled, canvas.width, canvas.height, opacity);
  const scratch = /** @type {any} */ (viewer.scratch);
  [scratch.width, scratch.height] = [canvas.width, canvas.height];
  const bytes = new Uint8ClampedArray(pixels.buffer);
  scratch.getContext("2d").putImageData(new ImageData(bytes, canvas.width, canvas.height), 0, 0);
  context.save();
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.drawImage(scratch, 0, 0);
  context.restore();
}

/**
 * Squares of the image: how many of the objects there are errors. They move with it, and end where it ends.
 * @param {Viewer} viewer @param {any} context @param {Part[]} parts
 */
function paintDensity(viewer, context, parts) {
  const { view, slice, layers } = viewer;
  const [, height, width] = parts[0].labels.shape;
  const step = Math.max(1, Math.round(SQUARE / view.scale));
  const [across, down] = [Math.ceil(width / step), Math.ceil(height / step)];
  const all = new Float32Array(across * down);
  const wrong = new Float32Array(across * down);
  for (const { side, labels, verdicts } of parts) {
    if (!layers[side]) continue;
    const isError = verdictsFor(side).map((one) => one.rank > 0);
    const layer = { labels, verdicts, colours: [], fills: true, lines: false, dashed: false };
    const found = densityOf(layer, isError, slice, step, across, down);
    for (let k = 0; k < all.length; k++) {
      all[k] += side === "truth" ? found.all[k] : found.wrong[k];
      wrong[k] += found.wrong[k];
    }
  }
  context.save();
  context.globalAlpha = 0.8;
  for (let k = 0; k < all.length; k++) {
    if (!all[k]) continue;
    const [x, y] = [(k % across) * step, Math.floor(k / across) * step];
    context.fillStyle = viridis(wrong[k] / all[k]);
    context.fillRect(x, y, Math.min(step, width - x), Math.min(step, height - y));
  }
  context.restore();
}

/** What the colours of the squares mean, in a corner. @param {any} context @param {number} ratio */
function paintKey(context, ratio) {
  const [left, top, length, thick] = [10, 10, 120, 8];
  context.save();
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = "rgba(12, 14, 17, 0.8)";
  context.fillRect(left - 6, top - 6, length + 12, thick + 28);
  for (let k = 0; k < length; k++) {
    context.fillStyle = viridis(k / (length - 1));
    context.fillRect(left + k, top, 1, thick);
  }
  context.fillStyle = "#fff";
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "top";
  context.fillText("0", left, top + thick + 4);
  context.textAlign = "center";
  context.fillText("share of errors", left + length / 2, top + thick + 4);
  context.textAlign = "right";
  context.fillText("1", left + length, top + thick + 4);
  context.restore();
}
