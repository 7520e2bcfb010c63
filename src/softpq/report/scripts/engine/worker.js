// The other thread: it does what takes long while the page answers. What is asked for anew ends what went on before.
import { learn } from "../facts.js";
import { WORK } from "./work.js";

const SLICE = 40; // milliseconds until it looks whether something else is wanted

/** @typedef {{run: number, steps: Generator<undefined, any>}} Job */

/** @param {any} thread the global scope */
export function serve(thread) {
  /** @type {any} */ let report = null;
  /** @type {Map<string, Job>} */ const jobs = new Map();
  const { port1, port2 } = new MessageChannel(); // sooner than a timer
  port1.onmessage = () => {
    const kind = Object.keys(WORK).find((one) => jobs.has(one));
    if (!kind) return;
    const { run, steps } = /** @type {Job} */ (jobs.get(kind));
    const done = sliceOf(steps);
    if (done) {
      jobs.delete(kind);
      thread.postMessage({ kind, run, result: done.value });
    }
    port2.postMessage(0);
  };
  thread.onmessage = (/** @type {MessageEvent} */ { data }) => {
    if (data.report) {
      report = data.report;
      learn(report.head.facts);
      return;
    }
    if (data.model) {
      report.models.push(data.model);
      return;
    }
    jobs.set(data.kind, { run: data.run, steps: WORK[data.kind](report, data.order) });
    port2.postMessage(0);
  };
}

/** Some steps. @param {Generator<undefined, any>} steps @returns {{value: any}|null} what came out, at the end */
function sliceOf(steps) {
  const until = performance.now() + SLICE;
  while (performance.now() < until) {
    const step = steps.next();
    if (step.done) return step;
  }
  return null;
}

if ("WorkerGlobalScope" in globalThis) serve(globalThis);
