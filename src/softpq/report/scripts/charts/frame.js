// What the plots have in common: a frame, scales, axes, colours.
import { s } from "../dom.js";

export const WIDTH = 460;
export const HEIGHT = 300;
export const BOX = { left: 60, right: 448, top: 12, bottom: 250 };

/** @param {number} from @param {number} to @param {number} low @param {number} high */
export function scale(from, to, low, high) {
  const span = to - from || 1;
  return Object.assign((/** @type {number} */ value) => low + ((value - from) / span) * (high - low), {
    invert: (/** @type {number} */ place) => from + ((place - low) / (high - low)) * span,
  });
}

/** @param {string} label @param {...(Node|null)} children */
export function canvas(label, ...children) {
  return s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label }, ...children);
}

/**
 * Where a text below an axis stands, so that no digit is cut: in the middle, unless the border is near.
 * @param {number} x @param {string} text
 */
export function placed(x, text) {
  const half = 4.2 * text.length;
  if (x + half > WIDTH) return { x: WIDTH - 1, "text-anchor": "end" };
  return x < half ? { x: 1, "text-anchor": "start" } : { x, "text-anchor": "middle" };
}

/**
 * @param {(value: number) => number} x @param {(value: number) => number} y
 * @param {number[]} xTicks @param {number[]} yTicks @param {string} xName @param {string} yName
 * @param {(value: number) => string} [xText] @param {(value: number) => string} [yText]
 */
export function axes(x, y, xTicks, yTicks, xName, yName, xText = String, yText = String) {
  const { left, right, top, bottom } = BOX;
  return s(
    "g",
    { class: "axes" },
    ...yTicks.map((t) => s("line", { class: "grid", x1: left, x2: right, y1: y(t), y2: y(t) })),
    ...yTicks.map((t) => s("text", { x: left - 6, y: y(t) + 4, "text-anchor": "end" }, yText(t))),
    ...xTicks.map((t) => s("text", { ...placed(x(t), xText(t)), y: bottom + 19 }, xText(t))),
    s("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }),
    s("text", { class: "name", x: (left + right) / 2, y: bottom + 41, "text-anchor": "middle" }, xName),
    s(
      "text",
      {
        class: "name",
        x: 14,
        y: (top + bottom) / 2,
        "text-anchor": "middle",
        transform: `rotate(-90 14 ${(top + bottom) / 2})`,
      },
      yName,
    ),
  );
}

export const FIFTHS = [0, 0.2, 0.4, 0.6, 0.8, 1];

/** @param {number} from @param {number} to */
export function niceTicks(from, to) {
  const step = [0.02, 0.05, 0.1, 0.2, 0.5].find((one) => (to - from) / one <= 6) ?? 0.5;
  const ticks = [];
  for (let t = Math.ceil(from / step - 1e-9) * step; t <= to + 1e-9; t += step) ticks.push(Math.abs(t) < 1e-9 ? 0 : t);
  return ticks;
}

const MODELS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b09000", "#56b4e9", "#6a3d9a", "#666666"];

/** A colour for each model. @param {number} model */
export function modelColour(model) {
  return MODELS[model % MODELS.length];
}

// Viridis, at eleven places: even steps of lightness, for all eyes.
const VIRIDIS = [
  "#440154",
  "#482475",
  "#414487",
  "#355f8d",
  "#2a788e",
  "#21918c",
  "#22a884",
  "#44bf70",
  "#7ad151",
  "#bddf26",
  "#fde725",
];

/** @param {number} value from 0 to 1 */
export function viridis(value) {
  const at = Math.max(0, Math.min(1, value)) * (VIRIDIS.length - 1);
  const k = Math.min(VIRIDIS.length - 2, Math.floor(at));
  const channel = (/** @type {string} */ text, /** @type {number} */ c) =>
    parseInt(text.slice(1 + 2 * c, 3 + 2 * c), 16);
  const mix = [0, 1, 2].map((c) =>
    Math.round(channel(VIRIDIS[k], c) * (1 - at + k) + channel(VIRIDIS[k + 1], c) * (at - k)),
  );
  return `rgb(${mix.join(",")})`;
}
