"""Boundary metrics: the same formulas on an Overlap of boundary bands, ``Overlap.from_labels(..., boundary=d)``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from softpq.metrics._detection import matched_sums
from softpq.metrics._foreground import area_sums, covered_iou
from softpq.metrics._metric import metric
from softpq.metrics._panoptic import panoptic_quality
from softpq.metrics._softpq import made, softpq_each, softpq_formula, softpq_sums, softpq_terms
from softpq.metrics.score import Parts
from softpq.settings import Penalty, Priority, Reading

if TYPE_CHECKING:
    from softpq.table.overlap import Overlap


@metric(covered_iou, reads="bands", by_pixels=True)
def boundary_iou(bands: Overlap) -> Parts:
    """Boundary IoU: pixels in boundary bands of both sides over pixels in a band of any.

    From 0 to 1; 1 is perfect.

    See Also
    --------
    softpq.metrics.boundary_pq : Of objects.

    References
    ----------
    B. Cheng, R. Girshick, P. Dollár, A. C. Berg, A. Kirillov, *Boundary IoU: Improving Object-Centric Image
    Segmentation Evaluation*, CVPR 2021.

    Examples
    --------
    >>> from softpq import Overlap
    >>> disc = [[1, 1, 1], [1, 1, 1], [1, 1, 1]]
    >>> float(boundary_iou(Overlap.from_labels(disc, disc, boundary=1)))
    1.0
    """
    return area_sums(bands)


@metric(panoptic_quality, reads="bands")
def boundary_pq(bands: Overlap, *, threshold: float = 0.5, strict: bool = False) -> Parts:
    """PQ of boundary bands.

    From 0 to 1; 1 is perfect.

    See Also
    --------
    softpq.metrics.pq : Of whole objects.
    softpq.metrics.boundary_softpq : With partial credit.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(boundary_pq(Overlap.from_labels([1, 1, 1, 1, 0], [1, 1, 1, 1, 1], boundary=1)))
    0.0
    """
    return matched_sums(bands, threshold, strict)


@metric(softpq_formula, reads="bands", terms=softpq_terms, each=softpq_each)
def boundary_softpq(
    bands: Overlap,
    *,
    iou_low: float = 0.05,
    iou_high: float = 0.5,
    penalty: Penalty = "sqrt",
    priority: Priority = "over",
    reading: Reading = "text",
) -> Parts:
    """SoftPQ of boundary bands, with thresholds, penalty, priority and reading of SoftPQ.

    From 0 to 1, as SoftPQ is; 1 is perfect.

    See Also
    --------
    softpq.metrics.softpq : Of whole objects.
    softpq.metrics.boundary_pq : At one threshold.

    Examples
    --------
    >>> from softpq import Overlap
    >>> round(float(boundary_softpq(Overlap.from_labels([1, 1, 1, 1, 0], [1, 1, 1, 1, 1], boundary=1))), 3)
    0.236
    """
    return softpq_sums(bands, made(iou_low, iou_high, penalty, priority, reading))
