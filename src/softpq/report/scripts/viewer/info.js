// What is said of an object: its verdict, its partners, what they add.
import { h, shown, signed } from "../dom.js";
import { verdictsFor } from "../facts.js";
/** @typedef {import("./viewer.js").Viewer} Viewer */
/** @typedef {import("../facts.js").Side} Side */
/** @typedef {import("../data.js").ModelData} ModelData */

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

/**
 * Its class and its score, where they are known.
 * @param {Viewer} viewer @param {ModelData} data @param {Side} side @param {number} place @param {number} object
 */
function knownOf({ report }, { known, kept }, side, place, object) {
  if (!known) return "";
  const at = kept?.[place][side][object] ?? object;
  const kind = report.head.classNames[(side === "truth" ? known.truthClass : known.predClass)[place][at] - 1];
  const score = side === "pred" ? known.predScore[place][at] : NaN;
  return `${kind ? ` · ${kind}` : ""}${Number.isNaN(score) ? "" : ` · score ${+score.toFixed(4)}`}`;
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
  const { name: verdict, sign, meaning } = verdictsFor(side)[analysis.verdictsOf(model)[place][side][object]];
  const unit = (viewer.picture?.shape[0] ?? 1) > 1 ? "voxels" : "pixels";
  const pairs = analysis.pairsOf(model, place, side, object);
  const total = pairs.reduce((/** @type {number} */ sum, /** @type {any} */ pair) => sum + pair.adds, 0);
  const title = ` · ${side === "truth" ? "truth" : "prediction"} ${mine[place][object]} · ${areas[object]} ${unit}`;
  const more = knownOf(viewer, data, side, place, object);
  const others = analysis.settings.reading === "released" && data.whole !== data.wholePieces;
  return h(
    "div",
    { class: "object" },
    h("p", {}, h("i", { class: `chip line-${verdict}` }, sign), h("b", {}, ` ${verdict}`), title, more),
    h("p", { class: "quiet" }, `It ${meaning}.`),
    pairs.length ? pairTable(pairs, side, theirs[place]) : h("p", {}, "nobody shares anything with it"),
    pairs.length > MOST ? h("p", { class: "quiet" }, `and ${pairs.length - MOST} more`) : null,
    h("p", {}, `adds ${shown(total, 4)} to the SoftPQ of this image`),
    others ? h("p", { class: "quiet" }, "as labels; the released reading counts connected pieces") : null,
  );
}

/**
 * What the other models make of a truth object: the truth is the same for all.
 * @param {Viewer} viewer @param {import("./viewer.js").Selected} selected
 */
export function inOthers({ report, analysis, image }, { side, object, model }) {
  if (side !== "truth" || report.models.length < 2) return "";
  const told = report.models.map(({ name, placeOf, tables }, k) => {
    const place = placeOf.get(image);
    if (k === model || place === undefined || object >= tables[place].truthAreas.length) return null;
    const { name: verdict, sign } = verdictsFor("truth")[analysis.verdictsOf(k)[place].truth[object]];
    return h("li", {}, h("i", { class: `chip line-${verdict}` }, sign), ` ${verdict} in ${name}`);
  });
  return h("ul", { class: "others" }, ...told);
}
