"""Who is who: one-to-one matching of truth and predicted objects."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from softpq import _core
from softpq._checks import check_threshold
from softpq.table.exact import exact_sum
from softpq.table.overlap import Overlap
from softpq.table.remembered import once_per_table
from softpq.table.ties import tie_breaks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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

    Examples
    --------
    >>> from softpq import Overlap
    >>> found = match(Overlap.from_labels([1, 1, 1, 2, 2], [7, 7, 0, 0, 8]), 0.6)
    >>> found.truth_ids.tolist(), found.pred_ids.tolist(), found.tp, found.fp, found.fn
    ([1], [7], 1, 1, 1)
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

    See Also
    --------
    softpq.Overlap : The table whose objects are matched.
    softpq.explain.objects.Objects : What happened to each object.

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
    lowest = match(overlap, min(thresholds))
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
    candidates, contested = _core.candidates(*overlap.pairs, iou, threshold, strict)
    if not contested:
        return candidates
    truth, pred = overlap.pair_truth[candidates], overlap.pair_pred[candidates]
    solve = partial(_core.best_edges, overlap.n_truth, overlap.n_pred, truth, pred, iou[candidates])
    chosen = None if overlap.is_plain else _only_solution(solve, len(candidates))
    if chosen is None:
        chosen = solve(tie_breaks(overlap)[candidates])
    best: NDArray[np.int64] = candidates[chosen.astype(bool)]
    return best


def _only_solution(solve: Callable[[NDArray[np.uint32]], NDArray[np.uint8]], count: int) -> NDArray[np.uint8] | None:
    """The best pairs if there is no tie to break, for which all that lies over each other would have to be looked at.

    Of several solutions, two opposite orders of all pairs would take two.
    """
    order = np.random.default_rng(0).integers(0, 2**31, count).astype(np.uint32)
    one = solve(order)
    return one if np.array_equal(one, solve(np.uint32(2**31) - order)) else None


def _all_different(positions: NDArray[np.int64]) -> bool:
    return not len(positions) or int(np.bincount(positions).max()) == 1


def best_sum(overlap: Overlap, weight: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the pairs that give the largest sum of positive weights, one to one, however many they are.

    Of equal sums, which is taken does not depend on labels, sides or scale. Weights are below 1024.
    """
    contest = _contest(overlap)
    contested, spare = contest.pairs, np.zeros(contest.n_truth)
    if not len(contested):
        return np.arange(len(weight))
    weights = np.concatenate([weight[contested], spare])
    chosen = _core.best_edges(
        contest.n_truth, contest.n_pred + contest.n_truth, contest.truth, contest.pred, weights, contest.ties
    )
    kept = np.ones(len(weight), bool)
    kept[contested] = chosen[: len(contested)].astype(bool)
    return np.flatnonzero(kept)


class _Contest(NamedTuple):
    """Pairs of which somebody else wants an object, as a graph in which every truth object may stay alone."""

    pairs: NDArray[np.int64]
    n_truth: int
    n_pred: int
    truth: NDArray[np.int64]
    pred: NDArray[np.int64]
    ties: NDArray[np.uint32]


@once_per_table
def _contest(overlap: Overlap) -> _Contest:
    pairs, n_truth, n_pred, truth, pred = _core.contest(*overlap.pairs)
    nobody = np.arange(n_truth)  # a column for each truth object, of no weight
    ties = tie_breaks(overlap)[pairs] if len(pairs) else np.zeros(0, np.uint32)
    return _Contest(
        pairs,
        n_truth,
        n_pred,
        np.concatenate([truth, nobody]),
        np.concatenate([pred, n_pred + nobody]),
        np.concatenate([ties, np.zeros(n_truth, np.uint32)]),
    )


def most_pairs(overlap: Overlap, pairs: NDArray[np.int64]) -> int:
    """Return how many of these pairs can be chosen one to one."""
    truth, pred = overlap.pair_truth[pairs], overlap.pair_pred[pairs]
    if _all_different(truth) or _all_different(pred):
        return len(np.unique(truth)) if _all_different(pred) else len(np.unique(pred))
    return _core.most_pairs(overlap.n_truth, overlap.n_pred, truth, pred)
