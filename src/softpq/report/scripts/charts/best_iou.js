// How good the best partner of each truth object is.
import { s } from "../dom.js";
import { answering } from "./spots.js";
import { BOX, FIFTHS, WIDTH, axes, canvas, scale } from "./frame.js";

/**
 * How good the best partner of each truth object is, with the two thresholds as lines that can be moved.
 * @param {number[][]} counts by bin: at most l, between, at least h
 * @param {{low: number, high: number, set: (which: "low"|"high", value: number) => void,
 *   pick: (bin: number) => void}} options
 */
export function bestIouChart(counts, { low, high, set, pick }) {
  const totals = counts.map((zones) => zones.reduce((a, b) => a + b));
  const most = Math.max(1, ...totals);
  const n = counts.length;
  const x = scale(0, 1, BOX.left, BOX.right);
  const y = scale(0, most, BOX.bottom, BOX.top + 14);
  const bars = counts.map((zones, k) => {
    let below = 0;
    const parts = zones.map((count, zone) =>
      s("rect", {
        class: `fill-${["missed", "partial", "matched"][zone]}`,
        x: x(k / n) + 0.5,
        width: x(1 / n) - x(0) - 1,
        y: y((below += count)),
        height: y(0) - y(count),
      }),
    );
    return s("g", { class: "bar" }, ...parts);
  });
  const svg = canvas(
    "Distribution of the best IoU of each truth object",
    axes(x, y, FIFTHS, [0, most], "best IoU of each truth object", "objects"),
    ...bars,
  );
  for (const [which, value, letter] of /** @type {["low"|"high", number, string][]} */ ([
    ["low", low, "l"],
    ["high", high, "h"],
  ])) {
    svg.append(dragLine(svg, which, value, letter, x, set));
  }
  answering(svg, spotsOf(totals, x, pick), "Distribution of the best IoU of each truth object");
  svg.setAttribute("role", "group"); // the two thresholds in it are controls
  return svg;
}

/** @param {number[]} totals by bin @param {any} x @param {(bin: number) => void} pick */
function spotsOf(totals, x, pick) {
  const n = totals.length;
  return totals.map((total, k) => ({
    x: x(k / n),
    y: BOX.top,
    width: x(1 / n) - x(0),
    height: BOX.bottom - BOX.top,
    tell: `best IoU ${(k / n).toFixed(2)} to ${((k + 1) / n).toFixed(2)}: ${total} objects`,
    pick: () => pick(k),
  }));
}

/** @param {"low"|"high"} which @param {number} value @param {string} letter @param {any} x */
function thresholdLine(which, value, letter, x) {
  const atRight = value > 0.85;
  const slider = {
    role: "slider",
    tabindex: 0,
    "aria-label": `iou_${which}`,
    "aria-valuemin": 0,
    "aria-valuemax": 1,
    "aria-valuenow": value,
  };
  const text = {
    x: x(value) + (atRight ? -5 : 5),
    y: BOX.top + (which === "low" ? 24 : 10),
    "text-anchor": atRight ? "end" : "start",
  };
  return s(
    "g",
    { class: `threshold ${which}`, "data-threshold": which, ...slider },
    s("line", { x1: x(value), x2: x(value), y1: BOX.top, y2: BOX.bottom }),
    s("rect", { class: "grip", x: x(value) - 5, width: 10, y: BOX.top, height: BOX.bottom - BOX.top }),
    s("text", text, `${letter} = ${value}`),
  );
}

const STEPS = /** @type {Record<string, number>} */ ({
  ArrowLeft: -0.01,
  ArrowDown: -0.01,
  ArrowRight: 0.01,
  ArrowUp: 0.01,
});

/**
 * A threshold that can be moved, by pointer and by keys.
 * @param {any} svg @param {"low"|"high"} which @param {number} value @param {string} letter
 * @param {any} x @param {(which: "low"|"high", value: number) => void} set
 */
function dragLine(svg, which, value, letter, x, set) {
  const line = thresholdLine(which, value, letter, x);
  // The chart is drawn anew while the line moves, so the window listens, not the line.
  line.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    event.preventDefault();
    const host = svg.parentElement;
    const move = (/** @type {PointerEvent} */ { clientX }) => {
      const box = (host.querySelector("svg") ?? svg).getBoundingClientRect();
      set(which, x.invert(((clientX - box.left) / box.width) * WIDTH));
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", () => window.removeEventListener("pointermove", move), { once: true });
  });
  line.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (!STEPS[event.key]) return;
    event.preventDefault();
    set(which, value + STEPS[event.key]);
  });
  return line;
}
