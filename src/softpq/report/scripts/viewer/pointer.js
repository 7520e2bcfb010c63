// What the pointer and the keys do in the viewer.
import { tip } from "../tip.js";
import { nextAt, placeAt } from "./objects.js";
/** @typedef {import("./viewer.js").Viewer} Viewer */

/**
 * As maps do it: the wheel scrolls the page unless the picture has the focus or Ctrl is held; one finger scrolls,
 * two fingers move and zoom.
 * @param {Viewer} viewer @param {any} canvas
 */
export function listenToPointer(viewer, canvas) {
  const wheel = (/** @type {WheelEvent} */ event) => {
    if (document.activeElement !== canvas && !event.ctrlKey && !event.metaKey) {
      viewer.elements.hint.hidden = false; // until the picture is clicked, or left
      return;
    }
    event.preventDefault();
    viewer.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.006 : 0.0016)), event.offsetX, event.offsetY);
  };
  canvas.addEventListener("wheel", wheel, { passive: false });
  const gesture = new Gesture(viewer, canvas);
  for (const kind of /** @type {("pointerdown"|"pointermove"|"pointerup"|"pointercancel")[]} */ ([
    "pointerdown",
    "pointermove",
    "pointerup",
    "pointercancel",
  ])) {
    canvas.addEventListener(kind, (/** @type {PointerEvent} */ event) => gesture[kind](event));
  }
  canvas.addEventListener("pointerdown", () => {
    viewer.elements.hint.hidden = true;
  });
  canvas.addEventListener("pointerleave", () => {
    tip.hide();
    viewer.elements.hint.hidden = true;
  });
}

/** What fingers or the mouse do between down and up. */
class Gesture {
  /** @param {Viewer} viewer @param {any} canvas */
  constructor(viewer, canvas) {
    this.viewer = viewer;
    this.canvas = canvas;
    /** @type {Map<number, {x: number, y: number}>} */ this.down = new Map();
    this.moved = 0;
  }

  /** Middle of what is down, and how far apart. */
  get spread() {
    const [a, b = a] = [...this.down.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, far: Math.hypot(a.x - b.x, a.y - b.y) };
  }

  /** @param {PointerEvent} event */
  pointerdown(event) {
    if (!this.down.size) this.moved = 0;
    this.down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (event.pointerType !== "touch") this.canvas.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  pointermove(event) {
    if (!this.down.has(event.pointerId)) return this.viewer.hover(event, this.canvas);
    const before = this.spread;
    this.down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const now = this.spread;
    this.moved += Math.abs(now.x - before.x) + Math.abs(now.y - before.y) + Math.abs(now.far - before.far);
    if (event.pointerType === "touch" && this.down.size < 2) return; // the page scrolls
    this.viewer.shift(now.x - before.x, now.y - before.y);
    const box = this.canvas.getBoundingClientRect();
    if (before.far && now.far) this.viewer.zoom(now.far / before.far, now.x - box.left, now.y - box.top);
  }

  /** @param {PointerEvent} event */
  pointerup(event) {
    const alone = this.down.size === 1 && this.down.has(event.pointerId);
    this.down.delete(event.pointerId);
    if (alone && this.moved < 4) {
      this.viewer.sides.moveTo(...placeAt(this.viewer, event, this.canvas));
      this.viewer.select(nextAt(this.viewer, event, this.canvas));
    } else this.viewer.changed();
  }

  /** @param {PointerEvent} event */
  pointercancel(event) {
    this.down.delete(event.pointerId);
    this.moved = 99;
  }
}

/** @param {Viewer} viewer @returns {Record<string, () => void>} what each key does */
function keyActs(viewer) {
  const move = (/** @type {number} */ x, /** @type {number} */ y) => {
    viewer.shift(x, y);
    viewer.changed();
  };
  const slice = () => Number(viewer.elements.slider.value);
  return {
    ArrowLeft: () => move(40, 0),
    ArrowRight: () => move(-40, 0),
    ArrowUp: () => move(0, 40),
    ArrowDown: () => move(0, -40),
    "+": () => viewer.zoom(1.25),
    "=": () => viewer.zoom(1.25),
    "-": () => viewer.zoom(0.8),
    0: () => viewer.fitAgain(),
    n: () => viewer.nextError(1),
    p: () => viewer.nextError(-1),
    j: () => viewer.calls.step(1),
    k: () => viewer.calls.step(-1),
    s: () => viewer.setTwo(!viewer.two),
    b: () => viewer.setBlink(!viewer.blinking),
    "[": () => viewer.toSlice(Math.max(0, slice() - 1)),
    "]": () => viewer.toSlice(slice() + 1),
    m: () => viewer.toSlice(viewer.slice < 0 ? slice() : -1),
    1: () => viewer.setLayer("raw", !viewer.layers.raw),
    2: () => viewer.setLayer("fill", !viewer.layers.fill),
    3: () => viewer.setLayer("truth", !viewer.layers.truth),
    4: () => viewer.setLayer("pred", !viewer.layers.pred),
    5: () => viewer.setLayer("signs", !viewer.layers.signs),
    Escape: () => viewer.select(null),
  };
}

/** @param {Viewer} viewer @param {HTMLElement} host */
export function listenToKeys(viewer, host) {
  const acts = keyActs(viewer);
  host.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const target = /** @type {any} */ (event.target);
    const isArrow = event.key.startsWith("Arrow");
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.tagName === "SELECT" || target.type === "number" || (isArrow && target.tagName !== "CANVAS")) return;
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
