"""Every metric is a function from an Overlap to a Score; METRICS names them all.

Examples
--------
>>> from softpq import Overlap
>>> float(METRICS["pq"](Overlap.from_labels([1, 1, 0, 2], [1, 1, 0, 2])))
1.0
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from softpq.metrics.aggregated import aji, aji_plus, seg, sorted_ap
from softpq.metrics.boundary import boundary_iou, boundary_pq, boundary_softpq
from softpq.metrics.by_size import by_size
from softpq.metrics.detection import accuracy, accuracy_range, f1, map_, precision, recall
from softpq.metrics.information import (
    adapted_rand_error,
    adapted_rand_precision,
    adapted_rand_recall,
    variation_of_information,
    vi_merge,
    vi_split,
)
from softpq.metrics.overlap_based import dice, iou
from softpq.metrics.panoptic import mean_matched_iou, mean_true_iou, pq, rq, sq
from softpq.metrics.softpq import PENALTIES, PRESETS, Settings, softpq
from softpq.score import Score

METRICS: Mapping[str, Callable[..., Score]] = MappingProxyType(
    {
        "softpq": softpq,
        "pq": pq,
        "sq": sq,
        "rq": rq,
        "f1": f1,
        "precision": precision,
        "recall": recall,
        "accuracy": accuracy,
        "map": map_,
        "accuracy_range": accuracy_range,
        "iou": iou,
        "dice": dice,
        "mean_matched_iou": mean_matched_iou,
        "mean_true_iou": mean_true_iou,
        "sorted_ap": sorted_ap,
        "aji": aji,
        "aji_plus": aji_plus,
        "seg": seg,
        "vi": variation_of_information,
        "vi_split": vi_split,
        "vi_merge": vi_merge,
        "adapted_rand_error": adapted_rand_error,
        "adapted_rand_precision": adapted_rand_precision,
        "adapted_rand_recall": adapted_rand_recall,
        "boundary_iou": boundary_iou,
        "boundary_pq": boundary_pq,
        "boundary_softpq": boundary_softpq,
    }
)
"""Metric name -> function."""

OF_BANDS = frozenset({"boundary_iou", "boundary_pq", "boundary_softpq"})
"""Metrics whose Overlap is one of boundary bands."""

ERRORS = frozenset({"vi", "vi_split", "vi_merge", "adapted_rand_error"})
"""Metrics that are 0 when perfect: less is better."""

__all__ = [
    "ERRORS",
    "METRICS",
    "OF_BANDS",
    "PENALTIES",
    "PRESETS",
    "Settings",
    "accuracy",
    "accuracy_range",
    "adapted_rand_error",
    "adapted_rand_precision",
    "adapted_rand_recall",
    "aji",
    "aji_plus",
    "boundary_iou",
    "boundary_pq",
    "boundary_softpq",
    "by_size",
    "dice",
    "f1",
    "iou",
    "map_",
    "mean_matched_iou",
    "mean_true_iou",
    "pq",
    "precision",
    "recall",
    "rq",
    "seg",
    "softpq",
    "sorted_ap",
    "sq",
    "variation_of_information",
    "vi_merge",
    "vi_split",
]
