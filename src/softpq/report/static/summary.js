// The part of the page that stays as it is: what was scored, how, and the scores of the run.
import { byId, h, shortened, shown, signed } from "./dom.js";
import { dotChart } from "./charts.js";
/** @typedef {import("./data.js").Report} Report */

/** What the numbers are of, and how they were made. @param {Report} report @param {string[]} modelNames */
export function buildHead(report, modelNames) {
  const { head, names, models } = report;
  const counts = new Map(models.flatMap((model) => Array.from(model.images, (image, k) => [image, model.tables[k].truthAreas.length])));
  const objects = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const many = (/** @type {number} */ n, /** @type {string} */ what) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;
  byId("lead").textContent = `${many(names.length, "image")}, ${many(objects, "truth object")}, ${many(models.length, "model")}: ${modelNames.join(", ")}`;
  const warnings = [...head.failures.map((/** @type {string[]} */ f) => `Could not be scored: ${f[0]} / ${f[1]}: ${f[2]}`), ...head.warnings];
  if (warnings.length) {
    byId("warnings").append(h("details", { class: "warning", open: warnings.length <= 4 || head.failures.length > 0 },
      h("summary", {}, `${many(warnings.length, "warning")}`), h("ul", {}, ...warnings.map((text) => h("li", {}, text)))));
  }
  const s = head.settings;
  const rows = [["SoftPQ", `iou_low ${s.low}, iou_high ${s.high}, penalty ${s.penalty}, priority ${s.priority}, reading ${s.reading}`],
    ["Other metrics", `at IoU ${head.threshold}`], ["Made", `${head.date}, softpq ${head.version}`], ["Command", head.command || "from Python"],
    ...head.notes.map((/** @type {string} */ note) => ["Note", note]), ["Images", head.pictureNote],
    ...head.fingerprints.map((/** @type {string[]} */ f) => [`Content of ${f[0]}`, `${f[2]} (${f[1]})`])];
  const copied = (/** @type {string} */ id, /** @type {string} */ text) => h("div", { class: "copy" }, h("pre", { id }, text),
    h("button", { type: "button", onclick: (/** @type {any} */ event) => copyTextBefore(event.target) }, "copy"));
  byId("made").append(h("dl", {}, ...rows.flatMap(([term, text]) => [h("dt", {}, term), h("dd", {}, text)])),
    h("h3", {}, "Methods"), copied("methods", head.methods), h("h3", {}, "BibTeX"), copied("bibtex", head.bibtex),
    head.imageFingerprints.length ? h("details", {}, h("summary", {}, "Content of each image"),
      h("pre", { class: "long" }, head.imageFingerprints.map((/** @type {string[]} */ row) => row.join("  ")).join("\n"))) : null);
  byId("theme").addEventListener("click", () => {
    const dark = getComputedStyle(document.documentElement).getPropertyValue("--is-dark").trim() === "1";
    document.documentElement.dataset.theme = dark ? "light" : "dark";
  });
  byId("skip").addEventListener("click", (/** @type {Event} */ event) => {
    event.preventDefault();
    byId("browser").querySelector("input").focus();
  });
}

/** The scores of the run, with intervals. @param {Report} report @param {string[]} modelNames */
export function buildSummary(report, modelNames) {
  const { head } = report, metrics = head.metrics;
  const several = report.names.length > 1 ? ", with 95 % bootstrap intervals over images" : "; one image gives no interval";
  const marked = modelNames.length > 1 ? " The best model is marked." : "";
  byId("summary-note").textContent = `Pooled over all objects${several}, at the settings the report was made with.${marked}`;
  const bestOf = (/** @type {string} */ metric) => {
    const values = modelNames.map((name) => head.summary[name][metric].pooled[0]).filter((v) => v !== null);
    return head.lowerIsBetter.includes(metric) ? Math.min(...values) : Math.max(...values);
  };
  byId("summary").append(h("table", { class: "numbers" },
    h("thead", {}, h("tr", {}, h("th", {}, "model"), ...metrics.map((/** @type {string} */ m) => h("th", {}, m)))),
    h("tbody", {}, ...modelNames.map((name) => h("tr", {}, h("th", { class: "model", title: name }, shortened(name, 30)),
      ...metrics.map((/** @type {string} */ metric) => {
        const [value, low, high] = head.summary[name][metric].pooled, mean = head.summary[name][metric].mean[0];
        const best = modelNames.length > 1 && value === bestOf(metric);
        return h("td", { class: best ? "best" : "", title: `mean over images ${shown(mean)}` }, h("b", {}, shown(value)), best ? h("span", { class: "star" }, " ★") : null,
          low === null ? null : h("small", {}, `${shown(low)}–${shown(high)}`));
      }))))));
  const softpq = modelNames.map((model) => ({ model, values: (head.summary[model].softpq ?? head.summary[model][metrics[0]]).pooled }));
  const name = head.summary[modelNames[0]].softpq ? "SoftPQ" : metrics[0];
  byId("dots").append(h("h3", {}, `${name}, pooled${report.names.length > 1 ? ", 95 % interval" : ""}`), dotChart(softpq, "models with intervals"));
  if (head.comparisons.length) byId("comparisons").append(comparisonTable(report));
  buildClasses(report);
}

/** @param {Report} report */
function comparisonTable(report) {
  const { comparisons } = report.head;
  return h("table", { class: "numbers" }, h("caption", {}, `Differences of SoftPQ to ${shortened(comparisons[0].first, 40)}, on the images that both have`),
    h("thead", {}, h("tr", {}, ...["model", "difference", "95 % interval", "p"].map((t) => h("th", {}, t)))),
    h("tbody", {}, ...comparisons.map((/** @type {any} */ row) => h("tr", {}, h("th", { class: "model", title: row.model }, shortened(row.model, 30)), h("td", {}, signed(row.values[0] ?? NaN)),
      h("td", {}, row.values[1] === null ? "–" : `${signed(row.values[1])} to ${signed(row.values[2])}`), h("td", {}, shown(row.values[3], 4))))));
}

/** @param {Report} report */
function buildClasses(report) {
  const { classes, metrics } = report.head;
  for (const [model, rows] of Object.entries(classes)) {
    byId("classes").append(h("table", { class: "numbers" }, h("caption", {}, `${model}: by class, pooled`),
      h("thead", {}, h("tr", {}, h("th", {}, "class"), ...metrics.map((/** @type {string} */ m) => h("th", {}, m)))),
      h("tbody", {}, ...Object.entries(rows).map(([label, values]) => h("tr", {}, h("th", { class: "model" }, label),
        ...values.map((/** @type {number|null} */ v) => h("td", {}, shown(v))))))));
  }
}

/** @param {any} button the text stands before it */
function copyTextBefore(button) {
  getSelection()?.selectAllChildren(button.previousSibling);
  button.textContent = document.execCommand("copy") ? "copied" : "selected"; // also allowed inside of a notebook
  setTimeout(() => { button.textContent = "copy"; }, 1500);
}
