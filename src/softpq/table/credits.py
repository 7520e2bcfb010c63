"""Which pairs count softly beside a matching, and for how much: every pixel gives its credit once.

On label images the fragments of an object are disjoint, and a soft pair counts for its IoU. Masks that overlap can
claim the same pixels again and again. So only pixels that no match accounts for are credited, and those that several
soft pairs of one object claim are shared among them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from softpq import _core
from softpq.table.atoms import Layers
from softpq.table.labels import cores
from softpq.table.matching import match
from softpq.table.overlap import Overlap
from softpq.table.remembered import once_per_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]
    Floats = NDArray[np.float64]


MANY_RUNS = 1 << 17
"""Of both sides, from which on several threads count."""


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
    >>> int(matched.sum()), int(soft.sum())
    (1, 0)
    """
    matched = np.zeros(len(overlap.pair_iou), bool)
    matched[match(overlap, iou_high).pairs] = True
    if overlap.is_plain:
        return matched, ~matched & (overlap.pair_iou > iou_low), overlap.pair_iou
    pairs = (overlap.pair_truth, overlap.pair_pred)
    if isinstance(overlap.under, Layers):  # from the masks, without atoms, of which there may be too many
        truth, pred = overlap.under.truth, overlap.under.pred
        threads = cores() if len(truth.starts) + len(pred.starts) > MANY_RUNS else 1
        soft, pixels = _core.count_credits_of_masks(
            truth.runs(), pred.runs(), math.prod(truth.shape), *pairs, overlap.pair_pixels, overlap.pair_unions,
            *_partners(overlap, matched), iou_low, threads,
        )  # fmt: skip
    else:
        soft, pixels = _core.count_credits(
            overlap.atoms.as_tuple(), *pairs, overlap.pair_unions, *_partners(overlap, matched), iou_low
        )
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
