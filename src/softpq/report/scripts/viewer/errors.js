// Errors of an image, one after the other.
import { SIDES, verdictsFor } from "../facts.js";
import { lookAt } from "./camera.js";
/** @typedef {import("./viewer.js").Viewer} Viewer */
/** @typedef {import("../facts.js").Side} Side */

/**
 * Objects that are errors, the worst kind first.
 * @param {Viewer} viewer @returns {{side: Side, object: number}[]|null}
 */
export function errorsOf(viewer) {
  const data = viewer.report.models[viewer.model];
  const place = data.placeOf.get(viewer.image);
  if (place === undefined || !viewer.analysis) return null;
  const verdicts = viewer.analysis.verdictsOf(viewer.model)[place];
  const table = data.tables[place];
  /** @type {{side: Side, object: number, rank: number, area: number}[]} */ const found = [];
  for (const side of SIDES) {
    const areas = side === "truth" ? table.truthAreas : table.predAreas;
    verdicts[side].forEach((/** @type {number} */ code, /** @type {number} */ object) => {
      const { rank } = verdictsFor(side)[code];
      if (rank > 0) found.push({ side, object, rank, area: areas[object] });
    });
  }
  return found.sort((a, b) => a.rank - b.rank || b.area - a.area);
}

/** Zoom to an object. @param {Viewer} viewer @param {Side} side @param {number} object */
export function zoomTo(viewer, side, object) {
  const labels = viewer.labelsOf(side, viewer.model);
  const data = viewer.report.models[viewer.model];
  const place = data.placeOf.get(viewer.image);
  if (!labels || place === undefined) return;
  const [x0, y0, x1, y1, z] = labels.box(object);
  if (x0 < 0) return;
  if (labels.shape[0] > 1 && viewer.slice >= 0) viewer.toSlice(z);
  viewer.sides.moveTo((x0 + x1 + 1) / 2, (y0 + y1 + 1) / 2);
  const { width, height } = viewer.paneSize;
  const scale = Math.min(30, Math.min(width, height) / (4 * Math.max(x1 - x0 + 1, y1 - y0 + 1, 8)));
  lookAt(viewer, scale, (x0 + x1 + 1) / 2, (y0 + y1 + 1) / 2);
}
