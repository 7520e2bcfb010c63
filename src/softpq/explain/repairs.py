"""What would fixing it bring: the scores of the same table with one kind of error repaired."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from softpq.explain.classes import CLASSES_CORRECTED
from softpq.explain.layered_repairs import OVERLAPPING_REPAIRS
from softpq.explain.objects import objects_of
from softpq.metrics import METRICS
from softpq.settings import Settings
from softpq.table.matching import match
from softpq.table.overlap import Overlap
from softpq.table.ties import tie_breaks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.int64]


class _Pixels:
    """The image as a list: so many pixels of truth object i and prediction j, by position; -1 is background."""

    def __init__(self, overlap: Overlap) -> None:
        self.overlap = overlap
        nobody = np.full(max(overlap.n_truth, overlap.n_pred), -1)
        self.truth = np.concatenate([overlap.pair_truth, np.arange(overlap.n_truth), nobody[: overlap.n_pred]])
        self.pred = np.concatenate([overlap.pair_pred, nobody[: overlap.n_truth], np.arange(overlap.n_pred)])
        self.pixels = np.concatenate([overlap.pair_pixels, overlap.truth_alone, overlap.pred_alone])

    def with_pred(self, pred: Places) -> Overlap:
        """The table if these rows had other predictions."""
        return Overlap.from_pairs(
            np.r_[self.truth + 1, 0], np.r_[pred + 1, 0], np.r_[self.pixels, self.overlap.background]
        )


def _verdicts(overlap: Overlap, settings: Settings) -> tuple[NDArray[np.str_], NDArray[np.str_]]:
    verdict = objects_of(overlap, settings)["verdict"]
    return verdict[: overlap.n_truth], verdict[overlap.n_truth :]


def _join_splits(overlap: Overlap, settings: Settings) -> Overlap:
    """Every prediction that lies mostly in a truth object with fragments becomes one with the others there.

    What is matched belongs to its partner, wherever most of it lies.
    """
    _, pred_verdict = _verdicts(overlap, settings)
    pairs = match(overlap, settings.iou_high).pairs
    is_matched = np.zeros(overlap.n_pred, bool)
    is_matched[overlap.pair_pred[pairs]] = True
    inside = (2 * overlap.pair_pixels > overlap.pred_areas[overlap.pair_pred]) & ~is_matched[overlap.pair_pred]
    inside[pairs] = True
    has_fragment = np.zeros(overlap.n_truth, bool)
    has_fragment[overlap.pair_truth[inside & (pred_verdict[overlap.pair_pred] == "fragment")]] = True
    joined = np.flatnonzero(inside & has_fragment[overlap.pair_truth])
    new_name = np.append(np.arange(overlap.n_pred), -1)  # the last place is background, position -1
    new_name[overlap.pair_pred[joined]] = overlap.n_pred + overlap.pair_truth[joined]
    rows = _Pixels(overlap)
    return rows.with_pred(new_name[rows.pred])


def _separate_merges(overlap: Overlap, settings: Settings) -> Overlap:
    """A prediction that covers most of several truth objects is cut along them; the rest stays with the largest.

    Of pieces of one size, it stays with that of the larger IoU; then ties are broken as for matchings.
    """
    holds = 2 * overlap.pair_pixels > overlap.truth_areas[overlap.pair_truth]
    held_by = np.bincount(overlap.pair_pred[holds], minlength=overlap.n_pred)
    cut = np.flatnonzero(holds & (held_by[overlap.pair_pred] > 1))
    ties = tie_breaks(overlap)[cut].astype(np.int64)
    largest = cut[np.lexsort((-ties, -overlap.pair_iou[cut], -overlap.pair_pixels[cut]))]
    keeps = largest[np.unique(overlap.pair_pred[largest], return_index=True)[1]]
    moved = np.setdiff1d(cut, keeps)
    rows = _Pixels(overlap)
    pred = rows.pred.copy()
    pred[moved] = overlap.n_pred + np.arange(len(moved))  # pairs come first in the rows, in the same order
    return rows.with_pred(pred)


def _find_misses(overlap: Overlap, settings: Settings) -> Overlap:
    """Every missed truth object gets a perfect prediction."""
    truth_verdict, _ = _verdicts(overlap, settings)
    missed = np.append(truth_verdict == "missed", False)  # the last place is background, position -1
    rows = _Pixels(overlap)
    return rows.with_pred(np.where(missed[rows.truth], overlap.n_pred + rows.truth, rows.pred))


def _remove_ghosts(overlap: Overlap, settings: Settings) -> Overlap:
    _, pred_verdict = _verdicts(overlap, settings)
    return overlap.restricted(np.ones(overlap.n_truth, bool), pred_verdict != "ghost")


def _perfect_outlines(overlap: Overlap, settings: Settings) -> Overlap:
    """Every matched prediction becomes exactly its truth object."""
    pairs = match(overlap, settings.iou_high).pairs
    partner = np.full(overlap.n_truth + 1, -1)
    partner[overlap.pair_truth[pairs]] = overlap.pair_pred[pairs]
    is_matched = np.zeros(overlap.n_pred + 1, bool)
    is_matched[overlap.pair_pred[pairs]] = True
    rows = _Pixels(overlap)
    own = partner[rows.truth]
    return rows.with_pred(np.where(own >= 0, own, np.where(is_matched[rows.pred], -1, rows.pred)))


def _complete_partials(overlap: Overlap, settings: Settings) -> Overlap:
    """Every partial truth object gets a perfect prediction: its soft partner, or another if that has more to do.

    A partner that is partial, too, has no other match and becomes exactly the object; what is matched or belongs to
    several objects only gives up the pixels of this one.
    """
    truth_verdict, pred_verdict = _verdicts(overlap, settings)
    soft = (overlap.pair_iou > settings.iou_low) & (truth_verdict[overlap.pair_truth] == "partial")
    soft[match(overlap, settings.iou_high).pairs] = False
    own = np.append(np.where(truth_verdict == "partial", overlap.n_pred + np.arange(overlap.n_truth), -1), -1)
    taken = np.zeros(overlap.n_pred + 1, bool)
    taken[overlap.pair_pred[soft]] = pred_verdict[overlap.pair_pred[soft]] == "partial"
    rows = _Pixels(overlap)
    return rows.with_pred(np.where(own[rows.truth] >= 0, own[rows.truth], np.where(taken[rows.pred], -1, rows.pred)))


REPAIRS: dict[str, Callable[[Overlap, Settings], Overlap]] = {
    "splits joined": _join_splits,
    "merges separated": _separate_merges,
    "misses found": _find_misses,
    "ghosts removed": _remove_ghosts,
    "partials completed": _complete_partials,
    "outlines perfect": _perfect_outlines,
}
"""Repair -> how it is done on a table of label images."""


def repairs_of(overlap: Overlap) -> dict[str, Callable[[Overlap, Settings], Overlap]]:
    """Repair -> how it is done on this table; where objects overlap, duplicates can be removed, too."""
    return REPAIRS if has_pixels_alone(overlap) else OVERLAPPING_REPAIRS


def has_pixels_alone(overlap: Overlap) -> bool:
    """Whether pixels say all there is: none has several objects, and every object has some."""
    return overlap.is_plain and bool(overlap.truth_areas.all() and overlap.pred_areas.all())


def attribution(
    overlap: Overlap, settings: Settings | None = None, corrected: Overlap | None = None
) -> dict[str, dict[str, float]]:
    """Say by how much SoftPQ, PQ and F1 would rise if one kind of error were repaired.

    Each kind is repaired by itself, on the table. A score may also fall, where a repair leaves something over: what
    is cut off a merged prediction may become a ghost, and SoftPQ's text reading can lose when one object is repaired.

    Parameters
    ----------
    overlap
        The table.
    settings
        Of SoftPQ; its thresholds decide what is an error, and ``iou_high`` is the threshold of PQ and F1.
    corrected
        The table with right classes, where there are classes.

    Returns
    -------
    dict
        Repair -> metric -> gain.

    Examples
    --------
    >>> from softpq import Overlap
    >>> gains = attribution(Overlap.from_labels([1, 1, 1, 2, 2, 0], [1, 1, 1, 0, 0, 3]))
    >>> round(gains["ghosts removed"]["f1"], 3), round(gains["misses found"]["f1"], 3)
    (0.167, 0.3)
    """
    settings = settings or Settings()
    now = _values(overlap, settings)
    then = {name: _values(repair(overlap, settings), settings) for name, repair in repairs_of(overlap).items()}
    if corrected is not None:
        then[CLASSES_CORRECTED] = _values(corrected, settings)
    return {name: {metric: values[metric] - now[metric] for metric in now} for name, values in then.items()}


def _values(overlap: Overlap, settings: Settings) -> dict[str, float]:
    options = {**vars(settings), "threshold": settings.iou_high}
    return {name: float(METRICS[name].score(overlap, options)) for name in ("softpq", "pq", "f1")}
