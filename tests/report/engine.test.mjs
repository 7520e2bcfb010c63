// Run with: node --test tests/report
import assert from "node:assert/strict";
import test from "node:test";
import { bestEdges, exactWeight } from "../../src/softpq/report/scripts/engine/assignment.js";
import { boxesOf, outlinesOf } from "../../src/softpq/report/scripts/viewer/contours.js";
import { learn } from "../../src/softpq/report/scripts/facts.js";
import { matchPairs } from "../../src/softpq/report/scripts/engine/matching.js";
import { partsOf, valueOf } from "../../src/softpq/report/scripts/engine/softpq.js";
import { makeTable } from "../../src/softpq/report/scripts/engine/table.js";
import { arranged } from "../../src/softpq/report/scripts/page/gallery.js";
import { REPAIRS } from "../../src/softpq/report/scripts/engine/repairs.js";
import { verdictsOf } from "../../src/softpq/report/scripts/engine/verdicts.js";
import { fromFragment, setThreshold, toFragment } from "../../src/softpq/report/scripts/state.js";

learn(JSON.parse(process.env.SOFTPQ_FACTS ?? "")); // what Python knows, as in the head of a page

const SETTINGS = { low: 0.05, high: 0.5, penalty: "sqrt", priority: "over", reading: "text" };

/** Every one-to-one choice, the slow way: most edges, then the largest sum. */
function bruteForce(rows, columns, weights) {
  let best = { count: 0, sum: 0 };
  const visit = (k, usedRows, usedColumns, count, sum) => {
    if (count > best.count || (count === best.count && sum > best.sum + 1e-12)) best = { count, sum };
    if (k === rows.length) return;
    visit(k + 1, usedRows, usedColumns, count, sum);
    if (!usedRows.has(rows[k]) && !usedColumns.has(columns[k])) {
      visit(k + 1, new Set([...usedRows, rows[k]]), new Set([...usedColumns, columns[k]]), count + 1, sum + weights[k]);
    }
  };
  visit(0, new Set(), new Set(), 0, 0);
  return best;
}

test("the assignment has most pairs, then the largest sum", () => {
  let seed = 1;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  for (let round = 0; round < 400; round++) {
    const nRows = 1 + Math.floor(random() * 4);
    const nColumns = 1 + Math.floor(random() * 4);
    const rows = [];
    const columns = [];
    const weights = [];
    for (let r = 0; r < nRows; r++)
      for (let c = 0; c < nColumns; c++) {
        if (random() < 0.6) {
          rows.push(r);
          columns.push(c);
          weights.push(Math.round(random() * 8) / 8);
        }
      }
    const chosen = bestEdges(
      nRows,
      nColumns,
      Int32Array.from(rows),
      Int32Array.from(columns),
      weights.map((weight) => exactWeight(weight, 0)),
    );
    const picked = [...chosen.keys()].filter((k) => chosen[k]);
    assert.equal(new Set(picked.map((k) => rows[k])).size, picked.length);
    assert.equal(new Set(picked.map((k) => columns[k])).size, picked.length);
    const expected = bruteForce(rows, columns, weights);
    assert.equal(picked.length, expected.count);
    assert.ok(Math.abs(picked.reduce((sum, k) => sum + weights[k], 0) - expected.sum) < 1e-9);
  }
});

test("one object in two pieces, three quarters and one quarter", () => {
  // Python: softpq(Overlap.from_labels([1, 1, 1, 1], [1, 1, 1, 2])) = 0.6179
  const table = makeTable([4], [3, 1], [0, 0], [0, 1], [3, 1]);
  const parts = partsOf(table, SETTINGS);
  assert.deepEqual([parts.matched, parts.matchedIou, parts.soft], [1, 0.75, 1]);
  assert.ok(Math.abs(valueOf(parts, SETTINGS) - (2 * (0.75 + 0.25 / Math.SQRT2)) / 3) < 1e-15);
  assert.deepEqual([...verdictsOf(table, SETTINGS).pred], [0, 3]); // matched, fragment
});

test("without any object there is nothing to judge", () => {
  const empty = makeTable([], [], [], [], []);
  assert.ok(Number.isNaN(valueOf(partsOf(empty, SETTINGS), SETTINGS)));
  assert.equal(
    valueOf(partsOf(empty, { ...SETTINGS, reading: "released" }), { reading: "released", priority: "over" }),
    0,
  );
});

