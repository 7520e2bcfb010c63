// The answer, in words: who is best and whether that is real, what to repair first, whether the thresholds matter.
import { byId, h, refill, roving, shown, signed } from "../dom.js";
import { codeOf, facts } from "../facts.js";
import { differenceOf, ranking } from "./models.js";
import { atThreshold, many, nounOf, percent } from "./sentences.js";
/** @typedef {import("./page.js").Page} Page */

/** A clause that leads to its evidence. @param {string} text @param {string} id */
function clause(text, id) {
  const onclick = (/** @type {Event} */ event) => {
    event.preventDefault();
    const target = byId(id);
    target.scrollIntoView({ block: "center" });
    (target.querySelector("svg[tabindex], button") ?? target).focus?.({ preventScroll: true });
  };
  return h("a", { href: `#${id}`, class: "clause", onclick }, text); // a button could not go over two lines
}

/** Of the only model. @param {Page} page */
function scoreOfOne(page) {
  const score = page.analysis.scoresOf(0);
  const { low, high } = page.compared?.intervals[0] ?? { low: NaN, high: NaN };
  const said = score.values.filter((/** @type {number} */ value) => !Number.isNaN(value)).length;
  const interval = Number.isNaN(low) ? "" : ` (${percentText(page)} interval ${shown(low)} to ${shown(high)})`;
  return [
    clause(`SoftPQ is ${shown(score[page.over])}${interval}`, "live"),
    `, PQ ${atThreshold(page.report)} is ${shown(page.hard[0][page.over].pq)}, on ${many(said, "image")}.`,
  ];
}

/** @param {Page} page */
const percentText = ({ report }) => `${+(100 * report.head.level).toFixed(1)} %`;

/** @param {Page} page */
function bestOfSeveral(page) {
  const [best, next] = ranking(page);
  const gap = differenceOf(page, best, next);
  const value = shown(page.commonValues[best]);
  const names = page.labels;
  const images = page.compared
    ? many(page.compared.units, nounOf(page.report))
    : many(page.field.images.length, "image");
  const { mostModels } = facts.statistics;
  const rest = names.length > mostModels ? `; more than ${mostModels} models are ranked by their values alone.` : " …";
  if (!page.compared)
    return [clause(`${names[best]} has the highest SoftPQ, ${value}`, "live"), `, on ${images}${rest}`];
  if (gap && gap.value === 0)
    return [clause(`${names[best]} and ${names[next]} are tied`, "live"), ` at SoftPQ ${value}.`];
  const by = gap ? `${signed(gap.value).slice(1)} more than ${names[next]}` : "";
  const lead = clause(`${names[best]} has the highest SoftPQ, ${value}, ${by}`, "live");
  if (!gap || Number.isNaN(gap.adjusted)) {
    if (page.compared.reason === "no quotient")
      return [lead, `, on ${images}; whether that is chance can be said of the mean over images only.`];
    const are = page.compared.units === 1 ? "is" : "are";
    return [lead, `; ${images} ${are} too few to say whether that is chance.`];
  }
  const of = page.modelNames.length > 2 ? "corrected p" : "p";
  const p = gap.adjusted < 0.001 ? `${of} < 0.001` : `${of} = ${shown(gap.adjusted)}`;
  const to = Number.isNaN(gap.low) ? "" : `, ${percentText(page)} interval ${signed(gap.low)} to ${signed(gap.high)}`;
  if (gap.adjusted <= page.field.alpha)
    return [lead, ` on ${images}: `, clause(`more than chance (${p}${to}).`, "live")];
  const tied = page.compared.ranks.filter(([from]) => from === 1).length;
  const others = tied > 2 ? `${tied} models may be the best` : "either may be the better one";
  return [lead, ` on ${images}, `, clause(`which may be chance (${p}${to}): ${others}.`, "live")];
}

/** @param {Page} page */
function repairs(page) {
  const { gains } = page.cards;
  const [name, gain] = Object.entries(gains ?? {}).sort((a, b) => b[1] - a[1])[0] ?? [];
  const { truth } = page.analysis.allVerdictsOf(page.state.model);
  const matched = truth.reduce(
    (/** @type {number} */ sum, code) => sum + (code === codeOf("truth", "matched") ? 1 : 0),
    0,
  );
  const of = page.modelNames.length > 1 ? `${page.labels[page.state.model]} matches` : "The model matches";
  const said = [
    clause(
      `${of} ${percent(matched / Math.max(1, truth.length))} of ${many(truth.length, "object")}`,
      "chart-verdicts",
    ),
  ];
  if (!name || !(gain > 0.0005)) return [...said, "."];
  return [...said, "; most would be gained with ", clause(`${name} (${signed(gain)})`, "chart-gains"), "."];
}

/** @param {Page} page */
function thresholds(page) {
  const { value } = page.cards.surfaces;
  if (!value || page.modelNames.length < 2) return [];
  const defined = [...value.best].filter((best) => best >= 0);
  const [best, next] = ranking(page);
  if (differenceOf(page, best, next)?.value === 0) return [];
  const share = defined.filter((one) => one === best).length / Math.max(1, defined.length);
  const held = `${page.labels[best]} is best at ${percent(share)} of all pairs of thresholds`;
  return [
    " ",
    clause(
      share === 1
        ? `Who is best does not depend on the thresholds: ${held}.`
        : share > 0.95
          ? `Who is best hardly depends on the thresholds: ${held}.`
          : `Who is best depends on the thresholds: ${held}.`,
      "chart-winners",
    ),
  ];
}

/** Which objects this is about, if not all. @param {Page} page */
function looked({ report, full, state }) {
  if (report === full) return "";
  const scored =
    full.scores && state.score > full.scores[0] ? `predictions with a score from ${+state.score.toFixed(4)} on` : "";
  return `Of ${[state.kind && `class ${state.kind}`, scored].filter(Boolean).join(" and ")}: `;
}

/** @param {Page} page */
export function showLead(page) {
  const first = page.modelNames.length > 1 ? bestOfSeveral(page) : scoreOfOne(page);
  const answer = h("span", {}, looked(page), ...first, " ", ...repairs(page), ...thresholds(page));
  refill(byId("answer"), roving(answer, ".clause"));
  holdPlace(byId("answer"));
}

/** What stands below does not move while a sentence is missing. @param {HTMLElement} element */
function holdPlace(element) {
  if (element.dataset.width !== String(element.clientWidth)) element.style.minHeight = "";
  element.dataset.width = String(element.clientWidth);
  element.style.minHeight = `${element.getBoundingClientRect().height}px`;
}
