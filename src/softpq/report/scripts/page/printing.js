// On paper nothing can be opened: what is folded away is unfolded.
/** @typedef {import("./page.js").Page} Page */

/** @param {Page} page @param {boolean} now */
export function printing(page, now) {
  page.gallery.print(now);
  for (const one of document.querySelectorAll(now ? "details:not([open])" : "details[data-printed]")) {
    if (one.parentElement?.id === "tables") continue; // texts to copy
    one.toggleAttribute("data-printed", now);
    one.toggleAttribute("open", now);
  }
}