test("two equal halves: one is matched", () => {
  assert.equal(
    matchPairs(makeTable([4], [2, 2], [0, 0], [0, 1], [2, 2]), 0.5).reduce((a, b) => a + b),
    1,
  );
});

test("repairs do what they say", () => {
  const ghost = makeTable([4], [4, 3], [0], [0], [4]);
  assert.equal(REPAIRS["ghosts removed"](ghost, SETTINGS).predAreas.length, 1);
  const missed = makeTable([4, 5], [4], [0], [0], [4]);
  assert.deepEqual([...REPAIRS["misses found"](missed, SETTINGS).predAreas], [4, 5]);
  const merged = makeTable([4, 4], [8], [0, 1], [0, 0], [4, 4]);
  assert.deepEqual([...REPAIRS["merges separated"](merged, SETTINGS).pairIou], [1, 1]);
  const rough = makeTable([4], [5], [0], [0], [3]);
  assert.deepEqual([...REPAIRS["outlines perfect"](rough, SETTINGS).pairIou], [1]);
  const partial = makeTable([10], [4], [0], [0], [4]);
  assert.deepEqual([...REPAIRS["partials completed"](partial, SETTINGS).pairIou], [1]);
});

test("the lower threshold never exceeds the upper one", () => {
  const state = { low: 0.05, high: 0.5 };
  setThreshold(state, "low", 0.7);
  assert.deepEqual([state.low, state.high], [0.7, 0.7]);
  setThreshold(state, "high", 0.2);
  assert.deepEqual([state.low, state.high], [0.2, 0.2]);
  setThreshold(state, "high", -3);
  assert.deepEqual([state.low, state.high], [0.01, 0.01]);
  setThreshold(state, "low", NaN);
  assert.equal(state.low, 0.01);
});

test("an address gives back the state, whatever the names", () => {
  const names = ["a", "x&image=a#", "ü 🙂 \"'<"];
  const models = ["m", "n=1"];
  const initial = {
    low: 0.05,
    high: 0.5,
    penalty: "sqrt",
    priority: "over",
    reading: "text",
    over: "pooled",
    model: 0,
    other: 1,
    image: -1,
    sort: "worst",
    search: "",
    view: "",
  };
  for (const image of [0, 1, 2]) {
    const state = {
      ...initial,
      low: 0.1,
      high: 0.75,
      penalty: "log-raw",
      reading: "unified",
      model: 1,
      image,
      search: "a b",
    };
    assert.deepEqual(fromFragment(`#${toFragment(state, initial, names, models)}`, initial, names, models), state);
  }
  const nonsense = "#l=abc&h=&penalty=%3Cscript%3E&model=nobody&image=nothing&reading=__proto__";
  assert.deepEqual(fromFragment(nonsense, initial, names, models), initial);
});

test("outlines run around objects, holes and pieces that touch at a corner", () => {
  const ring = outlinesOf([1, 1, 1, 1, 0, 1, 1, 1, 1], 3, 3).get(1);
  assert.equal(ring.length, 2);
  assert.deepEqual(
    ring.map((loop) => loop.length / 2),
    [4, 4],
  );
  const corner = outlinesOf([1, 0, 0, 1], 2, 2).get(1);
  assert.deepEqual(
    corner.map((loop) => loop.length / 2),
    [4, 4],
  );
  assert.deepEqual([...boxesOf([0, 1, 1, 0, 0, 2], [1, 2, 3], 2)], [1, 0, 2, 0, 0, 0, 0, 2, 1, 2, 1, 0, 0, 0]);
});

test("images are found by all words and those without a value come last", () => {
  const rows = [
    ["b 10", NaN],
    ["b 2", 0.5],
    ["a 2", 0.1],
  ].map(([name, key], image) => ({ name, key, image }));
  assert.deepEqual(
    arranged([...rows], "", false).map((row) => row.image),
    [2, 1, 0],
  );
  assert.deepEqual(
    arranged([...rows], "b", true).map((row) => row.name),
    ["b 2", "b 10"],
  );
  assert.deepEqual(
    arranged([...rows], "2 A", true).map((row) => row.name),
    ["a 2"],
  );
});
