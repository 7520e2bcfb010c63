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
from softpq.table.masks import Masks
from softpq.table.matching import match
from softpq.table.overlap import Overlap
from softpq.table.remembered import once_per_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Places = NDArray[np.int64]


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
    if overlap.is_partition:
        return matched, ~matched & (overlap.pair_iou > iou_low), overlap.pair_iou
    if isinstance(overlap.under, Layers):
        return matched, *_from_masks(overlap, overlap.under, matched, iou_low)
    soft, pixels = _core.count_credits(
        overlap.atoms.as_tuple(), overlap.pair_truth, overlap.pair_pred, overlap.pair_unions,
        *_partners(overlap, matched), iou_low,
    )  # fmt: skip
    return matched, soft.astype(bool), pixels / overlap.pair_unions


def _from_masks(overlap: Overlap, layers: Layers, matched: Flags, iou_low: float) -> tuple[Flags, Floats]:
    """Which pairs are soft, and their credits: from the masks, without atoms, of which there may be too many."""
    wanted = np.flatnonzero(~matched & (overlap.pair_iou > iou_low))  # nobody owns more than is shared
    truth, pred = overlap.pair_truth[wanted], overlap.pair_pred[wanted]
    left = _left_over(overlap, layers, matched)
    own = overlap.pair_pixels[wanted].copy()
    partners = _partners(overlap, matched)
    cut = np.flatnonzero((partners[0][truth] >= 0) | (partners[1][pred] >= 0))
    own[cut] = _shared(left, truth[cut], pred[cut])
    kept = own / overlap.pair_unions[wanted] > iou_low
    soft, credit = np.zeros(len(matched), bool), np.zeros(len(matched))
    soft[wanted[kept]] = True
    credit[wanted[kept]] = _credits(left, truth[kept], pred[kept], own[kept])
    return soft, credit / overlap.pair_unions


def _left_over(overlap: Overlap, layers: Layers, matched: Flags) -> tuple[Masks, Masks]:
    """Both sides without the pixels that a match accounts for."""
    sides, pixels = (layers.truth, layers.pred), math.prod(layers.truth.shape)
    runs = [
        _core.masks_without_partners(side.runs(), other.runs(), partners, pixels)
        for side, other, partners in zip(sides, sides[::-1], _partners(overlap, matched), strict=True)
    ]
    return Masks(sides[0].shape, *runs[0]), Masks(sides[1].shape, *runs[1])


def _some(left: tuple[Masks, Masks], truth: Places, pred: Places) -> tuple[Masks, Masks, Places, Places]:
    """The masks of these pairs, and the pairs as positions among them."""
    kept, at = zip(*(np.unique(side, return_inverse=True) for side in (truth, pred)), strict=True)
    return left[0].select(kept[0]), left[1].select(kept[1]), at[0].astype(np.int64), at[1].astype(np.int64)


def _shared(left: tuple[Masks, Masks], truth: Places, pred: Places) -> Places:
    """Pixels that each of these pairs shares; pairs are in order."""
    first, second, of_truth, of_pred = _some(left, truth, pred)
    pairs = _core.count_masks(first.runs(), second.runs(), math.prod(first.shape), _threads(first, second))
    keys, wanted = pairs[0] * (len(second) + 1) + pairs[1], of_truth * (len(second) + 1) + of_pred
    at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    return np.where(keys[at] == wanted, pairs[2][at], 0) if len(keys) else np.zeros(len(wanted), np.int64)


def _credits(left: tuple[Masks, Masks], truth: Places, pred: Places, own: Places) -> Floats:
    """Pixels that each of these soft pairs is credited with: its own, unless others may claim them, too."""
    found = own.astype(np.float64)
    rivals = np.flatnonzero((np.bincount(truth)[truth] > 1) | (np.bincount(pred)[pred] > 1)) if len(own) else own
    if len(rivals):
        first, second, of_truth, of_pred = _some(left, truth[rivals], pred[rivals])
        pixels = math.prod(first.shape)
        found[rivals] = _core.soft_credits(
            first.runs(), second.runs(), pixels, of_truth, of_pred, _threads(first, second)
        )
    return found


def _threads(first: Masks, second: Masks) -> int:
    """Threads cost more than they bring where there are few runs."""
    return cores() if len(first.starts) + len(second.starts) > MANY_RUNS else 1


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
