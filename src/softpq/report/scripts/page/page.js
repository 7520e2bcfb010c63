// Puts the page together: what was chosen -> numbers -> elements.
import { Background } from "../background.js";
import { byId, distinct, withoutShared } from "../dom.js";
import { Analysis, meanOf, pooledValue } from "../engine/analysis.js";
import { narrowed } from "../engine/narrowing.js";
import { valueOf } from "../engine/softpq.js";
import { facts } from "../facts.js";
import { fromFragment, setThreshold, toFragment } from "../state.js";
import { restore } from "../viewer/link.js";
import { Workshop } from "../workshop.js";
import { buildBrowser, rowsOf, showBrowser, sortOptions } from "./browser.js";
import { Cards } from "./cards.js";
import { showClasses } from "./classes.js";
import { buildControls, lowestScore, showControls } from "./controls.js";
import { derivedOf } from "./derived.js";
import { showLead } from "./lead.js";
import { showModels, showNow } from "./models.js";
import { buildHead } from "./head.js";
import { Sheet } from "./sheet.js";
import { buildTables, showSummary } from "./summary.js";
import { Wall } from "./wall.js";
import { printing } from "./printing.js";
/** @typedef {import("../state.js").State} State */
/** @typedef {import("../data.js").Report} Report */

const MANY = 150_000; // pairs of objects: with more, only the shown model follows a slider at once

export class Page {
  /** @param {Report} report */
  constructor(report) {
    this.full = report; // all objects
    this.report = report; // those that are looked at
    this.modelNames = report.models.map((model) => model.name);
    this.labels = distinct(this.modelNames, 28);
    this.imageLabels = withoutShared(report.names, document.documentElement.clientWidth < 700 ? 8 : 20);
    this.sorts = sortOptions(this);
    this.workshop = new Workshop(report, () => this.calm);
    this.catchingUp = new Background(() => this.calm);
    this.classing = new Background(() => this.calm);
    this.summing = new Background(() => this.calm);
    /** @type {any} */ this.classes = null;
    this.writing = 0;
    this.staying = false; // another image is looked at, nothing else changes
    this.hurried = false; // only what is looked at follows the slider; the rest does a moment later
    this.heavy = report.models.reduce((sum, model) => sum + model.whole.pairIou.length, 0) > MANY;
    /** @type {import("../engine/comparing.js").Compared|null} */ this.compared = null;
    /** @type {import("./tables.js").Order|null} */ this.modelOrder = null; // ranked
    const depths = [...report.pictures.values()].map((picture) => picture.shape[0]);
    this.unit = depths.some((depth) => depth > 1) ? "voxels" : "pixels";
    this.analysis = new Analysis(report, report.head.settings);
    this.narrowedTo = "";
    this.derived = derivedOf(report);
    /** @type {State} */ this.initial = this.firstState();
    /** @type {State} */ this.state = this.parsed(this.initial);
    this.frame = 0;
    this.written = "";
    buildHead(report, this.modelNames);
    buildTables(report.head);
    buildControls(this);
    this.cards = new Cards(this);
    const { gallery, viewer } = buildBrowser(this);
    this.gallery = gallery;
    this.viewer = viewer;
    this.wall = new Wall(this);
    this.sheet = new Sheet(this);
    this.start();
  }

  get hard() {
    return this.derived.hard;
  }

  get field() {
    return this.derived.field;
  }

  get bestIous() {
    return this.derived.bestIous;
  }

  get sizes() {
    return this.derived.sizes;
  }

  /** The class that is looked at, as a number; 0 for all. */
  get kind() {
    return this.full.head.classNames.indexOf(this.state.kind) + 1;
  }

  /** Look at the objects of a class, and at predictions with a score, if that is asked for. */
  narrow() {
    const key = this.full.scores ? `${this.kind} ${this.state.score}` : String(this.kind);
    if (key === this.narrowedTo) return;
    const before = this.report;
    this.narrowedTo = key;
    this.report = narrowed(this.full, { kind: this.kind, score: this.state.score });
    if (this.report !== before) this.derived = derivedOf(this.report);
    this.viewer.setReport(this.report);
    this.wall.crops.setReport(this.report);
    this.workshop.report = this.report;
    showSummary(this);
  }

  start() {
    const linked = this.state.view;
    if (this.state.image < 0) {
      const rows = rowsOf(this);
      this.initial.image = this.state.image = (rows.find((row) => row.picture) ?? rows[0])?.image ?? -1;
    }
    this.update();
    if (linked) restore(this.viewer, linked);
    window.addEventListener("hashchange", () => this.readFragment());
    window.addEventListener("beforeprint", () => printing(this, true));
    window.addEventListener("afterprint", () => printing(this, false));
  }

  /** @returns {State} */
  firstState() {
    const { low, high, penalty, priority, reading } = this.report.head.settings;
    const [model, other = model] = this.report.head.ranking;
    const shown = { image: -1, sort: "worst", search: "", view: "", kind: "", score: lowestScore(this.full) };
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
    const bins = this.sizes(this.state.model);
    return bins[Math.ceil(bins.length / 2) - 1]?.to ?? 0;
  }

  /** Whether what is looked at is there: first things first. */
  get calm() {
    return !this.viewer.picture || this.viewer.loaded !== null;
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
    const { classNames } = this.full.head;
    return fromFragment(location.hash, otherwise, this.full.names, this.modelNames, sorts, classNames);
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
    const { model: before, other } = this.state;
    Object.assign(this.state, changes);
    if (this.state.other === this.state.model) this.state.other = before === this.state.model ? other : before;
    this.schedule();
  }

  /** @param {"low"|"high"} which @param {number} value */
  setThreshold(which, value) {
    setThreshold(this.state, which, value);
    this.schedule(true);
  }

  /** @param {number} score least one of predictions that are looked at */
  setScore(score) {
    this.state.score = score;
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
    this.narrow();
    this.analysis = new Analysis(this.report, this.settings);
    this.compared = null;
    showControls(this);
    showNow(this);
    this.hurried = moving && this.heavy;
    this.cards.show();
    if (this.hurried) this.catchUp();
    else this.showAll();
    showBrowser(this);
    if (!this.staying) {
      this.wall.show();
      this.sheet.show();
      showClasses(this);
    }
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
    this.cards.showOthers();
    this.tell();
  }

  /** The same a moment later, where there is much to compute. */
  catchUp() {
    const late = ["answer", ...this.cards.late.map((id) => `chart-${id}`)];
    for (const id of ["live", ...late]) byId(id).classList.add("stale");
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
      for (const id of late) byId(id).classList.remove("stale");
      this.hurried = false;
      this.showAll();
      showBrowser(this);
    });
  }

  /** Intervals and tests at the present settings: a moment after the sliders stand still. */
  compare() {
    this.compared = null;
    if (this.modelNames.length > facts.statistics.mostModels) return;
    const parts = this.modelNames.map((_, k) => this.analysis.scoresOf(k).parts);
    this.workshop.start("compared", { parts, settings: this.settings, over: this.over }, (found) => {
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

  /** @param {number} image */
  pick(image) {
    if (image < 0) return;
    this.state.image = image;
    this.staying = true;
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
