// Puts the page together: what was chosen -> numbers -> elements.
import { PENALTIES, PRESETS, PRIORITIES, READINGS, byImage, matchPairs, partsOf, valueOf } from "./engine.js";
import { PRED_VERDICTS, TRUTH_VERDICTS, verdictsOf } from "./verdicts.js";
import { loadReport } from "./data.js";
import { fromFragment, setThreshold, toFragment } from "./state.js";
import { Analysis, gainsOf, hardScoresOf, scoresOf, surfaceOf } from "./analysis.js";
import { Background, byId, h, refill, shortened, shown, signed } from "./dom.js";
import { bestIouChart, gainChart, movePoint, scatter, sizeChart, surfaceChart, verdictChart } from "./charts.js";
import { Gallery, arranged } from "./gallery.js";
import { buildHead, buildSummary } from "./summary.js";
import { Viewer } from "./viewer.js";
/** @typedef {import("./state.js").State} State */
/** @typedef {import("./data.js").Report} Report */

const BINS = 40;

class Page {
  /** @type {Gallery} */ gallery = /** @type {any} */ (null);
  /** @type {Viewer} */ viewer = /** @type {any} */ (null);
  /** @type {HTMLElement} */ viewerTitle = /** @type {any} */ (null);

  /** @param {Report} report */
  constructor(report) {
    this.report = report;
    this.modelNames = report.models.map((model) => model.name);
    const { low, high, penalty, priority, reading } = report.head.settings;
    /** @type {State} */
    this.initial = { low, high, penalty, priority, reading, over: "pooled", model: this.best(), other: 0, image: -1,
      sort: "worst", search: "", view: "" };
    this.sorts = this.sortOptions();
    this.initial.other = this.modelNames.findIndex((_, k) => k !== this.initial.model);
    if (this.initial.other < 0) this.initial.other = 0;
    /** @type {State} */ this.state = this.parsed(this.initial);
    this.hard = report.models.map((model) => hardScoresOf(model, report.head.threshold));
    this.bestIous = report.models.map(bestIouOf);
    this.sizes = report.models.map(sizeBins);
    this.analysis = new Analysis(report, this.state);
    this.surfaceWork = new Background();
    this.gainWork = new Background();
    /** @type {{key: string, value: Float64Array|null}} */ this.surface = { key: "", value: null };
    this.frame = 0;
    this.written = "";
    /** @type {Record<string, any>} */ this.charts = {};
    buildHead(report, this.modelNames);
    buildSummary(report, this.modelNames);
    this.buildControls();
    this.buildCharts();
    this.buildBrowser();
    this.update();
    const linked = this.state.view;
    if (this.state.image < 0) this.pick(this.gallery.rows.find((row) => row.picture)?.image ?? this.gallery.rows[0]?.image ?? -1, true);
    this.viewer.restore(linked);
    window.addEventListener("hashchange", () => this.readFragment());
    window.addEventListener("beforeprint", () => this.gallery.print(true));
    window.addEventListener("afterprint", () => this.gallery.print(false));
  }

  best() {
    const order = this.modelNames.map((name, k) => [this.report.head.summary[name]?.softpq?.pooled?.[0] ?? -1, k]);
    return order.sort((a, b) => b[0] - a[0])[0][1];
  }

  get settings() {
    const { low, high, penalty, priority, reading } = this.state;
    return { low, high, penalty, priority, reading };
  }

  /** @param {State} otherwise */
  parsed(otherwise) {
    return fromFragment(location.hash, otherwise, this.report.names, this.modelNames, this.sorts.map(([value]) => value));
  }

