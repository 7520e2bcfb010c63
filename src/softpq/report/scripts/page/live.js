// The numbers at the present thresholds.
import { byId, h, shortened, shown } from "../dom.js";
/** @typedef {import("./page.js").Page} Page */

/** @param {Page} page @param {number} model */
function row(page, model) {
  const over = page.over;
  const scores = page.analysis.scoresOf(model);
  const hard = page.hard[model][over];
  const sum = (/** @type {"matched"|"soft"|"nTruth"|"nPred"} */ key) =>
    String(scores.parts.reduce((total, one) => total + one[key], 0));
  const name = page.modelNames[model];
  return h(
    "tr",
    { class: model === page.state.model ? "current" : "" },
    h("th", { class: "model", title: name }, shortened(name, 30)),
    h("td", {}, h("b", {}, shown(scores[over], 4))),
    ...[shown(hard.pq, 4), shown(hard.f1, 4), sum("matched"), sum("soft"), sum("nTruth"), sum("nPred")].map((text) =>
      h("td", {}, text),
    ),
  );
}

/** @param {Page} page */
export function showLive(page) {
  const { model, reading } = page.state;
  const { threshold } = page.report.head;
  byId("now").replaceChildren(
    h("span", {}, "SoftPQ "),
    h("b", { id: "softpq-now" }, shown(page.analysis.scoresOf(model)[page.over], 4)),
    h("span", {}, ` PQ `),
    h("b", { id: "pq-now" }, shown(page.hard[model][page.over].pq, 4)),
  );
  const counts = ["matched", "soft pairs", "truth objects", "predictions"];
  const headings = ["model", `SoftPQ (${page.over})`, `PQ at ${threshold}`, `F1 at ${threshold}`, ...counts];
  byId("live").replaceChildren(
    h(
      "table",
      { class: "numbers" },
      h("thead", {}, h("tr", {}, ...headings.map((text) => h("th", {}, text)))),
      h("tbody", {}, ...page.modelNames.map((_, k) => row(page, k))),
    ),
  );
  const { whole, wholePieces } = page.report.models[model];
  if (reading === "released" && whole !== wholePieces) {
    const said = "The released reading counts connected pieces of labels; verdicts and the viewer show labels.";
    byId("live").append(h("p", { class: "quiet" }, said));
  }
}
