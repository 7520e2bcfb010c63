// The charts of the page, each in a card.
import { bestIouChart } from "../charts/best_iou.js";
import { gainChart } from "../charts/gains.js";
import { scatter } from "../charts/scatter.js";
import { sizeChart } from "../charts/sizes.js";
import { movePoint, surfaceChart } from "../charts/surface.js";
import { verdictChart } from "../charts/verdicts.js";
import { Background } from "../background.js";
import { byId, h, refill, shown, signed } from "../dom.js";
import { gainsOf, surfaceOf } from "../engine/background.js";
import { codeOf, verdictsFor } from "../facts.js";
import { zonesOf } from "./groups.js";
import { pickBestIou, pickVerdict, pickWorst } from "./picking.js";
/** @typedef {import("./page.js").Page} Page */

/** Id, title, explanation, class. */
const CARDS = [
  [
    "scatter",
    "SoftPQ against PQ",
    "One point per image; above the line, SoftPQ sees more than PQ. Click to look at the image.",
  ],
  ["difference", "SoftPQ − PQ", "What the hard threshold hides, by image."],
  ["best", "Best IoU of each truth object", "Drag l and h; click a bar to see such an object."],
  ["surface", "SoftPQ for all thresholds", "The circle is the current pair; click to move it."],
  ["verdicts", "What happened to the objects", "Click a part to see such an object.", "wide"],
  ["gains", "What fixing it would bring", "SoftPQ gained if all errors of one kind were repaired."],
  ["size", "Score against object size", "Truth objects in groups of equal number; click for the worst one."],
];

export class Cards {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.surfaceWork = new Background();
    this.gainWork = new Background();
    /** @type {{key: string, value: Float64Array|null}} */ this.surface = { key: "", value: null };
    /** @type {Record<string, any>} */ this.bodies = {};
    for (const [id, title, text, kind = ""] of CARDS) {
      this.bodies[id] = h("div", { id: `chart-${id}` });
      const said = h("p", { class: "quiet" }, text);
      byId("charts").append(h("div", { class: `card ${kind}` }, h("h3", {}, title), this.bodies[id], said));
    }
  }

  show() {
    this.showScatters();
    this.showBestIous();
    this.showVerdicts();
    refill(this.bodies.size, sizeChart(this.sizePoints(this.page.state.model)));
    this.showSurface();
    this.showGains();
  }

  showScatters() {
    const { page, bodies } = this;
    const { model, image: current } = page.state;
    const { threshold } = page.report.head;
    const scores = page.analysis.scoresOf(model);
    const points = Array.from(page.report.models[model].images, (image, k) => ({
      name: page.report.names[image],
      x: page.hard[model].pq[k],
      y: scores.values[k],
      pick: () => page.lookAt(image),
      current: image === current,
    }));
    const diagonal = {
      label: "SoftPQ against PQ, by image",
      xName: `PQ at ${threshold}`,
      yName: "SoftPQ",
      yFrom: 0,
      yTo: Math.max(1, ...points.map((p) => p.y || 0)),
      diagonal: true,
      tell: (/** @type {any} */ p) => `${p.name}: PQ ${shown(p.x)}, SoftPQ ${shown(p.y)}`,
    };
    refill(bodies.scatter, scatter(points, diagonal));
    const gaps = points.map((p) => ({ ...p, y: p.y - p.x }));
    const defined = gaps.map((p) => p.y).filter((v) => !Number.isNaN(v));
    const flat = {
      ...diagonal,
      label: "SoftPQ minus PQ, by image",
      yName: "SoftPQ − PQ",
      yFrom: Math.min(0, ...defined),
      yTo: Math.max(0.1, ...defined),
      diagonal: false,
      tell: (/** @type {any} */ p) => `${p.name}: ${signed(p.y)}`,
    };
    refill(bodies.difference, scatter(gaps, flat));
  }

  showBestIous() {
    const { page, bodies } = this;
    const { model, low, high } = page.state;
    const chart = bestIouChart(zonesOf(page.bestIous[model].best, low, high), {
      low,
      high,
      set: (which, value) => page.setThreshold(which, value),
      pick: (bin) => pickBestIou(page, bin),
    });
    refill(bodies.best, chart);
  }

  showVerdicts() {
    const { page, bodies } = this;
    const rows = page.modelNames.map((name, k) => ({
      model: name,
      current: k === page.state.model,
      counts: this.countVerdicts(k),
      pick: (/** @type {"truth"|"pred"} */ side, /** @type {number} */ verdict) => pickVerdict(page, k, side, verdict),
    }));
    refill(bodies.verdicts, verdictChart(rows));
  }

  /** @param {number} model */
  countVerdicts(model) {
    const all = this.page.analysis.allVerdictsOf(model);
    const truth = verdictsFor("truth").map(() => 0);
    const pred = verdictsFor("pred").map(() => 0);
    for (const code of all.truth) truth[code]++;
    for (const code of all.pred) pred[code]++;
    return { truth, pred };
  }

  /** @param {number} model */
  sizePoints(model) {
    const { page } = this;
    const credits = page.analysis.creditsOf(model);
    const { truth: verdicts } = page.analysis.allVerdictsOf(model);
    const matched = codeOf("truth", "matched");
    return page.sizes[model].map(({ members, from, to }) => {
      let found = 0;
      let credit = 0;
      for (const member of members) {
        if (verdicts[member] === matched) found++;
        credit += Math.min(1, credits[member]);
      }
      const n = members.length || 1;
      const pick = () => pickWorst(page, model, members, credits);
      return { from, to, count: members.length, found: found / n, credit: credit / n, pick };
    });
  }

  drawSurface() {
    const { page } = this;
    const chart = surfaceChart(this.surface.value, {
      low: page.state.low,
      high: page.state.high,
      set: (low, high) => page.set({ low: Math.min(low, high), high }),
      step: (right, up) => {
        if (right) page.setThreshold("high", page.state.high + right);
        if (up) page.setThreshold("low", page.state.low + up);
      },
    });
    refill(this.bodies.surface, chart);
  }

  showSurface() {
    const { page } = this;
    const { model, over, low, high, penalty, priority, reading } = page.state;
    const key = [model, over, penalty, priority, reading].join(" ");
    if (key === this.surface.key) {
      movePoint(this.bodies.surface.firstChild, low, high);
      return;
    }
    this.surface = { key, value: null };
    this.drawSurface();
    this.surfaceWork.start(surfaceOf(page.report.models[model], page.settings, over), (value) => {
      this.surface = { key, value };
      this.drawSurface();
      document.body.dataset.surface = key;
    });
  }

  showGains() {
    const { page, bodies } = this;
    bodies.gains.classList.add("stale");
    if (!bodies.gains.firstChild) bodies.gains.replaceChildren(gainChart(null, "SoftPQ"));
    const steps = gainsOf(page.report.models[page.state.model], page.settings, page.state.over);
    this.gainWork.start(steps, (gains) => {
      bodies.gains.replaceChildren(gainChart(gains, "SoftPQ"));
      bodies.gains.classList.remove("stale");
    });
  }
}
