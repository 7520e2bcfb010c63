// Tables of numbers whose columns can be sorted, and read as CSV.
import { breakable, h, roving } from "../dom.js";

/**
 * @typedef {object} Cell
 * @property {string|number|null} value what it is sorted by, and what a file says
 * @property {(Node|string)[]} [shown] how it is shown; the value itself by default
 * @property {string} [kind] class
 * @property {string} [title]
 *
 * @typedef {object} Column
 * @property {string} name
 * @property {string} [title] more of it
 * @property {boolean} [less] whether less is better: the first click sorts upwards
 */

/** @typedef {{column: number, up: boolean}} Order */

/**
 * @param {Column[]} columns @param {{cells: Cell[], kind?: string}[]} rows
 * @param {{caption?: string, id: string, order?: Order, sorted?: (order: Order) => void}} options
 */
export function table(columns, rows, { caption, id, order, sorted }) {
  const body = h("tbody");
  const show = (/** @type {Order|undefined} */ by) => body.replaceChildren(...ordered(rows, by).map(row));
  const head = columns.map((column, k) =>
    heading(column, k, order, (next) => {
      order = next;
      sorted?.(next);
      show(next);
      mark(head, next);
    }),
  );
  show(order);
  return h(
    "table",
    { class: "numbers", id },
    caption ? h("caption", {}, caption) : null,
    roving(h("thead", {}, h("tr", {}, ...head)), "button"),
    body,
  );
}

/** @param {Column} column @param {number} k @param {Order|undefined} order @param {(order: Order) => void} sort */
function heading(column, k, order, sort) {
  const th = h("th", { scope: "col", title: column.title, "aria-sort": sortOf(order, k) });
  const onclick = () => {
    const now = th.getAttribute("aria-sort");
    sort({ column: k, up: now === "none" ? k === 0 || Boolean(column.less) : now === "descending" });
  };
  th.append(h("button", { type: "button", class: "sort", onclick }, column.name));
  return th;
}

/** @param {Order|undefined} order @param {number} k */
function sortOf(order, k) {
  if (order?.column !== k) return "none";
  return order.up ? "ascending" : "descending";
}

/** @param {any[]} head @param {Order} order */
function mark(head, order) {
  head.forEach((th, k) => th.setAttribute("aria-sort", sortOf(order, k)));
}

/** What has no value comes last. @param {{cells: Cell[], kind?: string}[]} rows @param {Order|undefined} order */
function ordered(rows, order) {
  if (!order) return rows;
  const { column, up } = order;
  const missing = (/** @type {any} */ v) => v === null || v === undefined || Number.isNaN(v);
  return [...rows].sort((one, two) => {
    const [a, b] = [one.cells[column].value, two.cells[column].value];
    if (missing(a) || missing(b)) return Number(missing(a)) - Number(missing(b));
    const less = typeof a === "string" ? a.localeCompare(String(b), "en", { numeric: true }) : Number(a) - Number(b);
    return up ? less : -less;
  });
}

/** @param {{cells: Cell[], kind?: string}} row */
function row({ cells, kind = "" }) {
  const [first, ...others] = cells;
  return h(
    "tr",
    { class: kind },
    h(
      "th",
      { class: `model ${first.kind ?? ""}`, scope: "row", title: first.title },
      ...shownIn(first).flatMap(breakable),
    ),
    ...others.map((cell) => h("td", { class: cell.kind, title: cell.title }, ...shownIn(cell))),
  );
}

/** @param {Cell} cell */
function shownIn({ value, shown }) {
  if (shown) return shown;
  if (Number.isInteger(value)) return [Number(value).toLocaleString("en")];
  return [value === null || Number.isNaN(value) ? "–" : String(value)];
}

/** @param {string[]} headings @param {(string|number|null)[][]} rows */
export function asCsv(headings, rows) {
  const field = (/** @type {string|number|null} */ value) => {
    const text = value === null || Number.isNaN(value) ? "" : String(value);
    const safe = typeof value === "string" && /^[=+\-@\t]/.test(text) ? `'${text}` : text; // no formula of a spreadsheet
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [headings, ...rows].map((row) => row.map(field).join(",")).join("\n") + "\n";
}
