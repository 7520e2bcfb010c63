"""Which pairs count softly beside a matching, and for how much: every pixel gives its credit once.

On label images the fragments of an object are disjoint, and a soft pair counts for its IoU. Masks that overlap can
claim the same pixels again and again. So only pixels that no match accounts for are credited, and those that several
soft pairs of one object claim are shared among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from softpq import _core
from softpq.table.matching import match
from softpq.table.overlap import Overlap
from softpq.table.remembered import once_per_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]
    Floats = NDArray[np.float64]


@once_per_table
def matched_and_soft(overlap: Overlap, iou_low: float, iou_high: float) -> tuple[Flags, Flags, Floats]:
    """For every pair: whether it is matched, whether it is soft, and what it counts for if it is soft.

    Parameters
    ----------
    overlap
        The table.
    iou_low, iou_high
        Matches have an IoU from ``iou_high`` on; soft pairs more than ``iou_low``, counted over their own pixels.

    Examples
    --------
    >>> from softpq import Masks
    >>> twice = Overlap.from_masks([[1, 1, 0]], Masks.from_layers([[[1, 1, 0]], [[1, 1, 0]]]))
    >>> matched, soft, _ = matched_and_soft(twice, 0.05, 0.5)
    >>> matched.sum(), soft.sum()
    (np.int64(1), np.int64(0))
    """
    matched = np.zeros(len(overlap.pair_iou), bool)
    matched[match(overlap, iou_high).pairs] = True
    if overlap.is_partition:
        return matched, ~matched & (overlap.pair_iou > iou_low), overlap.pair_iou
    soft, pixels = _core.count_credits(
        overlap.atoms.as_tuple(), overlap.pair_truth, overlap.pair_pred, overlap.pair_unions,
        *_partners(overlap, matched), iou_low,
    )  # fmt: skip
    return matched, soft.astype(bool), pixels / overlap.pair_unions


def own_shares(overlap: Overlap, iou_high: float) -> Floats:
    """Pixels of each pair that no match accounts for, over its union: what a lower threshold has to stay below."""
    matched = np.zeros(len(overlap.pair_iou), bool)
    matched[match(overlap, iou_high).pairs] = True
    own = _core.count_own(overlap.atoms.as_tuple(), overlap.pair_truth, overlap.pair_pred, *_partners(overlap, matched))
    shares: Floats = own / overlap.pair_unions
    return shares


def _partners(overlap: Overlap, matched: Flags) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The partner of each truth object and of each prediction; -1 where there is none."""
    of_truth, of_pred = np.full(overlap.n_truth, -1), np.full(overlap.n_pred, -1)
    of_truth[overlap.pair_truth[matched]] = overlap.pair_pred[matched]
    of_pred[overlap.pair_pred[matched]] = overlap.pair_truth[matched]
    return of_truth, of_pred
