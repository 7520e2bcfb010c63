// What the words of the page mean, where they stand: thresholds, settings, and verdicts with their pictures.
import { byId, h, s } from "../dom.js";
import { facts } from "../facts.js";

const WORDS = {
  "l and h":
    "IoU is what two objects share over what they cover together. From h on, two objects can be matched, one to one; a match " +
    "counts for its IoU, and no penalty. Pairs above l that are not matched are soft: they count for their IoU, divided by " +
    "the penalty. With l = h = 0.5, SoftPQ is PQ (not in the released reading).",
  penalty:
    "What several soft predictions of one object are divided by: the square root of one more than they are, or other.",
  priority:
    "over: soft pairs are grouped by truth object, so that splitting costs. under: by prediction, so that merging does.",
  reading:
    "text: the paper's equations as printed. figures: what its figures show. unified: one formula without a jump where " +
    "nothing matches. released: what the authors' program computes.",
  "over images": "pooled: every object has the same weight. mean: every image has.",
  "p (Holm)": "How easily chance alone gives such a difference, corrected for the number of pairs of models.",
};

/** Two outlines: the truth is drawn solid, predictions are dashed. [truth circles, dashed circles] as x, y, radius */
const PICTURES = /** @type {Record<string, [number[][], number[][]]>} */ ({
  matched: [[[22, 14, 10]], [[23, 15, 10]]],
  partial: [[[20, 14, 10]], [[27, 16, 8]]],
  split: [[[22, 14, 11]], [[17, 14, 5], [27, 14, 5]]],
  merged: [[[16, 14, 6], [28, 14, 6]], [[22, 14, 13]]],
  missed: [[[22, 14, 10]], []],
  merger: [[[16, 14, 6], [28, 14, 6]], [[22, 14, 13]]],
  fragment: [[[22, 14, 11]], [[17, 14, 5], [27, 14, 5]]],
  ghost: [[], [[22, 14, 8]]],
  duplicate: [[[22, 14, 10]], [[22, 14, 10], [24, 15, 8]]],
}); // prettier-ignore

/** @param {string} name */
function picture(name) {
  const [truth, pred] = PICTURES[name] ?? [[], []];
  const circles = (/** @type {number[][]} */ all, /** @type {string} */ dash) =>
    all.map(([cx, cy, r]) =>
      s("circle", { cx, cy, r, fill: "none", stroke: `var(--${name})`, "stroke-width": 2, "stroke-dasharray": dash }),
    );
  return s(
    "svg",
    { viewBox: "0 0 44 28", width: 44, height: 28, "aria-hidden": "true" },
    ...circles(truth, "none"),
    ...circles(pred, "3 2"),
  );
}

/** @param {boolean} overlap whether objects may overlap */
export function buildWords(overlap) {
  const told = facts.verdicts.filter((one) => overlap || one.name !== "duplicate");
  byId("choices").after(
    h(
      "details",
      { class: "words", id: "words" },
      h("summary", {}, "What these words mean"),
      h("dl", {}, ...Object.entries(WORDS).flatMap(([word, text]) => [h("dt", {}, word), h("dd", {}, text)])),
      h("p", {}, "Every object has one verdict. The truth is drawn solid, predictions are dashed:"),
      h(
        "ul",
        { class: "verdict-words" },
        ...told.map(({ side, name, sign, meaning }) =>
          h(
            "li",
            {},
            picture(name),
            h("span", {}, h("b", {}, `${sign} ${name}`), ` (${side === "truth" ? "truth" : "prediction"}) ${meaning}`),
          ),
        ),
      ),
    ),
  );
}
