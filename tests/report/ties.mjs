// What the page makes of tables that are full of ties: given as JSON on standard input.
import { readFileSync } from "node:fs";
import { partsOf, valueOf } from "../../src/softpq/report/scripts/engine/softpq.js";
import { REPAIRS } from "../../src/softpq/report/scripts/engine/repairs.js";
import { makeTable } from "../../src/softpq/report/scripts/engine/table.js";
import { tieBreaksOf } from "../../src/softpq/report/scripts/engine/ties.js";
import { facts, learn } from "../../src/softpq/report/scripts/facts.js";

learn(JSON.parse(process.env.SOFTPQ_FACTS));

function at(table, high, priority, reading) {
  const settings = { low: 0.05, high, penalty: "sqrt", priority, reading };
  const parts = partsOf(table, settings);
  const now = valueOf(parts, settings);
  const gains = facts.repairs.map((name) => valueOf(partsOf(REPAIRS[name](table, settings), settings), settings) - now);
  const counts = [parts.matched, parts.soft, parts.forgiven];
  return { high, priority, reading, counts, sums: [parts.matchedIou, parts.softIou], value: now, gains };
}

const tables = JSON.parse(readFileSync(0, "utf8")).map((one) =>
  makeTable(one.truth_areas, one.pred_areas, one.pair_truth, one.pair_pred, one.pair_pixels),
);
const found = tables.map((table) => ({
  ties: [...tieBreaksOf(table)],
  at: [0.1, 1 / 7, 0.25, 1 / 3, 0.5].flatMap((high) =>
    ["over", "under"].flatMap((priority) =>
      ["text", "figures", "unified"].map((reading) => at(table, high, priority, reading)),
    ),
  ),
}));
process.stdout.write(JSON.stringify(found));
