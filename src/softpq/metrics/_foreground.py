"""Metrics of areas: foreground IoU and Dice."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from softpq.metrics._metric import metric
from softpq.metrics.score import Parts, Quotients, Terms
from softpq.table.remembered import once_per_table

if TYPE_CHECKING:
    from softpq.table.overlap import Overlap


@once_per_table
def area_sums(overlap: Overlap) -> Parts:
    """Pixels that are object on both sides, and on each; each once, however many objects overlap there."""
    covered = overlap.covered
    return MappingProxyType(
        {
            "intersection": covered.both,
            "truth_area": covered.truth,
            "pred_area": covered.pred,
            "n_truth": overlap.n_truth,
            "n_pred": overlap.n_pred,
        }
    )


def _iou(parts: Parts) -> Terms:
    return [(parts["intersection"], parts["truth_area"] + parts["pred_area"] - parts["intersection"])]


def _dice(parts: Parts) -> Terms:
    return [(2 * parts["intersection"], parts["truth_area"] + parts["pred_area"])]


covered_iou = Quotients(_iou)
"""Pixels of both over pixels of any."""


@metric(covered_iou, usual=True, by_pixels=True)
def iou(overlap: Overlap) -> Parts:
    """Foreground IoU: pixels that are object on both sides over pixels that are object on any.

    From 0 to 1; 1 is perfect.

    See Also
    --------
    softpq.metrics.dice : The other ratio of the same pixels.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(iou(Overlap.from_labels([1, 1, 2, 0], [5, 5, 0, 0])))
    0.6666666666666666
    """
    return area_sums(overlap)


@metric(Quotients(_dice), by_pixels=True)
def dice(overlap: Overlap) -> Parts:
    """Foreground Dice coefficient.

    From 0 to 1; 1 is perfect.

    See Also
    --------
    softpq.metrics.iou : The other ratio of the same pixels.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(dice(Overlap.from_labels([1, 1, 2, 0], [5, 5, 0, 0])))
    0.8
    """
    return area_sums(overlap)
