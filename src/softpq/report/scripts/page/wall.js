// Errors to look at: small pictures of objects, chosen by what happened to them, the most expensive first.
import { byId, h, roving, shortened, whole } from "../dom.js";
import { errorsOf } from "../engine/costs.js";
import { facts, verdictsFor } from "../facts.js";
import { Crops } from "../viewer/crops.js";
import { goTo } from "./picking.js";
import { many } from "./sentences.js";
/** @typedef {import("./page.js").Page} Page */
/** @typedef {import("../engine/costs.js").Wrong} Wrong */

const AT_ONCE = 24;

/** @type {[string, string][]} */
const COMPARED = [
  ["", "right or wrong"],
  ["right", "right there, wrong here"],
  ["wrong", "wrong in both"],
];

/** @param {string} id @param {string} text @param {[string, string][]} options @param {() => void} onchange */
function list(id, text, options, onchange) {
  const listed = options.map(([value, name]) => h("option", { value }, name));
  return h("label", { class: "choice" }, text, h("select", { id, onchange }, ...listed));
}

export class Wall {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.crops = new Crops(page.report, page.viewer);
    this.waiting = 0;
    /** @type {Wrong[]} */ this.seen = [];
    this.hidden = 0; // errors of images that are not embedded
    this.at = -1;
    this.first = 0;
    byId("wall").hidden = !page.report.pictures.size;
    this.grid = h("div", { class: "crops" });
    this.said = h("p", { class: "quiet", role: "status", id: "wall-said" });
    const again = () => this.refresh();
    const kinds = facts.verdicts.filter((one) => one.rank > 0).map((one) => [one.name, `${one.sign} ${one.name}`]);
    const tools = [
      list("wall-verdict", "what happened", [["", "any error"], .../** @type {[string, string][]} */ (kinds)], again),
      list(
        "wall-size",
        "size",
        [
          ["", "any"],
          ["small", "smaller half"],
          ["large", "larger half"],
        ],
        again,
      ),
      ...(page.modelNames.length > 1 ? [list("wall-compared", "in the other model", COMPARED, again)] : []),
      h("button", { type: "button", id: "wall-previous", onclick: () => this.step(-1) }, "previous error"),
      h("button", { type: "button", id: "wall-next", onclick: () => this.step(1) }, "next error"),
      h("button", { type: "button", id: "wall-more", onclick: () => this.turn() }, "more"),
    ];
    byId("wall-tools").append(...tools);
    byId("wall-body").append(this.said, this.grid);
  }

  /** @returns {import("../engine/costs.js").Filter} */
  get filter() {
    const chosen = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id))?.value ?? "";
    const size = chosen("wall-size");
    const middle = this.page.middleArea;
    return {
      verdict: chosen("wall-verdict"),
      least: size === "large" ? middle : 0,
      most: size === "small" ? middle : Infinity,
      compared: chosen("wall-compared"),
    };
  }

  /** Look again, a moment after the sliders stand still. */
  show() {
    if (byId("wall").hidden) return;
    clearTimeout(this.waiting);
    this.waiting = window.setTimeout(() => {
      if (this.page.calm) this.refresh();
      else this.show();
    }, 200);
  }

  refresh() {
    const { page } = this;
    const { model, other } = page.state;
    const all = errorsOf(page.analysis, model, other, this.filter);
    const { images } = page.report.models[model];
    this.seen = all.filter(({ place }) => page.report.pictures.has(images[place]));
    this.hidden = all.length - this.seen.length;
    this.at = -1;
    this.first = 0;
    this.draw();
  }

  tell() {
    const more = this.hidden ? `, and ${whole(this.hidden)} in images that are not embedded` : "";
    const count = whole(this.seen.length);
    const where = this.at < 0 ? many(this.seen.length, "error") : `error ${whole(this.at + 1)} of ${count}`;
    const how = this.seen.length ? "; the most expensive first. Click one to see it in its image." : ".";
    this.said.textContent = `${where}${more}${how}`;
    byId("wall-more").hidden = this.seen.length <= AT_ONCE;
  }

  draw() {
    this.tell();
    const some = this.seen.slice(this.first, this.first + AT_ONCE);
    this.grid.replaceChildren(...some.map((wrong, k) => this.crop(wrong, this.first + k)));
    if (some.length) roving(this.grid, "button");
    document.body.dataset.wall = String(Number(document.body.dataset.wall ?? 0) + 1);
  }

  /** @param {Wrong} wrong @param {number} at */
  crop(wrong, at) {
    const { page } = this;
    const { model } = page.state;
    const { name, sign } = verdictsFor(wrong.side)[wrong.verdict];
    const image = page.report.names[page.report.models[model].images[wrong.place]];
    const canvas = h("canvas", { class: "crop", "aria-hidden": "true" });
    const costs = page.state.reading === "released" ? "" : `, costs ${wrong.cost.toPrecision(2)}`;
    const label = `${name}, ${wrong.area} ${page.unit}, in ${image}${costs}`;
    const caption = h("span", {}, h("i", { class: `chip line-${name}` }, sign), shortened(image, 14));
    const attributes = { type: "button", class: "plain", title: label, "aria-label": label };
    this.crops.draw(canvas, wrong, model, page.analysis.verdictsOf(model)[wrong.place]);
    return h("button", { ...attributes, onclick: () => this.go(at) }, canvas, caption);
  }

  /** @param {number} at */
  go(at) {
    const { side, place, object } = this.seen[at];
    const { seen } = this;
    goTo(this.page, this.page.state.model, place, side, object);
    [this.at, this.seen] = [at, seen];
    this.tell();
  }

  /** @param {number} by */
  step(by) {
    if (this.seen.length) this.go((Math.max(this.at, by > 0 ? -1 : 0) + by + this.seen.length) % this.seen.length);
  }

  turn() {
    this.first = this.first + AT_ONCE < this.seen.length ? this.first + AT_ONCE : 0;
    this.draw();
  }
}
