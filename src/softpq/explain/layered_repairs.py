"""Repairs where objects overlap, done on the atoms: what is under a pixel changes, and the table is counted anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from softpq.explain.objects import objects_of
from softpq.settings import Settings
from softpq.table.credits import matched_and_soft
from softpq.table.matching import match
from softpq.table.overlap import Overlap
from softpq.table.ties import tie_breaks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.int64]


def _verdicts(overlap: Overlap, settings: Settings) -> tuple[NDArray[np.str_], NDArray[np.str_]]:
    verdict = objects_of(overlap, settings)["verdict"]
    return verdict[: overlap.n_truth], verdict[overlap.n_truth :]


def _with_preds(overlap: Overlap, atom: Places, pred: Places) -> Overlap:
    """The table if these predictions, by position, lay over these atoms; those that lie nowhere are gone.

    Empty predictions stay what they were: objects without pixels.
    """
    atoms = overlap.atoms
    names, members = np.unique(pred, return_inverse=True)
    empty = np.flatnonzero(overlap.pred_areas == 0)
    changed = type(atoms).ordered(
        atoms.truth_offsets, atoms.truth, *atoms.sets(atom, members.reshape(-1)), atoms.pixels
    )
    ids = np.arange(1, len(names) + len(empty) + 1).astype(np.uint64)
    gone = int(atoms.pixels.sum()) - int(changed.pixels.sum())
    return Overlap.from_atoms(overlap.truth_ids, ids, changed, overlap.background + gone)


def _join_splits(overlap: Overlap, settings: Settings) -> Overlap:
    """Predictions that lie mostly in a truth object with fragments are united, as on label images."""
    _, pred_verdict = _verdicts(overlap, settings)
    pairs = match(overlap, settings.iou_high).pairs
    is_matched = np.zeros(overlap.n_pred, bool)
    is_matched[overlap.pair_pred[pairs]] = True
    mostly = 2 * overlap.pair_pixels > overlap.pred_areas[overlap.pair_pred]
    inside = _best_of_each(overlap, mostly & ~is_matched[overlap.pair_pred])
    inside[pairs] = True
    has_fragment = np.zeros(overlap.n_truth, bool)
    has_fragment[overlap.pair_truth[inside & (pred_verdict[overlap.pair_pred] == "fragment")]] = True
    joined = np.flatnonzero(inside & has_fragment[overlap.pair_truth])
    new_name = np.arange(overlap.n_pred)
    new_name[overlap.pair_pred[joined]] = overlap.n_pred + overlap.pair_truth[joined]
    return _with_preds(overlap, overlap.atoms.owners("pred"), new_name[overlap.atoms.pred])


def _best_of_each(overlap: Overlap, wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Of several truth objects that a prediction lies mostly in, that of the largest IoU; then as for matchings."""
    some = np.flatnonzero(wanted)
    ties = tie_breaks(overlap)[some].astype(np.int64)
    some = some[np.lexsort((-ties, -overlap.pair_iou[some]))]
    best = np.zeros(len(wanted), bool)
    best[some[np.unique(overlap.pair_pred[some], return_index=True)[1]]] = True
    return best


def _separate_merges(overlap: Overlap, settings: Settings) -> Overlap:
    """A prediction that covers most of several truth objects is cut along them; the rest stays with the largest.

    Where those objects overlap, so do the pieces. Objects that another prediction is matched with are not merged.
    """
    pairs = match(overlap, settings.iou_high).pairs
    partner = np.full(overlap.n_truth, -1)
    partner[overlap.pair_truth[pairs]] = overlap.pair_pred[pairs]
    its_own = (partner[overlap.pair_truth] == overlap.pair_pred) | (partner[overlap.pair_truth] < 0)
    holds = (2 * overlap.pair_pixels > overlap.truth_areas[overlap.pair_truth]) & its_own
    held_by = np.bincount(overlap.pair_pred[holds], minlength=overlap.n_pred)
    cut = np.flatnonzero(holds & (held_by[overlap.pair_pred] > 1))
    ties = tie_breaks(overlap)[cut].astype(np.int64)
    largest = cut[np.lexsort((-ties, -overlap.pair_iou[cut], -overlap.pair_pixels[cut]))]
    name = np.full(len(overlap.pair_iou), -1)  # of the piece that a pair becomes
    name[cut] = overlap.n_pred + np.arange(len(cut))
    keeps = largest[np.unique(overlap.pair_pred[largest], return_index=True)[1]]
    name[keeps] = overlap.pair_pred[keeps]
    atom, pred, pair = _pairs_in_atoms(overlap)
    piece = name[pair] >= 0
    whole_atom, whole_pred = overlap.atoms.owners("pred"), overlap.atoms.pred.astype(np.int64)
    in_pieces = np.isin(whole_atom * overlap.n_pred + whole_pred, atom[piece] * overlap.n_pred + pred[piece])
    return _with_preds(
        overlap,
        np.concatenate([whole_atom[~in_pieces], atom[piece]]),
        np.concatenate([whole_pred[~in_pieces], name[pair[piece]]]),
    )


