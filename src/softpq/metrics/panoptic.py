"""Panoptic quality and its factors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from softpq.metrics.detection import matched_score
from softpq.score import Parts, Score, ratio

if TYPE_CHECKING:
    from softpq.overlap import Overlap


def _pq(parts: Parts) -> float:
    return ratio(parts, 2 * parts["iou_sum"], parts["n_truth"] + parts["n_pred"])


def _sq(parts: Parts) -> float:
    return ratio(parts, parts["iou_sum"], parts["tp"])


def _rq(parts: Parts) -> float:
    return ratio(parts, 2 * parts["tp"], parts["n_truth"] + parts["n_pred"])


def _mean_true_iou(parts: Parts) -> float:
    return ratio(parts, parts["iou_sum"], parts["n_truth"])


def pq(overlap: Overlap, *, threshold: float = 0.5, strict: bool = False) -> Score:
    """Panoptic quality = SQ × RQ: the sum of matched IoUs over the mean number of objects.

    ``strict=True`` is PQ as published, which matches above the threshold instead of from it on.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(pq(Overlap.from_labels([1, 1, 1, 1], [1, 1, 1, 0])))
    0.75
    """
    return matched_score("pq", _pq, overlap, threshold, strict)


def sq(overlap: Overlap, *, threshold: float = 0.5, strict: bool = False) -> Score:
    """Segmentation quality: the mean IoU of the matches, 0 if there is none.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(sq(Overlap.from_labels([1, 1, 1, 1, 2], [1, 1, 1, 0, 0])))
    0.75
    """
    return matched_score("sq", _sq, overlap, threshold, strict)


def rq(overlap: Overlap, *, threshold: float = 0.5, strict: bool = False) -> Score:
    """Recognition quality: the F1 of the matches.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(rq(Overlap.from_labels([1, 1, 1, 1, 2], [1, 1, 1, 0, 0])))
    0.6666666666666666
    """
    return matched_score("rq", _rq, overlap, threshold, strict)


def mean_matched_iou(overlap: Overlap, *, threshold: float = 0.5, strict: bool = False) -> Score:
    """Mean IoU over matched objects, which StarDist calls mean_matched_score; the same number as SQ.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(mean_matched_iou(Overlap.from_labels([1, 1, 1, 1, 2], [1, 1, 1, 0, 0])))
    0.75
    """
    return matched_score("mean_matched_iou", _sq, overlap, threshold, strict)


def mean_true_iou(overlap: Overlap, *, threshold: float = 0.5, strict: bool = False) -> Score:
    """Mean IoU over all truth objects, 0 for those without a match; StarDist's mean_true_score.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(mean_true_iou(Overlap.from_labels([1, 1, 1, 1, 2], [1, 1, 1, 0, 0])))
    0.375
    """
    return matched_score("mean_true_iou", _mean_true_iou, overlap, threshold, strict)
