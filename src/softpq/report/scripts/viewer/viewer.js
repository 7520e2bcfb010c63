// One image: raw pixels or silhouettes, outlines coloured by verdict, and what the object below the pointer is.
import { h } from "../dom.js";
import { verdictsFor } from "../facts.js";
import { tip } from "../tip.js";
import { fit, shift, zoom } from "./camera.js";
import { buildViewer } from "./elements.js";
import { errorsOf, zoomTo } from "./errors.js";
import { described, inOthers } from "./info.js";
import { LAYERS } from "./layers.js";
import { asText } from "./link.js";
import { objectsAt, sameObject } from "./objects.js";
import { loadPicture } from "./loading.js";
import { paintPane } from "./paint.js";
import { some } from "./some.js";
import { listenToKeys, listenToPointer } from "./pointer.js";
import { scaleBar } from "./scale_bar.js";
import { Sides } from "./sides.js";
/** @typedef {import("../data.js").Report} Report */
/** @typedef {import("../facts.js").Side} Side */
/** @typedef {import("./layers.js").Layer} Layer */
/** @typedef {{side: Side, object: number, model: number}} Selected an object, and the model whose table it is in */

export class Viewer {
  /**
   * @param {HTMLElement} host @param {Report} report
   * @param {{changed: (view: string) => void, step: (by: number) => void}} calls
   */
  constructor(host, report, calls) {
    this.report = report;
    this.calls = calls;
    /** @type {any} */ this.analysis = null;
    this.image = -1;
    this.model = 0;
    this.other = 0;
    this.slice = 0;
    this.view = { scale: 1, x: 0, y: 0 };
    this.paneSize = { width: 600, height: 480 };
    this.moved = false; // by the reader
    /** @type {Record<Layer, boolean>} */ this.layers = { ...LAYERS };
    this.opacity = 0.4;
    /** @type {Set<string>} */ this.hiddenSigns = new Set();
    this.scratch = document.createElement("canvas");
    this.channel = "all";
    this.stretch = 1;
    this.two = false;
    this.blinking = 0;
    this.blinkOn = false;
    /** @type {Selected|null} */ this.selected = null;
    /** @type {import("./loading.js").Loaded|null} */ this.loaded = null;
    /** @type {Map<string, any>} */ this.bases = new Map();
    /** @type {any} */ this.elements = buildViewer(this, host);
    this.sides = new Sides(this);
    for (const canvas of this.elements.canvases) listenToPointer(this, canvas);
    listenToKeys(this, host);
    new ResizeObserver(() => {
      this.measure();
      this.draw();
    }).observe(this.elements.stage);
  }

  /** How much higher than wide a pixel is. */
  get aspect() {
    const [, high, wide] = this.picture?.sizes ?? [1, 1, 1];
    return Math.min(20, Math.max(0.05, high / wide));
  }

  /** The scale bar. */
  get bar() {
    return scaleBar(this);
  }

  /** Whether a verdict is switched off. @param {Side} side @param {number} code */
  isHidden(side, code) {
    return this.hiddenSigns.has(verdictsFor(side)[code].sign);
  }

  /** Show or hide what has a sign. @param {string} sign @param {boolean} on */
  setSign(sign, on) {
    if (on) this.hiddenSigns.delete(sign);
    else this.hiddenSigns.add(sign);
    this.draw();
  }

  get picture() {
    return this.report.pictures.get(this.image);
  }

  /** Tell the page what is to be kept in its address. */
  changed() {
    this.calls.changed(asText(this));
  }

  // ---------------------------------------------------------------- what is shown

  /** All layers as they are at first, but for these. @param {string[]} changed */
  setLayers(changed) {
    for (const layer of /** @type {Layer[]} */ (Object.keys(LAYERS))) {
      this.layers[layer] = changed.includes(layer) ? !LAYERS[layer] : LAYERS[layer];
      /** @type {any} */ (document.getElementById(`layer-${layer}`)).checked = this.layers[layer];
    }
  }

  /** @param {Layer} layer @param {boolean} on */
  setLayer(layer, on) {
    this.layers[layer] = on;
    /** @type {any} */ (document.getElementById(`layer-${layer}`)).checked = on;
    this.draw();
    this.changed();
  }

  /** How the raw image is shown. @param {{channel?: string, stretch?: number}} choice */
  setRaw(choice) {
    Object.assign(this, choice);
    this.bases.clear();
    this.draw();
  }

  /** @param {boolean} on */
  setTwo(on) {
    if (this.report.models.length < 2 || on === this.two) return;
    this.two = on;
    if (on) this.setBlink(false);
    const before = this.paneSize;
    const fitted = !this.moved;
    this.elements.panes[1].hidden = !on;
    this.measure();
    this.elements.twoButton.setAttribute("aria-pressed", String(on));
    this.view.x += (this.paneSize.width - before.width) / 2; // what was in the middle stays there
    if (fitted) fit(this);
    this.draw();
    this.changed();
  }

  /** @param {boolean|number} on */
  setBlink(on) {
    if (this.report.models.length < 2) return;
    clearInterval(this.blinking);
    this.blinking = 0;
    this.blinkOn = false;
    if (on) {
      if (this.two) this.setTwo(false);
      const flip = () => {
        this.blinkOn = !this.blinkOn;
        this.draw();
      };
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (still) this.blinkOn = true;
      this.blinking = still ? -1 : window.setInterval(flip, 700);
    }
    this.elements.blinkButton.setAttribute("aria-pressed", String(Boolean(on)));
    this.draw();
  }

