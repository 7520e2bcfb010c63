// A volume from its other two sides: cuts along rows and columns through one point, with slices going down.
import { h } from "../dom.js";
import { SIDES, verdictsFor } from "../facts.js";
import { rastered } from "./raster.js";
/** @typedef {import("./viewer.js").Viewer} Viewer */
/** @typedef {import("../data.js").Picture} Picture */
/** @typedef {"row"|"column"} Cut along a row (x across), or along a column (y across) */

const CUTS = /** @type {Cut[]} */ (["row", "column"]);
const MOST = 220; // pixels high

export class Sides {
  /** @param {Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
    this.x = 0;
    this.y = 0;
    this.canvases = CUTS.map((cut) =>
      h("canvas", { class: "side", role: "img", onclick: (/** @type {any} */ e) => this.click(e, cut) }),
    );
    this.captions = CUTS.map(() => h("figcaption"));
    const figures = this.canvases.map((canvas, k) => h("figure", {}, canvas, this.captions[k]));
    this.element = h("div", { class: "sides", hidden: true }, ...figures);
    viewer.elements.stage.after(this.element);
    /** @type {Map<string, any>} */ this.bases = new Map();
  }

  /** @param {Picture} picture */
  prepare({ shape: [depth, height, width] }) {
    this.element.hidden = depth === 1;
    [this.x, this.y] = [Math.floor(width / 2), Math.floor(height / 2)];
    this.bases.clear();
  }

  /** Cut elsewhere. @param {number} x @param {number} y */
  moveTo(x, y) {
    const [, height, width] = this.viewer.picture?.shape ?? [1, 1, 1];
    const within = (/** @type {number} */ at, /** @type {number} */ size) =>
      Math.max(0, Math.min(size - 1, Math.floor(at)));
    [this.x, this.y] = [within(x, width), within(y, height)];
    this.bases.clear();
  }

  draw() {
    const { picture, loaded } = this.viewer;
    if (this.element.hidden || !picture || !loaded) return;
    CUTS.forEach((cut, k) => this.paint(cut, this.canvases[k], picture));
    const [, height, width] = picture.shape;
    this.captions[0].textContent = `slices down, columns across; row ${this.y + 1} of ${height}`;
    this.captions[1].textContent = `slices down, rows across; column ${this.x + 1} of ${width}`;
  }

  /**
   * Where the cut is shown: true to the size of voxels.
   * @param {Cut} cut @param {HTMLCanvasElement} canvas @param {Picture} picture
   */
  view(cut, canvas, picture) {
    const [depth, height, width] = picture.shape;
    const [deep, high, wide] = picture.sizes ?? [1, 1, 1];
    const [across, size] = cut === "row" ? [width, wide] : [height, high];
    const longest = Math.max(width * wide, height * high); // both cuts have one scale
    const scale = Math.min(canvas.clientWidth / longest, MOST / (depth * deep));
    return {
      scale: scale * size,
      down: scale * deep,
      x: (canvas.clientWidth - scale * size * across) / 2,
      y: 0,
      across,
      depth,
    };
  }

  /** @param {Cut} cut @param {any} canvas @param {Picture} picture */
  paint(cut, canvas, picture) {
    if (!canvas.clientWidth) return;
    const view = this.view(cut, canvas, picture);
    const ratio = window.devicePixelRatio || 1;
    canvas.style.height = `${Math.ceil(view.depth * view.down)}px`;
    [canvas.width, canvas.height] = [
      canvas.clientWidth * ratio,
      Math.max(1, Math.ceil(view.depth * view.down * ratio)),
    ];
    const context = canvas.getContext("2d");
    context.fillStyle = "#0c0e11";
    context.fillRect(0, 0, canvas.width, canvas.height);
    const base = this.viewer.layers.raw ? this.base(cut, picture) : null;
    context.imageSmoothingEnabled = false;
    if (base)
      context.drawImage(base, view.x * ratio, 0, view.across * view.scale * ratio, view.depth * view.down * ratio);
    this.paintLabels(cut, context, view, ratio);
    this.cross(cut, context, view, ratio);
  }

  /** @param {Cut} cut @param {any} context @param {any} view @param {number} ratio */
  paintLabels(cut, context, view, ratio) {
    const { viewer } = this;
    const model = viewer.shownModel(0);
    const place = viewer.report.models[model].placeOf.get(viewer.image);
    if (place === undefined) return;
    const layers = SIDES.filter((side) => viewer.layers[side] || viewer.layers.fill).map((side) => ({
      labels: /** @type {any} */ (this.cutLabels(cut, viewer.labelsOf(side, model), view)),
      verdicts: viewer.analysis.verdictsOf(model)[place][side],
      colours: verdictsFor(side).map((one, code) => (viewer.isHidden(side, code) ? null : one.colour)),
      fills: viewer.layers.fill && side === "truth",
      lines: viewer.layers[side],
      dashed: side === "pred",
    }));
    const { width, height } = context.canvas;
    const scaled = { scale: view.scale * ratio, down: view.down * ratio, x: view.x * ratio, y: 0 };
    const pixels = rastered(layers, 0, scaled, width, height, viewer.opacity);
    const { scratch } = viewer;
    [scratch.width, scratch.height] = [width, height];
    const made = new ImageData(new Uint8ClampedArray(pixels.buffer), width, height);
    /** @type {any} */ (scratch.getContext("2d")).putImageData(made, 0, 0);
    context.drawImage(scratch, 0, 0);
  }

  /** The labels along a cut, as a picture of one slice. @param {Cut} cut @param {any} labels @param {any} view */
  cutLabels(cut, labels, { across, depth }) {
    const [, , width] = labels.shape;
    const found = new Uint32Array(across * depth);
    for (let z = 0; z < depth; z++) {
      const plane = labels.plane(z);
      for (let k = 0; k < across; k++)
        found[z * across + k] = plane[cut === "row" ? this.y * width + k : k * width + this.x];
    }
    return { shape: [1, depth, across], plane: () => found };
  }

  /** The raw image along a cut; null until it is there. @param {Cut} cut @param {Picture} picture */
  base(cut, picture) {
    const { loaded, channel, stretch } = this.viewer;
    if (!picture.raw.length || !loaded) return null;
    const key = [cut, this.x, this.y, channel, stretch].join();
    const known = this.bases.get(key);
    if (known) return known === "coming" ? null : known;
    this.bases.set(key, "coming");
    const [, height, width] = picture.shape;
    const { x, y } = this;
    const at = (/** @type {number} */ k) => (cut === "row" ? y * width + k : k * width + x);
    loaded.raw.cut(channel, stretch, cut === "row" ? width : height, at).then((made) => {
      if (!this.bases.has(key)) return;
      this.bases.set(key, made);
      this.draw();
    });
    return null;
  }

  /** Where the other cuts are. @param {Cut} cut @param {any} context @param {any} view @param {number} ratio */
  cross(cut, context, view, ratio) {
    const { slice } = this.viewer;
    const { width, height } = context.canvas;
    const at = ((cut === "row" ? this.x : this.y) + 0.5) * view.scale + view.x;
    context.fillStyle = "#ffffffa6";
    context.fillRect(at * ratio, 0, 1, height);
    if (slice >= 0) context.fillRect(0, (slice + 0.5) * view.down * ratio, width, 1);
  }

  /** Where the picture is cut. @param {any} context of the picture @param {number} ratio */
  mark(context, ratio) {
    if (this.element.hidden) return;
    const { view, aspect } = this.viewer;
    const { width, height } = context.canvas;
    context.save();
    context.resetTransform();
    context.fillStyle = "#ffffff4d";
    context.fillRect(((this.x + 0.5) * view.scale + view.x) * ratio, 0, 1, height);
    context.fillRect(0, ((this.y + 0.5) * view.scale * aspect + view.y) * ratio, width, 1);
    context.restore();
  }

  /** @param {any} event @param {Cut} cut */
  click(event, cut) {
    const { viewer } = this;
    if (!viewer.picture) return;
    const view = this.view(cut, event.target, viewer.picture);
    const k = (event.offsetX - view.x) / view.scale;
    this.moveTo(cut === "row" ? k : this.x, cut === "row" ? this.y : k);
    viewer.toSlice(Math.floor(event.offsetY / view.down));
  }
}
