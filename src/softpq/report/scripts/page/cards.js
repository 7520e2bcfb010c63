// The charts of the page, each in a card with its numbers and files.
import { bestIouChart } from "../charts/best_iou.js";
import { gainChart } from "../charts/gains.js";
import { scatter } from "../charts/scatter.js";
import { sizeChart } from "../charts/sizes.js";
import { movePoint, surfaceChart, thresholdsAt, winnerChart } from "../charts/surface.js";
import { kinds, verdictChart } from "../charts/verdicts.js";
import { modelColour } from "../charts/frame.js";
import { Background } from "../background.js";
import { byId, h, refill, shown } from "../dom.js";
import { gainsOf, surfacesOf } from "../engine/background.js";
import { codeOf, verdictsFor } from "../facts.js";
import { zonesOf } from "./groups.js";
import { pickBestIou, pickVerdict, pickWorst } from "./picking.js";
import { sendingTools } from "./sending.js";
/** @typedef {import("./page.js").Page} Page */
/** @typedef {import("./sending.js").Data} Data */

/** Id, title, explanation, class; those of several models or images are left out where there is one. */
const CARDS = [
  ["dots", "SoftPQ of the models", "A line is the interval over images, where there are enough of them.", "several"],
  [
    "scatter",
    "SoftPQ against PQ",
    "One point per image; above the line, SoftPQ sees more than PQ. Click for the image.",
    "images",
  ],
  ["best", "Best IoU of each truth object", "Drag l and h; click a bar to see such an object."],
  ["surface", "SoftPQ for all thresholds", "The circle is the current pair; colours are the same for all models."],
  ["winners", "The best model for all thresholds", "Faint where another model may be the best one.", "several"],
  ["verdicts", "What happened to the objects", "Click a part to see such an object.", "wide"],
  ["gains", "What fixing it would bring", "SoftPQ gained if all errors of one kind were repaired, all else as it is."],
  ["size", "Score against object size", "Truth objects in groups of equal number; click for the worst one."],
];

