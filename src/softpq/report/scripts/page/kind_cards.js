// Charts of what is known of objects beside their pixels: scores, and classes.
import { Background } from "../background.js";
import { confusionChart } from "../charts/confusion.js";
import { scoreChart } from "../charts/score_curve.js";
import { byId, h, whole } from "../dom.js";
import { confusedOf } from "../engine/confusion.js";
import { scoreCurveOf } from "../engine/score_curve.js";
import { goTo } from "./picking.js";
import { saidOfConfused, saidOfScores } from "./sentences.js";
/** @typedef {import("./page.js").Page} Page */
/** @typedef {import("./sending.js").Data} Data */
/** @typedef {import("../engine/confusion.js").Member} Member */

export class KindCards {
  /** @param {Page} page @param {(id: string, chart: Node, data: Data, said: string) => void} put */
  constructor(page, put) {
    this.page = page;
    this.put = put;
    this.work = new Background(() => page.calm);
    this.key = "";
    /** @type {import("../engine/score_curve.js").ScoreCurve|null} */ this.curve = null;
    this.next = new Map(); // which object of a cell comes next
  }

  show() {
    if (this.page.full.scores) this.showCurve();
    if (this.page.full.head.classNames.length) this.showConfused();
  }

  /** The curve does not depend on the present score: it is computed when something else changes. */
  showCurve() {
    const { page } = this;
    const { over, kind } = page.state;
    const key = [JSON.stringify(page.settings), over, kind].join();
    if (key === this.key) return this.drawCurve();
    this.key = key;
    this.work.start(scoreCurveOf(page.full, page.kind, page.settings, over), (curve) => {
      this.curve = curve;
      this.drawCurve();
      document.body.dataset.scoreCurve = String(Number(document.body.dataset.scoreCurve ?? 0) + 1);
    });
  }

  drawCurve() {
    const { page, curve } = this;
    if (!curve) return;
    const { model, score } = page.state;
    const chart = scoreChart(curve, page.labels, { model, score, set: (value) => page.setScore(value) });
    const rows = Array.from(curve.thresholds, (t, k) => [t, ...curve.values.map((one) => one[k])]);
    const said = saidOfScores(curve.thresholds, curve.values[model], page.labels[model]);
    this.put("score", chart, { headings: ["score from", ...page.modelNames], rows }, said);
    if (curve.thresholds.length < curve.all) {
      const some = `At ${whole(curve.thresholds.length)} of ${whole(curve.all)} scores.`;
      byId("chart-score").append(h("p", { class: "quiet" }, some));
    }
  }

  showConfused() {
    const { page } = this;
    const { classNames } = page.full.head;
    const model = page.full.models[page.state.model];
    const cells = confusedOf(model, classNames.length, page.state.high, page.state.score);
    const names = ["no class", ...classNames];
    const used = (/** @type {Member[][]} */ lists) => lists.some((one) => one.length);
    const column = (/** @type {number} */ j) => cells.map((row) => row[j]);
    const last = names.length;
    const rows = [...names.keys()].filter((k) => k || used(cells[0]));
    const columns = [...names.keys()].filter((k) => k || used(column(0)));
    const counts = [...rows, last].map((i) => [...columns, last].map((j) => cells[i][j].length));
    const rowNames = [...rows.map((k) => names[k]), "nothing"];
    const columnNames = [...columns.map((k) => names[k]), "not matched"];
    const pick = (/** @type {number} */ i, /** @type {number} */ j) =>
      this.go(cells[[...rows, last][i]][[...columns, last][j]], `${i} ${j}`);
    const data = { headings: ["truth", ...columnNames], rows: rowNames.map((name, i) => [name, ...counts[i]]) };
    const said = saidOfConfused(rowNames, columnNames, counts, page.state.kind);
    this.put("confused", confusionChart(rowNames, columnNames, counts, pick), data, said);
  }

  /**
   * To the next object of a cell; those that can be looked at come first.
   * @param {Member[]} members @param {string} cell
   */
  go(members, cell) {
    const { page } = this;
    const { images } = page.full.models[page.state.model];
    const seen = (/** @type {Member} */ { place }) => page.full.pictures.has(images[place]);
    const order = [...members.filter(seen), ...members.filter((one) => !seen(one))];
    const key = `${page.state.model} ${cell}`;
    const at = (this.next.get(key) ?? 0) % order.length;
    this.next.set(key, at + 1);
    const { place, side, object } = order[at];
    if (page.state.kind) {
      page.state.kind = ""; // the other one is of another class
      page.update();
    }
    const kept = page.report.models[page.state.model].kept?.[place][side];
    goTo(page, page.state.model, place, side, kept ? kept.indexOf(object) : object);
  }
}
