// Models by repairs: what fixing each kind of error would bring to each model.
import { distinct, h, s, signed } from "../dom.js";
import { viridis } from "./frame.js";
import { answering } from "./spots.js";

const WIDE = 940;
const ROW = 34;
const NAMES = 250;
const TOP = 44;

/**
 * @param {Record<string, number>[]|null} gains by model @param {string[]} models
 * @param {number[]} order of rows @param {(model: number) => void} pick
 */
export function repairGrid(gains, models, order, pick) {
  if (!gains) return h("p", { class: "quiet" }, "computing …");
  const repairs = Object.keys(gains[0]);
  const most = Math.max(0.001, ...gains.flatMap((one) => Object.values(one)).map((gain) => gain || 0));
  const width = (WIDE - NAMES) / repairs.length;
  const names = distinct(models, 26);
  /** @type {import("./spots.js").Spot[]} */ const spots = [];
  const rows = order.map((model, row) => {
    const y = TOP + row * ROW;
    const cells = repairs.flatMap((repair, column) => {
      const place = { x: NAMES + column * width, y, width: width - 3, height: ROW - 3 };
      const gain = gains[model][repair];
      const tell = `${models[model]}: SoftPQ ${signed(gain)} with ${repair}, all else as it is`;
      spots.push({ ...place, tell, pick: () => pick(model) });
      return cell(place, gain, gain / most);
    });
    return s(
      "g",
      {},
      s("text", { class: "name", x: NAMES - 10, y: y + 21, "text-anchor": "end" }, names[model]),
      ...cells,
    );
  });
  const heads = repairs.map((repair, column) => heading(repair, NAMES + (column + 0.5) * width));
  const svg = s("svg", { viewBox: `0 0 ${WIDE} ${TOP + 4 + order.length * ROW}`, class: "repairs" }, ...heads, ...rows);
  return answering(svg, spots, "What fixing errors would bring to each model");
}

/** In two lines, if it is two words. @param {string} text @param {number} x */
function heading(text, x) {
  const words = text.split(" ");
  const line = (/** @type {string} */ word, /** @type {number} */ k) =>
    s("text", { x, y: TOP - 10 - 18 * (words.length - 1 - k), "text-anchor": "middle" }, word);
  return s("g", {}, ...words.map(line));
}

/** @param {{x: number, y: number, width: number, height: number}} place @param {number} gain @param {number} share */
function cell(place, gain, share) {
  const { x, y, width } = place;
  const text = { x: x + width / 2, y: y + 21, "text-anchor": "middle" };
  return [
    s("rect", { ...place, rx: 3, fill: viridis(share || 0) }),
    s("text", { ...text, class: share > 0.6 ? "on-light" : "on-dark" }, signed(gain)),
  ];
}
