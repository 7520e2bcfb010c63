// What makes sense for one image: its objects, one by one.
import { scatter } from "../charts/scatter.js";
import { shown } from "../dom.js";
import { verdictsFor } from "../facts.js";
import { goTo } from "./picking.js";
import { percent } from "./sentences.js";
/** @typedef {import("./cards.js").Cards} Cards */

/** Of more objects, a cloud says nothing. */
export const MOST_OBJECTS = 5000;

/** The best IoU of each truth object against its size. @param {Cards} cards */
export function showObjects(cards) {
  if (!cards.bodies.objects) return;
  const { page } = cards;
  const { model } = page.state;
  const { whole, truthIds } = page.report.models[model];
  const { best } = page.bestIous(model);
  const { truth } = page.analysis.allVerdictsOf(model);
  const { selected } = page.viewer ?? {};
  const points = Array.from(whole.truthAreas, (area, object) => ({
    name: `${truthIds[0][object]}`,
    x: Math.log10(area),
    y: best[object],
    pick: () => goTo(page, model, 0, "truth", object),
    current: selected?.side === "truth" && selected.object === object,
    area,
    verdict: verdictsFor("truth")[truth[object]].name,
  }));
  const options = {
    label: "Best IoU of each truth object, by its size",
    xName: `size of the truth object (${page.unit})`,
    yName: "best IoU",
    yFrom: 0,
    yTo: 1,
    diagonal: false,
    xTicks: decades(points.map((p) => p.x)),
    xText: (/** @type {number} */ t) => String(10 ** t),
    tell: (/** @type {any} */ p) => `object ${p.name}: ${p.area} ${page.unit}, best IoU ${shown(p.y)}, ${p.verdict}`,
  };
  const rows = points.map((p) => [p.name, p.area, p.y, p.verdict]);
  const data = { headings: ["object", page.unit, "best IoU", "verdict"], rows };
  const none = points.filter((p) => !p.y).length / points.length;
  const half = [...best].sort((a, b) => a - b)[Math.floor(best.length / 2)];
  const said = `Half of the objects have a best IoU of ${shown(half)} or more; ${percent(none)} overlap nothing.`;
  cards.put("objects", scatter(points, options), data, said);
}

/** Powers of ten around some logarithms. @param {number[]} values */
function decades(values) {
  const from = Math.floor(Math.min(...values));
  const to = Math.max(from + 1, Math.ceil(Math.max(...values)));
  return Array.from({ length: to - from + 1 }, (_, k) => from + k);
}
