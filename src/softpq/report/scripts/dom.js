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

/** @param {number|null|undefined} value @param {number} [digits] */
export function shown(value, digits = 3) {
  return value === null || value === undefined || Number.isNaN(value) ? "–" : value.toFixed(digits);
}

/** @param {number} value */
export function signed(value) {
  return Number.isNaN(value) ? "–" : `${value >= 0 ? "+" : "−"}${Math.abs(value).toFixed(3)}`;
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
  const places = () => [...host.querySelectorAll("[tabindex], button")];
  const at = host.contains(document.activeElement) ? places().indexOf(document.activeElement) : -1;
  host.replaceChildren(content);
  if (at >= 0) places()[at]?.focus({ preventScroll: true });
}