def _pairs_in_atoms(overlap: Overlap) -> tuple[Places, Places, Places]:
    """Every pair in every atom that it has: the atom, the prediction, and the position of the pair."""
    atoms = overlap.atoms
    truths = np.diff(atoms.truth_offsets)
    owner = atoms.owners("pred")
    times = truths[owner]
    atom, pred = np.repeat(owner, times), np.repeat(atoms.pred.astype(np.int64), times)
    within = np.arange(len(atom)) - np.repeat(np.cumsum(times) - times, times)
    truth = atoms.truth[atoms.truth_offsets[atom] + within].astype(np.int64)
    keys = overlap.pair_truth * overlap.n_pred + overlap.pair_pred
    return atom, pred, np.searchsorted(keys, truth * overlap.n_pred + pred)


def _with_copies(overlap: Overlap, keep: NDArray[np.bool_], copied: NDArray[np.bool_], name: Places) -> Overlap:
    """Some predictions, and copies of some truth objects under other names."""
    atoms = overlap.atoms
    kept, copies = keep[atoms.pred], copied[atoms.truth]
    return _with_preds(
        overlap,
        np.concatenate([atoms.owners("pred")[kept], atoms.owners("truth")[copies]]),
        np.concatenate([atoms.pred[kept].astype(np.int64), name[atoms.truth[copies]]]),
    )


def _find_misses(overlap: Overlap, settings: Settings) -> Overlap:
    """Every missed truth object gets a copy as its prediction."""
    truth_verdict, _ = _verdicts(overlap, settings)
    names = overlap.n_pred + np.arange(overlap.n_truth)
    return _with_copies(overlap, np.ones(overlap.n_pred, bool), truth_verdict == "missed", names)


def _perfect_outlines(overlap: Overlap, settings: Settings) -> Overlap:
    """Every matched prediction becomes a copy of its truth object."""
    pairs = match(overlap, settings.iou_high).pairs
    keep, copied = np.ones(overlap.n_pred, bool), np.zeros(overlap.n_truth, bool)
    keep[overlap.pair_pred[pairs]], copied[overlap.pair_truth[pairs]] = False, True
    return _with_copies(overlap, keep, copied, overlap.n_pred + np.arange(overlap.n_truth))


def _complete_partials(overlap: Overlap, settings: Settings) -> Overlap:
    """Every partial truth object gets a copy as its prediction; its soft partner is gone, if that is partial, too."""
    truth_verdict, pred_verdict = _verdicts(overlap, settings)
    _, soft, _ = matched_and_soft(overlap, settings.iou_low, settings.iou_high)
    partial = truth_verdict == "partial"
    partners = overlap.pair_pred[soft & partial[overlap.pair_truth]]
    keep = np.ones(overlap.n_pred, bool)
    keep[partners] = pred_verdict[partners] != "partial"
    return _with_copies(overlap, keep, partial, overlap.n_pred + np.arange(overlap.n_truth))


def _remove(verdict: str) -> Callable[[Overlap, Settings], Overlap]:
    def removed(overlap: Overlap, settings: Settings) -> Overlap:
        return overlap.restricted(np.ones(overlap.n_truth, bool), _verdicts(overlap, settings)[1] != verdict)

    return removed


OVERLAPPING_REPAIRS: dict[str, Callable[[Overlap, Settings], Overlap]] = {
    "splits joined": _join_splits,
    "merges separated": _separate_merges,
    "misses found": _find_misses,
    "ghosts removed": _remove("ghost"),
    "partials completed": _complete_partials,
    "outlines perfect": _perfect_outlines,
    "duplicates removed": _remove("duplicate"),
}
"""The same kinds as on label images, and one more."""
