// Sliders, presets and lists: what the reader chooses.
import { byId, h, roving } from "../dom.js";
import { facts } from "../facts.js";
import { choices } from "../state.js";
import { restore } from "../viewer/link.js";
import { buildWords } from "./words.js";
/** @typedef {import("./page.js").Page} Page */

/** @typedef {"low"|"high"} Which */
const THRESHOLDS = /** @type {Which[]} */ (["low", "high"]);

/** The presets, and PQ. @returns {[string, [number, number]][]} */
function presets() {
  return [...Object.entries(facts.presets), ["pq", [0.5, 0.5]]];
}

/** @param {Page} page @param {Which} which @param {string} text */
function slider(page, which, text) {
  const numeric = { min: 0, max: 1, step: 0.01 };
  const range = h("input", {
    type: "range",
    ...numeric,
    id: `iou-${which}`,
    oninput: (/** @type {any} */ event) => page.setThreshold(which, Number(event.target.value)),
  });
  const field = h("input", {
    type: "number",
    ...numeric,
    id: `iou-${which}-number`,
    "aria-label": `iou_${which} as a number`,
    onchange: (/** @type {any} */ { target }) =>
      page.setThreshold(which, target.value === "" ? NaN : Number(target.value)),
  });
  return h("div", { class: "slider" }, h("label", { for: `iou-${which}` }, text), range, field);
}

/**
 * @param {string} id @param {string} text @param {[string|number, string][]} options
 * @param {(value: string) => void} set
 */
function list(id, text, options, set) {
  const onchange = (/** @type {any} */ event) => set(event.target.value);
  const listed = options.map(([value, name]) => h("option", { value }, name));
  return h("label", { class: "choice" }, text, h("select", { id, onchange }, ...listed));
}

/** The address of the present view. @param {any} event */
function copyLink({ target }) {
  const field = h("textarea", { value: location.href });
  document.body.append(field);
  field.select();
  target.textContent = document.execCommand("copy") ? "copied" : "see the address"; // also allowed in a file
  field.remove();
  target.focus();
  setTimeout(() => {
    target.textContent = "copy link";
  }, 1500);
}

/** Everything as it was at first, but for the image. @param {Page} page */
function reset(page) {
  page.set({ ...page.initial, image: page.state.image });
  restore(page.viewer, "");
}

/** @param {Page} page */
function presetTools(page) {
  const preset = (/** @type {[string, [number, number]]} */ [name, [low, high]]) =>
    h(
      "button",
      {
        type: "button",
        id: `preset-${name}`,
        title: `l = ${low}, h = ${high}`,
        onclick: () => page.set({ low, high }),
      },
      name === "pq" ? "PQ" : name,
    );
  const tools = h(
    "div",
    { class: "presets", role: "group", "aria-label": "presets" },
    ...presets().map(preset),
    h("button", { type: "button", id: "reset", onclick: () => reset(page) }, "reset"),
    h("button", { type: "button", id: "copy-link", onclick: copyLink }, "copy link"),
  );
  return roving(tools, "button");
}

/** Where the slider of scores begins: all predictions have at least this one. @param {Page["full"]} report */
export function lowestScore({ scores }) {
  if (!scores) return -Infinity;
  const step = scoreStep(scores);
  return +(Math.floor(scores[0] / step + 1e-9) * step).toFixed(6);
}

/** A round step, about a hundredth of the range. @param {Float64Array} scores ascending */
function scoreStep(scores) {
  return 10 ** Math.floor(Math.log10(Math.max(1e-4, scores[scores.length - 1] - scores[0]) / 30));
}

/** Predictions with at least this score are looked at. @param {Page} page */
function scoreSlider(page) {
  const { scores } = page.full;
  if (!scores) return "";
  const step = scoreStep(scores);
  const numeric = { min: lowestScore(page.full), max: scores[scores.length - 1] };
  const set = (/** @type {any} */ { target }) => {
    if (target.value !== "" && Number.isFinite(Number(target.value))) page.setScore(Number(target.value));
  };
  const range = h("input", { type: "range", ...numeric, step, id: "score", oninput: set });
  const field = h("input", {
    type: "number",
    step: "any",
    id: "score-number",
    "aria-label": "least score as a number",
    onchange: set,
  });
  return h("div", { class: "slider" }, h("label", { for: "score" }, "score, from"), range, field);
}

/** @param {Page} page */
function classList(page) {
  const { classNames } = page.full.head;
  const named = classNames.map((/** @type {string} */ name) => [name, name]);
  return classNames.length ? list("kind", "class", [["", "all"], ...named], (kind) => page.set({ kind })) : "";
}

/** @param {Page} page */
export function buildControls(page) {
  byId("controls").append(
    slider(page, "low", "l, iou_low"),
    slider(page, "high", "h, iou_high"),
    scoreSlider(page),
    presetTools(page),
    h("div", { class: "now", id: "now", role: "status" }),
  );
  const models = page.labels.map((name, k) => /** @type {[number, string]} */ ([k, name]));
  byId("choices").append(
    ...Object.entries(choices()).map(([key, values]) =>
      list(
        key,
        key === "over" ? "over images" : key,
        values.map((value) => [value, value]),
        (value) => page.set({ [key]: value }),
      ),
    ),
    list("model", "model", models, (value) => page.set({ model: Number(value) })),
    models.length > 1 ? list("other", "compared with", models, (value) => page.set({ other: Number(value) })) : "",
    classList(page),
  );
  buildWords(Boolean(page.full.head.overlap));
  if (page.full.head.overlap) refuseReleased();
}

/** What cannot be asked where objects overlap is shown, but not to be chosen. */
function refuseReleased() {
  const title = "that program takes label images";
  byId("reading").append(h("option", { value: "released", disabled: true, title }, "released: objects overlap"));
}

/** @param {Page} page */
export function showControls({ state, full }) {
  if (full.scores) {
    byId("score").value = state.score;
    byId("score-number").value = +state.score.toFixed(4);
  }
  for (const which of THRESHOLDS) {
    byId(`iou-${which}`).value = state[which];
    byId(`iou-${which}-number`).value = state[which];
  }
  for (const key of [...Object.keys(choices()), "model", "other", "kind"]) {
    const element = /** @type {any} */ (document.getElementById(key));
    if (element) element.value = String(/** @type {any} */ (state)[key]);
  }
  for (const [name, [low, high]] of presets()) {
    byId(`preset-${name}`).setAttribute("aria-pressed", String(state.low === low && state.high === high));
  }
}
