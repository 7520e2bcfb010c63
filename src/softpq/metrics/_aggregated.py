"""Metrics with a pairing of their own: AJI, AJI+, SEG and sorted AP."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from softpq import _core
from softpq.metrics._metric import metric
from softpq.metrics.score import Parts, Quotients, Terms, ratio, ratios
from softpq.table.matching import best_sum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softpq.table.overlap import Overlap


def _aggregated(parts: Parts) -> Terms:
    return [(parts["intersection"], parts["union"])]


@metric(Quotients(_aggregated), by_pixels=True)
def aji(overlap: Overlap) -> Parts:
    """Aggregated Jaccard index: every truth object with the prediction of largest IoU, which may be used again.

    From 0 to 1; 1 is perfect.

    Intersections of these pairs over their unions, plus the areas of truth objects and predictions without a pair.
    Of equal IoUs the one with the larger intersection is taken; if that is equal too, the partners are of the same
    size, and the area of predictions without a pair is averaged over the choices, each object choosing by itself. So
    the order of labels does not matter; the value is that of the mean union, not the mean of values.

    See Also
    --------
    softpq.metrics.aji_plus : One to one.

    References
    ----------
    N. Kumar et al., *A Dataset and a Technique for Generalized Nuclear Segmentation for Computational Pathology*, IEEE
    Transactions on Medical Imaging 2017.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(aji(Overlap.from_labels([1, 1, 1, 1, 0], [1, 1, 1, 0, 2])))
    0.6
    """
    intersection, union = _core.aggregated(*overlap.pairs, overlap.pair_iou)
    return {"intersection": intersection, "union": union, "n_truth": overlap.n_truth, "n_pred": overlap.n_pred}


@metric(Quotients(_aggregated), by_pixels=True)
def aji_plus(overlap: Overlap) -> Parts:
    """AJI+: one to one, with the largest sum of IoUs; of equal sums the one with the larger intersection.

    From 0 to 1; 1 is perfect.

    See Also
    --------
    softpq.metrics.aji : The original, where a prediction may be taken several times.

    References
    ----------
    S. Graham et al., *HoVer-Net: Simultaneous segmentation and classification of nuclei in multi-tissue histology
    images*, Medical Image Analysis 2019.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(aji_plus(Overlap.from_labels([1, 1, 1, 1, 0], [1, 1, 1, 0, 2])))
    0.6
    """
    area = int(overlap.truth_areas.sum()) + int(overlap.pred_areas.sum())
    chosen = best_sum(overlap, overlap.pair_iou + 1e-10 * (overlap.pair_pixels / max(area, 1)))
    intersection = int(overlap.pair_pixels[chosen].sum())
    return {
        "intersection": intersection,
        "union": area - intersection,
        "n_truth": overlap.n_truth,
        "n_pred": overlap.n_pred,
    }


def _per_truth_object(parts: Parts) -> Terms:
    return [(parts["iou_sum"], parts["n_truth"])]


@metric(Quotients(_per_truth_object))
def seg(overlap: Overlap) -> Parts:
    """SEG of the Cell Tracking Challenge: the mean IoU of truth objects with what covers more than half of them.

    From 0 to 1; 1 is perfect.

    Where objects overlap, several may: the one with the largest IoU counts.

    See Also
    --------
    softpq.metrics.mean_true_iou : With the best match instead of the covering one.

    References
    ----------
    V. Ulman et al., *An objective comparison of cell-tracking algorithms*, Nature Methods 2017.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(seg(Overlap.from_labels([1, 1, 1, 1, 2, 2], [1, 1, 1, 0, 0, 3])))
    0.375
    """
    iou_sum = _core.covered_iou(*overlap.pairs, overlap.pair_iou)
    return {"iou_sum": iou_sum, "n_truth": overlap.n_truth, "n_pred": overlap.n_pred}


def _sorted_area(parts: Parts) -> float:
    """Area under accuracy against IoU, with a point at each matched IoU; between points the curve is straight."""
    objects, tp = parts["n_truth"] + parts["n_pred"], len(parts["ious"])
    area, before, height = 0.0, 0.0, None
    for iou in sorted(parts["ious"]):
        accuracy = tp / (objects - tp)
        area += (iou - before) * (accuracy + (accuracy if height is None else height)) / 2
        before, height, tp = iou, accuracy, tp - 1
    return ratio(parts, area + (1 - before) * (height or 0.0) / 2, 1)


def _sorted_areas(parts: Parts) -> NDArray[np.float64]:
    """The same of each of several images."""
    counts = np.array([len(ious) for ious in parts["ious"]], np.int64)
    image = np.repeat(np.arange(len(counts)), counts)
    ious = np.array([iou for of_image in parts["ious"] for iou in of_image], np.float64)
    ious = ious[np.lexsort((ious, image))]
    objects = (parts["n_truth"] + parts["n_pred"])[image]
    ends = np.cumsum(counts)
    tp = ends[image] - np.arange(len(ious))
    accuracy = tp / (objects - tp)
    first = tp == counts[image]
    before, height = np.where(first, 0.0, np.roll(ious, 1)), np.where(first, accuracy, np.roll(accuracy, 1))
    area = np.bincount(image, (ious - before) * (accuracy + height) / 2, len(counts)).astype(np.float64)
    last = ends[counts > 0] - 1
    area[counts > 0] += (1 - ious[last]) * accuracy[last] / 2
    return ratios(parts, area, np.ones(len(counts)))


@metric(_sorted_area, each=_sorted_areas)
def sorted_ap(overlap: Overlap) -> Parts:
    """Sorted AP: the area under accuracy TP / (TP + FP + FN) as the threshold goes from 0 to 1.

    From 0 to 1; 1 is perfect.

    Objects are matched once, one to one, with the largest sum of IoUs; the curve has a point at each of these IoUs and
    not on a grid. Between points it is taken to be straight, as in the reference program; the true one is a staircase.

    See Also
    --------
    softpq.average_precision : AP of predictions with scores.
    softpq.metrics.map_ : The mean of precisions.

    References
    ----------
    L. Chen, Y. Wu, J. Stegmaier, D. Merhof, *SortedAP: Rethinking evaluation metrics for instance segmentation*, ICCV
    Workshops 2023.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(sorted_ap(Overlap.from_labels([1, 1, 1, 1], [1, 1, 0, 0])))
    0.75
    """
    ious = overlap.pair_iou[best_sum(overlap, overlap.pair_iou)]
    return {"ious": tuple(ious.tolist()), "n_truth": overlap.n_truth, "n_pred": overlap.n_pred}
