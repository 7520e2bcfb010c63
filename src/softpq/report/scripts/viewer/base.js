// The picture below the outlines, kept until another one is chosen.
import { SIDES } from "../facts.js";
import { silhouettes } from "./picture.js";
/** @typedef {import("./viewer.js").Viewer} Viewer */

/** Its levels, the finest first; null until they are there. @param {Viewer} viewer @param {number} model */
export function baseOf(viewer, model) {
  const { picture, loaded, bases, slice } = viewer;
  if (!picture || !loaded || !viewer.layers.raw) return null;
  const hasRaw = picture.raw.length > 0;
  const key = `${hasRaw ? "" : model} ${slice}`;
  if (!hasRaw && !bases.has(key)) {
    const sides = SIDES.map((side) => (slice < 0 ? undefined : viewer.labelsOf(side, model)?.plane(slice)));
    bases.set(key, silhouettes(picture.shape, sides[0], sides[1]));
  }
  const near = Boolean(picture.fine) && viewer.view.scale > 1; // then the raw image in full
  const fine = near ? asked(viewer, `${key} fine`, true) : null;
  return fine ?? asked(viewer, key, false);
}

/** @param {Viewer} viewer @param {string} key @param {boolean} fine */
function asked(viewer, key, fine) {
  const { bases, loaded } = viewer;
  const known = bases.get(key);
  if (known) return known === "coming" ? null : known;
  bases.set(key, "coming");
  loaded?.raw.composed(viewer.slice, viewer.channel, viewer.stretch, fine).then((made) => {
    if (loaded !== viewer.loaded || bases.get(key) !== "coming") return;
    bases.set(key, made);
    viewer.draw();
  });
  return null;
}
