// What each chart shows, in a sentence.
import { shown, signed, whole } from "../dom.js";
import { THRESHOLDS } from "../engine/curves.js";

/** @param {number} share */
export function percent(share) {
  if (share < 1 && share >= 0.995) return "over 99 %"; // all but a few is not all
  if (share > 0 && share < 0.0005) return "under 0.1 %";
  return `${(100 * share).toFixed(share < 0.1 && share > 0 ? 1 : 0)} %`;
}

/** @param {number} n @param {string} what */
export function many(n, what) {
  return `${whole(n)} ${what}${n === 1 ? "" : "s"}`;
}

/** Of PQ and the like, in words. @param {{head: any}} report */
export function atThreshold({ head }) {
  return `${head.strict ? "above" : "at"} ${head.threshold}`;
}

/** @param {number[]} values */
const mean = (values) => values.reduce((sum, one) => sum + one, 0) / values.length;

/** @param {{x: number, y: number}[]} points PQ and SoftPQ of images */
export function saidOfScatter(points) {
  const gaps = points.map(({ x, y }) => y - x).filter((gap) => !Number.isNaN(gap));
  if (!gaps.length) return "No image has an object.";
  const above = gaps.filter((gap) => gap > 1e-12).length;
  const below = gaps.filter((gap) => gap < -1e-12).length;
  const under = below ? `, below on ${whole(below)}` : "";
  const by = above || below ? `; the mean difference is ${signed(mean(gaps))}` : "";
  return `SoftPQ is above PQ on ${whole(above)} of ${many(gaps.length, "image")}${under}${by}.`;
}

/** @param {{x: number, y: number}[]} points @param {string} first of the ordinate @param {string} second */
export function saidOfDuel(points, first, second) {
  const gaps = points.map(({ x, y }) => y - x).filter((gap) => !Number.isNaN(gap));
  const better = gaps.filter((gap) => gap > 1e-12).length;
  const worse = gaps.filter((gap) => gap < -1e-12).length;
  const equal = gaps.length - better - worse;
  const rest = equal ? `; ${whole(equal)} ${equal === 1 ? "is" : "are"} equal` : "";
  return `Of ${many(gaps.length, "image")}, ${first} is better on ${whole(better)}, ${second} on ${whole(worse)}${rest}.`;
}

/** @param {number[][]} zones below, between, above */
export function saidOfBest(zones) {
  const sums = [0, 1, 2].map((k) => zones.reduce((sum, one) => sum + one[k], 0));
  const all = sums[0] + sums[1] + sums[2];
  if (!all) return "There is no truth object.";
  return `${percent(sums[2] / all)} of objects reach h, ${percent(sums[1] / all)} lie between l and h, ${percent(sums[0] / all)} do not exceed l.`;
}

/** @param {ArrayLike<number>|undefined} surface */
export function saidOfSurface(surface) {
  const defined = Array.from(surface ?? []).filter((value) => !Number.isNaN(value));
  if (!defined.length) return "";
  return `SoftPQ goes from ${shown(Math.min(...defined))} to ${shown(Math.max(...defined))} as the thresholds move.`;
}

/** @param {{best: Int8Array, clear: Uint8Array}|null} found @param {string[]} names @param {boolean} [tied] */
export function saidOfWinners(found, names, tied = false) {
  if (!found) return "";
  if (tied)
    return "The best models are tied at these thresholds: where one is said to be best, the other may be as good.";
  const counts = names.map((_, k) => found.best.filter((best) => best === k).length);
  const all = counts.reduce((sum, one) => sum + one, 0);
  const best = counts.indexOf(Math.max(...counts));
  const clear = found.best.filter((one, k) => one === best && found.clear[k]).length;
  if (!all) return "";
  const clearly = clear ? `, clearly at ${percent(clear / all)}` : ", nowhere clearly";
  return `${names[best]} is best at ${percent(counts[best] / all)} of all pairs${clearly}.`;
}

/** @param {{name: string, count: number, isError: boolean}[]} counted of one model @param {string} model */
export function saidOfVerdicts(counted, model) {
  const errors = counted.filter((one) => one.isError && one.count).sort((a, b) => b.count - a.count);
  if (!errors.length) return `${model} has no errors at these thresholds.`;
  const listed = errors.slice(0, 2).map(({ name, count }) => `${name} (${whole(count)})`);
  return `Most frequent errors of ${model}: ${listed.join(", then ")}.`;
}

/** @param {Record<string, number>} gains */
export function saidOfGains(gains) {
  const [name, gain] = Object.entries(gains).sort((a, b) => b[1] - a[1])[0];
  return gain > 0.0005 ? `Most would be gained with ${name} (${signed(gain)}).` : "No repair would bring anything.";
}

/** @param {Record<string, number>[]} gains by model @param {string[]} names */
export function saidOfRepairs(gains, names) {
  const all = gains.flatMap((one, k) => Object.entries(one).map(([repair, gain]) => ({ k, repair, gain })));
  const most = all.sort((a, b) => b.gain - a.gain)[0];
  const alike = all.filter(({ repair, gain }) => repair === most.repair && gain === most.gain).length;
  if (alike === names.length && alike > 1)
    return `The largest gain is that of all models with ${most.repair} (${signed(most.gain)}).`;
  return `The largest gain is that of ${names[most.k]} with ${most.repair} (${signed(most.gain)}).`;
}

