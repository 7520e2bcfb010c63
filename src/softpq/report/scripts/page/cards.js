// The charts of the page, each in a card with its numbers and files.
import { bestIouChart } from "../charts/best_iou.js";
import { gainChart } from "../charts/gains.js";
import { scatter } from "../charts/scatter.js";
import { sizeChart } from "../charts/sizes.js";
import { movePoint, surfaceChart, thresholdsAt, winnerChart } from "../charts/surface.js";
import { kinds, verdictChart } from "../charts/verdicts.js";
import { modelColour } from "../charts/frame.js";
import { byId, h, refill, roving, shown, whole } from "../dom.js";
import { codeOf, verdictsFor } from "../facts.js";
import { CARDS } from "./card_list.js";
import { showCurves, showDuel, showRepairs } from "./comparison.js";
import { zonesOf } from "./groups.js";
import { isTied, ranking } from "./models.js";
import { MOST_OBJECTS, showObjects } from "./one_image.js";
import { pickBestIou, pickVerdict, pickWorst } from "./picking.js";
import { KindCards } from "./kind_cards.js";
import { sendingTools } from "./sending.js";
import {
  atThreshold,
  saidOfBest,
  saidOfGains,
  saidOfScatter,
  saidOfSizes,
  saidOfSurface,
  saidOfVerdicts,
  saidOfWinners,
  settingsOf,
  withEquals,
} from "./sentences.js";
/** @typedef {import("./page.js").Page} Page */
/** @typedef {import("./sending.js").Data} Data */

