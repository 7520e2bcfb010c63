// From a bar or a point of a chart to an object.
import { byId } from "../dom.js";
/** @typedef {import("./page.js").Page} Page */
/** @typedef {import("../facts.js").Side} Side */

let latest = 0; // whoever clicks on goes to the last one

/** @param {Page} page @param {number} model @param {number} place @param {Side} side @param {number} object */
export async function goTo(page, model, place, side, object) {
  const mine = ++latest;
  const { report, viewer } = page;
  const image = report.models[model].images[place];
  const same = model === page.state.model;
  Object.assign(page.state, { model, image });
  page.staying = same; // the errors are the same
  page.update();
  page.staying = false;
  await viewer.show(page.analysis, image, model, page.state.other);
  while (report.pictures.has(image) && viewer.image === image && !viewer.loaded) {
    await new Promise((go) => setTimeout(go, 10));
  }
  if (mine !== latest) return;
  viewer.goTo(side, object);
  page.gallery.reveal();
  byId("viewer").scrollIntoView({ block: "nearest" });
}

/**
 * Go to the next object that fits, after the selected one; images that can be looked at come first.
 * @param {Page} page @param {number} model @param {(place: number, after: number) => number} find @param {Side} side
 */
function pickObject(page, model, find, side) {
  const { images, placeOf } = page.report.models[model];
  const all = Array.from(images.keys());
  const canBeSeen = (/** @type {number} */ place) => page.report.pictures.has(images[place]);
  const places = [...all.filter(canBeSeen), ...all.filter((place) => !canBeSeen(place))];
  const here = placeOf.get(page.state.image);
  const start = here === undefined ? 0 : Math.max(0, places.indexOf(here));
  const { selected } = page.viewer;
  for (let step = 0; step <= places.length; step++) {
    const place = places[(start + step) % places.length];
    const after = step === 0 && selected?.side === side && selected.model === model ? selected.object : -1;
    const object = find(place, after);
    if (object >= 0) return goTo(page, model, place, side, object);
  }
}

/** @param {Page} page @param {number} model @param {Side} side @param {number} verdict */
export function pickVerdict(page, model, side, verdict) {
  const verdicts = page.analysis.verdictsOf(model);
  pickObject(page, model, (place, after) => verdicts[place][side].indexOf(verdict, after + 1), side);
}

/** @param {Page} page @param {number} bin */
export function pickBestIou(page, bin) {
  const { model } = page.state;
  pickObject(page, model, (place, after) => page.bestIous(model).bins[place].indexOf(bin, after + 1), "truth");
}

/**
 * Go to the object that adds least, among those that can be looked at.
 * @param {Page} page @param {number} model @param {Int32Array} members @param {Float64Array} credits
 */
export function pickWorst(page, model, members, credits) {
  const { images, whole } = page.report.models[model];
  const starts = whole.bounds.truth;
  const placeOf = (/** @type {number} */ object) => {
    let k = 0;
    while (starts[k + 1] <= object) k++;
    return k;
  };
  const order = Array.from(members).sort((a, b) => credits[a] - credits[b]);
  const worst = order.find((object) => page.report.pictures.has(images[placeOf(object)])) ?? order[0];
  const place = placeOf(worst);
  goTo(page, model, place, "truth", worst - starts[place]);
}
