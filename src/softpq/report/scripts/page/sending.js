// Charts as files: the picture with its styles, and the numbers behind it.
import { h, s } from "../dom.js";
import { asCsv, table } from "./tables.js";

const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-opacity",
  "stroke-linecap",
  "font-family",
  "font-size",
  "font-weight",
  "opacity",
];

/** @param {Blob} content @param {string} name */
function download(content, name) {
  const address = URL.createObjectURL(content);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** @typedef {{colour: string, text: string, dashes: string}} LegendKey a line, if it has dashes or none */

/** What the legend below a chart says. @param {HTMLElement} body @returns {LegendKey[]} */
export function keysOf(body) {
  return [...body.querySelectorAll(".legend > *")].map((one) => {
    const mark = one.querySelector("i, svg *") ?? one;
    const style = getComputedStyle(mark);
    const isLine = mark.namespaceURI === SVG;
    const colour = isLine ? style.stroke : style.backgroundColor;
    return { colour, text: (one.textContent ?? "").trim(), dashes: isLine ? style.strokeDasharray : "" };
  });
}

/** The legend as lines of a picture. @param {LegendKey[]} keys @param {number} width @param {number} top */
function legend(keys, width, top) {
  const style = getComputedStyle(document.body);
  const across = Math.max(1, Math.floor(width / 220));
  return keys.flatMap(({ colour, text, dashes }, k) => {
    const [x, y] = [8 + (k % across) * (width / across), top + 14 + Math.floor(k / across) * 20];
    const font = { "font-family": style.fontFamily, "font-size": "12px", fill: style.color };
    const line = {
      x1: x,
      x2: x + 24,
      y1: y - 4,
      y2: y - 4,
      stroke: colour,
      "stroke-width": 2,
      "stroke-dasharray": dashes,
    };
    const square = { x, y: y - 9, width: 12, height: 10, fill: colour };
    return [
      s(dashes ? "line" : "rect", dashes ? line : square),
      s("text", { x: x + (dashes ? 30 : 18), y, ...font }, text),
    ];
  });
}

/**
 * What the picture is of: its title, and lines below it, above the picture.
 * @param {string[]} lines @param {number} width
 */
function heading([title, ...lines], width) {
  const style = getComputedStyle(document.body);
  const font = { x: 8, "font-family": style.fontFamily, fill: style.color };
  const most = Math.floor(width / 6);
  const wrapped = lines.flatMap((line) => line.match(new RegExp(`.{1,${most}}(?:\\s|$)|.{${most}}`, "g")) ?? []);
  const height = 26 + 15 * wrapped.length + 8;
  const first = s("text", { ...font, y: 19 - height, "font-size": "14px", "font-weight": 600 }, title);
  const rest = wrapped.map((line, k) =>
    s("text", { ...font, y: 37 + 15 * k - height, "font-size": "11px" }, line.trim()),
  );
  return { height, texts: [first, ...rest] };
}

/** Files are for paper, whatever the page looks like. @template T @param {() => T} make @returns {T} */
function inLight(make) {
  const root = document.documentElement;
  const before = root.dataset.theme;
  root.dataset.theme = "light";
  try {
    return make();
  } finally {
    if (before === undefined) delete root.dataset.theme;
    else root.dataset.theme = before;
  }
}

const SVG = "http://www.w3.org/2000/svg";

/**
 * The picture by itself: what the style sheet says is written into it, with what it is of, and its legend.
 * @param {SVGSVGElement} svg @param {LegendKey[]} keys @param {string[]} lines
 */
export function standalone(svg, keys, lines) {
  const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(true));
  const [from, to] = [svg, copy].map((one) => [one, ...one.querySelectorAll("*")]);
  from.forEach((element, k) => {
    const style = getComputedStyle(element);
    for (const name of STYLES) to[k].setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "tabindex", "style"]) to[k].removeAttribute(name);
  });
  const { width, height: plain } = svg.viewBox.baseVal;
  const head = heading(lines, width);
  const height = head.height + plain + Math.ceil(keys.length / Math.max(1, Math.floor(width / 220))) * 20;
  copy.append(...head.texts, ...legend(keys, width, plain));
  copy.setAttribute("viewBox", `0 ${-head.height} ${width} ${height}`);
  const ground = getComputedStyle(document.documentElement).getPropertyValue("--card").trim();
  const back = document.createElementNS(SVG, "rect");
  const ends = { y: -head.height, width, height, fill: ground };
  for (const [name, value] of Object.entries(ends)) back.setAttribute(name, String(value));
  copy.prepend(back);
  for (const [name, value] of Object.entries({ xmlns: SVG, width, height })) copy.setAttribute(name, String(value));
  return new XMLSerializer().serializeToString(copy);
}

/** @param {string} svg @param {string} name */
async function downloadPng(svg, name) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [3 * image.width, 3 * image.height];
  /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")).drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => blob && download(blob, `${name}.png`));
}

/** @typedef {{headings: string[], rows: (string|number|null)[][]}} Data */

/**
 * Below a chart: its numbers as a table, and files.
 * @param {string} id @param {HTMLElement} body of the chart @param {() => Data} data
 * @param {() => string[]} words title of the chart, and what it is of
 */
export function sendingTools(id, body, data, words) {
  const host = h("div", { class: "scroll-x", tabindex: 0, role: "region", "aria-label": `numbers of ${id}` });
  const fill = () => {
    const { headings, rows } = data();
    const columns = headings.map((name) => ({ name }));
    const shownRows = rows
      .slice(0, 500)
      .map((row) => ({ cells: row.map((value) => ({ value, shown: [rounded(value)] })) }));
    host.replaceChildren(table(columns, shownRows, { id: `table-${id}` }));
  };
  const ontoggle = (/** @type {any} */ event) => event.target.open && fill();
  const file = (/** @type {string} */ text, /** @type {() => void} */ act) =>
    h("button", { type: "button", class: "file", "aria-label": `${id} as ${text}`, onclick: act }, text);
  const svg = () => inLight(() => standalone(/** @type {any} */ (body.querySelector("svg")), keysOf(body), words()));
  const csv = () => {
    const { headings, rows } = data();
    download(new Blob([asCsv(headings, rows)], { type: "text/csv" }), `softpq_${id}.csv`);
  };
  const asSvg = () => download(new Blob([svg()], { type: "image/svg+xml" }), `softpq_${id}.svg`);
  const png = () => downloadPng(svg(), `softpq_${id}`);
  const files = h("p", { class: "files" }, file("CSV", csv), file("SVG", asSvg), file("PNG", png));
  const details = h("details", { class: "sending", ontoggle }, h("summary", {}, "table and files"), files, host);
  return { element: details, refresh: () => details.open && fill() };
}

/** @param {string|number|null} value */
function rounded(value) {
  if (typeof value !== "number") return String(value ?? "–");
  return Number.isNaN(value) ? "–" : String(Number.isInteger(value) ? value : +value.toFixed(4));
}