export class Cards {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    /** @type {{key: string, model: number, value: import("../engine/curves.js").Curves[]|null}} */
    this.curves = { key: "", model: -1, value: null };
    /** @type {{key: string, value: import("../engine/background.js").Surfaces|null}} */
    this.surfaces = { key: "", value: null };
    /** @type {Record<string, number>|null} */ this.gains = null;
    this.drawn = -1; // the model whose surface is shown
    this.kinds = new KindCards(page, (id, chart, data, said) => this.put(id, chart, data, said));
    /** @type {Record<string, any>} */ this.bodies = {};
    /** @type {Record<string, {data: Data, refresh: () => void, said: any}>} */ this.behind = {};
    for (const [id, title, text, kind = ""] of CARDS)
      if (this.makesSense(kind.split(" "))) this.add(id, title, text, kind);
    roving(byId("charts"), ".sending summary"); // eleven stops of the Tab key would be many
    this.late = ["verdicts", "size", "duel"].filter((id) => this.bodies[id]); // see showOthers
  }

  /** @param {string[]} kinds */
  makesSense(kinds) {
    const { modelNames, report, middleArea, full } = this.page;
    const few = report.names.length === 1 && report.models[0].whole.truthAreas.length <= MOST_OBJECTS && middleArea > 0;
    if (kinds.includes("several") && modelNames.length < 2) return false;
    if (kinds.includes("images") && report.names.length < 2) return false;
    if (kinds.includes("scores") && !full.scores) return false;
    if (kinds.includes("classes") && !full.head.classNames.length) return false;
    return few || !kinds.includes("one");
  }

  /** @param {string} id @param {string} title @param {string} text @param {string} kind */
  add(id, title, text, kind) {
    this.bodies[id] = h("div", { id: `chart-${id}` });
    const behind = { data: { headings: [], rows: [] }, refresh: () => {}, said: h("p", { class: "said" }) };
    const words = () => [title, behind.said.textContent ?? "", settingsOf(this.page)];
    const tools = sendingTools(id, this.bodies[id], () => behind.data, words);
    behind.refresh = tools.refresh;
    this.behind[id] = behind;
    const how = h("p", { class: "quiet" }, text);
    byId("charts").append(
      h("div", { class: `card ${kind}` }, h("h3", {}, title), behind.said, this.bodies[id], how, tools.element),
    );
  }

  /**
   * Show a chart, keep the numbers behind it, and say what it shows.
   * @param {string} id @param {Node} chart @param {Data} data @param {string} said
   */
  put(id, chart, data, said) {
    if (!this.bodies[id]) return; // one model, or one image, has no such chart
    refill(this.bodies[id], chart);
    this.behind[id].data = data;
    this.behind[id].said.textContent = said;
    this.behind[id].refresh();
  }

  show() {
    this.showScatter();
    showObjects(this);
    this.showBestIous();
    this.showSurfaces();
    this.showGains();
    showCurves(this);
    showRepairs(this);
    this.kinds.show();
  }

  /** What takes longer: it may follow a moment later. */
  showOthers() {
    this.showVerdicts();
    this.showSizes();
    showDuel(this);
  }

  showScatter() {
    const { page } = this;
    const { model, image: current } = page.state;
    const pq = `PQ ${atThreshold(page.report)}`;
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
      xName: pq,
      yName: "SoftPQ",
      yFrom: 0,
      yTo: Math.max(1, ...points.map((p) => p.y || 0)),
      diagonal: true,
      tell: (/** @type {any} */ p) => `${p.name}: PQ ${shown(p.x)}, SoftPQ ${shown(p.y)}`,
    };
    const rows = points.map(({ name, x, y }) => [name, x, y, y - x]);
    const headings = ["image", pq, "SoftPQ", "SoftPQ − PQ"];
    this.put("scatter", scatter(points, options), { headings, rows }, saidOfScatter(points));
  }

  showBestIous() {
    const { page } = this;
    const { model, low, high } = page.state;
    const zones = zonesOf(page.bestIous(model).best, low, high);
    const chart = bestIouChart(zones, {
      low,
      high,
      set: (which, value) => page.setThreshold(which, value),
      pick: (bin) => pickBestIou(page, bin),
    });
    const rows = zones.map((counts, k) => [k / zones.length, (k + 1) / zones.length, ...counts]);
    const headings = ["from", "to", "up to l", "between", "from h on"];
    this.put("best", chart, { headings, rows }, saidOfBest(zones));
  }

  showVerdicts() {
    const { page } = this;
    const rows = ranking(page).map((k) => ({
      model: page.modelNames[k],
      current: k === page.state.model,
      counts: this.countVerdicts(k),
      pick: (/** @type {"truth"|"pred"} */ side, /** @type {number} */ verdict) => pickVerdict(page, k, side, verdict),
    }));
    const all = kinds();
    const counted = rows.map((row) => [row.model, ...all.map(({ side, code }) => row.counts[side][code])]);
    const now = rows.find((row) => row.current) ?? rows[0];
    const headings = ["model", ...all.map(({ name }) => name)];
    const listed = all.map(({ name, side, code, rank }) => ({
      name,
      count: now.counts[side][code],
      isError: rank > 0,
    }));
    const said = saidOfVerdicts(listed, page.labels[page.state.model]);
    this.put("verdicts", verdictChart(rows), { headings, rows: counted }, said);
    const there = all.filter(({ side, code }) => side === "truth" || rows.some((row) => row.counts[side][code]));
    const legend = there.map(({ name, sign, side, code }) =>
      h("span", {}, h("i", { class: `fill-${name}` }), `${sign} ${name} ${whole(now.counts[side][code])}`),
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
    const bins = page.sizes(model).map(({ members, from, to }) => {
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
    this.put("size", sizeChart(bins, page.unit), { headings, rows }, saidOfSizes(bins, page.unit));
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
    const values = {
      headings: ["l", "h", ...page.modelNames],
      rows: grid.map((k, at) => [...pairs[at], ...(value?.surfaces.map((one) => one[k]) ?? [])]),
    };
    const chart = surfaceChart(value?.surfaces ?? null, model, this.moves);
    this.put("surface", chart, values, saidOfSurface(value?.surfaces[model]));
    if (!this.bodies.winners) return;
    const fullNames = withEquals(page.modelNames, value?.surfaces ?? []);
    const best = {
      headings: ["l", "h", "best", "clearly"],
      rows: grid.map((k, at) => [...pairs[at], fullNames[value?.best[k] ?? 0], value?.clear[k] ? "yes" : "no"]),
    };
    const names = withEquals(page.labels, value?.surfaces ?? []);
    const won = winnerChart(value, names, this.moves);
    this.put("winners", won, best, saidOfWinners(value, names, isTied(page)));
    const winners = new Set(value ? [...value.best].filter((best) => best >= 0) : []);
    const legend = [...winners].map((k) => {
      const chip = h("i");
      chip.style.background = modelColour(k);
      return h("span", {}, chip, names[k]);
    });
    this.bodies.winners.append(h("div", { class: "legend" }, ...legend));
  }

  showSurfaces() {
    const { page } = this;
    const { model, over, low, high, penalty, priority, reading } = page.state;
    const key = [over, penalty, priority, reading, page.narrowedTo].join(" ").trim();
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
    page.workshop.start("surfaces", { settings: page.settings, over }, (value) => {
      this.surfaces = { key, value };
      this.drawSurfaces();
      page.tell();
      document.body.dataset.surface = key;
    });
  }

  showGains() {
    const { page, bodies } = this;
    bodies.gains.classList.add("stale");
    if (!this.gains) this.put("gains", gainChart(null), { headings: [], rows: [] }, "");
    const { model, over } = page.state;
    page.workshop.start("gains", { model, settings: page.settings, over }, (gains) => {
      this.gains = gains;
      const data = { headings: ["repair", "SoftPQ gained"], rows: Object.entries(gains) };
      this.put("gains", gainChart(gains), data, saidOfGains(gains));
      bodies.gains.classList.remove("stale");
      page.tell();
    });
  }
}
