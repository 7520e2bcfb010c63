// The plots, as SVG.
import { PRED_VERDICTS, TRUTH_VERDICTS } from "./verdicts.js";
import { GRID } from "./analysis.js";
import { h, s, shortened, shown, signed, telling, tip } from "./dom.js";

const WIDTH = 460, HEIGHT = 300;
const BOX = { left: 60, right: 448, top: 12, bottom: 250 };

/** @param {number} from @param {number} to @param {number} low @param {number} high */
function scale(from, to, low, high) {
  const span = to - from || 1;
  return Object.assign((/** @type {number} */ value) => low + ((value - from) / span) * (high - low), {
    invert: (/** @type {number} */ place) => from + ((place - low) / (high - low)) * span,
  });
}

/** @param {string} label @param {...(Node|null)} children */
function canvas(label, ...children) {
  return s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label }, ...children);
}

/**
 * @param {(value: number) => number} x @param {(value: number) => number} y
 * @param {number[]} xTicks @param {number[]} yTicks @param {string} xName @param {string} yName
 * @param {(value: number) => string} [xText] @param {(value: number) => string} [yText]
 */
function axes(x, y, xTicks, yTicks, xName, yName, xText = String, yText = String) {
  const { left, right, top, bottom } = BOX;
  return s("g", { class: "axes" },
    ...yTicks.map((t) => s("line", { class: "grid", x1: left, x2: right, y1: y(t), y2: y(t) })),
    ...yTicks.map((t) => s("text", { x: left - 6, y: y(t) + 4, "text-anchor": "end" }, yText(t))),
    ...xTicks.map((t) => s("text", { x: x(t), y: bottom + 19, "text-anchor": "middle" }, xText(t))),
    s("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }),
    s("text", { class: "name", x: (left + right) / 2, y: bottom + 41, "text-anchor": "middle" }, xName),
    s("text", { class: "name", x: 14, y: (top + bottom) / 2, "text-anchor": "middle",
      transform: `rotate(-90 14 ${(top + bottom) / 2})` }, yName));
}

const FIFTHS = [0, 0.2, 0.4, 0.6, 0.8, 1];

/**
 * One point per image.
 * @param {{name: string, x: number, y: number, pick: () => void, current: boolean}[]} points
 * @param {{label: string, xName: string, yName: string, yFrom: number, yTo: number, diagonal: boolean, tell: (p: any) => string}} options
 */
export function scatter(points, options) {
  const x = scale(0, 1, BOX.left, BOX.right), y = scale(options.yFrom, options.yTo, BOX.bottom, BOX.top);
  const ticks = options.diagonal ? FIFTHS : niceTicks(options.yFrom, options.yTo);
  const zero = options.diagonal ? [x(0), y(0), x(1), y(1)] : [x(0), y(0), x(1), y(0)];
  const defined = points.filter((p) => !Number.isNaN(p.x) && !Number.isNaN(p.y)).map((p) => ({ p, cx: x(p.x), cy: y(p.y) }));
  const circle = (/** @type {any} */ { p, cx, cy }) => s("circle", { class: p.current ? "point current" : "point", cx: cx.toFixed(1),
    cy: cy.toFixed(1), r: p.current ? 6 : 4, "data-name": p.name });
  // Thousands of points are one path: a dot is a line without length and with round ends.
  const dots = defined.length <= 300 ? defined.map(circle) : [
    s("path", { class: "cloud", d: defined.map(({ cx, cy }) => `M${cx.toFixed(1)} ${cy.toFixed(1)}h0`).join("") }),
    ...defined.filter(({ p }) => p.current).map(circle)];
  const svg = canvas(options.label, axes(x, y, FIFTHS, ticks, options.xName, options.yName, String, (t) => String(+t.toFixed(2))),
    s("line", { class: "reference", x1: zero[0], y1: zero[1], x2: zero[2], y2: zero[3] }), ...dots);
  const nearest = (/** @type {any} */ event) => {
    const box = svg.getBoundingClientRect(), px = ((event.clientX - box.left) * WIDTH) / box.width, py = ((event.clientY - box.top) * HEIGHT) / box.height;
    let best = null, least = 81;
    for (const one of defined) {
      const far = (one.cx - px) ** 2 + (one.cy - py) ** 2;
      if (far < least) [best, least] = [one.p, far];
    }
    return best;
  };
  svg.addEventListener("pointermove", (/** @type {any} */ event) => {
    const p = nearest(event);
    svg.classList.toggle("clickable", p !== null);
    if (p) tip.show(event, options.tell(p));
    else tip.hide();
  });
  svg.addEventListener("pointerleave", tip.hide);
  svg.addEventListener("click", (/** @type {any} */ event) => { tip.hide(); nearest(event)?.pick(); });
  walkPoints(svg, defined, options.tell);
  return svg;
}

/** Arrow keys go from point to point, Enter picks. @param {any} svg @param {{p: any, cx: number, cy: number}[]} points @param {(p: any) => string} tell */
function walkPoints(svg, points, tell) {
  const order = [...points].sort((a, b) => a.cx - b.cx);
  let at = order.findIndex(({ p }) => p.current);
  svg.setAttribute("tabindex", "0");
  svg.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (step && order.length) {
      event.preventDefault();
      at = (at + step + order.length) % order.length;
      const box = svg.getBoundingClientRect(), { p, cx, cy } = order[at];
      tip.show({ clientX: box.left + (cx * box.width) / WIDTH, clientY: box.top + (cy * box.height) / HEIGHT }, tell(p));
    }
    if (event.key === "Enter" && order[at]) { event.preventDefault(); tip.hide(); order[at].p.pick(); }
  });
  svg.addEventListener("blur", tip.hide);
}

