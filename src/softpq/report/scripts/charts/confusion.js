// Which class was taken for which: a grid whose cells lead to the objects.
import { s, shortened } from "../dom.js";
import { answering } from "./spots.js";

const TOP = 78;
const MOST = 470;
const TILT = 56; // the last heading leans over the border

/**
 * The last row is of predictions that are no object, the last column of objects without a match.
 * @param {string[]} rows classes of truth @param {string[]} columns classes of predictions
 * @param {number[][]} counts @param {(row: number, column: number) => void} pick
 */
export function confusionChart(rows, columns, counts, pick) {
  const left = 14 + 7.4 * Math.min(16, Math.max(...rows.map((name) => name.length)));
  const wide = Math.min(52, (MOST - left - 6) / columns.length);
  const tall = Math.min(38, Math.max(20, wide));
  /** @type {import("./spots.js").Spot[]} */ const spots = [];
  const cells = counts.flatMap((row, i) => {
    const sum = Math.max(
      1,
      row.reduce((a, b) => a + b, 0),
    );
    return row.flatMap((count, j) => {
      if (i === rows.length - 1 && j === columns.length - 1) return []; // nothing taken for nothing
      const place = { x: left + j * wide, y: TOP + i * tall, width: wide - 2, height: tall - 2 };
      spots.push({ ...place, tell: told(rows, columns, i, j, count), pick: count ? () => pick(i, j) : undefined });
      return cell(place, count, count / sum, rows[i] === columns[j]);
    });
  });
  const across = Math.max(320, left + columns.length * wide + TILT);
  const size = {
    viewBox: `0 0 ${across} ${TOP + rows.length * tall + 6}`,
    class: columns.length > 6 ? "confusion many" : "confusion",
  };
  const svg = s("svg", size, ...headings(rows, columns, { left, wide, tall }), ...cells);
  return answering(svg, spots, "Classes of truth against classes of predictions");
}

/** @param {string[]} rows @param {string[]} columns @param {number} i @param {number} j @param {number} count */
function told(rows, columns, i, j, count) {
  if (i === rows.length - 1) return `${count} predictions of ${columns[j]} where nothing was matched`;
  const as = j === columns.length - 1 ? "not matched" : `found as ${columns[j]}`;
  return `${count} objects of ${rows[i]}: ${as}`;
}

/**
 * @param {{x: number, y: number, width: number, height: number}} place @param {number} count @param {number} share
 * @param {boolean} right
 */
function cell(place, count, share, right) {
  const at = { x: place.x + place.width / 2, y: place.y + place.height / 2 + 5, "text-anchor": "middle" };
  const fill = count ? 0.12 + 0.5 * share : 0.03;
  return [
    s("rect", { class: right ? "taken right" : "taken wrong", ...place, rx: 3, "fill-opacity": fill }),
    s("text", { class: "cell-count", ...at }, String(count)),
  ];
}

/** @param {string[]} rows @param {string[]} columns @param {{left: number, wide: number, tall: number}} grid */
function headings(rows, columns, { left, wide, tall }) {
  const names = rows.map((name, i) => {
    const at = { x: left - 6, y: TOP + i * tall + tall / 2 + 3, "text-anchor": "end" };
    return s("text", { class: "name", ...at }, shortened(name, 16));
  });
  const tilted = columns.map((name, j) => {
    const [x, y] = [left + (j + 0.5) * wide - 4, TOP - 6];
    return s("text", { class: "name", x, y, transform: `rotate(-30 ${x} ${y})` }, shortened(name, 12));
  });
  return [...names, ...tilted];
}
