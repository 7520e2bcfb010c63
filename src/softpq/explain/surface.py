"""SoftPQ at many thresholds at once, from one pass over the pairs.

Above one half every object has at most one pair that can match, its *main* pair, whatever the threshold h: it is
matched while h is at most its IoU and soft beyond. So each object is in one of two states, and what each of its pairs
adds to the soft sum is known for both. The sum over all pairs, for all l and h, is then a two-dimensional histogram of
these amounts (by the pair's IoU, which l has to stay below, and by the main IoU, where h changes the state), summed
along both axes. At one half and below, the matching is found for each h, and the same is done for all l.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from softpq import _core
from softpq.explain.layered_surface import parts_of_overlapping
from softpq.metrics._softpq import divisors, grouped_by_truth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softpq.settings import Settings
    from softpq.table.overlap import Overlap

    Floats = NDArray[np.float64]
    Places = NDArray[np.int64]

PART_NAMES = ("matched", "matched_iou", "soft_iou", "forgiven")


def parts_over(overlap: Overlap, lows: Floats, highs: Floats, settings: Settings) -> dict[str, Floats]:
    """Return the parts of the score, each (lows x highs); both thresholds ascending."""
    if not overlap.is_plain:
        return parts_of_overlapping(overlap, lows, highs, settings)
    first_above = int(np.searchsorted(highs, 0.5, side="right"))
    blocks = [_parts_at(overlap, lows, highs[k : k + 1], settings) for k in range(first_above)]
    sided = overlap if settings.priority == "over" else overlap.swapped
    blocks.append(_parts_above_half(sided, lows, highs[first_above:], settings))
    return {name: np.concatenate([block[name] for block in blocks], axis=1) for name in PART_NAMES}


def _parts_above_half(overlap: Overlap, lows: Floats, highs: Floats, settings: Settings) -> dict[str, Floats]:
    main = overlap.pair_iou > 0.5
    grid = _Grid(overlap, main, lows, highs)
    parts = grid.parts(settings)
    if settings.reading == "released":  # sums what is strictly above h, and looks for fragments beside that
        strictly = _Grid(overlap, main, lows, np.nextafter(highs, 2))
        parts |= {"matched_iou": strictly.matched_iou(), "forgiven": strictly.soft_beside_matched()}
    return parts


def _parts_at(overlap: Overlap, lows: Floats, high: Floats, settings: Settings) -> dict[str, Floats]:
    """The parts at one upper threshold, a list of length 1."""
    overlap, matched = grouped_by_truth(overlap, replace(settings, iou_high=float(high[0])))
    if settings.reading != "released":
        return _Grid(overlap, matched, lows, high).parts(settings)
    first = _first_of_each(overlap.pair_truth, overlap.pair_iou > high)
    grid = _Grid(overlap, first, lows, high, used=first | (overlap.pair_iou < high))
    return grid.parts(settings) | {"matched": np.full((len(lows), 1), float(matched.sum()))}


def _first_of_each(group: Places, wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    chosen, first = np.flatnonzero(wanted), np.zeros(len(group), bool)
    first[chosen[np.unique(group[chosen], return_index=True)[1]]] = True
    return first


class _Grid:
    """The pairs, by truth object and the largest IoU first, and where they stand on the grid of thresholds."""

    def __init__(
        self,
        overlap: Overlap,
        main: NDArray[np.bool_],
        lows: Floats,
        highs: Floats,
        used: NDArray[np.bool_] | None = None,
    ) -> None:
        order = overlap.by_truth_and_iou
        if used is not None:
            order = order[used[order]]
        self.iou, self.main = overlap.pair_iou[order], main[order]
        self.truth, self.pred = overlap.pair_truth[order], overlap.pair_pred[order]
        self.n_truth, self.n_pred = overlap.n_truth, overlap.n_pred
        self.shape = (len(lows), len(highs))
        self.lows_below = np.searchsorted(lows, self.iou, side="left")
        self.truth_main, self.pred_main = np.zeros(self.n_truth), np.zeros(self.n_pred)
        self.truth_main[self.truth[self.main]] = self.iou[self.main]
        self.pred_main[self.pred[self.main]] = self.iou[self.main]
        self.truth_until = np.searchsorted(highs, self.truth_main, side="right")  # matched for highs before this one
        self.pred_until = np.searchsorted(highs, self.pred_main, side="right")

    def parts(self, settings: Settings) -> dict[str, Floats]:
        """All parts of the score."""
        return {
            "matched": self._of_matches(np.ones(int(self.main.sum()))),
            "matched_iou": self.matched_iou(),
            "soft_iou": self.soft_sums(settings),
            "forgiven": self.forgiven(settings.reading),
        }

    def forgiven(self, reading: str) -> Floats:
        """Predictions that the reading does not count as wrong."""
        if reading == "text":
            return np.zeros(self.shape)
        if reading == "figures":
            return self.fragments()
        if reading == "released":
            return self.soft_beside_matched()
        return self.with_soft_pair() - self.largest_matchings()

    def histogram(self, low_bin: Places, high_bin: Places, amount: Floats | None = None) -> Floats:
        """Amounts by bin, summed over all bins beyond each lower threshold."""
        rows, columns = self.shape[0] + 1, self.shape[1] + 1
        flat = np.bincount(low_bin * columns + high_bin, weights=amount, minlength=rows * columns)
        return flat.reshape(rows, columns)[::-1].cumsum(axis=0)[::-1][1:].astype(np.float64)

    def while_matched(self, low_bin: Places, until: Places, amount: Floats | None = None) -> Floats:
        """What counts for h up to a main IoU, by l and h."""
        return self.histogram(low_bin, until, amount)[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]

    def once_unmatched(self, low_bin: Places, until: Places, amount: Floats | None = None) -> Floats:
        """What counts for h beyond a main IoU, by l and h."""
        return self.histogram(low_bin, until, amount).cumsum(axis=1)[:, :-1]

    def _of_matches(self, amount: Floats) -> Floats:
        """A sum over main pairs while they are matched, for each h."""
        until = self.truth_until[self.truth[self.main]]
        sums: Floats = np.bincount(until, weights=amount, minlength=self.shape[1] + 1)[::-1].cumsum()[::-1][1:]
        return np.broadcast_to(sums, self.shape)

    def matched_iou(self) -> Floats:
        """Sum of the IoUs of matches."""
        return self._of_matches(self.iou[self.main])

    def soft_sums(self, settings: Settings) -> Floats:
        """Sum of soft IoUs over their divisors."""
        until = self.truth_until[self.truth]
        rest = ~self.main
        beside = self._gains(np.flatnonzero(rest), settings)
        alone = self._gains(np.arange(len(self.iou)), settings)
        sums = self.while_matched(self.lows_below[rest], until[rest], beside)
        return sums + self.once_unmatched(self.lows_below, until, alone)

    def _gains(self, pairs: Places, settings: Settings) -> Floats:
        """What each pair adds to the soft sum of its truth object when it comes after those with a larger IoU."""
        if not len(pairs):
            return np.zeros(0)
        iou, group = self.iou[pairs], self.truth[pairs]
        starts = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
        sizes = np.diff(np.r_[starts, len(pairs)])
        total = np.cumsum(iou)
        in_group = total - np.repeat(np.r_[0.0, total[starts[1:] - 1]], sizes)
        count = np.arange(len(pairs)) - np.repeat(starts, sizes) + 1
        reached = in_group / np.r_[1.0, divisors(settings, np.arange(1, sizes.max() + 1))][count]
        gains: Floats = np.diff(reached, prepend=0.0)
        gains[starts] = reached[starts]
        return gains

    def soft_beside_matched(self) -> Floats:
        """Soft pairs of matched truth objects."""
        rest = ~self.main
        return self.while_matched(self.lows_below[rest], self.truth_until[self.truth[rest]])

    def with_soft_pair(self) -> Floats:
        """Unmatched predictions with a soft pair."""
        best = np.zeros(self.n_pred, np.int64)
        np.maximum.at(best, self.pred, self.lows_below)
        return self.once_unmatched(best, self.pred_until)

    def fragments(self) -> Floats:
        """Unmatched predictions that are soft with a matched truth object.

        Each such pair is a rectangle: l below its IoU, h above the prediction's main IoU and up to the truth object's.
        The rectangles of one prediction overlap; sorted by how far they reach in h, each adds what it is higher than
        those before.
        """
        useful = np.flatnonzero(self.truth_main[self.truth] > self.pred_main[self.pred])
        useful = useful[np.lexsort((-self.truth_main[self.truth[useful]], self.pred[useful]))]
        pred, height = self.pred[useful], self.lows_below[useful].astype(np.int64)
        step = self.shape[0] + 1
        highest: Places = np.maximum.accumulate(pred * step + height) - pred * step  # restarts with each prediction
        before = np.zeros_like(highest)
        before[1:] = np.where(pred[1:] == pred[:-1], highest[:-1], 0)
        upto, beyond = self.truth_until[self.truth[useful]], self.pred_until[pred]
        added = self.while_matched(highest, upto) - self.while_matched(before, upto)
        too_early = self.while_matched(highest, beyond) - self.while_matched(before, beyond)
        return added - too_early

    def largest_matchings(self) -> Floats:
        """How many pairs of unmatched objects can be chosen one to one among the soft pairs."""
        free_from = np.maximum(self.truth_until[self.truth], self.pred_until[self.pred])
        ever_free = np.flatnonzero(free_from < self.shape[1])
        truth, pred = self.truth[ever_free], self.pred[ever_free]
        single = (np.bincount(truth, minlength=1)[truth] == 1) & (np.bincount(pred, minlength=1)[pred] == 1)
        alone, crowd = ever_free[single], ever_free[~single]
        counted = self.once_unmatched(self.lows_below[alone], free_from[alone])
        crowd = crowd[np.argsort(1 - self.iou[crowd], kind="stable")]
        bins = self.shape[0] + 1
        grown = _core.growing_matchings(
            self.n_truth, self.n_pred, self.truth[crowd], self.pred[crowd],
            free_from[crowd].astype(np.int64), self.lows_below[crowd].astype(np.int64), self.shape[1], bins,
        ).reshape(self.shape[1], bins).cumsum(axis=0)  # fmt: skip
        return counted + grown.T[::-1].cumsum(axis=0)[::-1][1:].astype(np.float64)
