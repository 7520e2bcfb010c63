"""Who is who: one-to-one matching of truth and predicted objects."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from softpq import _core
from softpq._checks import check_threshold
from softpq.table.exact import exact_sum
from softpq.table.overlap import Overlap
from softpq.table.remembered import once_per_table
from softpq.table.ties import tie_breaks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Matching:
    """A one-to-one matching.

    Attributes
    ----------
    overlap
        The table it was made from.
    pairs
        Positions of the matched pairs in the overlap's list of pairs.
    threshold, strict
        What was asked for.
    """

    overlap: Overlap
    pairs: NDArray[np.int64]
    threshold: float
    strict: bool

    @property
    def truth_ids(self) -> NDArray[np.uint64]:
        """Labels of the matched truth objects."""
        return self.overlap.truth_ids[self.overlap.pair_truth[self.pairs]]

    @property
    def pred_ids(self) -> NDArray[np.uint64]:
        """Labels of their partners, in the same order."""
        return self.overlap.pred_ids[self.overlap.pair_pred[self.pairs]]

    @property
    def ious(self) -> NDArray[np.float64]:
        """IoU of each match."""
        return self.overlap.pair_iou[self.pairs]

    @cached_property
    def iou_sum(self) -> float:
        """Sum of the IoUs, rounded once, so that the order of objects cannot matter."""
        return exact_sum(self.ious)

    @property
    def tp(self) -> int:
        """Matched pairs."""
        return len(self.pairs)

    @property
    def fp(self) -> int:
        """Predictions without a partner."""
        return self.overlap.n_pred - self.tp

    @property
    def fn(self) -> int:
        """Truth objects without a partner."""
        return self.overlap.n_truth - self.tp

    def __repr__(self) -> str:
        sign = ">" if self.strict else ">="
        return f"Matching(IoU {sign} {self.threshold:g}: tp={self.tp}, fp={self.fp}, fn={self.fn})"


def match(overlap: Overlap, threshold: float = 0.5, *, strict: bool = False) -> Matching:
    """Match one to one: most pairs first, then the largest sum of IoUs.

    Only pairs that share pixels are looked at, whatever the threshold, so that memory and time grow with their
    number. Above 0.5 the matching is unique by itself; below it is an assignment problem, solved exactly.

    Parameters
    ----------
    overlap
        The table.
    threshold
        Smallest IoU of a match.
    strict
        Ask for an IoU above the threshold, as PQ was published, instead of at least the threshold.

    Examples
    --------
    >>> from softpq import Overlap
    >>> match(Overlap.from_labels([1, 1, 1, 2, 2, 0], [1, 1, 0, 0, 0, 3]))
    Matching(IoU >= 0.5: tp=1, fp=1, fn=1)
    """
    check_table(overlap)
    threshold = check_threshold(threshold, "threshold")
    return Matching(overlap, _best_pairs(overlap, threshold, bool(strict)), threshold, bool(strict))


def matches_at(overlap: Overlap, thresholds: Sequence[float]) -> list[int]:
    """Return how many pairs are matched from each threshold on.

    Where nobody is wanted twice at the lowest, all pairs above any other are matches.

    Examples
    --------
    >>> from softpq import Overlap
    >>> matches_at(Overlap.from_labels([1, 1, 1, 2], [1, 1, 0, 2]), [0.5, 0.9])
    [2, 1]
    """
    lowest = match(overlap, min(check_threshold(threshold, "threshold") for threshold in thresholds))
    ious = lowest.ious
    if len(ious) < np.count_nonzero(overlap.pair_iou >= lowest.threshold):
        return [match(overlap, threshold).tp for threshold in thresholds]
    found: list[int] = (len(ious) - np.searchsorted(np.sort(ious), thresholds)).tolist()
    return found


def check_table(overlap: Overlap) -> None:
    """Raise an error that says how to make one, unless this is an Overlap."""
    if not isinstance(overlap, Overlap):
        raise TypeError(f"overlap must be an Overlap, see Overlap.from_labels; got {type(overlap).__name__}.")


@once_per_table
def _best_pairs(overlap: Overlap, threshold: float, strict: bool) -> NDArray[np.int64]:
    iou = overlap.pair_iou
    candidates = np.flatnonzero(iou > threshold if strict else iou >= threshold)
    truth, pred = overlap.pair_truth[candidates], overlap.pair_pred[candidates]
    if _all_different(truth) and _all_different(pred):
        return candidates
    ties = tie_breaks(overlap)[candidates]
    chosen = _core.best_edges(overlap.n_truth, overlap.n_pred, truth, pred, iou[candidates], ties)
    best: NDArray[np.int64] = candidates[chosen.astype(bool)]
    return best


def _all_different(positions: NDArray[np.int64]) -> bool:
    return not len(positions) or int(np.bincount(positions).max()) == 1


def best_sum(overlap: Overlap, weight: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the pairs that give the largest sum of positive weights, one to one, however many they are.

    Of equal sums, which is taken does not depend on labels, sides or scale. Weights are below 1024.
    """
    alone = _alone(overlap).copy()
    contested = np.flatnonzero(~alone)
    if not len(contested):
        return np.arange(len(weight))
    truth, pred = (np.unique(side[contested], return_inverse=True) for side in (overlap.pair_truth, overlap.pair_pred))
    n_truth, n_pred = len(truth[0]), len(pred[0])
    nobody = np.arange(n_truth)  # every truth object may stay alone: a column of its own, of no weight
    chosen = _core.best_edges(
        n_truth,
        n_pred + n_truth,
        np.concatenate([truth[1], nobody]),
        np.concatenate([pred[1], n_pred + nobody]),
        np.concatenate([weight[contested], np.zeros(n_truth)]),
        np.concatenate([tie_breaks(overlap)[contested], np.zeros(n_truth, np.uint32)]),
    )
    alone[contested] = chosen[: len(contested)].astype(bool)
    return np.flatnonzero(alone)


@once_per_table
def _alone(overlap: Overlap) -> NDArray[np.bool_]:
    """Pairs of which nobody else wants either object."""
    alone: NDArray[np.bool_] = _partners(overlap.pair_truth) + _partners(overlap.pair_pred) == 2
    return alone


def _partners(positions: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many pairs the object of each pair has."""
    counts: NDArray[np.int64] = np.bincount(positions, minlength=1)[positions]
    return counts


def most_pairs(overlap: Overlap, pairs: NDArray[np.int64]) -> int:
    """Return how many of these pairs can be chosen one to one."""
    truth, pred = overlap.pair_truth[pairs], overlap.pair_pred[pairs]
    if _all_different(truth) or _all_different(pred):
        return len(np.unique(truth)) if _all_different(pred) else len(np.unique(pred))
    return _core.most_pairs(overlap.n_truth, overlap.n_pred, truth, pred)