  readFragment() {
    if (location.hash.replace(/^#/, "") === this.written) return;
    Object.assign(this.state, this.parsed({ ...this.initial, image: this.state.image }));
    this.update();
    this.viewer.restore(this.state.view);
    this.gallery.reveal();
  }

  /** @param {Partial<State>} changes */
  set(changes) {
    const before = this.state.model;
    Object.assign(this.state, changes);
    if (this.state.other === this.state.model && before !== this.state.model) this.state.other = before;
    this.schedule();
  }

  /** @param {"low"|"high"} which @param {number} value */
  setThreshold(which, value) {
    setThreshold(this.state, which, value);
    this.schedule();
  }

  schedule() {
    if (!this.frame) this.frame = requestAnimationFrame(() => { this.frame = 0; this.update(); });
  }

  // ---------------------------------------------------------------- controls

  buildControls() {
    const slider = (/** @type {"low"|"high"} */ which, /** @type {string} */ text) => {
      const range = h("input", { type: "range", min: 0, max: 1, step: 0.01, id: `iou-${which}`,
        oninput: (/** @type {any} */ e) => this.setThreshold(which, Number(e.target.value)) });
      const field = h("input", { type: "number", min: 0, max: 1, step: 0.01, id: `iou-${which}-number`, "aria-label": `iou_${which} as a number`,
        onchange: (/** @type {any} */ e) => this.setThreshold(which, e.target.value === "" ? NaN : Number(e.target.value)) });
      return h("div", { class: "slider" }, h("label", { for: `iou-${which}` }, text), range, field);
    };
    const choice = (/** @type {"penalty"|"priority"|"reading"|"over"} */ key, /** @type {string[]} */ values) =>
      h("label", { class: "choice" }, key === "over" ? "over images" : key, h("select", { id: key,
        onchange: (/** @type {any} */ e) => this.set({ [key]: e.target.value }) }, ...values.map((value) => h("option", { value }, value))));
    const model = (/** @type {"model"|"other"} */ key, /** @type {string} */ text) => h("label", { class: "choice" }, text, h("select", { id: key,
      onchange: (/** @type {any} */ e) => this.set({ [key]: Number(e.target.value) }) },
    ...this.modelNames.map((name, k) => h("option", { value: k }, shortened(name, 40)))));
    byId("controls").append(
      slider("low", "l, iou_low"), slider("high", "h, iou_high"),
      h("div", { class: "presets" }, ...Object.entries(PRESETS).map(([name, [low, high]]) => h("button", { type: "button", id: `preset-${name}`,
        title: `l = ${low}, h = ${high}`, onclick: () => this.set({ low, high }) }, name)),
      h("button", { type: "button", id: "preset-pq", title: "l = h = 0.5", onclick: () => this.set({ low: 0.5, high: 0.5 }) }, "PQ"),
      h("button", { type: "button", id: "reset", onclick: () => this.set({ ...this.initial, image: this.state.image }) }, "reset")),
      h("div", { class: "now", id: "now", role: "status" }));
    byId("choices").append(choice("penalty", Object.keys(PENALTIES)), choice("priority", PRIORITIES), choice("reading", READINGS),
        choice("over", ["pooled", "mean"]), model("model", "model"), this.modelNames.length > 1 ? model("other", "compared with") : "");
  }

  showControls() {
    for (const which of /** @type {("low"|"high")[]} */ (["low", "high"])) {
      byId(`iou-${which}`).value = this.state[which];
      byId(`iou-${which}-number`).value = this.state[which];
    }
    for (const key of ["penalty", "priority", "reading", "over", "model", "other"]) {
      const element = document.getElementById(key);
      if (element) /** @type {any} */ (element).value = String(/** @type {any} */ (this.state)[key]);
    }
    for (const [name, [low, high]] of [...Object.entries(PRESETS), /** @type {[string, [number, number]]} */ (["pq", [0.5, 0.5]])]) {
      byId(`preset-${name}`).setAttribute("aria-pressed", String(this.state.low === low && this.state.high === high));
    }
  }

  // ---------------------------------------------------------------- what follows the controls

  update() {
    this.analysis = new Analysis(this.report, this.settings);
    this.showControls();
    this.showLive();
    this.showCharts();
    this.showBrowser();
    this.viewer.show(this.analysis, this.state.image, this.state.model, this.state.other);
    this.writeFragment();
    document.body.dataset.updates = String(Number(document.body.dataset.updates ?? 0) + 1);
  }

  writeFragment() {
    this.written = toFragment(this.state, this.initial, this.report.names, this.modelNames);
    try {
      history.replaceState(null, "", this.written ? `#${this.written}` : location.href.split("#")[0]);
    } catch {
      // A page inside of another (a notebook) has no address of its own.
    }
  }

  showLive() {
    const { over, model } = this.state, threshold = this.report.head.threshold;
    const value = (/** @type {number} */ k) => this.analysis.scoresOf(k)[over === "pooled" ? "pooled" : "mean"];
    byId("now").replaceChildren(h("span", {}, "SoftPQ "), h("b", { id: "softpq-now" }, shown(value(model), 4)),
      h("span", {}, ` PQ `), h("b", { id: "pq-now" }, shown(this.hard[model][over === "pooled" ? "pooled" : "mean"].pq, 4)));
    byId("live").replaceChildren(h("table", { class: "numbers" },
      h("thead", {}, h("tr", {}, ...["model", `SoftPQ (${over})`, `PQ at ${threshold}`, `F1 at ${threshold}`, "matched", "soft pairs", "truth objects", "predictions"].map((t) => h("th", {}, t)))),
      h("tbody", {}, ...this.modelNames.map((name, k) => {
        const hard = this.hard[k][over === "pooled" ? "pooled" : "mean"], parts = this.analysis.scoresOf(k).parts;
        const sum = (/** @type {"matched"|"soft"|"nTruth"|"nPred"} */ key) => String(parts.reduce((total, one) => total + one[key], 0));
        return h("tr", { class: k === model ? "current" : "" }, h("th", { class: "model", title: name }, shortened(name, 30)), h("td", {}, h("b", {}, shown(value(k), 4))), h("td", {}, shown(hard.pq, 4)),
          h("td", {}, shown(hard.f1, 4)), ...["matched", "soft", "nTruth", "nPred"].map((key) => h("td", {}, sum(/** @type {any} */ (key)))));
      }))));
    const { whole, wholePieces } = this.report.models[model];
    if (this.state.reading === "released" && whole !== wholePieces) {
      byId("live").append(h("p", { class: "quiet" }, "The released reading counts connected pieces of labels; verdicts and the viewer show labels."));
    }
  }

  buildCharts() {
    const card = (/** @type {string} */ id, /** @type {string} */ title, /** @type {string} */ text, kind = "") => {
      const body = h("div", { id: `chart-${id}` });
      this.charts[id] = body;
      return h("div", { class: `card ${kind}` }, h("h3", {}, title), body, h("p", { class: "quiet" }, text));
    };
    byId("charts").append(
      card("scatter", "SoftPQ against PQ", "One point per image; above the line, SoftPQ sees more than PQ. Click to look at the image."),
      card("difference", "SoftPQ − PQ", "What the hard threshold hides, by image."),
      card("best", "Best IoU of each truth object", "Drag l and h; click a bar to see such an object."),
      card("surface", "SoftPQ for all thresholds", "The circle is the current pair; click to move it."),
      card("verdicts", "What happened to the objects", "Click a part to see such an object.", "wide"),
      card("gains", "What fixing it would bring", "SoftPQ gained if all errors of one kind were repaired."),
      card("size", "Score against object size", "Truth objects in groups of equal number; click for the worst one."));
  }

  showCharts() {
    const { model, over, low, high } = this.state, data = this.report.models[model], scores = this.analysis.scoresOf(model);
    const points = Array.from(data.images, (image, k) => ({ name: this.report.names[image], x: this.hard[model].pq[k], y: scores.values[k],
      pick: () => this.lookAt(image), current: image === this.state.image }));
    const threshold = this.report.head.threshold;
    refill(this.charts.scatter, scatter(points, { label: "SoftPQ against PQ, by image", xName: `PQ at ${threshold}`, yName: "SoftPQ", yFrom: 0,
      yTo: Math.max(1, ...points.map((p) => p.y || 0)), diagonal: true, tell: (p) => `${p.name}: PQ ${shown(p.x)}, SoftPQ ${shown(p.y)}` }));
    const gaps = points.map((p) => ({ ...p, y: p.y - p.x })), defined = gaps.map((p) => p.y).filter((v) => !Number.isNaN(v));
    refill(this.charts.difference, scatter(gaps, { label: "SoftPQ minus PQ, by image", xName: `PQ at ${threshold}`, yName: "SoftPQ − PQ",
      yFrom: Math.min(0, ...defined), yTo: Math.max(0.1, ...defined), diagonal: false, tell: (p) => `${p.name}: ${signed(p.y)}` }));
    refill(this.charts.best, bestIouChart(zonesOf(this.bestIous[model].best, low, high), { low, high, set: (which, value) => this.setThreshold(which, value), pick: (bin) => this.pickBestIou(bin) }));
    refill(this.charts.verdicts, verdictChart(this.modelNames.map((name, k) => ({ model: name, current: k === model, counts: this.countVerdicts(k),
      pick: (side, verdict) => this.pickVerdict(k, side, verdict) }))));
    refill(this.charts.size, sizeChart(this.sizePoints(model)));
    this.showSurface(over);
    this.showGains(over);
  }

  /** @param {string} over */
  showSurface(over) {
    const { model, low, high } = this.state, { penalty, priority, reading } = this.settings;
    const key = [model, over, penalty, priority, reading].join(" ");
    const step = (/** @type {number} */ right, /** @type {number} */ up) => {
      if (right) this.setThreshold("high", this.state.high + right);
      if (up) this.setThreshold("low", this.state.low + up);
    };
    const draw = () => refill(this.charts.surface, surfaceChart(this.surface.value, { low: this.state.low, high: this.state.high, step,
      set: (l, u) => this.set({ low: Math.min(l, u), high: u }) }));
    if (key === this.surface.key) { movePoint(this.charts.surface.firstChild, low, high); return; }
    this.surface = { key, value: null };
    draw();
    this.surfaceWork.start(surfaceOf(this.report.models[model], { low, high, penalty, priority, reading }, over), (value) => {
      this.surface = { key, value };
      draw();
      document.body.dataset.surface = key;
    });
  }

  /** @param {string} over */
  showGains(over) {
    const { model } = this.state;
    this.charts.gains.classList.add("stale");
    if (!this.charts.gains.firstChild) this.charts.gains.replaceChildren(gainChart(null, "SoftPQ"));
    this.gainWork.start(gainsOf(this.report.models[model], this.settings, over), (gains) => {
      this.charts.gains.replaceChildren(gainChart(gains, "SoftPQ"));
      this.charts.gains.classList.remove("stale");
    });
  }

  /** @param {number} model */
  countVerdicts(model) {
    const truth = TRUTH_VERDICTS.map(() => 0), pred = PRED_VERDICTS.map(() => 0), all = this.analysis.allVerdictsOf(model);
    for (let k = 0; k < all.truth.length; k++) truth[all.truth[k]]++;
    for (let k = 0; k < all.pred.length; k++) pred[all.pred[k]]++;
    return { truth, pred };
  }

  /** @param {number} model */
  sizePoints(model) {
    const credits = this.analysis.creditsOf(model), { truth: verdicts } = this.analysis.allVerdictsOf(model);
    return this.sizes[model].map(({ members, from, to }) => {
      let found = 0, credit = 0;
      for (let k = 0; k < members.length; k++) {
        if (verdicts[members[k]] === 0) found++;
        credit += Math.min(1, credits[members[k]]);
      }
      const n = members.length || 1;
      return { from, to, count: members.length, found: found / n, credit: credit / n, pick: () => this.pickWorst(model, members, credits) };
    });
  }

  /** The object that adds least, among those that can be looked at. @param {number} model @param {Int32Array} members @param {Float64Array} credits */
  pickWorst(model, members, credits) {
    const { images, whole } = this.report.models[model], starts = whole.bounds.truth;
    const placeOf = (/** @type {number} */ object) => { let k = 0; while (starts[k + 1] <= object) k++; return k; };
    const order = Array.from(members).sort((a, b) => credits[a] - credits[b]);
    const worst = order.find((object) => this.report.pictures.has(images[placeOf(object)])) ?? order[0];
    const place = placeOf(worst);
    this.goTo(model, place, "truth", worst - starts[place]);
  }

  // ---------------------------------------------------------------- images

  sortOptions() {
    const several = this.modelNames.length > 1, metrics = Object.keys(this.report.models[0].values);
    return [["worst", "worst SoftPQ first"], ["best", "best SoftPQ first"], ["gap", "largest SoftPQ − PQ"], ["pq", "worst PQ first"],
      ...(several ? [["disagreement", "largest disagreement of the two models"]] : []), ["objects", "most truth objects"], ["name", "name"],
      ...metrics.filter((name) => !["softpq", "pq"].includes(name)).map((name) => [`metric:${name}`, `worst ${name} first`])];
  }

  buildBrowser() {
    byId("browser").append(h("div", { class: "tools" },
      h("label", {}, "find ", h("input", { type: "search", id: "search", placeholder: "part of a name", value: this.state.search,
        oninput: (/** @type {any} */ e) => this.set({ search: e.target.value }) })),
      h("label", {}, "sort ", h("select", { id: "sort", onchange: (/** @type {any} */ e) => { this.set({ sort: e.target.value }); this.gallery.scroller.scrollTop = 0; } },
        ...this.sorts.map(([value, text]) => h("option", { value }, text))))));
    this.gallery = new Gallery(byId("browser"), (image) => this.pick(image));
    this.viewerTitle = h("h3", { id: "viewer-title" });
    byId("browser").append(h("p", { class: "quiet" }, `▣ can be looked at. ${this.report.head.pictureNote}`));
    byId("viewer").append(this.viewerTitle);
    this.viewer = new Viewer(byId("viewer"), this.report, { changed: (view) => { this.state.view = view; this.writeFragment(); },
      step: (by) => { this.pick(this.gallery.neighbour(this.state.image, by)); this.gallery.reveal(); } });
  }

  showBrowser() {
    const { model, other, sort } = this.state, data = this.report.models[model], scores = this.analysis.scoresOf(model);
    const second = this.modelNames.length > 1 ? this.analysis.scoresOf(other) : null, others = this.report.models[other];
    const sign = sort.startsWith("metric:") && this.report.head.lowerIsBetter.includes(sort.slice(7)) ? -1 : 1;
    const rows = this.report.names.map((name, image) => {
      const k = data.placeOf.get(image), place = others.placeOf.get(image), picture = this.report.pictures.has(image);
      if (k === undefined) return { image, name, picture, key: NaN, cells: () => ["not scored"] };
      const value = scores.values[k], pq = this.hard[model].pq[k];
      const gap = second && place !== undefined ? value - second.values[place] : NaN, metric = sort.startsWith("metric:") ? data.values[sort.slice(7)]?.[k] ?? NaN : null;
      const nTruth = data.tables[k].truthAreas.length;
      const key = { worst: value, best: -value, gap: pq - value, pq, disagreement: -Math.abs(gap), objects: -nTruth, name: 0 }[sort] ?? (metric === null ? NaN : sign * metric);
      return { image, name, picture, key,
        cells: () => [shown(value), shown(pq), ...(second ? [signed(gap)] : []), ...(metric !== null ? [shown(metric)] : []), String(nTruth)] };
    });
    byId("sort").value = sort;
    if (document.activeElement !== byId("search")) byId("search").value = this.state.search;
    this.gallery.show(arranged(rows, this.state.search, sort === "name"),
      ["SoftPQ", "PQ", ...(second ? ["Δ other"] : []), ...(sort.startsWith("metric:") ? [sort.slice(7)] : []), "objects"], this.state.image);
    const place = data.placeOf.get(this.state.image);
    const value = place === undefined ? `not scored for ${this.modelNames[model]}` : `SoftPQ ${shown(scores.values[place])}`;
    this.viewerTitle.textContent = this.state.image < 0 ? "" : `${shortened(this.report.names[this.state.image], 60)} · ${value}`;
    this.viewerTitle.title = this.report.names[this.state.image] ?? "";
  }

  /** @param {number} image @param {boolean} [atFirst] */
  pick(image, atFirst = false) {
    if (image < 0) return;
    this.state.image = image;
    if (atFirst) this.initial.image = image;
    this.update();
  }

  /** Show an image, and scroll to it. @param {number} image */
  lookAt(image) {
    this.pick(image);
    this.gallery.reveal();
    byId("viewer").scrollIntoView({ block: "nearest" });
  }

  /** @param {number} model @param {number} place @param {"truth"|"pred"} side @param {number} object */
  async goTo(model, place, side, object) {
    const image = this.report.models[model].images[place];
    Object.assign(this.state, { model, image });
    this.update();
    await this.viewer.show(this.analysis, image, model, this.state.other);
    while (this.report.pictures.has(image) && this.viewer.image === image && !this.viewer.loaded) await new Promise((go) => setTimeout(go, 10));
    this.viewer.goTo(side, object);
    this.gallery.reveal();
    byId("viewer").scrollIntoView({ block: "nearest" });
  }

  /**
   * The next object that fits, after the selected one; images that can be looked at come first.
   * @param {number} model @param {(place: number, after: number) => number} find @param {"truth"|"pred"} side
   */
  pickObject(model, find, side) {
    const { images, placeOf } = this.report.models[model], all = Array.from(images.keys());
    const places = [...all.filter((k) => this.report.pictures.has(images[k])), ...all.filter((k) => !this.report.pictures.has(images[k]))];
    const here = placeOf.get(this.state.image), { selected } = this.viewer;
    const start = here === undefined ? 0 : Math.max(0, places.indexOf(here));
    for (let step = 0; step <= places.length; step++) {
      const place = places[(start + step) % places.length];
      const after = step === 0 && selected?.side === side && selected.model === model ? selected.object : -1;
      const object = find(place, after);
      if (object >= 0) { this.goTo(model, place, side, object); return; }
    }
  }

  /** @param {number} model @param {"truth"|"pred"} side @param {number} verdict */
  pickVerdict(model, side, verdict) {
    const verdicts = this.analysis.verdictsOf(model);
    this.pickObject(model, (place, after) => verdicts[place][side].indexOf(verdict, after + 1), side);
  }

  /** @param {number} bin */
  pickBestIou(bin) {
    const { model } = this.state;
    this.pickObject(model, (place, after) => this.bestIous[model].bins[place].indexOf(bin, after + 1), "truth");
  }
}

/** The best IoU of each truth object, and its bin, by image. @param {import("./data.js").ModelData} model */
function bestIouOf({ whole }) {
  const best = new Float64Array(whole.truthAreas.length);
  for (let k = 0; k < whole.pairIou.length; k++) best[whole.pairTruth[k]] = Math.max(best[whole.pairTruth[k]], whole.pairIou[k]);
  return { best, bins: byImage(Uint8Array.from(best, binOf), whole.bounds.truth) };
}

/** @param {number} iou */
function binOf(iou) {
  return Math.min(BINS - 1, Math.floor(iou * BINS + 1e-9));
}

/** How many objects are in each bin: at most l, between, at least h. @param {Float64Array} best @param {number} low @param {number} high */
function zonesOf(best, low, high) {
  const counts = Array.from({ length: BINS }, () => [0, 0, 0]);
  for (let k = 0; k < best.length; k++) counts[binOf(best[k])][best[k] >= high ? 2 : best[k] > low ? 1 : 0]++;
  return counts;
}

/** Truth objects of all images in ten groups of equal number, by area. @param {import("./data.js").ModelData} model */
function sizeBins({ whole: { truthAreas: areas } }) {
  const all = Int32Array.from(areas, (_, k) => k).sort((a, b) => areas[a] - areas[b]);
  const n = Math.min(10, Math.max(1, Math.floor(all.length / 3))), bins = [];
  for (let k = 0; k < n; k++) {
    const members = all.slice(Math.floor((k * all.length) / n), Math.floor(((k + 1) * all.length) / n));
    if (members.length) bins.push({ members, from: areas[members[0]], to: areas[members[members.length - 1]] });
  }
  return bins;
}

/** @param {Report} report */
function start(report) {
  const page = new Page(report);
  // For the console of the browser.
  Object.assign(globalThis, { softpq: { report, page, matchPairs, partsOf, valueOf, verdictsOf, scoresOf, gainsOf, hardScoresOf, surfaceOf } });
  document.body.dataset.ready = "yes";
}

if (typeof document !== "undefined") loadReport().then(start);