/** @param {{from: number, to: number, found: number}[]} bins @param {string} unit */
export function saidOfSizes(bins, unit) {
  if (bins.length < 2) return "";
  const [first, last] = [bins[0], bins[bins.length - 1]];
  return `Of the smallest objects (up to ${first.to} ${unit}) ${percent(first.found)} are matched, of the largest (from ${last.from}) ${percent(last.found)}.`;
}

/** @param {{pq: Float64Array}[]} curves @param {string[]} names */
export function saidOfCurves(curves, names) {
  const at = (/** @type {number} */ t) => THRESHOLDS.findIndex((one) => Math.abs(one - t) < 1e-9);
  if (curves.length < 2) {
    const [{ pq }] = curves;
    return `PQ is ${shown(pq[at(0.5)])} at 0.5, ${shown(pq[at(0.75)])} at 0.75 and ${shown(pq[at(0.9)])} at 0.9.`;
  }
  const bestAt = (/** @type {number} */ t) => {
    const values = curves.map(({ pq }) => pq[at(t)]);
    const most = Math.max(...values.map((value) => value || 0));
    const best = names.filter((_, k) => values[k] === most);
    return best.length === names.length ? "all alike" : best.join(" and ");
  };
  const [low, high] = [bestAt(0.5), bestAt(0.9)];
  if (low === undefined || high === undefined) return "";
  if (low === "all alike" && low === high) return "PQ is the same for all, at 0.5 and at 0.9.";
  return low === high
    ? `PQ is highest for ${low}, at 0.5 and at 0.9.`
    : `PQ is highest for ${low} at 0.5, and for ${high} at 0.9.`;
}

/** @param {{model: string, values: (number|null)[]}[]} rows best first */
export function saidOfDots(rows) {
  const [first, last] = [rows[0], rows[rows.length - 1]];
  if (rows.length > 1 && first.values[0] === last.values[0]) return `All have ${shown(first.values[0])}.`;
  return `From ${shown(last.values[0])} (${last.model}) to ${shown(first.values[0])} (${first.model}).`;
}

/** @param {ArrayLike<number>} thresholds @param {ArrayLike<number>} values of the shown model @param {string} name */
export function saidOfScores(thresholds, values, name) {
  let best = -1;
  for (let k = 0; k < values.length; k++) if (values[k] > (values[best] ?? -Infinity)) best = k;
  if (best < 0) return "";
  const all =
    best === 0 ? "all predictions are kept" : `predictions from a score of ${+thresholds[best].toFixed(3)} on are kept`;
  return `SoftPQ of ${name} is highest, ${shown(values[best])}, if ${all}.`;
}

/**
 * @param {string[]} rows classes of truth, and nothing @param {string[]} columns of predictions
 * @param {number[][]} counts
 */
export function saidOfConfused(rows, columns, counts, chosen = "") {
  let [matched, right] = [0, 0];
  let most = { count: 0, said: "" };
  rows.slice(0, -1).forEach((row, i) => {
    if (chosen && row !== chosen) return;
    columns.slice(0, -1).forEach((column, j) => {
      const count = counts[i][j];
      matched += count;
      if (row === column) right += count;
      else if (count > most.count) most = { count, said: `; most often ${row} is found as ${column} (${count})` };
    });
  });
  const whose = chosen ? `matched objects of class ${chosen}` : "matched objects";
  return matched ? `${percent(right / matched)} of ${whose} have the right class${most.said}.` : `No ${whose}.`;
}

/**
 * What a chart was made with, for a file that stands by itself.
 * @param {import("./page.js").Page} page
 */
export function settingsOf({ state, modelNames }) {
  const { low, high, penalty, priority, reading, over, kind, score } = state;
  const of = [
    modelNames[state.model],
    kind && `class ${kind}`,
    score > -Infinity && score ? `score from ${score}` : "",
  ];
  const how = `l = ${low}, h = ${high}, ${penalty}, ${priority}, ${reading}, ${over === "pooled" ? "pooled" : "mean over images"}`;
  return `${of.filter(Boolean).join(", ")}; ${how}.`;
}

/**
 * Each model together with those whose SoftPQ is the same at all thresholds.
 * @param {string[]} names @param {ArrayLike<number>[]} surfaces by model
 */
export function withEquals(names, surfaces) {
  const same = (/** @type {ArrayLike<number>} */ a, /** @type {ArrayLike<number>} */ b) =>
    Array.from(a).every((value, k) => Object.is(value, b[k]));
  return names.map((name, k) =>
    surfaces[k] ? names.filter((_, other) => same(surfaces[k], surfaces[other])).join(" and ") : name,
  );
}

/** What intervals and tests are made of. @param {import("../data.js").Report} report */
export function nounOf({ head }) {
  return head.groups.some((/** @type {string|null} */ one) => one !== null) ? "group" : "image";
}
