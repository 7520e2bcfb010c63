// What Python knows and the page must know, too: it comes in the head of the page, and stands nowhere else.

/**
 * @typedef {"truth"|"pred"} Side
 *
 * @typedef {object} Verdict
 * @property {Side} side
 * @property {string} name
 * @property {number[]} colour in pictures and on dark ground
 * @property {number[]} ink the same on white
 * @property {string} meaning
 * @property {number} rank which error is looked at first
 * @property {string} sign one character
 *
 * @typedef {object} Facts
 * @property {Verdict[]} verdicts those of a side in the order of their codes
 * @property {string[]} repairs
 * @property {string[]} penalties
 * @property {string[]} priorities
 * @property {string[]} readings
 * @property {Record<string, [number, number]>} presets
 * @property {Record<string, number>} statistics how few units are enough, and how many exchanges are tried
 */

/** @type {Facts} */
export const facts = {
  verdicts: [],
  repairs: [],
  penalties: [],
  priorities: [],
  readings: [],
  presets: {},
  statistics: {},
};

/** @type {Record<Side, Verdict[]>} */
const bySide = { truth: [], pred: [] };

/** @type {Side[]} */
export const SIDES = ["truth", "pred"];

/** Take over what the head says. @param {Facts} known */
export function learn(known) {
  Object.assign(facts, known);
  for (const side of SIDES) bySide[side] = facts.verdicts.filter((one) => one.side === side);
}

/** The verdicts of one side, by code. @param {Side} side */
export function verdictsFor(side) {
  return bySide[side];
}

/** @param {Side} side @param {string} name */
export function codeOf(side, name) {
  return bySide[side].findIndex((one) => one.name === name);
}

/** @param {"colour"|"ink"} kind */
function variables(kind) {
  return facts.verdicts.map((one) => `--${one.name}: rgb(${one[kind].join(" ")});`).join(" ");
}

/**
 * Fills of charts; and the colours of pictures, which are the same in the dark and in the light.
 * @param {Verdict} verdict
 */
function rulesOf({ name, colour }) {
  return `.fill-${name} { fill: var(--${name}); background: var(--${name}); }
    .line-${name} { color: rgb(${colour.join(" ")}); border-color: currentcolor; }`;
}

/** Give the style sheet the colours of verdicts: as variables, and as classes that fill. */
export function colourPage() {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    :root { ${variables("ink")} }
    @media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { ${variables("colour")} } }
    :root[data-theme="dark"] { ${variables("colour")} }
    @media print { :root, :root[data-theme="dark"], :root:not([data-theme="light"]) { ${variables("ink")} } }
    ${facts.verdicts.map(rulesOf).join("\n")}
  `);
  document.adoptedStyleSheets = [sheet];
}
