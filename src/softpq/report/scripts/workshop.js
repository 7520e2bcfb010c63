// Where long work is given to: another thread, or this one in small pieces where there can be no other.
import { Background } from "./background.js";
import { WORK } from "./engine/work.js";
/** @typedef {import("./data.js").Report} Report */
/** @typedef {{run: number, order: any, done: (result: any) => void}} Asked */

const STILL = 150; // milliseconds: not while a slider moves

export class Workshop {
  /** @param {Report} report @param {() => boolean} mayWork whether nothing is more urgent */
  constructor(report, mayWork) {
    this.report = report;
    this.mayWork = mayWork;
    this.runs = 0;
    /** @type {Map<string, Asked>} */ this.asked = new Map();
    /** @type {Worker|null|undefined} */ this.worker = undefined;
    /** @type {Report|null} */ this.told = null; // what the other thread knows
    /** @type {{report: Report, sent: number}|null} */ this.telling = null; // how many models of what it was told
    /** @type {Record<string, Background>} */ this.here = {};
  }

  /**
   * Ask for work; what was asked for before under this name is forgotten.
   * @param {string} kind @param {any} order @param {(result: any) => void} done
   */
  start(kind, order, done) {
    const run = ++this.runs;
    this.asked.set(kind, { run, order, done });
    setTimeout(() => this.send(kind, run), STILL);
  }

  /** @param {string} kind @param {number} run */
  send(kind, run) {
    const asked = this.asked.get(kind);
    if (asked?.run !== run) return;
    if (!this.mayWork()) {
      setTimeout(() => this.send(kind, run), 30);
      return;
    }
    if (this.worker === undefined) this.worker = this.hired();
    if (this.worker && this.told !== this.report) {
      this.tell(this.worker);
      setTimeout(() => this.send(kind, run), 0); // models are sent one by one: copying all at once would be felt
      return;
    }
    if (this.worker) this.worker.postMessage({ kind, run, order: asked.order });
    else this.doHere(kind, asked);
  }

  /** @param {string} kind @param {Asked} asked */
  doHere(kind, { run, order }) {
    this.here[kind] ??= new Background(this.mayWork);
    this.here[kind].start(WORK[kind](this.report, order), (result) => this.receive({ kind, run, result }));
  }

  /** @param {{kind: string, run: number, result: any}} answer */
  receive({ kind, run, result }) {
    const asked = this.asked.get(kind);
    if (asked?.run !== run) return;
    this.asked.delete(kind);
    asked.done(result);
  }

  /** The other thread; null where the browser does not allow one. */
  hired() {
    const code = document.getElementById("worker-code")?.textContent ?? "";
    try {
      const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
      worker.onmessage = ({ data }) => this.receive(data);
      worker.onerror = () => this.dismiss();
      return worker;
    } catch {
      return null;
    }
  }

  /** Send the tables of the objects that are looked at: one model each time. @param {Worker} worker */
  tell(worker) {
    const { head, models } = this.report;
    if (this.telling?.report !== this.report) this.telling = { report: this.report, sent: -1 };
    const { groups, level, seed, facts, threshold, strict, settings } = head;
    const { telling } = this;
    const model = models[telling.sent];
    try {
      if (model) worker.postMessage({ model: { ...model, truthIds: [], predIds: [], values: {} } });
      else {
        const known = { groups, level, seed, facts, threshold, strict, settings };
        worker.postMessage({ report: { head: known, models: [] } });
      }
      telling.sent++;
      if (telling.sent === models.length) this.told = this.report;
    } catch {
      worker.terminate();
      this.worker = null; // what cannot be sent is done here
    }
  }

  dismiss() {
    this.worker?.terminate();
    this.worker = null;
    for (const [kind, { run }] of this.asked) this.send(kind, run);
  }
}