/** @param {number} from @param {number} to */
function niceTicks(from, to) {
  const step = [0.02, 0.05, 0.1, 0.2, 0.5].find((one) => (to - from) / one <= 6) ?? 0.5, ticks = [];
  for (let t = Math.ceil(from / step - 1e-9) * step; t <= to + 1e-9; t += step) ticks.push(Math.abs(t) < 1e-9 ? 0 : t);
  return ticks;
}

/**
 * How good the best partner of each truth object is, with the two thresholds as lines that can be moved.
 * @param {number[][]} counts by bin: at most l, between, at least h
 * @param {{low: number, high: number, set: (which: "low"|"high", value: number) => void, pick: (bin: number) => void}} options
 */
export function bestIouChart(counts, { low, high, set, pick }) {
  const totals = counts.map((zones) => zones.reduce((a, b) => a + b)), most = Math.max(1, ...totals), n = counts.length;
  const x = scale(0, 1, BOX.left, BOX.right), y = scale(0, most, BOX.bottom, BOX.top + 14);
  const bars = counts.map((zones, k) => {
    let below = 0;
    const parts = zones.map((count, zone) => s("rect", { class: `fill-${["missed", "partial", "matched"][zone]}`, x: x(k / n) + 0.5,
      width: x(1 / n) - x(0) - 1, y: y((below += count)), height: y(0) - y(count) }));
    return telling(s("g", { class: "bar", tabindex: totals[k] ? 0 : null }, ...parts),
      () => [`best IoU ${(k / n).toFixed(2)} to ${((k + 1) / n).toFixed(2)}: ${totals[k]} objects`], () => pick(k));
  });
  const svg = canvas("Distribution of the best IoU of each truth object",
    axes(x, y, FIFTHS, [0, most], "best IoU of each truth object", "objects"), ...bars);
  for (const [which, value, letter] of /** @type {["low"|"high", number, string][]} */ ([["low", low, "l"], ["high", high, "h"]])) {
    svg.append(dragLine(svg, which, value, letter, x, set));
  }
  return svg;
}

/**
 * @param {any} svg @param {"low"|"high"} which @param {number} value @param {string} letter
 * @param {any} x @param {(which: "low"|"high", value: number) => void} set
 */
