"""Metrics of areas: foreground IoU and Dice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from softpq.score import Parts, Score, ratio

if TYPE_CHECKING:
    from softpq.overlap import Overlap


def _area_parts(overlap: Overlap) -> dict[str, float]:
    return {
        "intersection": int(overlap.pair_pixels.sum()),
        "truth_area": int(overlap.truth_areas.sum()),
        "pred_area": int(overlap.pred_areas.sum()),
        "n_truth": overlap.n_truth,
        "n_pred": overlap.n_pred,
    }


def _iou(parts: Parts) -> float:
    union = parts["truth_area"] + parts["pred_area"] - parts["intersection"]
    return ratio(parts, parts["intersection"], union)


def _dice(parts: Parts) -> float:
    return ratio(parts, 2 * parts["intersection"], parts["truth_area"] + parts["pred_area"])


def iou(overlap: Overlap) -> Score:
    """Foreground IoU: pixels that are object on both sides over pixels that are object on any.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(iou(Overlap.from_labels([1, 1, 2, 0], [5, 5, 0, 0])))
    0.6666666666666666
    """
    return Score("iou", _area_parts(overlap), _iou)


def dice(overlap: Overlap) -> Score:
    """Foreground Dice coefficient.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(dice(Overlap.from_labels([1, 1, 2, 0], [5, 5, 0, 0])))
    0.8
    """
    return Score("dice", _area_parts(overlap), _dice)
