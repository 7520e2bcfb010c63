// Which objects lie below the pointer.
import { SIDES } from "../facts.js";
/** @typedef {import("./viewer.js").Viewer} Viewer */
/** @typedef {import("./viewer.js").Selected} Selected */

/** @param {Viewer} viewer @param {any} event @param {any} canvas @returns {Selected[]} what lies there */
export function objectsAt(viewer, event, canvas) {
  const { picture, loaded, view } = viewer;
  if (!picture || !loaded) return [];
  const box = canvas.getBoundingClientRect();
  const [, height, width] = picture.shape;
  const x = Math.floor((event.clientX - box.left - view.x) / view.scale);
  const y = Math.floor((event.clientY - box.top - view.y) / view.scale);
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
