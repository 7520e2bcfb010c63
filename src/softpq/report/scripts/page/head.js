// The head of the page: what was scored, how, and how to cite it.
import { byId, h } from "../dom.js";
import { copied } from "./copying.js";
import { many } from "./sentences.js";
/** @typedef {import("../data.js").Report} Report */

/** @param {Report} report @param {string[]} modelNames */
export function buildHead(report, modelNames) {
  const { names, models } = report;
  /** @type {Map<number, number>} */ const counts = new Map();
  for (const model of models) model.images.forEach((image, k) => counts.set(image, model.tables[k].truthAreas.length));
  const objects = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const counted = [many(names.length, "image"), many(objects, "truth object"), many(models.length, "model")];
  byId("lead").textContent = `${counted.join(", ")}: ${modelNames.join(", ")}`;
  byId("byline").textContent = report.head.author;
  byId("note").append(...noteParts(report.head.note));
  buildWarnings(report.head);
  buildMade(report.head);
  byId("theme").addEventListener("click", changeTheme);
  byId("skip").addEventListener("click", (/** @type {Event} */ event) => {
    event.preventDefault();
    byId("browser").querySelector("input").focus();
  });
}

/** @param {any} head */
function buildWarnings({ failures, warnings, alerts }) {
  byId("alerts").append(
    ...alerts.map((/** @type {string} */ text) => h("p", { class: "warning", role: "note" }, text)),
  );
  const failed = failures.map((/** @type {string[]} */ f) => `Could not be scored: ${f[0]} / ${f[1]}: ${f[2]}`);
  const all = [...failed, ...warnings];
  if (!all.length) return;
  byId("warnings").append(
    h(
      "details",
      { class: "warning", open: all.length <= 4 || failures.length > 0 },
      h("summary", {}, many(all.length, "warning")),
      h("ul", { tabindex: 0, role: "region", "aria-label": "warnings" }, ...all.map((text) => h("li", {}, text))),
    ),
  );
}

/**
 * A little Markdown: headings, lists, paragraphs, and **strong** words; all as text.
 * @param {string} text
 */
function noteParts(text) {
  const inline = (/** @type {string} */ line) =>
    line.split(/\*\*(.+?)\*\*/).map((part, k) => (k % 2 ? h("strong", {}, part) : part));
  return text
    .split(/\n\s*\n/)
    .filter((block) => block.trim())
    .map((block) => {
      const lines = block.trim().split("\n");
      if (/^#{1,6} /.test(lines[0])) return h("h2", {}, ...inline(lines.join(" ").replace(/^#+ /, "")));
      if (lines.every((line) => /^[-*] /.test(line)))
        return h("ul", {}, ...lines.map((line) => h("li", {}, ...inline(line.slice(2)))));
      return h("p", {}, ...inline(lines.join(" ")));
    });
}

/** @param {any} head @returns {string[][]} term, text */
function madeRows(head) {
  const { low, high, penalty, priority, reading } = head.settings;
  return [
    ["SoftPQ", `iou_low ${low}, iou_high ${high}, penalty ${penalty}, priority ${priority}, reading ${reading}`],
    ["Other metrics", `at IoU ${head.threshold}`],
    ["Made", `${head.date}, softpq ${head.version}`],
    ["Command", head.command || "from Python"],
    ...head.notes.map((/** @type {string} */ note) => ["Note", note]),
    ["Images", head.pictureNote],
    ...head.fingerprints.map((/** @type {string[]} */ f) => [`Labels and areas of ${f[0]}`, `${f[2]} (${f[1]})`]),
  ];
}

/** @param {any} head */
function buildMade(head) {
  const terms = madeRows(head).flatMap(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]);
  const content = head.imageFingerprints.map((/** @type {string[]} */ row) => row.join("  ")).join("\n");
  const long = { class: "long", tabindex: 0, role: "region", "aria-label": "content of each image" };
  byId("made").append(
    h("dl", {}, ...terms),
    h("h3", {}, "Methods"),
    copied("methods", head.methods),
    h("h3", {}, "BibTeX"),
    copied("bibtex", head.bibtex),
    content ? h("details", {}, h("summary", {}, "Labels and areas of each image"), h("pre", long, content)) : "",
  );
}

function changeTheme() {
  const dark = getComputedStyle(document.documentElement).getPropertyValue("--is-dark").trim() === "1";
  document.documentElement.dataset.theme = dark ? "light" : "dark";
}
