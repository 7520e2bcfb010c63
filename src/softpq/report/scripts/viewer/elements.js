// The elements of the viewer: tools, panes, legend.
import { h, roving } from "../dom.js";
import { facts } from "../facts.js";
/** @typedef {import("./viewer.js").Viewer} Viewer */
/** @typedef {import("./layers.js").Layer} Layer */

/** Keys that do something here. @param {boolean} several models @param {boolean} deep whether there are slices */
export function keysOf(several, deep) {
  const keys = "arrows move, + − 0 zoom, n p errors, j k images, 1–5 layers";
  return `Keys: ${keys}${several ? ", s side by side, b blink" : ""}${deep ? ", [ ] slices, m projection" : ""}.`;
}

/** @param {string} id @param {string} text @param {string} title @param {() => void} act */
function button(id, text, title, act) {
  return h("button", { type: "button", id, title, onclick: act }, text);
}

/**
 * A button that stays down.
 * @param {string} id @param {string} text @param {string} title @param {boolean} hidden @param {() => void} act
 */
function toggle(id, text, title, hidden, act) {
  return h("button", { type: "button", id, title, hidden, "aria-pressed": "false", onclick: act }, text);
}

/** @param {Viewer} viewer @param {Layer} layer @param {string} text @param {string} key */
function layerBox(viewer, layer, text, key) {
  const onchange = (/** @type {any} */ event) => viewer.setLayer(layer, event.target.checked);
  const box = h("input", { type: "checkbox", checked: viewer.layers[layer], id: `layer-${layer}`, onchange });
  return h("label", { title: `key ${key}` }, box, ` ${text}`);
}

/** @param {Viewer} viewer */
function opacityTool(viewer) {
  const oninput = (/** @type {any} */ event) => {
    viewer.opacity = Number(event.target.value);
    viewer.draw();
  };
  const range = { type: "range", min: 0, max: 1, step: 0.05, value: viewer.opacity, id: "opacity", oninput };
  return h("label", {}, "fill ", h("input", range));
}

/**
 * Verdicts in the colours of the picture: those of both sides with one sign stand together, and are shown or hidden.
 * @param {Viewer} viewer
 */
function legend(viewer) {
  const signs = [...new Set(facts.verdicts.map((one) => one.sign))];
  const tools = h(
    "div",
    { class: "legend", role: "group", "aria-label": "what is shown" },
    ...signs.map((sign) => {
      const alike = facts.verdicts.filter((one) => one.sign === sign);
      const names = [...new Set(alike.map((one) => one.name))].join(", ");
      const title = alike.map(
        (one) => `${one.name}: the ${one.side === "truth" ? "object" : "prediction"} ${one.meaning}`,
      );
      const onclick = (/** @type {any} */ { currentTarget: button }) => {
        const on = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(on));
        viewer.setSign(sign, on);
        viewer.changed();
      };
      const attributes = { type: "button", class: "plain", "aria-pressed": "true", title: title.join("\n"), onclick };
      return h("button", attributes, h("i", { class: `chip line-${alike[0].name}` }, sign), names);
    }),
  );
  return roving(tools, "button");
}

/** @param {Viewer} viewer */
function sliceTools(viewer) {
  const slider = h("input", {
    type: "range",
    min: 0,
    max: 0,
    value: 0,
    id: "slice",
    "aria-label": "slice",
    oninput: (/** @type {any} */ event) => viewer.toSlice(Number(event.target.value)),
  });
  const projection = h("input", {
    type: "checkbox",
    id: "projection",
    onchange: (/** @type {any} */ event) => viewer.toSlice(event.target.checked ? -1 : Number(slider.value)),
  });
  const text = h("span");
  const row = h(
    "div",
    { class: "tools", hidden: true },
    h("label", {}, "slice ", slider),
    text,
    h("label", {}, projection, " projection of all slices"),
  );
  return { slider, projection, sliceText: text, slices: row };
}

const STRETCHES = [
  [0, "as it is"],
  [1, "1–99 %"],
  [5, "5–95 %"],
  [0.1, "0.1–99.9 %"],
];

/** @param {Viewer} viewer */
function rawTools(viewer) {
  const channels = h("select", {
    id: "channel",
    "aria-label": "channel",
    onchange: (/** @type {any} */ event) => viewer.setRaw({ channel: event.target.value }),
  });
  const stretches = h(
    "select",
    {
      id: "stretch",
      "aria-label": "contrast",
      onchange: (/** @type {any} */ event) => viewer.setRaw({ stretch: Number(event.target.value) }),
    },
    ...STRETCHES.map(([value, text]) => h("option", { value, selected: value === 1 }, String(text))),
  );
  return { channels, stretches, rawTools: h("span", { class: "raw-tools", hidden: true }, channels, " ", stretches) };
}

function panes() {
  const canvases = [0, 1].map((k) =>
    h("canvas", {
      tabindex: k ? -1 : 0,
      role: "application",
      class: "pane",
      "aria-label": "image with outlines; keys move and zoom it",
    }),
  );
  const captions = [0, 1].map(() => h("figcaption"));
  const figures = canvases.map((canvas, k) => h("figure", { hidden: k === 1 }, canvas, captions[k]));
  const hint = h("p", { class: "hint", hidden: true }, "Click the picture, or hold Ctrl, to zoom with the wheel");
  return { canvases, captions, hint, panes: figures, stage: h("div", { class: "stage" }, ...figures, hint) };
}

/**
 * Make all elements and put them into the host.
 * @param {Viewer} viewer @param {HTMLElement} host
 */
export function buildViewer(viewer, host) {
  const several = viewer.report.models.length > 1;
  const made = {
    ...panes(),
    ...sliceTools(viewer),
    ...rawTools(viewer),
    empty: h("p", { class: "quiet no-picture", hidden: true }),
    legend: legend(viewer),
    info: h("div", { class: "info", "aria-live": "polite", id: "object-info" }),
    twoButton: toggle("side-by-side", "side by side", "key s", !several, () => viewer.setTwo(!viewer.two)),
    blinkButton: toggle("blink", "blink", "key b", !several, () => viewer.setBlink(!viewer.blinking)),
  };
  const layers = h(
    "div",
    { class: "tools" },
    layerBox(viewer, "raw", "image", "1"),
    layerBox(viewer, "fill", "fill", "2"),
    layerBox(viewer, "truth", "truth (solid)", "3"),
    layerBox(viewer, "pred", "prediction (dashed)", "4"),
    layerBox(viewer, "signs", "signs", "5"),
    opacityTool(viewer),
    made.rawTools,
  );
  const moves = h(
    "div",
    { class: "tools" },
    button("next-error", "next error", "key n", () => viewer.nextError(1)),
    button("previous-error", "previous", "key p", () => viewer.nextError(-1)),
    button("zoom-in", "+", "key +", () => viewer.zoom(1.5)),
    button("zoom-out", "−", "key −", () => viewer.zoom(1 / 1.5)),
    button("fit", "fit", "key 0", () => viewer.fitAgain()),
    made.twoButton,
    made.blinkButton,
  );
  const keys = h("p", { class: "quiet keys" });
  host.append(layers, moves, made.slices, made.empty, made.stage, made.legend, made.info, keys);
  return { ...made, keys, tools: [layers, moves, keys] };
}
