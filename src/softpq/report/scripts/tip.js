// A text that follows the pointer.
import { byId } from "./dom.js";

/** A text that follows the pointer. */
export const tip = {
  /** @param {{clientX: number, clientY: number}} event @param {(Node|string)[]} content */
  show(event, ...content) {
    const box = byId("tip");
    box.replaceChildren(...content);
    box.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = box;
    const left = Math.min(event.clientX + 14, window.innerWidth - width - 8);
    const below = event.clientY + 16 + height < window.innerHeight;
    box.style.left = `${Math.max(4, left)}px`;
    box.style.top = `${Math.max(4, below ? event.clientY + 16 : event.clientY - height - 10)}px`;
  },
  hide() {
    byId("tip").hidden = true;
  },
};

/**
 * Tell on hover and focus, act on click and Enter.
 * @param {any} element @param {() => (Node|string)[]} content @param {() => void} [act]
 */
export function telling(element, content, act) {
  element.addEventListener("pointermove", (/** @type {any} */ event) => tip.show(event, ...content()));
  element.addEventListener("pointerleave", tip.hide);
  element.addEventListener("focus", () => {
    const box = element.getBoundingClientRect();
    tip.show({ clientX: box.left + box.width / 2, clientY: box.bottom }, ...content());
  });
  element.addEventListener("blur", tip.hide);
  if (!act) return element;
  element.addEventListener("click", act);
  element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      act();
    }
  });
  element.classList.add("clickable");
  return element;
}
