// Repairs where objects overlap, as in softpq.explain.layered_repairs: what is under a pixel changes, and the table is
// counted anew.
import { codeOf } from "../facts.js";
import { AtomsOfSets, setsOf } from "./atoms.js";
import { pairsInAtoms, softPairs } from "./credits.js";
import { matchPairs } from "./matching.js";
import { restricted, tableOfAtoms } from "./table.js";
import { tieBreaksOf } from "./ties.js";
import { verdictsOf } from "./verdicts.js";
/** @typedef {import("./table.js").Table} Table */
/** @typedef {import("./atoms.js").Atoms} Atoms */
/** @typedef {import("./softpq.js").Settings} Settings */

/**
 * The table if other predictions lay over the atoms; those that lie nowhere are gone, empty ones stay what they were.
 * @param {Table} table @param {(atom: number) => Iterable<number>} predsOf names of the predictions over an atom
 */
function withPreds(table, predsOf) {
  const atoms = /** @type {Atoms} */ (table.atoms);
  const named = Array.from(atoms.pixels, (_, k) => [...new Set(predsOf(k))]);
  const names = [...new Set(named.flat())].sort((a, b) => a - b);
  const place = new Map(names.map((name, k) => [name, k]));
  const found = new AtomsOfSets();
  named.forEach((set, k) => {
    const preds = set.map((name) => /** @type {number} */ (place.get(name))).sort((a, b) => a - b);
    found.add([...setsOf(atoms, k)[0]], preds, atoms.pixels[k]);
  });
  const empty = table.predAreas.filter((area) => !area).length;
  return tableOfAtoms(table.truthAreas.length, names.length + empty, found.done());
}

/** The predictions over an atom. @param {Table} table @param {number} atom */
const predsIn = (table, atom) => setsOf(/** @type {Atoms} */ (table.atoms), atom)[1];

/** The truth objects over an atom. @param {Table} table @param {number} atom */
const truthsIn = (table, atom) => setsOf(/** @type {Atoms} */ (table.atoms), atom)[0];

/**
 * Of some pairs the best one of each prediction: by what is compared first, then as for matchings.
 * @param {Table} table @param {number[]} pairs @param {(pair: number) => number[]} values
 */
function bestOfEach(table, pairs, values) {
  /** @type {Map<number, number>} */ const best = new Map();
  for (const k of pairs) {
    const before = best.get(table.pairPred[k]);
    if (before === undefined || more(table, values(k), values(before), k, before)) best.set(table.pairPred[k], k);
  }
  return best;
}

/**
 * Whether the first differing value is larger; ties are looked at if there is none.
 * @param {Table} table @param {number[]} mine @param {number[]} theirs @param {number} k @param {number} before
 */
function more(table, mine, theirs, k, before) {
  const at = mine.findIndex((value, j) => value !== theirs[j]);
  if (at >= 0) return mine[at] > theirs[at];
  const ties = tieBreaksOf(table);
  return ties[k] > ties[before];
}

/**
 * Predictions that lie mostly in an object with fragments are united.
 * @param {Table} table @param {Settings} settings
 */
function joinSplits(table, settings) {
  const { pairTruth, pairPred, pairPixels, pairIou, predAreas } = table;
  const matched = matchPairs(table, settings.high);
  const { pred: verdict } = verdictsOf(table, settings, matched);
  const isMatched = new Uint8Array(predAreas.length);
  const pairs = [...matched.keys()];
  for (const k of pairs) if (matched[k]) isMatched[pairPred[k]] = 1;
  const mostly = pairs.filter((k) => 2 * pairPixels[k] > predAreas[pairPred[k]] && !isMatched[pairPred[k]]);
  const inside = [...bestOfEach(table, mostly, (k) => [pairIou[k]]).values(), ...pairs.filter((k) => matched[k])];
  const fragment = codeOf("pred", "fragment");
  const hasFragment = new Set(inside.filter((k) => verdict[pairPred[k]] === fragment).map((k) => pairTruth[k]));
  const name = Int32Array.from(predAreas, (_, k) => k);
  for (const k of inside) if (hasFragment.has(pairTruth[k])) name[pairPred[k]] = predAreas.length + pairTruth[k];
  return withPreds(table, (atom) => Array.from(predsIn(table, atom), (p) => name[p]));
}

/**
 * Predictions that cover most of several objects are cut along them; objects that another is matched with are not
 * merged.
 * @param {Table} table @param {Settings} settings
 */
