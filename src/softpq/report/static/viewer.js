// One image: raw pixels or silhouettes, outlines coloured by verdict, and what the object below the pointer is.
import { PRED_VERDICTS, TRUTH_VERDICTS } from "./verdicts.js";
import { blob, numbers } from "./data.js";
import { Labels, RawImage, silhouettes } from "./picture.js";
import { h, shown, signed, tip } from "./dom.js";
/** @typedef {import("./data.js").Report} Report */
/** @typedef {"truth"|"pred"} Side */
/** @typedef {{side: Side, object: number, model: number}} Selected an object, and the model whose table it is in */

/** @type {Record<string, [number, number, number]>} */
export const COLOURS = {
  matched: [0, 190, 138], partial: [240, 228, 66], split: [86, 180, 233], fragment: [86, 180, 233],
  merged: [224, 134, 186], merger: [224, 134, 186], missed: [240, 110, 10], ghost: [225, 225, 225],
};

/** @param {Side} side @param {number} verdict */
export function verdictName(side, verdict) {
  return (side === "truth" ? TRUTH_VERDICTS : PRED_VERDICTS)[verdict];
}

export class Viewer {
  /** @type {any[]} */ canvases = [];
  /** @type {any[]} */ captions = [];
  /** @type {any[]} */ panes = [];

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
    this.layers = { raw: true, fill: false, truth: true, pred: true };
    this.channel = "all";
    this.stretch = 1;
    this.two = false;
    this.blinking = 0;
    this.blinkOn = false;
    /** @type {Selected|null} */ this.selected = null;
    /** @type {{truth: Labels, preds: Map<number, Labels>, raw: RawImage}|null} */ this.loaded = null;
    /** @type {Map<string, any>} */ this.bases = new Map();
    this.build(host);
  }

  get picture() { return this.report.pictures.get(this.image); }

  /** @param {HTMLElement} host */
  build(host) {
    const toggle = (/** @type {"raw"|"fill"|"truth"|"pred"} */ layer, /** @type {string} */ text, /** @type {string} */ key) =>
      h("label", { title: `key ${key}` }, h("input", { type: "checkbox", checked: this.layers[layer], id: `layer-${layer}`,
        onchange: (/** @type {any} */ e) => { this.layers[layer] = e.target.checked; this.draw(); this.changed(); } }), ` ${text}`);
    this.canvases = [0, 1].map((k) => h("canvas", { tabindex: k ? -1 : 0, role: "img", class: "pane", "aria-label": "image with outlines" }));
    this.captions = [0, 1].map(() => h("figcaption"));
    this.panes = this.canvases.map((canvas, k) => h("figure", { hidden: k === 1 }, canvas, this.captions[k]));
    this.stage = h("div", { class: "stage" }, ...this.panes);
    this.empty = h("p", { class: "quiet no-picture", hidden: true });
    this.legend = h("div", { class: "legend" }, ...["matched", "partial", "split", "merged", "missed", "ghost"].map((name) =>
      h("span", {}, h("i", { class: `fill-${name}` }), { split: "split, fragment", merged: "merged, merger" }[name] ?? name)));
    this.info = h("div", { class: "info", "aria-live": "polite", id: "object-info" });
    this.slider = h("input", { type: "range", min: 0, max: 0, value: 0, id: "slice", "aria-label": "slice",
      oninput: (/** @type {any} */ e) => this.toSlice(Number(e.target.value)) });
    this.sliceText = h("span");
    this.projection = h("input", { type: "checkbox", id: "projection",
      onchange: (/** @type {any} */ e) => this.toSlice(e.target.checked ? -1 : Number(this.slider.value)) });
    this.slices = h("div", { class: "tools", hidden: true }, h("label", {}, "slice ", this.slider), this.sliceText,
      h("label", {}, this.projection, " maximum projection"));
    this.channels = h("select", { id: "channel", "aria-label": "channel",
      onchange: (/** @type {any} */ e) => { this.channel = e.target.value; this.bases.clear(); this.draw(); } });
    this.stretches = h("select", { id: "stretch", "aria-label": "contrast",
      onchange: (/** @type {any} */ e) => { this.stretch = Number(e.target.value); this.bases.clear(); this.draw(); } },
      ...[[0, "full range"], [1, "1–99 %"], [5, "5–95 %"], [0.1, "0.1–99.9 %"]].map(([value, text]) =>
        h("option", { value, selected: value === 1 }, String(text))));
    this.rawTools = h("span", { class: "raw-tools", hidden: true }, this.channels, " ", this.stretches);
    const several = this.report.models.length > 1;
    this.twoButton = h("button", { type: "button", id: "side-by-side", "aria-pressed": "false", hidden: !several, title: "key s",
      onclick: () => this.setTwo(!this.two) }, "side by side");
    this.blinkButton = h("button", { type: "button", id: "blink", "aria-pressed": "false", hidden: !several, title: "key b",
      onclick: () => this.setBlink(!this.blinking) }, "blink");
    const button = (/** @type {string} */ id, /** @type {string} */ text, /** @type {string} */ title, /** @type {() => void} */ act) =>
      h("button", { type: "button", id, title, onclick: act }, text);
    host.append(
      h("div", { class: "tools" }, toggle("raw", "image", "1"), toggle("fill", "fill", "2"), toggle("truth", "truth (solid)", "3"),
        toggle("pred", "prediction (dashed)", "4"), this.rawTools),
      h("div", { class: "tools" }, button("next-error", "next error", "key n", () => this.nextError(1)),
        button("previous-error", "previous", "key p", () => this.nextError(-1)),
        button("zoom-in", "+", "key +", () => this.zoom(1.5)), button("zoom-out", "−", "key −", () => this.zoom(1 / 1.5)),
        button("fit", "fit", "key 0", () => this.fitAgain()), this.twoButton, this.blinkButton),
      this.slices, this.empty, this.stage, this.legend, this.info,
      h("p", { class: "quiet keys" }, "Keys: arrows move, + − 0 zoom, n p errors, j k images, 1–4 layers, s side by side, b blink, [ ] slices, m projection."));
    for (const canvas of this.canvases) this.listen(canvas);
    host.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.key(event));
    new ResizeObserver(() => { this.measure(); this.draw(); }).observe(this.stage);
  }

  /** @param {any} canvas */
  listen(canvas) {
    /** @type {{x: number, y: number}|null} */ let drag = null;
    let moved = 0;
    canvas.addEventListener("wheel", (/** @type {WheelEvent} */ event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * 0.0016), event.offsetX, event.offsetY);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
      drag = { x: event.clientX, y: event.clientY };
      moved = 0;
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
      if (!drag) { this.hover(event, canvas); return; }
      moved += Math.abs(event.clientX - drag.x) + Math.abs(event.clientY - drag.y);
      this.view.x += event.clientX - drag.x;
      this.view.y += event.clientY - drag.y;
      this.moved = true;
      drag = { x: event.clientX, y: event.clientY };
      this.draw();
    });
    canvas.addEventListener("pointerup", (/** @type {PointerEvent} */ event) => {
      drag = null;
      if (moved < 4) this.select(this.at(event, canvas));
      else this.changed();
    });
    canvas.addEventListener("pointerleave", tip.hide);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {any} */ (event.target), isArrow = event.key.startsWith("Arrow");
    if (target.tagName === "SELECT" || target.type === "number" || (isArrow && target.tagName !== "CANVAS")) return;
    const move = (/** @type {number} */ x, /** @type {number} */ y) => { this.view.x += x; this.view.y += y; this.moved = true; this.draw(); this.changed(); };
    /** @type {Record<string, () => void>} */ const acts = {
      ArrowLeft: () => move(40, 0), ArrowRight: () => move(-40, 0), ArrowUp: () => move(0, 40), ArrowDown: () => move(0, -40),
      "+": () => this.zoom(1.25), "=": () => this.zoom(1.25), "-": () => this.zoom(0.8), 0: () => this.fitAgain(),
      n: () => this.nextError(1), p: () => this.nextError(-1), j: () => this.calls.step(1), k: () => this.calls.step(-1),
      s: () => this.setTwo(!this.two), b: () => this.setBlink(!this.blinking),
      "[": () => this.toSlice(Math.max(0, Number(this.slider.value) - 1)), "]": () => this.toSlice(Number(this.slider.value) + 1),
      m: () => this.toSlice(this.slice < 0 ? Number(this.slider.value) : -1),
      1: () => this.flip("raw"), 2: () => this.flip("fill"), 3: () => this.flip("truth"), 4: () => this.flip("pred"),
      Escape: () => this.select(null),
    };
    const act = acts[event.key];
    if (act) { event.preventDefault(); act(); }
  }

  /** @param {"raw"|"fill"|"truth"|"pred"} layer */
  flip(layer) {
    this.layers[layer] = !this.layers[layer];
    /** @type {any} */ (document.getElementById(`layer-${layer}`)).checked = this.layers[layer];
    this.draw();
    this.changed();
  }

  /** Tell the page what is to be kept in its address. */
  changed() { this.calls.changed(this.asText()); }

  /** What is shown, as a short text; empty for what is shown at first. */
  asText() {
    const parts = [], off = /** @type {(keyof Viewer["layers"])[]} */ (["raw", "fill", "truth", "pred"]).filter((k) => this.layers[k] === (k === "fill"));
    const { selected, picture } = this, [depth] = picture?.shape ?? [1];
    if (depth > 1) parts.push(`z${this.slice}`);
    if (off.length) parts.push(`t${off.join("+")}`);
    if (this.two) parts.push("two");
    if (selected) parts.push(`o${selected.side}+${selected.object}+${selected.model}`);
    if (this.moved && picture) {
      const { scale, x, y } = this.view, { width, height } = this.paneSize;
      parts.push(`v${[scale, (width / 2 - x) / scale, (height / 2 - y) / scale].map((n) => n.toFixed(2)).join("+")}`);
    }
    return parts.join("_");
  }

  /** Show what such a text says; what makes no sense is passed over. @param {string} text */
  async restore(text) {
    while (this.picture && !this.loaded) await new Promise((go) => setTimeout(go, 10));
    for (const part of text.split("_").filter(Boolean)) {
      const values = part.slice(1).split("+");
      if (part === "two") this.setTwo(true);
      else if (part[0] === "z" && Number.isInteger(Number(values[0]))) this.toSlice(Number(values[0]));
      else if (part[0] === "t") for (const layer of values) if (layer in this.layers) this.flip(/** @type {"raw"} */ (layer));
      if (part[0] === "o") this.restoreObject(values);
      if (part[0] === "v") this.restoreView(values.map(Number));
    }
  }

  /** @param {string[]} values side, object, model */
  restoreObject([side, object, model]) {
    const data = this.report.models[Number(model)], place = data?.placeOf.get(this.image);
    if ((side !== "truth" && side !== "pred") || place === undefined) return;
    const count = (side === "truth" ? data.truthIds : data.predIds)[place].length;
    if (Number(object) >= 0 && Number(object) < count) this.select({ side, object: Number(object), model: Number(model) });
  }

  /** @param {number[]} values scale, and what is in the middle */
  restoreView([scale, x, y]) {
    if (![scale, x, y].every(Number.isFinite) || scale <= 0) return;
    this.view = { scale, x: this.paneSize.width / 2 - scale * x, y: this.paneSize.height / 2 - scale * y };
    this.moved = true;
    this.draw();
    this.changed();
  }

  /** @param {boolean} on */
  setTwo(on) {
    if (this.report.models.length < 2) return;
    this.two = on;
    if (on) this.setBlink(false);
    const before = this.paneSize, fitted = !this.moved;
    this.panes[1].hidden = !on;
    this.measure();
    this.twoButton.setAttribute("aria-pressed", String(on));
    this.view.x += (this.paneSize.width - before.width) / 2; // what was in the middle stays there
    if (fitted) this.fit();
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
      this.blinking = window.setInterval(() => { this.blinkOn = !this.blinkOn; this.draw(); }, 700);
    }
    this.blinkButton.setAttribute("aria-pressed", String(Boolean(on)));
    this.draw();
  }

  /** @param {number} slice */
  toSlice(slice) {
    const depth = this.picture?.shape[0] ?? 1;
    this.slice = depth > 1 ? Math.max(-1, Math.min(depth - 1, slice)) : 0;
    if (this.slice >= 0) this.slider.value = this.slice;
    this.projection.checked = this.slice < 0;
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
    if (model !== this.model && this.selected) this.selected = this.selected.side === "pred" ? null : { ...this.selected, model };
    [this.image, this.model, this.other] = [image, model, other];
    if (another) {
      this.selected = null;
      this.loaded = null;
      this.bases.clear();
      await this.load();
    }
    this.tell();
    this.draw();
  }

  async load() {
    const picture = this.picture, image = this.image;
    this.stage.hidden = this.legend.hidden = !picture;
    this.empty.hidden = Boolean(picture);
    if (!picture) {
      this.empty.textContent = image < 0 ? "Choose an image." : `${this.report.names[image]} is not embedded; its numbers are. ${this.report.head.pictureNote}`;
      return;
    }
    const read = async (/** @type {string} */ id) => new Labels(numbers(picture.dtype, await blob(id)), picture.shape);
    const truth = await read(picture.truth), preds = new Map();
    for (const [name, id] of Object.entries(picture.preds)) {
      preds.set(this.report.models.findIndex((one) => one.name === name), await read(id));
    }
    if (image !== this.image) return; // another one was chosen meanwhile
    this.loaded = { truth, preds, raw: new RawImage(picture) };
    this.measure();
    const depth = picture.shape[0];
    this.slices.hidden = depth === 1;
    this.slider.max = depth - 1;
    this.rawTools.hidden = picture.raw.length === 0;
    this.channels.hidden = picture.raw.length < 2;
    this.channels.replaceChildren(...["all", ...picture.raw.map((_, k) => String(k))].map((value) =>
      h("option", { value }, value === "all" ? "all channels" : `channel ${Number(value) + 1}`)));
    this.channel = "all";
    this.slice = Math.floor(depth / 2);
    this.toSlice(this.slice);
    this.fit();
  }

  fit() {
    const picture = this.picture;
    if (!picture) return;
    const [, height, width] = picture.shape, box = this.paneSize;
    const scale = Math.min(box.width / width, box.height / height) * 0.98;
    this.view = { scale, x: (box.width - scale * width) / 2, y: (box.height - scale * height) / 2 };
    this.moved = false;
  }

  fitAgain() {
    this.fit();
    this.draw();
    this.changed();
  }

  /** Ask for the size of the panes only when it may have changed: asking makes the page lay out everything. */
  measure() {
    const [pane] = this.canvases;
    if (pane.clientWidth) this.paneSize = { width: pane.clientWidth, height: pane.clientHeight };
  }

  /** @param {number} by @param {number} [x] @param {number} [y] a place that stays where it is */
  zoom(by, x, y) {
    const box = this.paneSize, [px, py] = [x ?? box.width / 2, y ?? box.height / 2];
    const scale = Math.min(80, Math.max(0.05, this.view.scale * by)), ratio = scale / this.view.scale;
    this.view = { scale, x: px - (px - this.view.x) * ratio, y: py - (py - this.view.y) * ratio };
    this.moved = true;
    this.draw();
    this.changed();
  }

  /** The model that a pane shows. @param {number} pane */
  shownModel(pane) { return pane === 1 || this.blinkOn ? this.other : this.model; }

  draw() {
    if (!this.loaded || !this.analysis) return;
    this.canvases.forEach((canvas, pane) => { if (pane === 0 || this.two) this.paint(canvas, this.shownModel(pane), pane); });
    const { scale, x, y } = this.view;
    Object.assign(this.canvases[0].dataset, { scale: scale.toFixed(4), x: x.toFixed(1), y: y.toFixed(1), slice: this.slice,
      model: this.shownModel(0), image: this.image });
    this.sliceText.textContent = this.slice < 0 ? "all" : `${this.slice + 1} of ${this.picture?.shape[0]}`;
  }

  /** @param {any} canvas @param {number} model @param {number} pane */
  paint(canvas, model, pane) {
    const { width, height } = this.paneSize, ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const context = canvas.getContext("2d"), { scale, x, y } = this.view;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = "#0c0e11";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.setTransform(scale * ratio, 0, 0, scale * ratio, x * ratio, y * ratio);
    context.imageSmoothingEnabled = scale < 2;
    const base = this.base(model);
    if (base) context.drawImage(base, 0, 0);
    const place = this.report.models[model].placeOf.get(this.image);
    this.captions[pane].textContent = this.report.models[model].name + (place === undefined ? ": not scored" : "");
    if (place === undefined) return;
    for (const side of /** @type {Side[]} */ (["truth", "pred"])) this.paintSide(context, side, model, place);
  }

  /** @param {any} context @param {Side} side @param {number} model @param {number} place */
  paintSide(context, side, model, place) {
    const labels = this.labelsOf(side, model);
    if (!labels || !(this.layers[side] || this.layers.fill)) return;
    const verdicts = this.analysis.verdictsOf(model)[place][side], loops = labels.loops(this.slice), pixel = 1 / this.view.scale;
    /** @type {Map<number, Path2D>} */ const paths = new Map();
    for (const [object, outlines] of loops) {
      const verdict = verdicts[object - 1];
      let path = paths.get(verdict);
      if (!path) paths.set(verdict, (path = new Path2D()));
      trace(path, outlines);
    }
    for (const [verdict, path] of paths) {
      const colour = `rgb(${COLOURS[verdictName(side, verdict)].join(",")})`;
      if (this.layers.fill && side === "truth") { context.globalAlpha = 0.3; context.fillStyle = colour; context.fill(path, "evenodd"); context.globalAlpha = 1; }
      if (!this.layers[side]) continue;
      context.lineWidth = (side === "truth" ? 1.9 : 1.5) * pixel;
      context.setLineDash(side === "truth" ? [] : [5 * pixel, 3.5 * pixel]);
      context.strokeStyle = colour;
      context.stroke(path);
    }
    context.setLineDash([]);
    const { selected } = this;
    if (selected?.side === side && (side === "truth" || selected.model === model)) this.highlight(context, loops.get(selected.object + 1), pixel);
  }

  /** @param {any} context @param {number[][]|undefined} outlines @param {number} pixel */
  highlight(context, outlines, pixel) {
    if (!outlines) return;
    const path = new Path2D();
    trace(path, outlines);
    context.lineWidth = 3.4 * pixel;
    context.strokeStyle = "#ffffff";
    context.stroke(path);
  }

  /** @param {Side} side @param {number} model */
  labelsOf(side, model) { return side === "truth" ? this.loaded?.truth : this.loaded?.preds.get(model); }

  /** The picture below the outlines. @param {number} model */
  base(model) {
    const picture = this.picture, loaded = this.loaded;
    if (!picture || !loaded || !this.layers.raw) return null;
    const hasRaw = picture.raw.length > 0, key = `${hasRaw ? "" : model} ${this.slice}`;
    const known = this.bases.get(key);
    if (known) return known === "coming" ? null : known;
    if (!hasRaw) {
      const sides = /** @type {Side[]} */ (["truth", "pred"]).map((side) => this.labelsOf(side, model)?.plane(this.slice));
      const made = silhouettes(picture.shape, sides[0], sides[1]);
      this.bases.set(key, made);
      return made;
    }
    this.bases.set(key, "coming");
    loaded.raw.composed(this.slice, this.channel, this.stretch).then((made) => { if (loaded === this.loaded) { this.bases.set(key, made); this.draw(); } });
    return null;
  }

  /** @param {any} event @param {any} canvas @returns {Selected[]} what lies there */
  everythingAt(event, canvas) {
    const picture = this.picture;
    if (!picture || !this.loaded) return [];
    const box = canvas.getBoundingClientRect(), [, height, width] = picture.shape;
    const x = Math.floor((event.clientX - box.left - this.view.x) / this.view.scale);
    const y = Math.floor((event.clientY - box.top - this.view.y) / this.view.scale);
    if (x < 0 || y < 0 || x >= width || y >= height) return [];
    const model = this.shownModel(canvas === this.canvases[1] ? 1 : 0);
    return /** @type {Side[]} */ (["truth", "pred"]).flatMap((side) => {
      const place = this.labelsOf(side, model)?.plane(this.slice)[y * width + x] ?? 0;
      return place ? [{ side, object: place - 1, model }] : [];
    });
  }

  /** What a click selects: of what can be seen there, the next one. @param {any} event @param {any} canvas */
  at(event, canvas) {
    const there = this.everythingAt(event, canvas).filter(({ side }) => this.layers[side]);
    const at = there.findIndex((one) => one.side === this.selected?.side && one.object === this.selected?.object && one.model === this.selected?.model);
    return there[(at + 1) % Math.max(1, there.length)] ?? null;
  }

  /** @param {any} event @param {any} canvas */
  hover(event, canvas) {
    const found = this.everythingAt(event, canvas);
    if (found.length) tip.show(event, ...found.map(({ side, object, model }) => this.described(side, object, model)));
    else tip.hide();
  }

  /** @param {Selected|null} what */
  select(what) {
    this.selected = what;
    this.tell();
    this.draw();
    this.changed();
  }

  tell() {
    const what = this.selected;
    if (!what || !this.loaded) { this.info.replaceChildren(h("p", { class: "quiet" }, this.loaded ? "Click an object, or press n for the next error." : "")); return; }
    const several = this.report.models.length > 1 ? h("p", { class: "quiet" }, this.report.models[what.model].name) : "";
    this.info.replaceChildren(several, this.described(what.side, what.object, what.model));
  }

  /** @param {Side} side @param {number} object @param {number} model */
  described(side, object, model) {
    const data = this.report.models[model], place = data.placeOf.get(this.image);
    if (place === undefined) return h("div", {}, "not scored");
    const table = data.tables[place], [mine, theirs] = side === "truth" ? [data.truthIds, data.predIds] : [data.predIds, data.truthIds];
    const areas = side === "truth" ? table.truthAreas : table.predAreas, verdict = verdictName(side, this.analysis.verdictsOf(model)[place][side][object]);
    const pairs = this.analysis.pairsOf(model, place, side, object), total = pairs.reduce((/** @type {number} */ sum, /** @type {any} */ p) => sum + p.adds, 0);
    return h("div", { class: "object" },
      h("p", {}, h("i", { class: `fill-${verdict}` }), h("b", {}, ` ${verdict}`), ` · ${side === "truth" ? "truth" : "prediction"} ${mine[place][object]} · ${areas[object]} pixels`),
      pairs.length ? h("table", {}, h("tr", {}, ...[side === "truth" ? "prediction" : "truth", "IoU", "", "weight", "adds"].map((t) => h("th", {}, t))),
        ...pairs.slice(0, 6).map((/** @type {any} */ p) => h("tr", {}, h("td", {}, String(theirs[place][p.partner])), h("td", {}, shown(p.iou)), h("td", {}, p.kind),
          h("td", {}, shown(p.weight, 2)), h("td", {}, signed(p.adds))))) : h("p", {}, "no partner shares a pixel"),
      pairs.length > 6 ? h("p", { class: "quiet" }, `and ${pairs.length - 6} more`) : null,
      h("p", {}, `adds ${shown(total, 4)} to the SoftPQ of this image`),
      this.analysis.settings.reading === "released" && data.whole !== data.wholePieces
        ? h("p", { class: "quiet" }, "as labels; the released reading counts connected pieces") : null);
  }

  /** Objects that are not matched, the worst kind first. @returns {{side: Side, object: number}[]|null} */
  errors() {
    const data = this.report.models[this.model], place = data.placeOf.get(this.image);
    if (place === undefined || !this.analysis) return null;
    const verdicts = this.analysis.verdictsOf(this.model)[place], table = data.tables[place];
    /** @type {{side: Side, object: number, kind: number, area: number}[]} */ const found = [];
    verdicts.truth.forEach((/** @type {number} */ v, /** @type {number} */ object) => {
      if (v) found.push({ side: "truth", object, kind: [0, 4, 2, 1, 0][v], area: table.truthAreas[object] });
    });
    verdicts.pred.forEach((/** @type {number} */ v, /** @type {number} */ object) => {
      if (v === PRED_VERDICTS.indexOf("ghost")) found.push({ side: "pred", object, kind: 3, area: table.predAreas[object] });
    });
    return found.sort((a, b) => a.kind - b.kind || b.area - a.area);
  }

  /** @param {number} by */
  nextError(by) {
    const errors = this.errors();
    if (!errors?.length) { this.info.replaceChildren(h("p", {}, errors ? "No errors in this image." : "This model was not scored on this image.")); return; }
    const at = errors.findIndex((e) => e.side === this.selected?.side && e.object === this.selected?.object);
    const next = at < 0 ? (by > 0 ? 0 : errors.length - 1) : (at + by + errors.length) % errors.length;
    this.goTo(errors[next].side, errors[next].object);
  }

  /** @param {Side} side @param {number} object */
  goTo(side, object) {
    const labels = this.labelsOf(side, this.model), data = this.report.models[this.model], place = data.placeOf.get(this.image);
    if (labels && place !== undefined) {
      const table = data.tables[place], count = (side === "truth" ? table.truthAreas : table.predAreas).length;
      const [x0, y0, x1, y1, z] = labels.box(object, count);
      if (x0 >= 0) {
        if (labels.shape[0] > 1 && this.slice >= 0) this.toSlice(z);
        const box = this.paneSize, span = Math.max(x1 - x0 + 1, y1 - y0 + 1, 8);
        const scale = Math.min(30, Math.min(box.width, box.height) / (4 * span));
        this.view = { scale, x: box.width / 2 - (scale * (x0 + x1 + 1)) / 2, y: box.height / 2 - (scale * (y0 + y1 + 1)) / 2 };
        this.moved = true;
      }
    }
    this.select({ side, object, model: this.model });
  }
}

/** @param {Path2D} path @param {number[][]} outlines */
function trace(path, outlines) {
  for (const loop of outlines) {
    path.moveTo(loop[0], loop[1]);
    for (let k = 2; k < loop.length; k += 2) path.lineTo(loop[k], loop[k + 1]);
    path.closePath();
  }
}
