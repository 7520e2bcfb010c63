// Making elements. Text is always set as text, never as markup.

/**
 * @param {string} tag @param {Record<string, any>} [attributes] @param {...(Node|string|null|undefined)} children
 * @returns {any}
 */
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/**
 * @param {string} tag @param {Record<string, any>} [attributes] @param {...(Node|string|null|undefined)} children
 * @returns {any}
 */
export function s(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/** @param {any} element @param {Record<string, any>} attributes @param {(Node|string|null|undefined)[]} children */
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "selected") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** @param {string} id @returns {any} */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`no element ${id}`);
  return element;
}

/**
 * What is computed of each item when it is first asked for.
 * @template A, B
 * @param {A[]} items @param {(item: A) => B} make @returns {(k: number) => B}
 */
export function onDemand(items, make) {
  /** @type {B[]} */ const known = [];
  return (k) => (known[k] ??= make(items[k]));
}

/** @param {number|null|undefined} value @param {number} [digits] */
export function shown(value, digits = 3) {
  return value === null || value === undefined || Number.isNaN(value) ? "–" : value.toFixed(digits);
}

/** @param {number} value */
export function signed(value) {
  return Number.isNaN(value) ? "–" : `${value >= 0 ? "+" : "−"}${Math.abs(value).toFixed(3)}`;
}

/** How much all names have in common, at the start and at the end. @param {string[]} names */
export function common(names) {
  const [first = ""] = names;
  const least = Math.min(...names.map((name) => name.length));
  let start = 0;
  let end = 0;
  while (start < least && names.every((name) => name[start] === first[start])) start++;
  while (end < least - start && names.every((name) => name.at(-1 - end) === first.at(-1 - end))) end++;
  return { start, end };
}

/** A whole number, for people. @param {number} value */
export function whole(value) {
  return value.toLocaleString("en");
}

/** A name that may be broken between its words, and nowhere else. @param {Node|string} text */
export function breakable(text) {
  if (typeof text !== "string") return [text];
  return text.split(/(?<=[_\-./… ])/).flatMap((part, k) => (k ? [h("wbr"), part] : [part]));
}

/**
 * Names without the words that all of them begin with, where one is longer than there is room for.
 * @param {string[]} names @param {number} room
 */
export function withoutShared(names, room) {
  const { start } = common(names);
  const word = Math.max(...["/", "_", "-", ".", " "].map((sign) => names[0]?.lastIndexOf(sign, start - 1) ?? -1));
  const cut = word > 0 ? word : start - 2;
  const fit = names.length < 2 || start <= 12 || names.every((name) => name.length <= room);
  return fit ? names : names.map((name) => `…${name.slice(cut)}`);
}

/**
 * Short forms of names that stay different: what all of them begin or end with is left out where they are long.
 * @param {string[]} names @param {number} most
 */
export function distinct(names, most) {
  const short = names.map((name) => shortened(name, most));
  const cut = names.map((name, k) => {
    const alike = names.filter((_, other) => short[other] === short[k]);
    if (new Set(alike).size === 1) return short[k];
    const { start, end } = common(alike);
    const own = name.length - start - end; // what tells it apart, with as much around it as there is room for
    const around = Math.max(0, most - 2 - own);
    const from = Math.max(0, start - Math.ceil(around / 2));
    const to = Math.min(name.length, from + Math.max(own, most - 2));
    return shortened(`${from ? "…" : ""}${name.slice(from, to)}${to < name.length ? "…" : ""}`, most);
  });
  if (new Set(cut).size === new Set(names).size) return cut;
  return names.map((name, k) => `${k + 1}: ${shortened(name, most - 4)}`);
}

/** A long text with its middle left out: names often differ at their end. @param {string} text @param {number} most */
export function shortened(text, most) {
  if (text.length <= most) return text;
  const half = Math.floor((most - 1) / 2);
  return `${text.slice(0, half)}…${text.slice(-half)}`;
}

/**
 * Put something else into an element; if the focus was inside, it stays at the same place.
 * @param {any} host @param {Node} content
 */
export function refill(host, content) {
  const places = () => [...host.querySelectorAll("[tabindex], button, summary")];
  const at = host.contains(document.activeElement) ? places().indexOf(document.activeElement) : -1;
  host.replaceChildren(content);
  if (at >= 0) places()[at]?.focus({ preventScroll: true });
}

/**
 * Several buttons as one stop of the Tab key; arrow keys go from one to the next.
 * @param {any} host @param {string} selector
 */
export function roving(host, selector) {
  const all = () => [...host.querySelectorAll(selector)];
  const stop = (/** @type {any} */ one) =>
    all().forEach((each) => each.setAttribute("tabindex", each === one ? "0" : "-1"));
  stop(all()[0]);
  host.addEventListener("focusin", (/** @type {any} */ event) => {
    if (event.target.matches(selector)) stop(event.target);
  });
  host.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const at = all().indexOf(document.activeElement);
    if (!step || at < 0) return;
    event.preventDefault();
    all()[(at + step + all().length) % all().length].focus();
  });
  return host;
}
