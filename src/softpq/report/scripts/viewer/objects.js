// Which objects lie below the pointer.
import { SIDES } from "../facts.js";
/** @typedef {import("./viewer.js").Viewer} Viewer */
/** @typedef {import("./viewer.js").Selected} Selected */
/** @typedef {import("../data.js").Report} Report */

/**
 * Column and row of the picture below the pointer, with fractions.
 * @param {Viewer} viewer @param {any} event @param {any} canvas @returns {[number, number]}
 */
export function placeAt({ view, aspect }, event, canvas) {
  const box = canvas.getBoundingClientRect();
  return [(event.clientX - box.left - view.x) / view.scale, (event.clientY - box.top - view.y) / (view.scale * aspect)];
}

/** @param {Viewer} viewer @param {any} event @param {any} canvas @returns {Selected[]} what lies there */
export function objectsAt(viewer, event, canvas) {
  const { picture, loaded } = viewer;
  if (!picture || !loaded) return [];
  const [, height, width] = picture.shape;
  const [x, y] = placeAt(viewer, event, canvas).map(Math.floor);
  if (x < 0 || y < 0 || x >= width || y >= height) return [];
  const model = viewer.shownModel(canvas === viewer.elements.canvases[1] ? 1 : 0);
  return SIDES.flatMap((side) => {
    const there = viewer.labelsOf(side, model)?.objectsAt(viewer.slice, x, y) ?? [];
    return there.map((object) => ({ side, object, model }));
  });
}

/**
 * What a click selects: of what can be seen there, the next one.
 * @param {Viewer} viewer @param {any} event @param {any} canvas
 */
export function nextAt(viewer, event, canvas) {
  const there = objectsAt(viewer, event, canvas).filter(({ side }) => viewer.layers[side]);
  const { side, object, model } = viewer.selected ?? {};
  const at = there.findIndex((one) => one.side === side && one.object === object && one.model === model);
  return there[(at + 1) % Math.max(1, there.length)] ?? null;
}

/**
 * The same object among others; null if it is not there.
 * @param {Selected} selected @param {number} image @param {Report} before @param {Report} after
 * @returns {Selected|null}
 */
export function sameObject({ side, object, model }, image, before, after) {
  const place = before.models[model].placeOf.get(image) ?? -1;
  const all = before.models[model].kept?.[place][side][object] ?? object;
  const kept = after.models[model].kept?.[place][side];
  const now = kept ? kept.indexOf(all) : all;
  return now < 0 ? null : { side, object: now, model };
}
