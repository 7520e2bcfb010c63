// The page begins: its data are read, and the engine is there for the console of the browser.
import { loadReport } from "../data.js";
import { hardScoresOf, scoresOf } from "../engine/analysis.js";
import { gainsOf, surfacesOf } from "../engine/background.js";
import { byClassOf } from "../engine/by_class.js";
import { comparedOf } from "../engine/comparing.js";
import { confusedOf } from "../engine/confusion.js";
import { matchPairs } from "../engine/matching.js";
import { narrowed } from "../engine/narrowing.js";
import { scoreCurveOf } from "../engine/score_curve.js";
import { partsOf, valueOf } from "../engine/softpq.js";
import { verdictsOf } from "../engine/verdicts.js";
import { colourPage } from "../facts.js";
import { Page } from "./page.js";

/** @param {import("../data.js").Report} report */
function start(report) {
  colourPage();
  const page = new Page(report);
  const whole = {
    scoresOf,
    gainsOf,
    hardScoresOf,
    surfacesOf,
    comparedOf,
    byClassOf,
    confusedOf,
    scoreCurveOf,
    narrowed,
  };
  Object.assign(globalThis, { softpq: { report, page, matchPairs, partsOf, valueOf, verdictsOf, ...whole } });
  document.body.dataset.ready = String(Math.round(performance.now())); // after so many milliseconds
}

if (typeof document !== "undefined") loadReport().then(start);