function separateMerges(table, settings) {
  const { pairTruth, pairPred, pairPixels, pairIou, truthAreas, predAreas } = table;
  const partner = new Int32Array(truthAreas.length).fill(-1);
  matchPairs(table, settings.high).forEach((yes, k) => {
    if (yes) partner[pairTruth[k]] = pairPred[k];
  });
  const holds = [...pairIou.keys()].filter(
    (k) =>
      2 * pairPixels[k] > truthAreas[pairTruth[k]] &&
      (partner[pairTruth[k]] < 0 || partner[pairTruth[k]] === pairPred[k]),
  );
  const heldBy = new Int32Array(predAreas.length);
  for (const k of holds) heldBy[pairPred[k]]++;
  const cut = holds.filter((k) => heldBy[pairPred[k]] > 1);
  const keeps = bestOfEach(table, cut, (k) => [pairPixels[k], pairIou[k]]);
  const name = new Int32Array(pairIou.length).fill(-1); // of the piece that a pair becomes
  cut.forEach((k, at) => {
    name[k] = keeps.get(pairPred[k]) === k ? pairPred[k] : predAreas.length + at;
  });
  const { start, pair } = pairsInAtoms(table);
  return withPreds(table, (atom) => {
    const pieces = [...pair.subarray(start[atom], start[atom + 1])].filter((k) => name[k] >= 0);
    const inPieces = new Set(pieces.map((k) => pairPred[k]));
    return [...[...predsIn(table, atom)].filter((p) => !inPieces.has(p)), ...pieces.map((k) => name[k])];
  });
}

/**
 * Some predictions, and copies of some truth objects.
 * @param {Table} table @param {(pred: number) => boolean} keep @param {(truth: number) => boolean} copied
 */
function withCopies(table, keep, copied) {
  const fresh = table.predAreas.length;
  return withPreds(table, (atom) => [
    ...[...predsIn(table, atom)].filter(keep),
    ...[...truthsIn(table, atom)].filter(copied).map((t) => fresh + t),
  ]);
}

/** Every missed truth object gets a copy as its prediction. @param {Table} table @param {Settings} settings */
function findMisses(table, settings) {
  const { truth } = verdictsOf(table, settings);
  const missed = codeOf("truth", "missed");
  return withCopies(
    table,
    () => true,
    (t) => truth[t] === missed,
  );
}

/** Every matched prediction becomes a copy of its truth object. @param {Table} table @param {Settings} settings */
function perfectOutlines(table, settings) {
  const matched = matchPairs(table, settings.high);
  const found = [...matched.keys()].filter((k) => matched[k]);
  const [truths, preds] = [table.pairTruth, table.pairPred].map((side) => new Set(found.map((k) => side[k])));
  return withCopies(
    table,
    (p) => !preds.has(p),
    (t) => truths.has(t),
  );
}

/**
 * Every partial truth object gets a copy as its prediction; its soft partner is gone, if that is partial, too.
 * @param {Table} table @param {Settings} settings
 */
function completePartials(table, settings) {
  const matched = matchPairs(table, settings.high);
  const { truth, pred } = verdictsOf(table, settings, matched);
  const { isSoft } = softPairs(table, settings.low, matched);
  const [ofTruth, ofPred] = [codeOf("truth", "partial"), codeOf("pred", "partial")];
  const gone = new Set();
  table.pairPred.forEach((p, k) => {
    if (isSoft[k] && truth[table.pairTruth[k]] === ofTruth && pred[p] === ofPred) gone.add(p);
  });
  return withCopies(
    table,
    (p) => !gone.has(p),
    (t) => truth[t] === ofTruth,
  );
}

/** @param {string} name of a verdict @returns {(table: Table, settings: Settings) => Table} */
function removed(name) {
  return (table, settings) => {
    const { pred } = verdictsOf(table, settings);
    const gone = codeOf("pred", name);
    return restricted(
      table,
      table.truthAreas.map(() => 1),
      pred.map((code) => (code === gone ? 0 : 1)),
    );
  };
}

/** @type {Record<string, (table: Table, settings: Settings) => Table>} */
export const LAYERED_REPAIRS = {
  "splits joined": joinSplits,
  "merges separated": separateMerges,
  "misses found": findMisses,
  "ghosts removed": removed("ghost"),
  "partials completed": completePartials,
  "outlines perfect": perfectOutlines,
  "duplicates removed": removed("duplicate"),
};