  /** @param {number} slice -1 for all of them */
  toSlice(slice) {
    const depth = this.picture?.shape[0] ?? 1;
    this.slice = depth > 1 ? Math.max(-1, Math.min(depth - 1, slice)) : 0;
    if (this.slice >= 0) this.elements.slider.value = this.slice;
    this.elements.projection.checked = this.slice < 0;
    this.draw();
    this.changed();
  }

  /**
   * @param {any} analysis @param {number} image @param {number} model @param {number} other
   * @returns {Promise<void>}
   */
  async show(analysis, image, model, other) {
    this.analysis = analysis;
    const another = image !== this.image;
    if (model !== this.model && this.selected) {
      this.selected = this.selected.side === "pred" ? null : { ...this.selected, model };
    }
    [this.image, this.model, this.other] = [image, model, other];
    if (another) {
      this.selected = null;
      this.loaded = null;
      this.bases.clear();
      await loadPicture(this);
    }
    this.tell();
    this.draw();
  }

  fitAgain() {
    fit(this);
    this.draw();
    this.changed();
  }

  /** @param {number} x @param {number} y */
  shift(x, y) {
    shift(this, x, y);
    this.draw();
  }

  /** Ask for the size of the panes only when it may have changed: asking makes the page lay out everything. */
  measure() {
    const [pane] = this.elements.canvases;
    if (pane.clientWidth) this.paneSize = { width: pane.clientWidth, height: pane.clientHeight };
  }

  /** @param {number} by @param {number} [x] @param {number} [y] a place that stays where it is */
  zoom(by, x, y) {
    zoom(this, by, x, y);
    this.draw();
    this.changed();
  }

  /** The model that a pane shows. @param {number} pane */
  shownModel(pane) {
    return pane === 1 || this.blinkOn ? this.other : this.model;
  }

  draw() {
    if (!this.loaded || !this.analysis) return;
    const { canvases, captions, sliceText } = this.elements;
    for (const pane of this.two ? [0, 1] : [0]) {
      const model = this.shownModel(pane);
      const data = this.report.models[model];
      const place = data.placeOf.get(this.image);
      captions[pane].textContent = data.name + (place === undefined ? ": not scored" : "");
      paintPane(this, canvases[pane], model, place);
    }
    const { scale, x, y } = this.view;
    const where = { scale: scale.toFixed(4), x: x.toFixed(1), y: y.toFixed(1) };
    Object.assign(canvases[0].dataset, where, { slice: this.slice, model: this.shownModel(0), image: this.image });
    this.sides.draw();
    sliceText.textContent = this.slice < 0 ? "all" : `${this.slice + 1} of ${this.picture?.shape[0]}`;
  }

  /** @param {Side} side @param {number} model */
  labelsOf(side, model) {
    const { kept, placeOf } = this.report.models[model];
    const here = kept?.[placeOf.get(this.image) ?? -1];
    return some(side === "truth" ? this.loaded?.truth : this.loaded?.preds.get(model), here?.[side]);
  }

  /** Look at other objects of the same images: what is selected stays, if it is still there. @param {Report} report */
  setReport(report) {
    if (report === this.report) return;
    if (this.selected) this.selected = sameObject(this.selected, this.image, this.report, report);
    this.report = report;
    this.bases.clear();
  }

  // ---------------------------------------------------------------- objects

  /** @param {any} event @param {any} canvas */
  hover(event, canvas) {
    const found = objectsAt(this, event, canvas);
    if (!found.length) return tip.hide();
    tip.show(event, ...found.map(({ side, object, model }) => described(this, side, object, model)));
  }

  /** @param {Selected|null} what */
  select(what) {
    this.selected = what;
    this.tell();
    this.draw();
    this.changed();
  }

  tell() {
    const { selected, loaded } = this;
    if (!selected || !loaded) {
      this.say(loaded ? "Click an object, or press n for the next error." : "");
      return;
    }
    const { models } = this.report;
    const several = models.length > 1 ? h("p", { class: "quiet" }, models[selected.model].name) : "";
    const told = described(this, selected.side, selected.object, selected.model);
    this.elements.info.replaceChildren(several, told, inOthers(this, selected));
  }

  /** @param {string} text */
  say(text) {
    this.elements.info.replaceChildren(h("p", { class: "quiet" }, text));
  }

  /** @param {number} by */
  nextError(by) {
    const errors = errorsOf(this);
    if (!errors?.length) {
      this.say(errors ? "No errors in this image." : "This model was not scored on this image.");
      return;
    }
    const { side, object } = this.selected ?? {};
    const at = errors.findIndex((one) => one.side === side && one.object === object);
    const first = by > 0 ? 0 : errors.length - 1;
    const next = errors[at < 0 ? first : (at + by + errors.length) % errors.length];
    this.goTo(next.side, next.object);
  }

  /** @param {Side} side @param {number} object */
  goTo(side, object) {
    zoomTo(this, side, object);
    this.select({ side, object, model: this.model });
  }
}
