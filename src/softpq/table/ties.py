"""Which of equally good matchings is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from softpq.table.overlap import Overlap
from softpq.table.remembered import once_per_table

if TYPE_CHECKING:
    from numpy.typing import NDArray


@once_per_table
def tie_breaks(overlap: Overlap) -> NDArray[np.float64]:
    """Return tiny amounts, one per pair, that decide between matchings of equal IoU sums.

    They depend on what a pair is (pixels, areas, and the same of the objects around it) and not on labels: the choice
    is the same however objects are numbered. Each object gets a colour from its area; three times it is mixed with
    those of its partners. What still looks the same is the same for all that matters.
    """
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
    amounts: NDArray[np.float64] = both.astype(np.float64) / 2.0**64 * TIE_BREAK
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
