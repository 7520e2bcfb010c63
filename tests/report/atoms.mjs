// What the page makes of tables of objects that overlap: given as JSON on standard input, told on standard output.
import { readFileSync } from "node:fs";
import { makeAtoms } from "../../src/softpq/report/scripts/engine/atoms.js";
import { softPairs } from "../../src/softpq/report/scripts/engine/credits.js";
import { matchPairs } from "../../src/softpq/report/scripts/engine/matching.js";
import { COMPUTED, metricOf, sumsOf } from "../../src/softpq/report/scripts/engine/metrics.js";
import { repaired } from "../../src/softpq/report/scripts/engine/repairs.js";
import { partsByImage, partsOf, valueOf } from "../../src/softpq/report/scripts/engine/softpq.js";
import { byClass, joinTables, restricted, tableOfAtoms } from "../../src/softpq/report/scripts/engine/table.js";
import { tieBreaksOf } from "../../src/softpq/report/scripts/engine/ties.js";
import { verdictsOf } from "../../src/softpq/report/scripts/engine/verdicts.js";
import { facts, learn } from "../../src/softpq/report/scripts/facts.js";

learn(JSON.parse(process.env.SOFTPQ_FACTS));

const plain = (value) => (Number.isNaN(value) ? null : value);

/** @param {any} scene rows of atoms, counts of objects, settings */
function tableOf({ n_truth, n_pred, atoms }) {
  const made = makeAtoms(
    atoms.map(([, , pixels]) => pixels),
    atoms.map(([truth]) => truth.length),
    atoms.flatMap(([truth]) => truth),
    atoms.map(([, pred]) => pred.length),
    atoms.flatMap(([, pred]) => pred),
  );
  return tableOfAtoms(n_truth, n_pred, made);
}

function at(table, settings) {
  const now = valueOf(partsOf(table, settings), settings);
  const matched = matchPairs(table, settings.high);
  const { isSoft, credit } = softPairs(table, settings.low, matched);
  const { truth, pred } = verdictsOf(table, settings, matched);
  const gains = table.atoms
    ? facts.repairs.map((name) => plain(valueOf(partsOf(repaired(name, table, settings), settings), settings) - now))
    : [];
  return {
    value: plain(now),
    matched: [...matched],
    soft: [...isSoft],
    credit: [...credit].filter((_, k) => isSoft[k]),
    verdicts: [[...truth], [...pred]],
    gains,
  };
}

const scenes = JSON.parse(readFileSync(0, "utf8"));
const tables = scenes.map(tableOf);
const whole = joinTables(tables);
const together = Object.fromEntries(
  [0.3, 0.5, 0.75].map((high) => {
    const settings = { low: 0.1, high, penalty: "sqrt", priority: "over", reading: "unified" };
    return [high, partsByImage(whole, settings).map((parts) => plain(valueOf(parts, settings)))];
  }),
);
const found = scenes.map((scene, k) => ({
  ties: [...tieBreaksOf(tables[k])],
  at: scene.settings.map((settings) => at(tables[k], settings)),
  metrics: Object.fromEntries(COMPUTED.map((name) => [name, plain(metricOf(name, sumsOf(tables[k], 0.5)))])),
  apart: scene.classes && at(byClass(tables[k], ...scene.classes), scene.settings[0]),
  fewer: scene.keep && at(restricted(tables[k], ...scene.keep), scene.settings[0]).value,
}));
process.stdout.write(JSON.stringify({ together, scenes: found }));
