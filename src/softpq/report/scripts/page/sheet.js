// A contact sheet: the worst images of the shown model as small pictures, for the eye and for paper.
import { byId, h, roving, shortened, shown } from "../dom.js";
import { SIDES, verdictsFor } from "../facts.js";
import { rastered } from "../viewer/raster.js";
import { some } from "../viewer/some.js";
/** @typedef {import("./page.js").Page} Page */

const MOST = 8;
const SIZE = 210; // pixels of the screen
const STILL = 700; // milliseconds after the sliders stand still

export class Sheet {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.waiting = 0;
    byId("sheet").hidden = page.report.pictures.size < 2;
  }

  /** Again, when there is time. */
  show() {
    if (byId("sheet").hidden) return;
    clearTimeout(this.waiting);
    this.waiting = window.setTimeout(() => (this.page.calm ? this.draw() : this.show()), STILL);
  }

  /** The images that can be looked at, the lowest SoftPQ first. */
  get worst() {
    const { page } = this;
    const { model } = page.state;
    const { images } = page.report.models[model];
    const { values } = page.analysis.scoresOf(model);
    const places = Array.from(images.keys()).filter(
      (k) => page.report.pictures.has(images[k]) && !Number.isNaN(values[k]),
    );
    return places.sort((a, b) => values[a] - values[b]).slice(0, MOST);
  }

  draw() {
    const { page } = this;
    const { model } = page.state;
    const { values } = page.analysis.scoresOf(model);
    const made = this.worst.map((place) => {
      const image = page.report.models[model].images[place];
      const name = page.report.names[image];
      const canvas = h("canvas", { "aria-hidden": "true" });
      const title = `${name}: SoftPQ ${shown(values[place])}`;
      const attributes = { type: "button", class: "plain", title, onclick: () => page.lookAt(image) };
      this.paint(canvas, image, model, place);
      const text = h("span", {}, shortened(page.imageLabels[image], 22), " ", h("b", {}, shown(values[place])));
      return h("button", attributes, canvas, text);
    });
    byId("sheet-body").replaceChildren(...made);
    if (made.length) roving(byId("sheet-body"), "button");
    document.body.dataset.sheet = String(Number(document.body.dataset.sheet ?? 0) + 1);
  }

  /** @param {any} canvas @param {number} image @param {number} model @param {number} place */
  async paint(canvas, image, model, place) {
    const { crops } = this.page.wall;
    const { truth, preds } = await crops.load(image);
    const [depth, rows, columns] = truth.shape;
    const slice = Math.floor(depth / 2);
    const base = await crops.base(image, model, slice);
    const scale = Math.min(SIZE / columns, SIZE / rows);
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [columns, rows].map((n) => Math.max(1, Math.round(n * scale * ratio)));
    [canvas.width, canvas.height] = [width, height];
    const context = canvas.getContext("2d");
    const level = base.findLast((/** @type {any} */ one) => one.width >= width) ?? base[0];
    context.drawImage(level, 0, 0, width, height);
    const kept = this.page.report.models[model].kept?.[place];
    const verdicts = this.page.analysis.verdictsOf(model)[place];
    const layers = SIDES.map((side) => ({
      labels: /** @type {any} */ (some(side === "truth" ? truth : preds.get(model), kept?.[side])),
      verdicts: verdicts[side],
      colours: verdictsFor(side).map((one) => one.colour),
      fills: false,
      lines: true,
      dashed: side === "pred",
    }));
    const view = { scale: scale * ratio, down: scale * ratio, x: 0, y: 0 };
    const pixels = rastered(layers, slice, view, width, height, 0);
    const painted = await createImageBitmap(new ImageData(new Uint8ClampedArray(pixels.buffer), width, height));
    context.drawImage(painted, 0, 0);
    canvas.dataset.drawn = "yes";
  }
}
