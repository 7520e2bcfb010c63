// What the pointer and the keys do in the viewer.
import { tip } from "../tip.js";
import { nextAt } from "./objects.js";
/** @typedef {import("./viewer.js").Viewer} Viewer */

/** @param {Viewer} viewer @param {any} canvas */
export function listenToPointer(viewer, canvas) {
  /** @type {{x: number, y: number}|null} */ let drag = null;
  let moved = 0;
  const wheel = (/** @type {WheelEvent} */ event) => {
    event.preventDefault();
    viewer.zoom(Math.exp(-event.deltaY * 0.0016), event.offsetX, event.offsetY);
  };
  canvas.addEventListener("wheel", wheel, { passive: false });
  canvas.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    drag = { x: event.clientX, y: event.clientY };
    moved = 0;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
    if (!drag) return viewer.hover(event, canvas);
    moved += Math.abs(event.clientX - drag.x) + Math.abs(event.clientY - drag.y);
    viewer.shift(event.clientX - drag.x, event.clientY - drag.y);
    drag = { x: event.clientX, y: event.clientY };
  });
  canvas.addEventListener("pointerup", (/** @type {PointerEvent} */ event) => {
    drag = null;
    if (moved < 4) viewer.select(nextAt(viewer, event, canvas));
    else viewer.changed();
  });
  canvas.addEventListener("pointerleave", tip.hide);
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
