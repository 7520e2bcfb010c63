// One point per image.
import { s } from "../dom.js";
import { tip } from "../tip.js";
import { BOX, FIFTHS, HEIGHT, WIDTH, axes, canvas, niceTicks, scale } from "./frame.js";

/** @typedef {{name: string, x: number, y: number, pick: () => void, current: boolean}} Point */
/** @typedef {{p: Point, cx: number, cy: number}} Placed */

/** @param {Placed} point */
function circle({ p, cx, cy }) {
  const place = { cx: cx.toFixed(1), cy: cy.toFixed(1), r: p.current ? 6 : 4 };
  return s("circle", { class: p.current ? "point current" : "point", "data-name": p.name, ...place });
}

/** Thousands of points are one path: a dot is a line without length and with round ends. @param {Placed[]} points */
function dots(points) {
  if (points.length <= 300) return points.map(circle);
  const d = points.map(({ cx, cy }) => `M${cx.toFixed(1)} ${cy.toFixed(1)}h0`).join("");
  return [s("path", { class: "cloud", d }), ...points.filter(({ p }) => p.current).map(circle)];
}

/** The point below the pointer. @param {any} svg @param {Placed[]} points @param {any} event */
function nearest(svg, points, event) {
  const box = svg.getBoundingClientRect();
  const px = ((event.clientX - box.left) * WIDTH) / box.width;
  const py = ((event.clientY - box.top) * HEIGHT) / box.height;
  let best = null;
  let least = 81;
  for (const one of points) {
    const far = (one.cx - px) ** 2 + (one.cy - py) ** 2;
    if (far < least) [best, least] = [one.p, far];
  }
  return best;
}

/**
 * One point per image.
 * @param {Point[]} points
 * @param {{label: string, xName: string, yName: string, yFrom: number, yTo: number, diagonal: boolean,
 *   tell: (p: any) => string, xTicks?: number[], xText?: (value: number) => string}} options the abscissa goes from 0
 *   to 1, or over its ticks
 */
export function scatter(points, options) {
  const { xTicks = FIFTHS, xText = String } = options;
  const [first, last] = [xTicks[0], xTicks[xTicks.length - 1]];
  const x = scale(first, last, BOX.left, BOX.right);
  const y = scale(options.yFrom, options.yTo, BOX.bottom, BOX.top);
  const ticks = options.diagonal ? FIFTHS : niceTicks(options.yFrom, options.yTo);
  const defined = points
    .filter((p) => !Number.isNaN(p.x) && !Number.isNaN(p.y))
    .map((p) => ({ p, cx: x(p.x), cy: y(p.y) }));
  const svg = canvas(
    options.label,
    axes(x, y, xTicks, ticks, options.xName, options.yName, xText, (t) => String(+t.toFixed(2))),
    s("line", { class: "reference", x1: x(first), y1: y(0), x2: x(last), y2: y(options.diagonal ? 1 : 0) }),
    ...dots(defined),
  );
  svg.addEventListener("pointermove", (/** @type {any} */ event) => {
    const p = nearest(svg, defined, event);
    svg.classList.toggle("clickable", p !== null);
    if (p) tip.show(event, options.tell(p));
    else tip.hide();
  });
  svg.addEventListener("pointerleave", tip.hide);
  svg.addEventListener("click", (/** @type {any} */ event) => {
    tip.hide();
    nearest(svg, defined, event)?.pick();
  });
  walkPoints(svg, defined, options.tell);
  return svg;
}

/**
 * Arrow keys go from point to point, Enter picks.
 * @param {any} svg @param {{p: any, cx: number, cy: number}[]} points @param {(p: any) => string} tell
 */
function walkPoints(svg, points, tell) {
  const order = [...points].sort((a, b) => a.cx - b.cx);
  let at = order.findIndex(({ p }) => p.current);
  svg.setAttribute("tabindex", "0");
  svg.setAttribute("role", "application");
  svg.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (step && order.length) {
      event.preventDefault();
      at = (at + step + order.length) % order.length;
      const box = svg.getBoundingClientRect();
      const { p, cx, cy } = order[at];
      tip.show(
        { clientX: box.left + (cx * box.width) / WIDTH, clientY: box.top + (cy * box.height) / HEIGHT },
        tell(p),
      );
    }
    if (event.key === "Enter" && order[at]) {
      event.preventDefault();
      tip.hide();
      order[at].p.pick();
    }
  });
  svg.addEventListener("blur", tip.hide);
}
