"""Metrics of areas: foreground IoU and Dice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from softpq.metrics._metric import metric
from softpq.metrics.score import Parts, ratio

if TYPE_CHECKING:
    from softpq.table.overlap import Overlap


def area_sums(overlap: Overlap) -> Parts:
    """Pixels that are object on both sides, and on each."""
    return {
        "intersection": int(overlap.pair_pixels.sum()),
        "truth_area": int(overlap.truth_areas.sum()),
        "pred_area": int(overlap.pred_areas.sum()),
        "n_truth": overlap.n_truth,
        "n_pred": overlap.n_pred,
    }


def covered_iou(parts: Parts) -> float:
    """Pixels of both over pixels of any."""
    union = parts["truth_area"] + parts["pred_area"] - parts["intersection"]
    return ratio(parts, parts["intersection"], union)


def _dice(parts: Parts) -> float:
    return ratio(parts, 2 * parts["intersection"], parts["truth_area"] + parts["pred_area"])


@metric(covered_iou, usual=True)
def iou(overlap: Overlap) -> Parts:
    """Foreground IoU: pixels that are object on both sides over pixels that are object on any.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(iou(Overlap.from_labels([1, 1, 2, 0], [5, 5, 0, 0])))
    0.6666666666666666
    """
    return area_sums(overlap)


@metric(_dice)
def dice(overlap: Overlap) -> Parts:
    """Foreground Dice coefficient.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(dice(Overlap.from_labels([1, 1, 2, 0], [5, 5, 0, 0])))
    0.8
    """
    return area_sums(overlap)