function dragLine(svg, which, value, letter, x, set) {
  const line = s("g", { class: `threshold ${which}`, tabindex: 0, role: "slider", "aria-label": `iou_${which}`,
    "aria-valuemin": 0, "aria-valuemax": 1, "aria-valuenow": value, "data-threshold": which },
    s("line", { x1: x(value), x2: x(value), y1: BOX.top, y2: BOX.bottom }),
    s("rect", { class: "grip", x: x(value) - 5, width: 10, y: BOX.top, height: BOX.bottom - BOX.top }),
    s("text", { x: x(value) + (value > 0.85 ? -5 : 5), y: BOX.top + (which === "low" ? 24 : 10), "text-anchor": value > 0.85 ? "end" : "start" },
      `${letter} = ${value}`));
  const move = (/** @type {PointerEvent} */ event) => {
    const box = svg.getBoundingClientRect();
    set(which, x.invert(((event.clientX - box.left) / box.width) * WIDTH));
  };
  // The chart is drawn anew while the line moves, so the window listens, not the line.
  line.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    event.preventDefault();
    const host = svg.parentElement, current = (/** @type {PointerEvent} */ e) => { svg = host.querySelector("svg") ?? svg; move(e); };
    window.addEventListener("pointermove", current);
    window.addEventListener("pointerup", () => window.removeEventListener("pointermove", current), { once: true });
  });
  line.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowLeft: -0.01, ArrowDown: -0.01, ArrowRight: 0.01, ArrowUp: 0.01 }[event.key];
    if (step) { event.preventDefault(); set(which, value + step); }
  });
  return line;
}

// Viridis, at eleven places: even steps of lightness, for all eyes.
const VIRIDIS = ["#440154", "#482475", "#414487", "#355f8d", "#2a788e", "#21918c", "#22a884", "#44bf70", "#7ad151", "#bddf26", "#fde725"];

/** @param {number} value from 0 to 1 */
function viridis(value) {
  const at = Math.max(0, Math.min(1, value)) * (VIRIDIS.length - 1), k = Math.min(VIRIDIS.length - 2, Math.floor(at));
  const channel = (/** @type {string} */ text, /** @type {number} */ c) => parseInt(text.slice(1 + 2 * c, 3 + 2 * c), 16);
  const mix = [0, 1, 2].map((c) => Math.round(channel(VIRIDIS[k], c) * (1 - at + k) + channel(VIRIDIS[k + 1], c) * (at - k)));
  return `rgb(${mix.join(",")})`;
}

/**
 * @param {Float64Array|null} surface
 * @param {{low: number, high: number, set: (low: number, high: number) => void, step: (high: number, low: number) => void}} options
 */
export function surfaceChart(surface, { low, high, set, step }) {
  const x = scale(0, 1.03, BOX.left, BOX.right - 60), y = scale(-0.03, 1.03, BOX.bottom, BOX.top);
  const defined = surface ? Array.from(surface).filter((v) => !Number.isNaN(v)) : [];
  const least = Math.min(...defined), most = Math.max(...defined);
  const shade = most - least < 1e-9 ? () => 1 : scale(least, most, 0, 1);
  const cells = [], size = 1 / GRID.length;
  for (let row = 0; surface && row < GRID.length; row++) {
    for (let column = 0; column < GRID.length; column++) {
      const value = surface[row * GRID.length + column], l = row * size, u = GRID[column];
      if (Number.isNaN(value)) continue;
      cells.push(telling(s("rect", { x: x(u - size / 2), y: y(l + size / 2), width: x(size) - x(0) + 0.4, height: y(0) - y(size) + 0.4,
        fill: viridis(shade(value)) }), () => [`l = ${l.toFixed(2)}, h = ${u.toFixed(2)}: SoftPQ ${shown(value)}`], () => set(l, u)));
    }
  }
  const point = s("g", { class: "here" }, s("circle", { r: 7 }), s("circle", { r: 2.5, class: "dot" }));
  const svg = canvas("SoftPQ for all pairs of thresholds", axes(x, y, FIFTHS, FIFTHS, "h (iou_high)", "l (iou_low)"), ...cells,
    surface ? colourBar(least, most) : s("text", { x: 180, y: 130, class: "name" }, "computing …"), point);
  movePoint(svg, low, high);
  svg.setAttribute("tabindex", "0");
  svg.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const [right, up] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key] ?? [0, 0];
    if (right || up) { event.preventDefault(); step(right * size, up * size); }
  });
  return svg;
}

