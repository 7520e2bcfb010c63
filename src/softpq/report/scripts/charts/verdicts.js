// What happened to the objects of each model.
import { distinct, s, whole } from "../dom.js";
import { facts } from "../facts.js";
import { answering } from "./spots.js";
/** @typedef {import("../facts.js").Side} Side */

/**
 * @typedef {object} Row
 * @property {string} model
 * @property {boolean} current
 * @property {Record<Side, number[]>} counts by code
 * @property {(side: Side, verdict: number) => void} pick
 *
 * @typedef {{name: string, side: Side, code: number, sign: string, rank: number}} Kind
 */

/** All that can happen to truth objects, and those of predictions that no truth object tells of. @returns {Kind[]} */
export function kinds() {
  const codes = { truth: 0, pred: 0 };
  const all = facts.verdicts.map(({ name, side, sign, rank }) => ({ name, side, sign, rank, code: codes[side]++ }));
  return all.filter((one) => one.side === "truth" || one.rank > 0);
}

const WIDE = 940;
const ROW = 46;

/** @param {Row[]} rows */
export function verdictChart(rows) {
  const all = kinds();
  const sums = rows.map((row) => all.reduce((sum, { side, code }) => sum + row.counts[side][code], 0));
  const unit = (WIDE - 4) / Math.max(1, ...sums);
  const names = distinct(
    rows.map((row) => row.model),
    60,
  );
  /** @type {import("./spots.js").Spot[]} */ const spots = [];
  const groups = rows.map((row, k) => {
    let x = 0;
    const top = k * ROW + 20;
    const parts = all.flatMap(({ name, side, code, sign }) => {
      const count = row.counts[side][code];
      if (!count) return [];
      const place = { x, y: top, width: Math.max(1.5, count * unit - 1), height: 22 };
      x += count * unit;
      const of = side === "truth" ? "truth objects" : "predictions";
      spots.push({ ...place, tell: `${row.model}: ${whole(count)} ${name} ${of}`, pick: () => row.pick(side, code) });
      const rect = s("rect", { class: `segment fill-${name}`, "data-verdict": name, ...place });
      const middle = { class: "on-fill", x: place.x + place.width / 2, y: top + 16, "text-anchor": "middle" };
      return place.width > 16 ? [rect, s("text", middle, sign)] : [rect];
    });
    return s(
      "g",
      { class: row.current ? "bar-row current" : "bar-row" },
      s("text", { x: 0, y: top - 5 }, names[k]),
      ...parts,
    );
  });
  const svg = s("svg", { viewBox: `0 0 ${WIDE} ${rows.length * ROW + 4}`, class: "verdict-bars" }, ...groups);
  return answering(svg, spots, "What happened to the objects of each model");
}
