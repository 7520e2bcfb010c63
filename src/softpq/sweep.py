"""Whole threshold curves and surfaces from one Overlap.

A surface is not a loop over settings. For one upper threshold, lowering the lower one only adds soft pairs, the largest
IoU first; what each pair changes is known before the threshold is, so that one pass over the pairs gives all lower
thresholds at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq import _core
from softpq.matching import check_threshold, match
from softpq.metrics import METRICS
from softpq.metrics.softpq import Penalty, Priority, Reading, Settings, check_choice, softpq_formula

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from softpq.overlap import Overlap

    Floats = NDArray[np.float64]
    Places = NDArray[np.int64]

CURVES = ("pq", "sq", "rq", "f1", "precision", "recall", "accuracy")
"""Metrics that :func:`curve` knows."""


@dataclass(frozen=True, eq=False)
class Surface:
    """SoftPQ over both thresholds.

    Attributes
    ----------
    iou_low, iou_high
        The thresholds.
    values
        One row per lower, one column per upper threshold; NaN where the lower exceeds the upper.
    settings
        The other settings.
    """

    iou_low: Floats
    iou_high: Floats
    values: Floats = field(repr=False)
    settings: Settings


def sweep(
    overlap: Overlap,
    iou_low: ArrayLike | None = None,
    iou_high: ArrayLike | None = None,
    *,
    penalty: Penalty = "sqrt",
    priority: Priority = "over",
    reading: Reading = "text",
) -> Surface:
    """Compute SoftPQ for every pair of thresholds, exactly.

    Parameters
    ----------
    overlap
        The table.
    iou_low
        Lower thresholds; 0, 0.01, ... 1 by default.
    iou_high
        Upper thresholds; 0.5, 0.51, ... 1 by default. Below 0.5 the matching is an assignment problem for each.
    penalty, priority, reading
        As for :func:`softpq.score`.

    Examples
    --------
    >>> from softpq import Overlap
    >>> surface = sweep(Overlap.from_labels([1, 1, 1, 1], [1, 1, 1, 2]), [0.2, 0.5], [0.5, 0.8])
    >>> surface.values.round(3)
    array([[0.618, 0.577],
           [0.5  , 0.53 ]])
    """
    lows = _thresholds(iou_low, np.arange(101) / 100, "iou_low")
    highs = _thresholds(iou_high, np.arange(50, 101) / 100, "iou_high")
    settings = Settings(0.0, 1.0, penalty, priority, reading)
    if highs.size and highs.min() == 0:
        raise ValueError("iou_high must be above 0; got 0.")
    table = _Sorted(overlap if priority == "over" else overlap.swapped, lows, settings)
    values = np.full((len(lows), len(highs)), np.nan)
    formula = softpq_formula(settings)
    for k, high in enumerate(highs):
        columns = table.released(high) if reading == "released" else table.parts(high)
        for row in np.flatnonzero(lows <= high):
            parts = {name: column[row] for name, column in columns.items()}
            values[row, k] = formula(parts | {"n_truth": overlap.n_truth, "n_pred": overlap.n_pred})
    return Surface(lows, highs, values, settings)


def _thresholds(given: ArrayLike | None, default: Floats, name: str) -> Floats:
    values = default if given is None else np.atleast_1d(np.asarray(given, np.float64))
    if values.ndim != 1:
        raise ValueError(f"{name} must be a flat list of thresholds; got shape {values.shape}.")
    for value in values:
        check_threshold(float(value), name)
    return values


class _Sorted:
    """The pairs by group, the largest IoU of each first, and the lower thresholds that each pair is above of."""

    def __init__(self, overlap: Overlap, lows: Floats, settings: Settings) -> None:
        order = np.lexsort((-overlap.pair_iou, overlap.pair_truth))
        self.overlap, self.settings = overlap, settings
        self.iou, self.group, self.other = (
            column[order] for column in (overlap.pair_iou, overlap.pair_truth, overlap.pair_pred)
        )
        self.place_of_pair = np.empty(len(order), np.int64)
        self.place_of_pair[order] = np.arange(len(order))
        self.ranks = np.argsort(np.argsort(lows, kind="stable"), kind="stable")
        self.n_lows = len(lows)
        self.below = np.searchsorted(np.sort(lows), self.iou, side="left")  # how many thresholds are below the IoU

    def over_lows(self, pairs: NDArray[Any], amounts: Floats | None = None) -> Floats:
        """For each lower threshold, the sum over these pairs with an IoU above it; of ones, if no amounts are given."""
        sums = np.bincount(self.below[pairs], weights=amounts, minlength=self.n_lows + 1)[::-1].cumsum()[::-1]
        result: Floats = sums[1:][self.ranks].astype(np.float64)
        return result

    def soft_sums(self, soft: NDArray[np.bool_]) -> Floats:
        """For each lower threshold, the sum of soft IoUs over their divisors."""
        pairs = np.flatnonzero(soft)
        if not len(pairs):
            return np.zeros(self.n_lows)
        iou, group = self.iou[pairs], self.group[pairs]
        starts = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
        sizes = np.diff(np.r_[starts, len(pairs)])
        total = np.cumsum(iou)
        in_group = total - np.repeat(np.r_[0.0, total[starts[1:] - 1]], sizes)
        count = np.arange(len(pairs)) - np.repeat(starts, sizes) + 1
        reached = in_group / self.settings.divisors(count)
        gained = np.diff(reached, prepend=0.0)
        gained[starts] = reached[starts]
        return self.over_lows(pairs, gained)

    def parts(self, high: float) -> dict[str, Floats]:
        """The parts of the text, figures and unified readings for all lower thresholds."""
        matched = np.zeros(len(self.iou), bool)
        matched[self.place_of_pair[match(self.overlap, high).pairs]] = True
        every = np.ones(self.n_lows)
        return {
            "matched": int(matched.sum()) * every,
            "matched_iou": float(self.iou[matched].sum()) * every,
            "soft_iou": self.soft_sums(~matched),
            "forgiven": self._forgiven(matched),
        }

    def _forgiven(self, matched: NDArray[np.bool_]) -> Floats:
        if self.settings.reading == "text":
            return np.zeros(self.n_lows)
        group_matched = np.zeros(self.overlap.n_truth, bool)
        other_matched = np.zeros(self.overlap.n_pred, bool)
        group_matched[self.group[matched]] = True
        other_matched[self.other[matched]] = True
        free = ~other_matched[self.other]
        if self.settings.reading == "figures":
            return self.over_lows(self._best_of_other(free & group_matched[self.group]))
        claimed = self._matching_sizes(np.flatnonzero(free & ~group_matched[self.group]))
        return self.over_lows(self._best_of_other(free)) - claimed

    def _best_of_other(self, pairs: NDArray[np.bool_]) -> Places:
        """Of these pairs, the one with the largest IoU of each object on the other side."""
        chosen = np.flatnonzero(pairs)
        chosen = chosen[np.argsort(-self.iou[chosen], kind="stable")]
        return chosen[np.unique(self.other[chosen], return_index=True)[1]]

    def _matching_sizes(self, pairs: Places) -> Floats:
        """For each lower threshold, how many of these pairs above it can be chosen one to one."""
        group, other = self.group[pairs], self.other[pairs]
        alone = (np.bincount(group, minlength=1)[group] == 1) & (np.bincount(other, minlength=1)[other] == 1)
        crowd = pairs[~alone]
        crowd = crowd[np.argsort(-self.iou[crowd], kind="stable")]
        rows, row = np.unique(self.group[crowd], return_inverse=True)
        columns, column = np.unique(self.other[crowd], return_inverse=True)
        sizes = _core.growing_sizes(len(rows), len(columns), row.astype(np.int64), column.astype(np.int64))
        return self.over_lows(pairs[alone]) + self.over_lows(crowd, np.diff(sizes, prepend=0).astype(np.float64))

    def released(self, high: float) -> dict[str, Floats]:
        """The parts of the authors' program for all lower thresholds."""
        hard, soft = self.iou > high, self.iou < high
        row_is_hard = np.zeros(self.overlap.n_truth, bool)
        row_is_hard[self.group[hard]] = True
        hard_pairs = np.flatnonzero(self.overlap.pair_iou > high)
        first = np.unique(self.overlap.pair_truth[hard_pairs], return_index=True)[1]
        every = np.ones(self.n_lows)
        return {
            "matched": match(self.overlap, high).tp * every,
            "matched_iou": float(self.overlap.pair_iou[hard_pairs[first]].sum()) * every,
            "soft_iou": self.soft_sums(soft),
            "forgiven": self.over_lows(np.flatnonzero(soft & row_is_hard[self.group])),
        }


def curve(
    overlap: Overlap, metric: str = "pq", thresholds: Sequence[float] | None = None, *, strict: bool = False
) -> tuple[Floats, Floats]:
    """Compute PQ, F1 or another metric on one matching for many thresholds.

    Parameters
    ----------
    overlap
        The table.
    metric
        One of ``pq``, ``sq``, ``rq``, ``f1``, ``precision``, ``recall``, ``accuracy``.
    thresholds
        0.5, 0.51, ... 1 by default.
    strict
        Match above the threshold instead of from it on.

    Returns
    -------
    thresholds, values

    Examples
    --------
    >>> from softpq import Overlap
    >>> curve(Overlap.from_labels([1, 1, 1, 1], [1, 1, 1, 0]), "f1", [0.5, 0.75, 0.8])[1]
    array([1., 1., 0.])
    """
    check_choice(metric, CURVES, "metric")
    at = _thresholds(thresholds, np.arange(50, 101) / 100, "thresholds")
    return at, np.array([float(METRICS[metric](overlap, threshold=t, strict=strict)) for t in at])
