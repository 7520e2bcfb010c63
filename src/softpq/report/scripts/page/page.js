// Puts the page together: what was chosen -> numbers -> elements.
import { loadReport } from "../data.js";
import { Background } from "../background.js";
import { byId, common, distinct } from "../dom.js";
import { Analysis, hardScoresOf, meanOf, nextAbove, pooledValue, scoresOf } from "../engine/analysis.js";
import { gainsOf, surfacesOf } from "../engine/background.js";
import { Field, comparedOf } from "../engine/comparing.js";
import { matchPairs } from "../engine/matching.js";
import { partsOf, valueOf } from "../engine/softpq.js";
import { verdictsOf } from "../engine/verdicts.js";
import { colourPage } from "../facts.js";
import { fromFragment, setThreshold, toFragment } from "../state.js";
import { restore } from "../viewer/link.js";
import { buildBrowser, showBrowser, sortOptions } from "./browser.js";
import { Cards } from "./cards.js";
import { buildControls, showControls } from "./controls.js";
import { bestIouOf, sizeBins } from "./groups.js";
import { showLead } from "./lead.js";
import { showModels, showNow } from "./models.js";
import { buildHead } from "./head.js";
import { buildSummary } from "./summary.js";
import { Wall } from "./wall.js";
/** @typedef {import("../state.js").State} State */
/** @typedef {import("../data.js").Report} Report */

const MANY = 150_000; // pairs of objects: with more, only the shown model follows a slider at once

export class Page {
  /** @param {Report} report */
  constructor(report) {
    this.report = report;
    this.modelNames = report.models.map((model) => model.name);
    this.labels = distinct(this.modelNames, 28);
    const { start } = common(report.names);
    const cut = report.names.length > 1 && start > 12 ? start - 2 : 0;
    this.imageLabels = report.names.map((name) => (cut ? `…${name.slice(cut)}` : name));
    this.sorts = sortOptions(this);
    const { threshold, strict } = report.head;
    this.hard = report.models.map((model) => hardScoresOf(model, strict ? nextAbove(threshold) : threshold));
    this.field = new Field(report);
    this.comparing = new Background();
    this.catchingUp = new Background();
    this.writing = 0;
    this.staying = false; // another image is looked at, nothing else changes
    this.heavy = report.models.reduce((sum, model) => sum + model.whole.pairIou.length, 0) > MANY;
    /** @type {import("../engine/comparing.js").Compared|null} */ this.compared = null;
    /** @type {import("./tables.js").Order} */ this.modelOrder = { column: 0, up: true };
    const depths = [...report.pictures.values()].map((picture) => picture.shape[0]);
    this.unit = depths.some((depth) => depth > 1) ? "voxels" : "pixels";
    this.analysis = new Analysis(report, report.head.settings);
    /** @type {State} */ this.initial = this.firstState();
    /** @type {State} */ this.state = this.parsed(this.initial);
    this.bestIous = report.models.map(bestIouOf);
    this.sizes = report.models.map(sizeBins);
    this.frame = 0;
    this.written = "";
    buildHead(report, this.modelNames);
    buildSummary(report, this.modelNames);
    buildControls(this);
    this.cards = new Cards(this);
    const { gallery, viewer } = buildBrowser(this);
    this.gallery = gallery;
    this.viewer = viewer;
    this.wall = new Wall(this);
    this.start();
  }

  start() {
    this.update();
    const linked = this.state.view;
    const { rows } = this.gallery;
    if (this.state.image < 0) this.pick((rows.find((row) => row.picture) ?? rows[0])?.image ?? -1, true);
    if (linked) restore(this.viewer, linked);
    window.addEventListener("hashchange", () => this.readFragment());
    window.addEventListener("beforeprint", () => this.gallery.print(true));
    window.addEventListener("afterprint", () => this.gallery.print(false));
  }

  /** @returns {State} */
  firstState() {
    const { low, high, penalty, priority, reading } = this.report.head.settings;
    const [model, other = model] = this.report.head.ranking;
    const shown = { image: -1, sort: "worst", search: "", view: "" };
    return { low, high, penalty, priority, reading, over: "pooled", model, other, ...shown };
  }

  /** SoftPQ of each model on the images that all have, at the present settings. */
  get commonValues() {
    return this.modelNames.map((_, k) => {
      const parts = this.field.common(this.analysis.scoresOf(k).parts, k);
      if (this.over === "pooled") return pooledValue(parts, this.settings);
      return meanOf(parts.map((one) => valueOf(one, this.settings)));
    });
  }