export class Cards {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.surfaceWork = new Background();
    this.gainWork = new Background();
    /** @type {{key: string, value: import("../engine/background.js").Surfaces|null}} */
    this.surfaces = { key: "", value: null };
    /** @type {Record<string, number>|null} */ this.gains = null;
    this.drawn = -1; // the model whose surface is shown
    /** @type {Record<string, any>} */ this.bodies = {};
    /** @type {Record<string, {data: Data, refresh: () => void}>} */ this.behind = {};
    for (const [id, title, text, kind = ""] of CARDS) {
      if (kind === "several" && page.modelNames.length < 2) continue;
      if (kind === "images" && page.report.names.length < 2) continue;
      this.bodies[id] = h("div", { id: `chart-${id}` });
      const behind = { data: { headings: [], rows: [] }, refresh: () => {} };
      const tools = sendingTools(id, this.bodies[id], () => behind.data);
      behind.refresh = tools.refresh;
      this.behind[id] = behind;
      const said = h("p", { class: "quiet" }, text);
      byId("charts").append(
        h("div", { class: `card ${kind}` }, h("h3", {}, title), this.bodies[id], said, tools.element),
      );
    }
  }

  /** Show a chart, and keep the numbers behind it. @param {string} id @param {Node} chart @param {Data} data */
  put(id, chart, data) {
    if (!this.bodies[id]) return; // one model, or one image, has no such chart
    refill(this.bodies[id], chart);
    this.behind[id].data = data;
    this.behind[id].refresh();
  }

  show() {
    this.showScatter();
    this.showBestIous();
    this.showSizes();
    this.showSurfaces();
    this.showGains();
  }

  showScatter() {
    const { page } = this;
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
    const options = {
      label: "SoftPQ against PQ, by image",
      xName: `PQ at ${threshold}`,
      yName: "SoftPQ",
      yFrom: 0,
      yTo: Math.max(1, ...points.map((p) => p.y || 0)),
      diagonal: true,
      tell: (/** @type {any} */ p) => `${p.name}: PQ ${shown(p.x)}, SoftPQ ${shown(p.y)}`,
    };
    const rows = points.map(({ name, x, y }) => [name, x, y, y - x]);
    this.put("scatter", scatter(points, options), {
      headings: ["image", `PQ at ${threshold}`, "SoftPQ", "SoftPQ − PQ"],
      rows,
    });
  }

  showBestIous() {
    const { page } = this;
    const { model, low, high } = page.state;
    const zones = zonesOf(page.bestIous[model].best, low, high);
    const chart = bestIouChart(zones, {
      low,
      high,
      set: (which, value) => page.setThreshold(which, value),
      pick: (bin) => pickBestIou(page, bin),
    });
    const rows = zones.map((counts, k) => [k / zones.length, (k + 1) / zones.length, ...counts]);
    this.put("best", chart, { headings: ["from", "to", "up to l", "between", "from h on"], rows });
  }

  showVerdicts() {
    const { page } = this;
    const rows = page.modelNames.map((name, k) => ({
      model: name,
      current: k === page.state.model,
      counts: this.countVerdicts(k),
      pick: (/** @type {"truth"|"pred"} */ side, /** @type {number} */ verdict) => pickVerdict(page, k, side, verdict),
    }));
    const all = kinds();
    const counted = rows.map((row) => [row.model, ...all.map(({ side, code }) => row.counts[side][code])]);
    this.put("verdicts", verdictChart(rows), { headings: ["model", ...all.map(({ name }) => name)], rows: counted });
    const now = rows[page.state.model];
    const there = all.filter(({ side, code }) => side === "truth" || rows.some((row) => row.counts[side][code]));
    const legend = there.map(({ name, sign, side, code }) =>
      h("span", {}, h("i", { class: `fill-${name}` }), `${sign} ${name} ${now.counts[side][code]}`),
    );
    this.bodies.verdicts.append(h("div", { class: "legend" }, ...legend));
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

  showSizes() {
    const { page } = this;
    const { model } = page.state;
    const credits = page.analysis.creditsOf(model);
    const { truth: verdicts } = page.analysis.allVerdictsOf(model);
    const matched = codeOf("truth", "matched");
    const bins = page.sizes[model].map(({ members, from, to }) => {
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
    const rows = bins.map(({ from, to, count, found, credit }) => [from, to, count, found, credit]);
    const headings = ["from", "to", "objects", "share matched", "credit"];
    this.put("size", sizeChart(bins, page.unit), { headings, rows });
  }

  /** What moving over both thresholds does. */
  get moves() {
    const { page } = this;
    return {
      low: page.state.low,
      high: page.state.high,
      set: (/** @type {number} */ low, /** @type {number} */ high) => page.set({ low: Math.min(low, high), high }),
      step: (/** @type {number} */ right, /** @type {number} */ up) => {
        if (right) page.setThreshold("high", page.state.high + right);
        if (up) page.setThreshold("low", page.state.low + up);
      },
    };
  }

  drawSurfaces() {
    const { page, surfaces } = this;
    const { value } = surfaces;
    const grid = value ? [...value.surfaces[0].keys()].filter((k) => !Number.isNaN(value.surfaces[0][k])) : [];
    const pairs = grid.map((k) => thresholdsAt(k));
    const { model } = page.state;
    this.put("surface", surfaceChart(value?.surfaces ?? null, model, this.moves), {
      headings: ["l", "h", ...page.modelNames],
      rows: grid.map((k, at) => [...pairs[at], ...(value?.surfaces.map((one) => one[k]) ?? [])]),
    });
    if (!this.bodies.winners) return;
    this.put("winners", winnerChart(value, page.labels, this.moves), {
      headings: ["l", "h", "best", "clearly"],
      rows: grid.map((k, at) => [...pairs[at], page.modelNames[value?.best[k] ?? 0], value?.clear[k] ? "yes" : "no"]),
    });
    const winners = new Set(value ? [...value.best].filter((best) => best >= 0) : []);
    const legend = [...winners].map((k) => {
      const chip = h("i");
      chip.style.background = modelColour(k);
      return h("span", {}, chip, page.labels[k]);
    });
    this.bodies.winners.append(h("div", { class: "legend" }, ...legend));
  }

  showSurfaces() {
    const { page } = this;
    const { model, over, low, high, penalty, priority, reading } = page.state;
    const key = [over, penalty, priority, reading].join(" ");
    if (key === this.surfaces.key) {
      if (model !== this.drawn) this.drawSurfaces();
      this.drawn = model;
      for (const id of ["surface", "winners"])
        if (this.bodies[id]?.firstChild) movePoint(this.bodies[id].firstChild, low, high);
      return;
    }
    this.surfaces = { key, value: null };
    this.drawn = model;
    this.drawSurfaces();
    this.surfaceWork.start(surfacesOf(page.report, page.settings, over), (value) => {
      this.surfaces = { key, value };
      this.drawSurfaces();
      page.tell();
      document.body.dataset.surface = key;
    });
  }

  showGains() {
    const { page, bodies } = this;
    bodies.gains.classList.add("stale");
    if (!this.gains) this.put("gains", gainChart(null), { headings: [], rows: [] });
    const steps = gainsOf(page.report.models[page.state.model], page.settings, page.state.over);
    this.gainWork.start(steps, (gains) => {
      this.gains = gains;
      this.put("gains", gainChart(gains), { headings: ["repair", "SoftPQ gained"], rows: Object.entries(gains) });
      bodies.gains.classList.remove("stale");
      page.tell();
    });
  }
}
