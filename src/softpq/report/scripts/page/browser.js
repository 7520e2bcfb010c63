// The list of images: how it is sorted, what its rows say.
import { byId, h, shortened, shown, signed } from "../dom.js";
import { hardThreshold } from "../engine/analysis.js";
import { COMPUTED, metricOf as metricOfSums, sumsOf } from "../engine/metrics.js";
import { Viewer } from "../viewer/viewer.js";
import { Gallery, arranged } from "./gallery.js";
import { atThreshold } from "./sentences.js";
/** @typedef {import("./page.js").Page} Page */
/** @typedef {import("./gallery.js").Row} Row */

const BY_METRIC = "metric:";

/** Orders of images. @param {Page} page @returns {string[][]} */
export function sortOptions({ report, modelNames }) {
  const metrics = Object.keys(report.models[0].values).filter((name) => !["softpq", "pq"].includes(name));
  const at = atThreshold(report);
  return [
    ["worst", "worst SoftPQ first"],
    ["best", "best SoftPQ first"],
    ["gap", `largest SoftPQ − PQ ${at}`],
    ["pq", `worst PQ ${at} first`],
    ...(modelNames.length > 1 ? [["disagreement", "largest disagreement of the two models"]] : []),
    ["objects", "most truth objects"],
    ["name", "name"],
    ...metrics.map((name) => [`${BY_METRIC}${name}`, `worst ${name} first`]),
  ];
}

/** @param {Page} page */
export function buildBrowser(page) {
  const search = h("input", {
    type: "search",
    id: "search",
    placeholder: "part of a name",
    value: page.state.search,
    oninput: (/** @type {any} */ event) => page.set({ search: event.target.value }),
  });
  const onchange = (/** @type {any} */ event) => {
    page.set({ sort: event.target.value });
    page.gallery.scroller.scrollTop = 0;
  };
  const sort = h(
    "select",
    { id: "sort", onchange },
    ...page.sorts.map(([value, text]) => h("option", { value }, text)),
  );
  byId("browser").append(h("div", { class: "tools" }, h("label", {}, "find ", search), h("label", {}, "sort ", sort)));
  const gallery = new Gallery(byId("browser"), (image) => page.pick(image));
  const all = page.report.pictures.size === page.report.names.length;
  byId("browser").append(
    h("p", { class: "quiet" }, `${all ? "" : "▢ is not embedded. "}${page.report.head.pictureNote}`),
  );
  byId("viewer").append(h("h3", { id: "viewer-title" }));
  const viewer = new Viewer(byId("viewer"), page.report, {
    changed: (view) => {
      page.state.view = view;
      page.writeFragment();
    },
    step: (by) => {
      page.pick(page.gallery.neighbour(page.state.image, by));
      page.gallery.reveal();
    },
  });
  return { gallery, viewer };
}

/** @param {Page} page @param {string} name @param {number} image @returns {Row} */
function rowOf(page, name, image) {
  const { report, state, analysis } = page;
  const data = report.models[state.model];
  const picture = report.pictures.has(image);
  const place = data.placeOf.get(image);
  if (place === undefined) return { image, name, picture, key: NaN, cells: () => ["not scored"] };
  const value = analysis.scoresOf(state.model).values[place];
  const pq = page.hard[state.model].pq[place];
  const metric = metricOf(page, place);
  const nTruth = data.tables[place].truthAreas.length;
  const several = page.modelNames.length > 1;
  const gap = several ? value - otherValue(page, image) : NaN;
  /** @type {Record<string, number>} */
  const keys = {
    worst: value,
    best: -value,
    gap: pq - value,
    pq,
    disagreement: -Math.abs(gap),
    objects: -nTruth,
    name: 0,
  };
  const key = keys[state.sort] ?? (metric === null ? NaN : metric.sign * metric.value);
  const cells = () => [
    shown(value),
    shown(pq),
    ...(several ? [signed(gap)] : []),
    ...(metric ? [shown(metric.value)] : []),
    String(nTruth),
  ];
  return { image, name, picture, key, cells };
}

/** @param {Page} page @param {number} image */
function otherValue({ report, state, analysis, hurried }, image) {
  if (hurried) return NaN; // it follows
  const place = report.models[state.other].placeOf.get(image);
  return place === undefined ? NaN : analysis.scoresOf(state.other).values[place];
}

/** The metric that images are sorted by, if they are. @param {Page} page @param {number} place */
function metricOf({ report, full, state }, place) {
  if (!state.sort.startsWith(BY_METRIC)) return null;
  const name = state.sort.slice(BY_METRIC.length);
  const { values, tables } = report.models[state.model];
  const computed = () => metricOfSums(name, sumsOf(tables[place], hardThreshold(report.head)));
  const value = report === full ? (values[name]?.[place] ?? NaN) : COMPUTED.includes(name) ? computed() : NaN;
  return { value, sign: report.head.lowerIsBetter.includes(name) ? -1 : 1 };
}

/** @param {Page} page */
export function rowsOf(page) {
  const { report, state } = page;
  const rows = report.names.map((name, image) => ({
    ...rowOf(page, name, image),
    label: page.imageLabels[image],
    thumbnail: report.pictures.get(image)?.thumbnail,
  }));
  return arranged(rows, state.search, state.sort === "name");
}

/** @param {Page} page */
export function showBrowser(page) {
  const { report, state, modelNames } = page;
  byId("sort").value = state.sort;
  if (document.activeElement !== byId("search")) byId("search").value = state.search;
  const byMetric = state.sort.startsWith(BY_METRIC) ? [state.sort.slice(BY_METRIC.length)] : [];
  const by = (/** @type {string} */ name, /** @type {string[]} */ sorts, /** @type {string} */ title) => {
    const sort = () => page.set({ sort: sorts[(sorts.indexOf(state.sort) + 1) % sorts.length] });
    return { name, title, sort };
  };
  const at = `PQ ${atThreshold(report)}`;
  const columns = [
    by("SoftPQ", ["worst", "best"], "SoftPQ of the image"),
    by(at, ["pq", "gap"], `${at}; sorted again: by what SoftPQ sees more`),
    ...(modelNames.length > 1 ? [by("Δ other", ["disagreement"], "difference to the model it is compared with")] : []),
    ...byMetric.map((name) => by(name, [state.sort], name)),
    by("objects", ["objects"], "truth objects"),
  ];
  page.gallery.show(rowsOf(page), columns, state.image);
  showTitle(page);
}

/** @param {Page} page */
function showTitle({ report, state, modelNames, analysis }) {
  const title = byId("viewer-title");
  const name = report.names[state.image] ?? "";
  const place = report.models[state.model].placeOf.get(state.image);
  const scored = place === undefined ? null : `SoftPQ ${shown(analysis.scoresOf(state.model).values[place])}`;
  title.textContent = name && `${shortened(name, 60)} · ${scored ?? `not scored for ${modelNames[state.model]}`}`;
  title.title = name;
}
