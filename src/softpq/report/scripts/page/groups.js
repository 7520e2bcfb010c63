// Truth objects in groups: by their best IoU, and by their size.
import { byImage } from "../engine/table.js";
/** @typedef {import("../data.js").ModelData} ModelData */

const BINS = 40;

/** The best IoU of each truth object, and its bin, by image. @param {ModelData} model */
export function bestIouOf({ whole }) {
  const best = new Float64Array(whole.truthAreas.length);
  for (let k = 0; k < whole.pairIou.length; k++) {
    best[whole.pairTruth[k]] = Math.max(best[whole.pairTruth[k]], whole.pairIou[k]);
  }
  return { best, bins: byImage(Uint8Array.from(best, binOf), whole.bounds.truth) };
}

/** @param {number} iou */
function binOf(iou) {
  return Math.min(BINS - 1, Math.floor(iou * BINS + 1e-9));
}

/**
 * How many objects are in each bin: at most l, between, at least h.
 * @param {Float64Array} best @param {number} low @param {number} high
 */
export function zonesOf(best, low, high) {
  const counts = Array.from({ length: BINS }, () => [0, 0, 0]);
  for (const iou of best) counts[binOf(iou)][iou >= high ? 2 : iou > low ? 1 : 0]++;
  return counts;
}

/** Truth objects of all images in ten groups of equal number, by area. @param {ModelData} model */
export function sizeBins({ whole: { truthAreas: areas } }) {
  const all = Int32Array.from(areas, (_, k) => k).sort((a, b) => areas[a] - areas[b]);
  const n = Math.min(10, Math.max(1, Math.floor(all.length / 3)));
  const bins = [];
  for (let k = 0; k < n; k++) {
    const members = all.slice(Math.floor((k * all.length) / n), Math.floor(((k + 1) * all.length) / n));
    if (members.length) bins.push({ members, from: areas[members[0]], to: areas[members[members.length - 1]] });
  }
  return bins;
}
