"""Who is who: one-to-one matching of truth and predicted objects."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from softpq import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softpq.overlap import Overlap


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
        return math.fsum(self.ious.tolist())

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


def check_threshold(value: float, name: str) -> float:
    """Return a threshold as a float or raise; 0 to 1, both allowed."""
    if not 0 <= value <= 1:  # also false for NaN
        raise ValueError(f"{name} must be between 0 and 1; got {value}.")
    return float(value)


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
    threshold = check_threshold(threshold, "threshold")
    memo: dict[tuple[float, bool], Matching] = overlap.__dict__.setdefault("_matchings", {})
    key = (threshold, strict)
    if key not in memo:
        memo[key] = Matching(overlap, _best_pairs(overlap, threshold, strict), threshold, strict)
    return memo[key]


def _best_pairs(overlap: Overlap, threshold: float, strict: bool) -> NDArray[np.int64]:
    iou = overlap.pair_iou
    candidates = np.flatnonzero(iou > threshold if strict else iou >= threshold)
    truth, pred = overlap.pair_truth[candidates], overlap.pair_pred[candidates]
    if _all_different(truth) and _all_different(pred):
        return candidates
    order = np.arange(len(candidates)) if threshold >= 0.5 else _order_without_labels(overlap, candidates)
    chosen = _core.best_edges(
        overlap.n_truth, overlap.n_pred, truth[order], pred[order], np.ascontiguousarray(iou[candidates[order]])
    )
    return np.sort(candidates[order[chosen.astype(bool)]])


def _all_different(positions: NDArray[np.int64]) -> bool:
    return not len(positions) or int(np.bincount(positions).max()) == 1


def _order_without_labels(overlap: Overlap, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Order pairs by what they are, not by their labels, so that ties do not depend on how objects are numbered."""
    truth, pred = overlap.pair_truth[pairs], overlap.pair_pred[pairs]
    return np.lexsort(
        (overlap.pred_areas[pred], overlap.truth_areas[truth], overlap.pair_pixels[pairs], overlap.pair_iou[pairs])
    )[::-1]


def best_sum(overlap: Overlap, weight: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the pairs that give the largest sum of positive weights, one to one, however many they are."""
    if _all_different(overlap.pair_truth) and _all_different(overlap.pair_pred):
        return np.arange(len(weight))
    n_truth, n_pred, n_pairs = overlap.n_truth, overlap.n_pred, len(weight)
    nobody = np.arange(n_truth)  # every truth object may stay alone: a column of its own, of no weight
    chosen = _core.best_edges(
        n_truth,
        n_pred + n_truth,
        np.concatenate([overlap.pair_truth, nobody]),
        np.concatenate([overlap.pair_pred, n_pred + nobody]),
        np.concatenate([weight, np.zeros(n_truth)]),
    )
    return np.flatnonzero(chosen[:n_pairs])


def most_pairs(overlap: Overlap, pairs: NDArray[np.int64]) -> int:
    """Return how many of these pairs can be chosen one to one."""
    truth, pred = overlap.pair_truth[pairs], overlap.pair_pred[pairs]
    if _all_different(truth) or _all_different(pred):
        return len(np.unique(truth)) if _all_different(pred) else len(np.unique(pred))
    return _core.most_pairs(overlap.n_truth, overlap.n_pred, truth, pred)
