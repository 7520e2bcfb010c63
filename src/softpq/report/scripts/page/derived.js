// What follows from the objects alone, whatever the thresholds.
import { onDemand } from "../dom.js";
import { hardScoresOf, hardThreshold } from "../engine/analysis.js";
import { Field } from "../engine/comparing.js";
import { bestIouOf, sizeBins } from "./groups.js";
/** @typedef {import("../data.js").Report} Report */

/** @param {Report} report */
export function derivedOf(report) {
  const { models, head } = report;
  return {
    hard: models.map((model) => hardScoresOf(model, hardThreshold(head))),
    field: new Field(report),
    bestIous: onDemand(models, bestIouOf),
    sizes: onDemand(models, sizeBins),
  };
}
