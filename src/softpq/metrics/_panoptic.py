"""Panoptic quality and its factors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from softpq.metrics._detection import matched_sums
from softpq.metrics._metric import metric
from softpq.metrics.score import Parts, Quotients, Terms

if TYPE_CHECKING:
    from softpq.table.overlap import Overlap


def _pq(parts: Parts) -> Terms:
    return [(2 * parts["iou_sum"], parts["n_truth"] + parts["n_pred"])]


def _sq(parts: Parts) -> Terms:
    return [(parts["iou_sum"], parts["tp"])]


def _rq(parts: Parts) -> Terms:
    return [(2 * parts["tp"], parts["n_truth"] + parts["n_pred"])]


def _mean_true_iou(parts: Parts) -> Terms:
    return [(parts["iou_sum"], parts["n_truth"])]


panoptic_quality = Quotients(_pq)
"""Sum of matched IoUs over the mean number of objects."""


@metric(panoptic_quality, usual=True)
def pq(overlap: Overlap, *, threshold: float = 0.5, strict: bool = False) -> Parts:
    """Panoptic quality = SQ × RQ: the sum of matched IoUs over the mean number of objects.

    From 0 to 1; 1 is perfect.

    ``strict=True`` is PQ as published, which matches above the threshold instead of from it on.

    See Also
    --------
    softpq.metrics.softpq : PQ with partial credit.
    softpq.metrics.sq : Its first factor.
    softpq.metrics.rq : Its second factor.

    References
    ----------
    A. Kirillov, K. He, R. Girshick, C. Rother, P. Dollár, *Panoptic Segmentation*, CVPR 2019.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(pq(Overlap.from_labels([1, 1, 1, 1], [1, 1, 1, 0])))
    0.75
    """
    return matched_sums(overlap, threshold, strict)


@metric(Quotients(_sq), usual=True, among_matches=True)
def sq(overlap: Overlap, *, threshold: float = 0.5, strict: bool = False) -> Parts:
    """Segmentation quality: the mean IoU of the matches, 0 if there is none.

    From 0 to 1; 1 is perfect.

    See Also
    --------
    softpq.metrics.pq : The product with RQ.
    softpq.metrics.mean_matched_iou : The same, 0 where nothing matches.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(sq(Overlap.from_labels([1, 1, 1, 1, 2], [1, 1, 1, 0, 0])))
    0.75
    """
    return matched_sums(overlap, threshold, strict)


@metric(Quotients(_rq))
def rq(overlap: Overlap, *, threshold: float = 0.5, strict: bool = False) -> Parts:
    """Recognition quality: the F1 of the matches.

    From 0 to 1; 1 is perfect.

    See Also
    --------
    softpq.metrics.pq : The product with SQ.
    softpq.metrics.f1 : The same number.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(rq(Overlap.from_labels([1, 1, 1, 1, 2], [1, 1, 1, 0, 0])))
    0.6666666666666666
    """
    return matched_sums(overlap, threshold, strict)


@metric(Quotients(_sq), among_matches=True)
def mean_matched_iou(overlap: Overlap, *, threshold: float = 0.5, strict: bool = False) -> Parts:
    """Mean IoU over matched objects, which StarDist calls mean_matched_score; the same number as SQ.

    From 0 to 1; 1 is perfect.

    See Also
    --------
    softpq.metrics.mean_true_iou : Missed objects count 0.
    softpq.metrics.sq : Undefined where nothing matches.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(mean_matched_iou(Overlap.from_labels([1, 1, 1, 1, 2], [1, 1, 1, 0, 0])))
    0.75
    """
    return matched_sums(overlap, threshold, strict)


@metric(Quotients(_mean_true_iou))
def mean_true_iou(overlap: Overlap, *, threshold: float = 0.5, strict: bool = False) -> Parts:
    """Mean IoU over all truth objects, 0 for those without a match; StarDist's mean_true_score.

    From 0 to 1; 1 is perfect.

    See Also
    --------
    softpq.metrics.mean_matched_iou : Of matches only.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(mean_true_iou(Overlap.from_labels([1, 1, 1, 1, 2], [1, 1, 1, 0, 0])))
    0.375
    """
    return matched_sums(overlap, threshold, strict)