  /** Half of the truth objects of the shown model are smaller. */
  get middleArea() {
    const bins = this.sizes[this.state.model];
    return bins[Math.ceil(bins.length / 2) - 1]?.to ?? 0;
  }

  get settings() {
    const { low, high, penalty, priority, reading } = this.state;
    return { low, high, penalty, priority, reading };
  }

  /** @returns {"pooled"|"mean"} */
  get over() {
    return this.state.over === "pooled" ? "pooled" : "mean";
  }

  /** @param {State} otherwise */
  parsed(otherwise) {
    const sorts = this.sorts.map(([value]) => value);
    return fromFragment(location.hash, otherwise, this.report.names, this.modelNames, sorts);
  }

  readFragment() {
    if (location.hash.replace(/^#/, "") === this.written) return;
    Object.assign(this.state, this.parsed({ ...this.initial, image: this.state.image }));
    this.update();
    restore(this.viewer, this.state.view);
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
    this.schedule(true);
  }

  schedule(moving = false) {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.update(moving);
    });
  }

  /** @param {boolean} [moving] whether it may change again at once, as a slider does */
  update(moving = false) {
    this.analysis = new Analysis(this.report, this.settings);
    this.compared = null;
    showControls(this);
    showNow(this);
    this.cards.show();
    if (moving && this.heavy) this.catchUp();
    else this.showAll();
    showBrowser(this);
    if (!this.staying) this.wall.show();
    this.viewer.show(this.analysis, this.state.image, this.state.model, this.state.other);
    clearTimeout(this.writing);
    if (moving) this.writing = window.setTimeout(() => this.writeFragment(), 120);
    else this.writeFragment();
    document.body.dataset.updates = String(Number(document.body.dataset.updates ?? 0) + 1);
  }

  /** What is said of all models. */
  showAll() {
    this.compare();
    showModels(this);
    this.cards.showVerdicts();
    this.tell();
  }

  /** The same a moment later, where there is much to compute. */
  catchUp() {
    for (const id of ["live", "chart-verdicts", "answer"]) byId(id).classList.add("stale");
    const { analysis, modelNames } = this;
    const steps = function* () {
      for (const k of modelNames.keys()) {
        analysis.scoresOf(k);
        yield;
        analysis.allVerdictsOf(k);
        yield;
      }
    };
    this.catchingUp.start(steps(), () => {
      for (const id of ["chart-verdicts", "answer"]) byId(id).classList.remove("stale");
      this.showAll();
    });
  }

  /** Intervals and tests at the present settings: a moment after the sliders stand still. */
  compare() {
    this.compared = null;
    const parts = this.modelNames.map((_, k) => this.analysis.scoresOf(k).parts);
    this.comparing.start(comparedOf(this.report, parts, this.settings, this.over), (found) => {
      this.compared = found;
      showModels(this);
      this.tell();
      document.body.dataset.compared = String(Number(document.body.dataset.compared ?? 0) + 1);
    });
  }

  tell() {
    if (this.modelNames.every((_, k) => this.analysis.scores[k])) showLead(this);
  }

  writeFragment() {
    this.written = toFragment(this.state, this.initial, this.report.names, this.modelNames);
    try {
      history.replaceState(null, "", this.written ? `#${this.written}` : location.href.split("#")[0]);
    } catch {
      // A page inside of another (a notebook) has no address of its own.
    }
  }

  /** @param {number} image @param {boolean} [atFirst] */
  pick(image, atFirst = false) {
    if (image < 0) return;
    this.state.image = image;
    if (atFirst) this.initial.image = image;
    this.staying = !atFirst;
    this.update();
    this.staying = false;
  }

  /** Show an image, and scroll to it. @param {number} image */
  lookAt(image) {
    this.pick(image);
    this.gallery.reveal();
    byId("viewer").scrollIntoView({ block: "nearest" });
  }
}

/** @param {Report} report */
function start(report) {
  colourPage();
  const page = new Page(report);
  // For the console of the browser.
  const engine = { matchPairs, partsOf, valueOf, verdictsOf, scoresOf, gainsOf, hardScoresOf, surfacesOf, comparedOf };
  Object.assign(globalThis, { softpq: { report, page, ...engine } });
  document.body.dataset.ready = "yes";
}

if (typeof document !== "undefined") loadReport().then(start);
