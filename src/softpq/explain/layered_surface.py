"""SoftPQ at many thresholds where objects overlap: what is soft depends on the matching, so every h is done by itself.

Between two values that a pair's own share has, nothing changes with l; and where the next h has the same matching,
nothing changes with h. So there are as many settings to compute as there are different ones.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from softpq.metrics._softpq import grouped_by_truth, softpq_sums
from softpq.table.credits import own_shares
from softpq.table.matching import match
from softpq.table.remembered import forgetting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softpq.settings import Settings
    from softpq.table.overlap import Overlap

    Floats = NDArray[np.float64]

NAMES = ("matched", "matched_iou", "soft_iou", "forgiven")


def parts_of_overlapping(overlap: Overlap, lows: Floats, highs: Floats, settings: Settings) -> dict[str, Floats]:
    """Return the parts of the score, each (lows x highs); both thresholds ascending."""
    with forgetting(overlap):
        grouped_by_truth(overlap, settings)  # which refuses what cannot be read
    parts = {name: np.zeros((len(lows), len(highs))) for name in NAMES}
    before: NDArray[np.int64] | None = None
    for column, high in enumerate(highs):
        with forgetting(overlap):
            pairs = match(overlap, float(high)).pairs
            done = 0
            if before is not None and np.array_equal(pairs, before):
                done = int(np.searchsorted(lows, highs[column - 1], side="right"))
                for values in parts.values():
                    values[:done, column] = values[:done, column - 1]
            _fill(parts, column, done, overlap, lows, replace(settings, iou_high=float(high)))
        before = pairs
    return parts


def _fill(parts: dict[str, Floats], column: int, done: int, overlap: Overlap, lows: Floats, settings: Settings) -> None:
    """One upper threshold: lower ones up to it that lie between the same shares have the same soft pairs."""
    end = int(np.searchsorted(lows, settings.iou_high, side="right"))
    if done >= end:
        return
    place = np.searchsorted(np.unique(own_shares(overlap, settings.iou_high)), lows[done:end], side="right")
    for at in np.unique(place):
        rows = done + np.flatnonzero(place == at)
        with forgetting(overlap):
            sums = softpq_sums(overlap, replace(settings, iou_low=float(lows[rows[0]])))
        for name, values in parts.items():
            values[rows, column] = sums[name]
