// Small pictures of single objects, cut out of the embedded images.
import { labelsOf } from "./loading.js";
import { LAYERS } from "./layers.js";
import { outlines } from "./outlines.js";
import { silhouettes } from "./picture.js";
import { some } from "./some.js";
/** @typedef {import("../data.js").Report} Report */
/** @typedef {import("../engine/costs.js").Wrong} Wrong */

const KEPT = 24; // images
const SIZE = 112;

export class Crops {
  /** @param {Report} report @param {import("./viewer.js").Viewer} viewer whose picture need not be read again */
  constructor(report, viewer) {
    this.report = report;
    this.viewer = viewer;
    /** @type {Map<number, Promise<import("./loading.js").Loaded>>} */ this.loaded = new Map();
    /** @type {Map<string, Promise<any[]>>} */ this.bases = new Map();
  }

  /** @param {number} image */
  load(image) {
    let found = this.loaded.get(image);
    if (!found && this.viewer.image === image && this.viewer.loaded) {
      this.loaded.set(image, (found = Promise.resolve(this.viewer.loaded)));
    }
    if (!found) {
      if (this.loaded.size >= KEPT) {
        this.loaded.clear();
        this.bases.clear();
      }
      const picture = /** @type {import("../data.js").Picture} */ (this.report.pictures.get(image));
      this.loaded.set(image, (found = labelsOf(this.report, picture)));
    }
    return found;
  }

  /**
   * The picture below, made once however many crops ask for it.
   * @param {number} image @param {number} model @param {number} slice
   */
  base(image, model, slice) {
    const key = [image, model, slice].join();
    let found = this.bases.get(key);
    if (!found) this.bases.set(key, (found = this.composed(image, model, slice)));
    return found;
  }

  /** @param {number} image @param {number} model @param {number} slice */
  async composed(image, model, slice) {
    const { raw } = await this.load(image);
    const { picture } = raw;
    if (picture.raw.length) return raw.composed(slice, "all", picture.colour ? 0 : 1);
    const { truth, pred } = await this.objects(image, model);
    return silhouettes(picture.shape, truth?.plane(slice), pred?.plane(slice));
  }

  /** Those that are looked at. @param {number} image @param {number} model */
  async objects(image, model) {
    const { truth, preds } = await this.load(image);
    const { kept, placeOf } = this.report.models[model];
    const here = kept?.[placeOf.get(image) ?? -1];
    return { truth: some(truth, here?.truth), pred: some(preds.get(model), here?.pred) };
  }

  /** @param {Report} report other objects of the same images */
  setReport(report) {
    if (report !== this.report) this.bases.clear();
    this.report = report;
  }

  /**
   * Draw an object with what is around it.
   * @param {HTMLCanvasElement} canvas @param {Wrong} wrong @param {number} model
   * @param {{truth: Uint8Array, pred: Uint8Array}} verdicts of the image
   */
  async draw(canvas, wrong, model, verdicts) {
    const image = this.report.models[model].images[wrong.place];
    const { truth, pred } = await this.objects(image, model);
    const labels = wrong.side === "truth" ? truth : pred;
    if (!labels || !truth || !pred || wrong.object >= labels.count) return; // others are looked at meanwhile
    const [x0, y0, x1, y1, slice] = labels.box(wrong.object);
    const base = await this.base(image, model, slice);
    const ratio = window.devicePixelRatio || 1;
    [canvas.width, canvas.height] = [SIZE * ratio, SIZE * ratio];
    const scale = SIZE / (2 * Math.max(x1 - x0 + 1, y1 - y0 + 1, 8));
    const [left, top] = [(x0 + x1 + 1) / 2 - SIZE / 2 / scale, (y0 + y1 + 1) / 2 - SIZE / 2 / scale];
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    context.fillStyle = "#0c0e11";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.setTransform(scale * ratio, 0, 0, scale * ratio, -left * scale * ratio, -top * scale * ratio);
    context.imageSmoothingEnabled = scale < 2;
    const [right, bottom] = [left + SIZE / scale, top + SIZE / scale];
    const [sx, sy] = [Math.max(0, Math.floor(left)), Math.max(0, Math.floor(top))];
    const [sw, sh] = [Math.min(base[0].width, Math.ceil(right)) - sx, Math.min(base[0].height, Math.ceil(bottom)) - sy];
    context.drawImage(base[0], sx, sy, sw, sh, sx, sy, sw, sh); // of a slide, only what is seen
    const parts = /** @type {import("./paint.js").Part[]} */ ([
      { side: "truth", labels: truth, verdicts: verdicts.truth, seen: truth.within(slice, left, top, right, bottom) },
      { side: "pred", labels: pred, verdicts: verdicts.pred, seen: pred.within(slice, left, top, right, bottom) },
    ]);
    const shown = { layers: { ...LAYERS, signs: false }, slice, selected: null, opacity: 0, view: { scale } };
    outlines(/** @type {any} */ (shown), context, parts, model);
  }
}
