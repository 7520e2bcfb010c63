// What the viewer shows, as a short text in the address of the page.
import { facts } from "../facts.js";
import { fit, lookAt } from "./camera.js";
import { LAYERS } from "./layers.js";
/** @typedef {import("./viewer.js").Viewer} Viewer */
/** @typedef {import("./layers.js").Layer} Layer */

/** Layers that are not as they are at first. @param {Viewer} viewer @returns {Layer[]} */
function changedLayers({ layers }) {
  return /** @type {Layer[]} */ (Object.keys(LAYERS)).filter((name) => layers[name] !== LAYERS[name]);
}

/** Of verdicts, in the order of the legend. */
const signs = () => [...new Set(facts.verdicts.map((one) => one.sign))];

/** Show what has these signs, and nothing else. @param {Viewer} viewer @param {string[]} parts of the text */
function restoreSigns(viewer, parts) {
  const hidden = (parts.find((part) => part[0] === "x")?.slice(1) ?? "").split("+");
  const buttons = viewer.elements.legend.querySelectorAll("button");
  signs().forEach((sign, k) => {
    const on = !hidden.includes(String(k));
    buttons[k].setAttribute("aria-pressed", String(on));
    if (viewer.hiddenSigns.has(sign) === on) viewer.setSign(sign, on);
  });
}

/** What is shown; empty for what is shown at first. @param {Viewer} viewer */
export function asText(viewer) {
  const { selected, picture, view, paneSize } = viewer;
  const parts = [];
  const changed = changedLayers(viewer);
  const hidden = signs().flatMap((sign, k) => (viewer.hiddenSigns.has(sign) ? [k] : []));
  if (hidden.length) parts.push(`x${hidden.join("+")}`);
  if ((picture?.shape[0] ?? 1) > 1) parts.push(`z${viewer.slice}`);
  if (changed.length) parts.push(`t${changed.join("+")}`);
  if (viewer.two) parts.push("two");
  if (selected) parts.push(`o${selected.side}+${selected.object}+${selected.model}`);
  if (viewer.moved && picture) {
    const middle = [
      (paneSize.width / 2 - view.x) / view.scale,
      (paneSize.height / 2 - view.y) / (view.scale * viewer.aspect),
    ];
    parts.push(`v${[view.scale, ...middle].map((n) => n.toFixed(2)).join("+")}`);
  }
  return parts.join("_");
}

/** Show what such a text says; what makes no sense is passed over. @param {Viewer} viewer @param {string} text */
export async function restore(viewer, text) {
  while (viewer.picture && !viewer.loaded) await new Promise((go) => setTimeout(go, 10));
  const parts = text.split("_").filter(Boolean);
  viewer.setTwo(parts.includes("two"));
  restoreSigns(viewer, parts);
  viewer.setLayers(
    parts
      .find((part) => part[0] === "t" && part !== "two")
      ?.slice(1)
      .split("+") ?? [],
  );
  viewer.selected = null;
  fit(viewer);
  viewer.toSlice(Math.floor((viewer.picture?.shape[0] ?? 1) / 2));
  viewer.tell();
  for (const part of parts) {
    const values = part.slice(1).split("+");
    if (part[0] === "z" && Number.isInteger(Number(values[0]))) viewer.toSlice(Number(values[0]));
    if (part[0] === "o") restoreObject(viewer, values);
    if (part[0] === "v") restoreView(viewer, values.map(Number));
  }
}

/** @param {Viewer} viewer @param {string[]} values side, object, model */
function restoreObject(viewer, [side, object, model]) {
  const data = viewer.report.models[Number(model)];
  const place = data?.placeOf.get(viewer.image);
  if ((side !== "truth" && side !== "pred") || place === undefined) return;
  const count = (side === "truth" ? data.truthIds : data.predIds)[place].length;
  if (!(Number(object) >= 0 && Number(object) < count)) return;
  viewer.select({ side, object: Number(object), model: Number(model) });
}

/** @param {Viewer} viewer @param {number[]} values scale, and what is in the middle */
function restoreView(viewer, [scale, x, y]) {
  if (![scale, x, y].every(Number.isFinite) || scale <= 0) return;
  lookAt(viewer, scale, x, y);
  viewer.draw();
  viewer.changed();
}
