// Errors as a list: which objects, and what each costs the pooled score.
import { SIDES, codeOf, verdictsFor } from "../facts.js";
/** @typedef {import("./analysis.js").Analysis} Analysis */
/** @typedef {import("../facts.js").Side} Side */

/**
 * @typedef {object} Wrong an object that is an error
 * @property {Side} side
 * @property {number} verdict code
 * @property {number} place of the image in the model's list
 * @property {number} object in the image
 * @property {number} area
 * @property {number} cost of the pooled SoftPQ, if all else stayed as it is
 * @property {boolean|null} right whether the other model has it right; null for predictions
 *
 * @typedef {{verdict: string, least: number, most: number, compared: string}} Filter
 */

/**
 * All errors of a model that pass a filter, the most expensive ones first.
 * @param {Analysis} analysis @param {number} model @param {number} other @param {Filter} filter
 * @returns {Wrong[]}
 */
export function errorsOf(analysis, model, other, filter) {
  const { whole, images } = analysis.report.models[model];
  const { parts, pooled } = analysis.scoresOf(model);
  const below = parts.reduce((sum, one) => sum + one.nTruth + one.nPred - one.forgiven, 0) || 1;
  const credits = analysis.creditsOf(model);
  const all = analysis.allVerdictsOf(model);
  const rightIn = other === model ? () => null : rightOf(analysis, other);
  const found = [];
  for (const side of SIDES) {
    const areas = side === "truth" ? whole.truthAreas : whole.predAreas;
    const starts = whole.bounds[side];
    const wanted = verdictsFor(side).map(({ rank, name }) => rank > 0 && (!filter.verdict || filter.verdict === name));
    for (let place = 0; place < images.length; place++)
      for (let k = starts[place]; k < starts[place + 1]; k++) {
        const verdict = all[side][k];
        if (!wanted[verdict] || areas[k] < filter.least || areas[k] > filter.most) continue;
        const object = k - starts[place];
        const right = side === "truth" ? rightIn(images[place], object) : null;
        if (!passes(filter.compared, right)) continue;
        const cost = side === "truth" ? (2 * (1 - Math.min(1, credits[k]))) / below : pooled / Math.max(1, below - 1);
        found.push({ side, verdict, place, object, area: areas[k], cost, right });
      }
  }
  return found.sort((a, b) => b.cost - a.cost || b.area - a.area);
}

/** @param {string} compared @param {boolean|null} right */
function passes(compared, right) {
  if (compared === "right") return right === true;
  return compared !== "wrong" || right === false;
}

/**
 * Whether another model matches a truth object: the truth is the same for all.
 * @param {Analysis} analysis @param {number} model
 * @returns {(image: number, object: number) => boolean|null}
 */
function rightOf(analysis, model) {
  const { placeOf, whole } = analysis.report.models[model];
  const { truth } = analysis.allVerdictsOf(model);
  const matched = codeOf("truth", "matched");
  return (image, object) => {
    const place = placeOf.get(image);
    return place === undefined ? null : truth[whole.bounds.truth[place] + object] === matched;
  };
}
