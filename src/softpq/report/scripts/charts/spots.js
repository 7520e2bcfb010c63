// Charts that answer: one place on the chart for each thing, told by hovering or arrow keys, picked by click or Enter.
import { tip } from "../tip.js";

/**
 * @typedef {object} Spot
 * @property {number} x @property {number} y @property {number} width @property {number} height in units of the chart
 * @property {string} tell
 * @property {() => void} [pick]
 */

/**
 * Make a chart one stop of the keyboard, with as many spots as it needs.
 * @param {any} svg @param {Spot[]} spots in the order of reading @param {string} label
 */
export function answering(svg, spots, label) {
  svg.setAttribute("role", "application");
  svg.setAttribute("aria-roledescription", "chart");
  svg.setAttribute("aria-label", `${label}. Arrow keys tell, Enter picks; a table follows.`);
  svg.setAttribute("tabindex", "0");
  const toChart = (/** @type {any} */ event) => {
    const box = svg.getBoundingClientRect();
    const { width, height } = svg.viewBox.baseVal;
    return [((event.clientX - box.left) * width) / box.width, ((event.clientY - box.top) * height) / box.height];
  };
  const at = (/** @type {any} */ event) => {
    const [x, y] = toChart(event);
    return spots.find((s) => x >= s.x && x < s.x + s.width && y >= s.y && y < s.y + s.height);
  };
  svg.addEventListener("pointermove", (/** @type {any} */ event) => {
    const spot = at(event);
    svg.classList.toggle("clickable", Boolean(spot?.pick));
    if (spot) tip.show(event, spot.tell);
    else tip.hide();
  });
  svg.addEventListener("pointerleave", tip.hide);
  svg.addEventListener("blur", tip.hide);
  svg.addEventListener("click", (/** @type {any} */ event) => {
    tip.hide();
    at(event)?.pick?.();
  });
  walk(svg, spots);
  return svg;
}

/** @param {any} svg @param {Spot[]} spots */
function walk(svg, spots) {
  let now = -1;
  svg.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.target !== svg || !spots.length) return;
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step) {
      now = (now + step + spots.length) % spots.length;
      const { x, y, width, height, tell } = spots[now];
      const box = svg.getBoundingClientRect();
      const size = box.width / svg.viewBox.baseVal.width;
      tip.show({ clientX: box.left + (x + width / 2) * size, clientY: box.top + (y + height) * size }, tell);
    }
    if (event.key === "Enter" || event.key === " ") spots[now]?.pick?.();
    if (step || event.key === "Enter" || event.key === " ") event.preventDefault();
  });
}