/** Put the circle of the surface where the thresholds are. @param {any} svg @param {number} low @param {number} high */
export function movePoint(svg, low, high) {
  const x = scale(0, 1.03, BOX.left, BOX.right - 60), y = scale(-0.03, 1.03, BOX.bottom, BOX.top);
  svg.querySelector(".here").setAttribute("transform", `translate(${x(high)} ${y(low)})`);
}

/** @param {number} least @param {number} most */
function colourBar(least, most) {
  const y = scale(0, 1, BOX.bottom, BOX.top), steps = Array.from({ length: 40 }, (_, k) => k / 40);
  return s("g", { class: "axes" }, ...steps.map((t) => s("rect", { x: 404, width: 12, y: y(t + 1 / 40), height: y(0) - y(1 / 40) + 0.5,
    fill: viridis(t) })), s("text", { x: 420, y: y(0) - 4 }, shown(least, 2)), s("text", { x: 420, y: y(1) + 8 }, shown(most, 2)));
}

/**
 * @param {{model: string, current: boolean, counts: {truth: number[], pred: number[]}, pick: (side: "truth"|"pred", verdict: number) => void}[]} rows
 */
export function verdictChart(rows) {
  const kinds = [...TRUTH_VERDICTS.map((name, k) => ({ name, side: /** @type {const} */ ("truth"), k })),
    { name: "ghost", side: /** @type {const} */ ("pred"), k: PRED_VERDICTS.indexOf("ghost") }];
  const total = Math.max(1, ...rows.map((row) => kinds.reduce((sum, kind) => sum + row.counts[kind.side][kind.k], 0)));
  return h("div", { class: "bars" }, ...rows.map((row) => h("div", { class: row.current ? "bar-row current" : "bar-row" },
    h("span", { class: "bar-name", title: row.model }, shortened(row.model, 18)),
    h("div", { class: "stack" }, ...kinds.map((kind) => {
      const count = row.counts[kind.side][kind.k];
      const cell = telling(h("button", { class: `segment fill-${kind.name}`, type: "button", "data-verdict": kind.name,
        "aria-label": `${row.model}: ${count} ${kind.name}`, hidden: !count }, (count / total) > 0.045 ? String(count) : ""),
      () => [`${row.model}: ${count} ${kind.name} ${kind.side === "truth" ? "truth objects" : "predictions"}`],
      () => row.pick(kind.side, kind.k));
      cell.style.width = `${(100 * count) / total}%`;
      return cell;
    })))), h("div", { class: "legend" }, ...kinds.map((kind) => h("span", {}, h("i", { class: `fill-${kind.name}` }), kind.name))));
}

/** @param {Record<string, number>|null} gains @param {string} metric */
export function gainChart(gains, metric) {
  if (!gains) return h("p", { class: "quiet" }, "computing …");
  const most = Math.max(0.001, ...Object.values(gains).map((g) => Math.abs(g) || 0));
  return h("div", { class: "bars" }, ...Object.entries(gains).sort((a, b) => b[1] - a[1]).map(([name, gain]) => {
    const bar = h("div", { class: gain >= 0 ? "gain" : "gain loss" });
    bar.style.width = `${(100 * Math.abs(gain || 0)) / most}%`;
    return telling(h("div", { class: "bar-row", tabindex: 0 }, h("span", { class: "bar-name" }, name), h("div", { class: "stack" }, bar),
      h("span", { class: "bar-value" }, signed(gain))), () => [`${metric} ${signed(gain)} with ${name}, all else as it is`]);
  }));
}

