// Painting: the picture below, and the outlines of objects in the colours of their verdicts.
import { SIDES, verdictsFor } from "../facts.js";
/** @typedef {import("./viewer.js").Viewer} Viewer */
/** @typedef {import("../facts.js").Side} Side */

/** @param {Path2D} path @param {number[][]} outlines */
function trace(path, outlines) {
  for (const loop of outlines) {
    path.moveTo(loop[0], loop[1]);
    for (let k = 2; k < loop.length; k += 2) path.lineTo(loop[k], loop[k + 1]);
    path.closePath();
  }
}

/**
 * Paint one pane.
 * @param {Viewer} viewer @param {any} canvas @param {number} model @param {number|undefined} place of the image
 */
export function paintPane(viewer, canvas, model, place) {
  const { width, height } = viewer.paneSize;
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  const { scale, x, y } = viewer.view;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = "#0c0e11";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.setTransform(scale * ratio, 0, 0, scale * ratio, x * ratio, y * ratio);
  context.imageSmoothingEnabled = scale < 2;
  const base = viewer.base(model);
  if (base) context.drawImage(base, 0, 0);
  if (place === undefined) return;
  for (const side of SIDES) paintSide(viewer, context, side, model, place);
}

/** One path for each verdict. @param {Map<number, number[][]>} loops @param {Uint8Array} verdicts */
function pathsByVerdict(loops, verdicts) {
  /** @type {Map<number, Path2D>} */ const paths = new Map();
  for (const [object, outlines] of loops) {
    const verdict = verdicts[object - 1];
    let path = paths.get(verdict);
    if (!path) paths.set(verdict, (path = new Path2D()));
    trace(path, outlines);
  }
  return paths;
}

/** @param {Viewer} viewer @param {any} context @param {Side} side @param {number} model @param {number} place */
function paintSide(viewer, context, side, model, place) {
  const labels = viewer.labelsOf(side, model);
  const { layers, slice, selected } = viewer;
  if (!labels || !(layers[side] || layers.fill)) return;
  const loops = labels.loops(slice);
  const pixel = 1 / viewer.view.scale;
  for (const [verdict, path] of pathsByVerdict(loops, viewer.analysis.verdictsOf(model)[place][side])) {
    const colour = `rgb(${verdictsFor(side)[verdict].colour.join(",")})`;
    if (layers.fill && side === "truth") fillPath(context, path, colour);
    if (layers[side]) strokePath(context, path, colour, side, pixel);
  }
  if (selected?.side === side && (side === "truth" || selected.model === model)) {
    highlight(context, loops.get(selected.object + 1), pixel);
  }
}

/** @param {any} context @param {Path2D} path @param {string} colour */
function fillPath(context, path, colour) {
  context.globalAlpha = 0.3;
  context.fillStyle = colour;
  context.fill(path, "evenodd");
  context.globalAlpha = 1;
}

/** @param {any} context @param {Path2D} path @param {string} colour @param {Side} side @param {number} pixel */
function strokePath(context, path, colour, side, pixel) {
  context.lineWidth = (side === "truth" ? 1.9 : 1.5) * pixel;
  context.setLineDash(side === "truth" ? [] : [5 * pixel, 3.5 * pixel]);
  context.strokeStyle = colour;
  context.stroke(path);
  context.setLineDash([]);
}

/** @param {any} context @param {number[][]|undefined} outlines @param {number} pixel */
function highlight(context, outlines, pixel) {
  if (!outlines) return;
  const path = new Path2D();
  trace(path, outlines);
  context.lineWidth = 3.4 * pixel;
  context.strokeStyle = "#ffffff";
  context.stroke(path);
}
