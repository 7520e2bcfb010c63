// Outlines of the objects that can be seen: lines with a dark halo, so that they show on any picture.
import { verdictsFor } from "../facts.js";
/** @typedef {import("./viewer.js").Viewer} Viewer */
/** @typedef {import("./paint.js").Part} Part */

const CHUNK = 100; // objects; one long path takes far more time than many short ones
const SIGNED = 26; // objects so large on the screen carry the sign of their verdict

/** @param {Path2D} path @param {number[][]} loops */
function trace(path, loops) {
  for (const loop of loops) {
    path.moveTo(loop[0], loop[1]);
    for (let k = 2; k < loop.length; k += 2) path.lineTo(loop[k], loop[k + 1]);
    path.closePath();
  }
}

/**
 * Paths of up to a hundred objects of one verdict.
 * @param {Part} part @param {number} slice @returns {{verdict: number, path: Path2D}[]}
 */
function chunked({ labels, verdicts, seen }, slice) {
  /** @type {Map<number, {path: Path2D, size: number}>} */ const open = new Map();
  const found = [];
  for (const object of seen) {
    const verdict = verdicts[object];
    let chunk = open.get(verdict);
    if (!chunk || chunk.size >= CHUNK) {
      chunk = { path: new Path2D(), size: 0 };
      open.set(verdict, chunk);
      found.push({ verdict, path: chunk.path });
    }
    trace(chunk.path, labels.loops(object, slice));
    chunk.size++;
  }
  return found;
}

/**
 * Paint the outlines of both sides, or of what is selected only.
 * @param {Viewer} viewer @param {any} context @param {Part[]} parts @param {number} model
 * @param {boolean} [selectedOnly]
 */
export function outlines(viewer, context, parts, model, selectedOnly = false) {
  const { layers, slice, selected } = viewer;
  const pixel = 1 / viewer.view.scale;
  context.lineJoin = "round";
  for (const part of parts) {
    const { side } = part;
    if (!selectedOnly && (layers[side] || layers.fill)) paintSide(viewer, context, part, pixel);
    if (selected?.side === side && (side === "truth" || selected.model === model)) {
      highlight(context, part.labels.loops(selected.object, slice), pixel);
    }
  }
  if (!selectedOnly) for (const part of parts) if (layers[part.side]) signs(viewer, context, part, pixel);
  context.setLineDash([]);
}

/** @param {Viewer} viewer @param {any} context @param {Part} part @param {number} pixel */
function paintSide(viewer, context, part, pixel) {
  const { layers, slice, opacity } = viewer;
  const { side } = part;
  const chunks = chunked(part, slice);
  const colourOf = (/** @type {number} */ verdict) => `rgb(${verdictsFor(side)[verdict].colour.join(",")})`;
  if (layers.fill && side === "truth") {
    context.globalAlpha = opacity;
    for (const { verdict, path } of chunks) {
      context.fillStyle = colourOf(verdict);
      context.fill(path, "evenodd");
    }
    context.globalAlpha = 1;
  }
  if (!layers[side]) return;
  const isCopy = (/** @type {number} */ verdict) => verdictsFor(side)[verdict].name === "duplicate";
  chunks.sort((one, other) => Number(isCopy(other.verdict)) - Number(isCopy(one.verdict))); // copies lie below
  const width = side === "truth" ? 1.9 : 1.5;
  for (const halo of [true, false]) {
    context.lineWidth = (width + (halo ? 2.2 : 0)) * pixel;
    for (const { verdict, path } of chunks) {
      dash(context, side, isCopy(verdict), pixel);
      context.strokeStyle = halo ? "rgba(0,0,0,.8)" : colourOf(verdict);
      stroke(context, path);
    }
  }
  context.lineDashOffset = 0;
}

/**
 * Truth is solid, predictions are dashed; a copy is seen in the gaps of the line that it repeats.
 * @param {any} context @param {string} side @param {boolean} copy @param {number} pixel
 */
function dash(context, side, copy, pixel) {
  const lengths = side === "truth" ? [] : copy ? [7, 2.5] : [6, 3.5];
  context.setLineDash(lengths.map((length) => length * pixel));
  context.lineDashOffset = copy ? -4.75 * pixel : 0;
}

/**
 * Errors say by a sign what they are, not by colour alone.
 * @param {Viewer} viewer @param {any} context @param {Part} part @param {number} pixel
 */
function signs(viewer, context, { side, labels, verdicts, seen }, pixel) {
  if (!viewer.layers.signs) return;
  context.font = `600 ${14 * pixel}px system-ui, sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.setLineDash([]);
  context.lineWidth = 3 * pixel;
  context.strokeStyle = "rgba(0,0,0,.85)";
  for (const object of seen) {
    const { rank, sign, colour } = verdictsFor(side)[verdicts[object]];
    const [x0, y0, x1, y1] = labels.box(object);
    if (!rank || Math.min(x1 - x0, y1 - y0) < SIGNED * pixel) continue;
    context.save();
    context.translate((x0 + x1 + 1) / 2, (y0 + y1 + 1) / 2);
    context.scale(1, 1 / (viewer.aspect ?? 1));
    context.strokeText(sign, 0, 0);
    context.fillStyle = `rgb(${colour.join(",")})`;
    context.fillText(sign, 0, 0);
    context.restore();
  }
}

/** A line that is as wide across as down where pixels are not square. @param {any} context @param {Path2D} path */
function stroke(context, path) {
  const place = context.getTransform();
  if (Math.abs(place.a - place.d) < 1e-6) {
    context.stroke(path);
    return;
  }
  const flat = new Path2D();
  flat.addPath(path, place);
  context.save();
  context.resetTransform();
  context.lineWidth *= place.a;
  context.setLineDash(context.getLineDash().map((/** @type {number} */ length) => length * place.a));
  context.stroke(flat);
  context.restore();
}

/** @param {any} context @param {number[][]} loops @param {number} pixel */
function highlight(context, loops, pixel) {
  const path = new Path2D();
  trace(path, loops);
  context.setLineDash([]);
  for (const [width, colour] of [
    [6, "#000"],
    [3, "#fff"],
  ]) {
    context.lineWidth = Number(width) * pixel;
    context.strokeStyle = colour;
    stroke(context, path);
  }
}
