"""Who is who: one-to-one matching of truth and predicted objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from softpq import _core
from softpq.score import exact_sum

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

    @property
    def iou_sum(self) -> float:
        """Sum of the IoUs, rounded once, so that the order of objects cannot matter."""
        memo: dict[tuple[float, bool], float] = self.overlap.__dict__.setdefault("_iou_sums", {})
        key = (self.threshold, self.strict)
        if key not in memo:
            memo[key] = exact_sum(self.ious)
        return memo[key]

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
    if not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name} must be a number between 0 and 1; got {value!r}.")
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
    if not hasattr(overlap, "pair_iou"):
        raise TypeError(f"overlap must be an Overlap, see Overlap.from_labels; got {type(overlap).__name__}.")
    threshold = check_threshold(threshold, "threshold")
    # The table remembers pairs, not Matchings: those refer to the table, and a cycle would keep both in memory.
    memo: dict[tuple[float, bool], NDArray[np.int64]] = overlap.__dict__.setdefault("_matchings", {})
    key = (threshold, strict)
    if key not in memo:
        memo[key] = _best_pairs(overlap, threshold, strict)
    return Matching(overlap, memo[key], threshold, strict)


def _best_pairs(overlap: Overlap, threshold: float, strict: bool) -> NDArray[np.int64]:
    iou = overlap.pair_iou
    candidates = np.flatnonzero(iou > threshold if strict else iou >= threshold)
    truth, pred = overlap.pair_truth[candidates], overlap.pair_pred[candidates]
    if _all_different(truth) and _all_different(pred):
        return candidates
    weight = iou[candidates] + (tie_breaks(overlap)[candidates] if threshold < 0.5 else 0.0)
    chosen = _core.best_edges(overlap.n_truth, overlap.n_pred, truth, pred, weight)
    best: NDArray[np.int64] = candidates[chosen.astype(bool)]
    return best


def _all_different(positions: NDArray[np.int64]) -> bool:
    return not len(positions) or int(np.bincount(positions).max()) == 1


def tie_breaks(overlap: Overlap) -> NDArray[np.float64]:
    """Return tiny amounts, one per pair, that decide between matchings of equal IoU sums.

    They depend on what a pair is (pixels, areas, and the same of the objects around it) and not on labels: the choice
    is the same however objects are numbered. Each object gets a colour from its area; three times it is mixed with
    those of its partners. What still looks the same is the same for all that matters.
    """
    amounts: NDArray[np.float64] | None = overlap.__dict__.get("_tie_break_amounts")
    if amounts is None:
        colours = [_mixed(areas.astype(np.uint64)) for areas in (overlap.truth_areas, overlap.pred_areas)]
        sides = (overlap.pair_truth, overlap.pair_pred)
        pixels = _mixed(overlap.pair_pixels.astype(np.uint64) + np.uint64(1 << 40))
        for _ in range(3):
            seen = [_mixed(colours[1 - k][sides[1 - k]] ^ pixels) for k in (0, 1)]
            for k in (0, 1):
                total = np.zeros(len(colours[k]), np.uint64)
                np.add.at(total, sides[k], seen[k])
                colours[k] = _mixed(colours[k] + _mixed(total))
        both = _mixed(colours[0][sides[0]] + np.uint64(3) * colours[1][sides[1]] + pixels)
        amounts = both.astype(np.float64) / 2.0**64 * TIE_BREAK
        overlap.__dict__["_tie_break_amounts"] = amounts
    return amounts


TIE_BREAK = 1e-12
"""Below any difference of IoUs that matters, above the rounding of their sums."""


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scramble integers so that sums of them do not coincide."""
    mixed = values ^ (values >> np.uint64(30))
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def best_sum(overlap: Overlap, weight: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the pairs that give the largest sum of positive weights, one to one, however many they are.

    Of equal sums, which is taken does not depend on labels.
    """
    alone = _partners(overlap.pair_truth) + _partners(overlap.pair_pred) == 2  # nobody else wants either object
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
        np.concatenate([weight[contested] + tie_breaks(overlap)[contested], np.zeros(n_truth)]),
    )
    alone[contested] = chosen[: len(contested)].astype(bool)
    return np.flatnonzero(alone)


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
