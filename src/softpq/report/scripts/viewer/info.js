// What is said of an object: its verdict, its partners, what they add.
import { h, shown, signed } from "../dom.js";
import { verdictsFor } from "../facts.js";
/** @typedef {import("./viewer.js").Viewer} Viewer */
/** @typedef {import("../facts.js").Side} Side */

const MOST = 6;

/** @param {any[]} pairs @param {Side} side @param {ArrayLike<any>} partners labels of the other side */
function pairTable(pairs, side, partners) {
  const headings = [side === "truth" ? "prediction" : "truth", "IoU", "", "weight", "adds"];
  const row = (/** @type {any} */ pair) =>
    h(
      "tr",
      {},
      ...[String(partners[pair.partner]), shown(pair.iou), pair.kind, shown(pair.weight, 2), signed(pair.adds)].map(
        (text) => h("td", {}, text),
      ),
    );
  return h("table", {}, h("tr", {}, ...headings.map((text) => h("th", {}, text))), ...pairs.slice(0, MOST).map(row));
}

/** @param {Viewer} viewer @param {Side} side @param {number} object @param {number} model */
export function described(viewer, side, object, model) {
  const data = viewer.report.models[model];
  const place = data.placeOf.get(viewer.image);
  if (place === undefined) return h("div", {}, "not scored");
  const { analysis } = viewer;
  const table = data.tables[place];
  const [mine, theirs] = side === "truth" ? [data.truthIds, data.predIds] : [data.predIds, data.truthIds];
  const areas = side === "truth" ? table.truthAreas : table.predAreas;
  const verdict = verdictsFor(side)[analysis.verdictsOf(model)[place][side][object]].name;
  const pairs = analysis.pairsOf(model, place, side, object);
  const total = pairs.reduce((/** @type {number} */ sum, /** @type {any} */ pair) => sum + pair.adds, 0);
  const title = ` · ${side === "truth" ? "truth" : "prediction"} ${mine[place][object]} · ${areas[object]} pixels`;
  const others = analysis.settings.reading === "released" && data.whole !== data.wholePieces;
  return h(
    "div",
    { class: "object" },
    h("p", {}, h("i", { class: `fill-${verdict}` }), h("b", {}, ` ${verdict}`), title),
    pairs.length ? pairTable(pairs, side, theirs[place]) : h("p", {}, "no partner shares a pixel"),
    pairs.length > MOST ? h("p", { class: "quiet" }, `and ${pairs.length - MOST} more`) : null,
    h("p", {}, `adds ${shown(total, 4)} to the SoftPQ of this image`),
    others ? h("p", { class: "quiet" }, "as labels; the released reading counts connected pieces") : null,
  );
}
