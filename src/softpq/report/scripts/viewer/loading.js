// From the blobs of the page to the picture that is shown.
import { blob, numbers } from "../data.js";
import { h } from "../dom.js";
import { fit } from "./camera.js";
import { keysOf } from "./elements.js";
import { Labels } from "./labels.js";
import { Runs } from "./runs.js";
import { RawImage } from "./picture.js";
/** @typedef {import("./viewer.js").Viewer} Viewer */
/** @typedef {import("../data.js").Picture} Picture */
/** @typedef {import("../data.js").StoredLabels} StoredLabels */
/** @typedef {import("./labels.js").Objects} Objects */
/** @typedef {{truth: Objects, preds: Map<number, Objects>, raw: RawImage}} Loaded objects of any class and score */

/** @param {Viewer} viewer */
export async function loadPicture(viewer) {
  const { picture, image, report } = viewer;
  const { stage, legend, empty, tools } = viewer.elements;
  for (const one of [stage, legend, ...tools]) one.hidden = !picture;
  empty.hidden = Boolean(picture);
  if (!picture) {
    const said = `${report.names[image]} is not embedded; its numbers are. ${report.head.pictureNote}`;
    empty.textContent = image < 0 ? "Choose an image." : said;
    return;
  }
  const loaded = await labelsOf(report, picture);
  if (image !== viewer.image) return; // another one was chosen meanwhile
  viewer.loaded = loaded;
  prepareTools(viewer, picture);
}

/** @param {import("../data.js").Report} report @param {Picture} picture @returns {Promise<Loaded>} */
export async function labelsOf(report, picture) {
  const read = async (/** @type {StoredLabels} */ stored, /** @type {number} */ count) => {
    const isRuns = stored.dtype === "runs";
    const data = numbers(isRuns ? "u4" : stored.dtype, await blob(stored.blob));
    return isRuns ? new Runs(data, picture.shape, count) : new Labels(data, picture.shape, count);
  };
  const preds = new Map();
  let nTruth = 0;
  for (const [name, stored] of Object.entries(picture.preds)) {
    const model = report.models.findIndex((one) => one.name === name);
    const { placeOf, across } = report.models[model];
    const table = across[/** @type {number} */ (placeOf.get(picture.image))];
    nTruth = table.truthAreas.length;
    preds.set(model, await read(stored, table.predAreas.length));
  }
  return { truth: await read(picture.truth, nTruth), preds, raw: new RawImage(picture) };
}

/** Tools for this picture, and its middle slice. @param {Viewer} viewer @param {Picture} picture */
function prepareTools(viewer, picture) {
  const depth = picture.shape[0];
  const { slices, slider, rawTools, channels, stretches, keys } = viewer.elements;
  viewer.measure();
  keys.textContent = keysOf(viewer.report.models.length > 1, depth > 1);
  slices.hidden = depth === 1;
  slider.max = depth - 1;
  rawTools.hidden = picture.raw.length === 0;
  channels.hidden = picture.raw.length < 2;
  const listed = picture.raw.map((_, k) =>
    h("option", { value: String(k) }, picture.channels[k] ?? `channel ${k + 1}`),
  );
  channels.replaceChildren(h("option", { value: "all" }, "all channels"), ...listed);
  viewer.channel = "all";
  viewer.stretch = picture.colour ? 0 : 1; // a colour picture is shown as it is
  stretches.value = String(viewer.stretch);
  viewer.toSlice(Math.floor(depth / 2));
  viewer.sides.prepare(picture);
  fit(viewer);
}
