// Work that takes long, by its name; the most urgent first. The other thread does it, see worker.js.
import { gainsOf, surfacesOf } from "./background.js";
import { comparedOf } from "./comparing.js";
import { curvesOf } from "./curves.js";
/** @typedef {import("../data.js").Report} Report */

/** @type {Record<string, (report: Report, order: any) => Generator<undefined, any>>} */
export const WORK = {
  compared: (report, { parts, settings, over }) => comparedOf(report, parts, settings, over),
  gains: (report, { model, settings, over }) => gainsOf(report.models[model], settings, over),
  curves: (report, { over, strict }) => curvesOf(report, over, strict),
  surfaces: (report, { settings, over }) => surfacesOf(report, settings, over),
  repairs: (report, { settings, over }) => allGainsOf(report, settings, over),
};

/** What repairs would bring to every model. @param {Report} report @param {any} settings @param {string} over */
function* allGainsOf(report, settings, over) {
  const found = [];
  for (const model of report.models) found.push(yield* gainsOf(model, settings, over));
  return found;
}
