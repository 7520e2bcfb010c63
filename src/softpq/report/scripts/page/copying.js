// Texts with a button that copies them.
import { h } from "../dom.js";

/** @param {string} id @param {string} text @param {string} [what] for those who hear it */
export function copied(id, text, what = id) {
  const onclick = (/** @type {any} */ event) => copyTextBefore(event.target);
  const button = h("button", { type: "button", "aria-label": `copy ${what}`, onclick }, "copy");
  const scrolled = { class: "long", tabindex: 0, role: "region", "aria-label": what };
  return h("div", { class: "copy" }, h("pre", { id, ...scrolled }, text), button);
}

/** @param {any} button the text stands before it */
function copyTextBefore(button) {
  getSelection()?.selectAllChildren(button.previousSibling);
  button.textContent = document.execCommand("copy") ? "copied" : "selected"; // also allowed inside of a notebook
  setTimeout(() => {
    button.textContent = "copy";
  }, 1500);
}
