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

from softpq.metrics.detection import accuracy, accuracy_range, f1, map_, precision, recall
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
    }
)
"""Metric name -> function."""

__all__ = [
    "METRICS",
    "PENALTIES",
    "PRESETS",
    "Settings",
    "accuracy",
    "accuracy_range",
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
    "softpq",
    "sq",
]
