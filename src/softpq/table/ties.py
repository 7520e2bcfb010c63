"""Which of equally good matchings is taken."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import numpy as np

from softpq import _core
from softpq.table.atoms import TooDeep
from softpq.table.overlap import Overlap
from softpq.table.remembered import once_per_table

if TYPE_CHECKING:
    from numpy.typing import NDArray


@once_per_table
def tie_breaks(overlap: Overlap) -> NDArray[np.uint32]:
    """Return a number for each pair: of matchings with equal IoU sums, that with the largest sum of these is taken.

    They depend on what a pair is (its IoU, the shares of the two areas, and the same of all objects around it), not on
    labels, nor on which side is called truth, nor on the scale of the image.
    """
    if not overlap.is_plain:
        with contextlib.suppress(TooDeep):  # then nothing that the choice could change can be computed
            return _of_atoms(overlap)
    shares = [
        overlap.pair_pixels / areas[side]
        for side, areas in (
            (overlap.pair_truth, overlap.truth_areas),
            (overlap.pair_pred, overlap.pred_areas),
        )
    ]
    ties: NDArray[np.uint32] = _core.tie_breaks(
        overlap.n_truth, overlap.n_pred, overlap.pair_truth, overlap.pair_pred, overlap.pair_iou, *shares
    )
    return ties


def _of_atoms(overlap: Overlap) -> NDArray[np.uint32]:
    """The same where objects overlap: they are told apart by all that lies over and beside them."""
    ties: NDArray[np.uint32] = _core.break_ties_of_atoms(
        overlap.atoms.as_tuple(), overlap.truth_areas, overlap.pred_areas, overlap.pair_truth, overlap.pair_pred
    )
    return ties
