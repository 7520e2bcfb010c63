// What the reader has chosen, kept in the address of the page so that a link shows the same view.
import { facts } from "./facts.js";

/**
 * @typedef {object} State
 * @property {number} low
 * @property {number} high
 * @property {string} penalty
 * @property {string} priority
 * @property {string} reading
 * @property {string} over pooled or mean
 * @property {number} model
 * @property {number} other the model to compare with
 * @property {number} image -1 for none
 * @property {string} kind class whose objects are looked at; empty for all
 * @property {number} score least score of predictions that are looked at
 * @property {string} sort
 * @property {string} search
 * @property {string} view of the viewer: slice, layers, object, place
 */

/** @returns {Record<string, readonly string[]>} what can be chosen from a list */
export function choices() {
  return { penalty: facts.penalties, priority: facts.priorities, reading: facts.readings, over: ["pooled", "mean"] };
}

/** @param {number} value */
const rounded = (value) => Math.round(value * 1000) / 1000;

/**
 * Set one threshold; the other gives way, so that the lower one never exceeds the upper one.
 * @param {State} state @param {"low"|"high"} which @param {number} value
 */
export function setThreshold(state, which, value) {
  if (!Number.isFinite(value)) return;
  const limited = Math.min(1, Math.max(which === "high" ? 0.01 : 0, rounded(value)));
  state[which] = limited;
  if (which === "low" && state.high < limited) state.high = Math.max(0.01, limited);
  if (which === "high" && state.low > limited) state.low = limited;
}

/**
 * The state as the part of the address behind the #; what is as it was at first is left out.
 * @param {State} state @param {State} initial @param {string[]} names of images @param {string[]} models
 */
export function toFragment(state, initial, names, models) {
  const found = new URLSearchParams();
  if (state.low !== initial.low) found.set("l", String(state.low));
  if (state.high !== initial.high) found.set("h", String(state.high));
  for (const key of /** @type {("penalty"|"priority"|"reading"|"over"|"sort"|"search")[]} */ ([
    ...Object.keys(choices()),
    "sort",
    "search",
  ])) {
    if (state[key] !== initial[key]) found.set(key, state[key]);
  }
  if (state.kind !== initial.kind) found.set("class", state.kind);
  if (state.score !== initial.score) found.set("score", String(state.score));
  if (state.model !== initial.model) found.set("model", models[state.model]);
  if (state.other !== initial.other) found.set("other", models[state.other]);
  if (state.view !== initial.view) found.set("view", state.view);
  // The image is the worst one at first, which another model or order may change: a link always names it.
  if (state.image >= 0 && (state.image !== initial.image || found.size)) found.set("image", names[state.image]);
  return found.toString();
}

/**
 * Read such a text; what makes no sense is passed over.
 * @param {string} text @param {State} initial @param {string[]} names @param {string[]} models
 * @param {string[]} [sorts] orders of images @param {string[]} [kinds] classes
 * @returns {State}
 */
export function fromFragment(text, initial, names, models, sorts, kinds = []) {
  const state = { ...initial };
  const found = new URLSearchParams(text.replace(/^#/, ""));
  for (const [letter, which] of /** @type {["l"|"h", "low"|"high"][]} */ ([
    ["h", "high"],
    ["l", "low"],
  ])) {
    const value = found.get(letter);
    if (value !== null && value !== "") setThreshold(state, which, Number(value));
  }
  for (const [key, listed] of Object.entries(choices())) {
    const value = found.get(key);
    if (value !== null && listed.includes(value)) Object.assign(state, { [key]: value });
  }
  const sort = found.get("sort");
  if (sort !== null && (!sorts || sorts.includes(sort))) state.sort = sort;
  const kind = found.get("class") ?? "";
  if (kinds.includes(kind)) state.kind = kind;
  const score = found.get("score") ?? "";
  if (score !== "" && Number.isFinite(Number(score)) && Number.isFinite(initial.score)) state.score = Number(score);
  state.view = found.get("view") ?? initial.view;
  state.search = found.get("search") ?? initial.search;
  for (const key of /** @type {("model"|"other")[]} */ (["model", "other"])) {
    const place = models.indexOf(found.get(key) ?? "");
    if (place >= 0) state[key] = place;
  }
  const image = names.indexOf(found.get("image") ?? "\0");
  if (image >= 0) state.image = image;
  return state;
}