/**
 * @param {{from: number, to: number, count: number, found: number, credit: number, pick: () => void}[]} bins by area
 */
export function sizeChart(bins) {
  const x = scale(0, Math.max(1, bins.length), BOX.left, BOX.right), y = scale(0, 1, BOX.bottom, BOX.top);
  const line = (/** @type {"found"|"credit"} */ key) => s("polyline", { class: `line ${key}`,
    points: bins.map((bin, k) => `${x(k + 0.5)},${y(bin[key])}`).join(" ") });
  const middle = bins.map((bin, k) => ({ bin, k })).filter(({ k }) => bins.length < 7 || k % 2 === 0);
  return canvas("Score against object size",
    axes(x, y, middle.map(({ k }) => k + 0.5), FIFTHS, "area of the truth object (pixels, up to)", "share and credit",
      (t) => compact(bins[Math.floor(t)].to)), line("found"), line("credit"),
    ...bins.flatMap((bin, k) => [
      s("circle", { class: "mark found", cx: x(k + 0.5), cy: y(bin.found), r: 3.5 }),
      s("circle", { class: "mark credit", cx: x(k + 0.5), cy: y(bin.credit), r: 3.5 }),
      telling(s("rect", { class: "hit", tabindex: 0, x: x(k), width: x(1) - x(0), y: BOX.top, height: BOX.bottom - BOX.top }),
        () => [`area ${bin.from} to ${bin.to}: ${bin.count} objects, ${(100 * bin.found).toFixed(0)} % matched, credit ${shown(bin.credit)}`], bin.pick)]),
    s("g", { class: "axes" }, s("circle", { class: "mark found", cx: 300, cy: 222, r: 4 }), s("text", { x: 310, y: 227 }, "share matched"),
      s("circle", { class: "mark credit", cx: 300, cy: 240, r: 4 }), s("text", { x: 310, y: 245 }, "IoU credit (SoftPQ)")));
}

/** @param {number} value */
function compact(value) {
  return value >= 1e6 ? `${(value / 1e6).toFixed(1)}M` : value >= 1e4 ? `${(value / 1e3).toFixed(0)}k` : String(value);
}

/**
 * A dot and an interval for each model.
 * @param {{model: string, values: (number|null)[]}[]} rows value, low, high
 * @param {string} label
 */
export function dotChart(rows, label) {
  const numbers = rows.flatMap((row) => row.values).filter((v) => v !== null);
  if (!numbers.length) return h("p", { class: "quiet" }, "Nothing to show: no image has an object.");
  const least = Math.max(0, Math.min(...numbers) - 0.03), most = Math.min(1, Math.max(...numbers) + 0.03);
  const height = 34 + rows.length * 26, x = scale(least, Math.max(most, least + 0.05), 150, 440);
  const ticks = niceTicks(least, Math.max(most, least + 0.05));
  return s("svg", { viewBox: `0 0 460 ${height}`, role: "img", "aria-label": label, class: "dots" },
    s("g", { class: "axes" }, ...ticks.map((t) => s("line", { class: "grid", x1: x(t), x2: x(t), y1: 4, y2: height - 26 })),
      ...ticks.map((t) => s("text", { x: x(t), y: height - 10, "text-anchor": "middle" }, t.toFixed(2)))),
    ...rows.filter((row) => row.values[0] !== null).map((row, k) => {
      const [value, low, high] = /** @type {number[]} */ (row.values), at = 18 + k * 26;
      return telling(s("g", { class: "interval" },
        s("text", { x: 142, y: at + 4, "text-anchor": "end" }, shortened(row.model, 17)),
        s("line", { x1: x(low ?? value), x2: x(high ?? value), y1: at, y2: at }), s("circle", { cx: x(value), cy: at, r: 4.5 }),
        s("rect", { class: "hit", x: 0, y: at - 12, width: 460, height: 24 })),
      () => [`${row.model}: ${shown(value, 4)} (${shown(low, 4)} to ${shown(high, 4)})`]);
    }));
}
