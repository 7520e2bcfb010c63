"""Boundary metrics: the same formulas on an Overlap of boundary bands, ``Overlap.from_labels(..., boundary=d)``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from softpq.metrics.overlap_based import iou
from softpq.metrics.panoptic import pq
from softpq.metrics.softpq import softpq
from softpq.score import Score

if TYPE_CHECKING:
    from softpq.overlap import Overlap


def boundary_iou(bands: Overlap) -> Score:
    """Boundary IoU: pixels in boundary bands of both sides over pixels in a band of any.

    Examples
    --------
    >>> from softpq import Overlap
    >>> disc = [[1, 1, 1], [1, 1, 1], [1, 1, 1]]
    >>> float(boundary_iou(Overlap.from_labels(disc, disc, boundary=1)))
    1.0
    """
    return replace(iou(bands), name="boundary_iou")


def boundary_pq(bands: Overlap, *, threshold: float = 0.5, strict: bool = False) -> Score:
    """PQ of boundary bands.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(boundary_pq(Overlap.from_labels([1, 1, 1, 1, 0], [1, 1, 1, 1, 1], boundary=1)))
    0.0
    """
    return replace(pq(bands, threshold=threshold, strict=strict), name="boundary_pq")


def boundary_softpq(bands: Overlap, **settings: Any) -> Score:
    """SoftPQ of boundary bands; settings as for :func:`softpq.metrics.softpq`.

    Examples
    --------
    >>> from softpq import Overlap
    >>> round(float(boundary_softpq(Overlap.from_labels([1, 1, 1, 1, 0], [1, 1, 1, 1, 1], boundary=1))), 3)
    0.236
    """
    return replace(softpq(bands, **settings), name="boundary_softpq")
