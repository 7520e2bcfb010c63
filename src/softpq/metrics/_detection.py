"""Metrics that count matches: F1, precision, recall, accuracy and its means over thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from types import MappingProxyType

from softpq._checks import check_threshold
from softpq.metrics._metric import metric
from softpq.metrics.score import Parts, Quotients, Terms
from softpq.table.matching import match, matches_at
from softpq.table.overlap import Overlap
from softpq.table.remembered import once_per_table

MAP_THRESHOLDS = (0.5, 0.75, 0.9)
"""The paper's mAP."""

RANGE_THRESHOLDS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
"""0.5:0.05:0.95."""


@once_per_table
def matched_sums(overlap: Overlap, threshold: float, strict: bool) -> Parts:
    """Return the sums that every metric on one matching needs."""
    matching = match(overlap, threshold, strict=strict)
    return MappingProxyType(
        {
            "tp": matching.tp,
            "iou_sum": matching.iou_sum,
            "n_truth": overlap.n_truth,
            "n_pred": overlap.n_pred,
        }
    )


def _f1(parts: Parts) -> Terms:
    return [(2 * parts["tp"], parts["n_truth"] + parts["n_pred"])]


def _precision(parts: Parts) -> Terms:
    return [(parts["tp"], parts["n_pred"])]


def _recall(parts: Parts) -> Terms:
    return [(parts["tp"], parts["n_truth"])]


def _accuracy(parts: Parts) -> Terms:
    return [(parts["tp"], parts["n_truth"] + parts["n_pred"] - parts["tp"])]


@metric(Quotients(_f1), usual=True)
def f1(overlap: Overlap, *, threshold: float = 0.5, strict: bool = False) -> Parts:
    """F1 = 2 TP / (2 TP + FP + FN).

    From 0 to 1; 1 is perfect.

    See Also
    --------
    softpq.metrics.precision : Of predictions.
    softpq.metrics.recall : Of truth objects.
    softpq.metrics.softpq : With partial credit.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(f1(Overlap.from_labels([1, 1, 2], [1, 1, 0])))
    0.6666666666666666
    """
    return matched_sums(overlap, threshold, strict)


@metric(Quotients(_precision), usual=True)
def precision(overlap: Overlap, *, threshold: float = 0.5, strict: bool = False) -> Parts:
    """Precision = TP / (TP + FP): the share of predictions that are right.

    From 0 to 1; 1 is perfect.

    See Also
    --------
    softpq.metrics.recall : Of truth objects.
    softpq.metrics.f1 : Both.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(precision(Overlap.from_labels([1, 1, 0], [1, 1, 2])))
    0.5
    """
    return matched_sums(overlap, threshold, strict)


@metric(Quotients(_recall), usual=True)
def recall(overlap: Overlap, *, threshold: float = 0.5, strict: bool = False) -> Parts:
    """Recall = TP / (TP + FN): the share of truth objects that were found.

    From 0 to 1; 1 is perfect.

    See Also
    --------
    softpq.metrics.precision : Of predictions.
    softpq.metrics.f1 : Both.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(recall(Overlap.from_labels([1, 1, 2], [1, 1, 0])))
    0.5
    """
    return matched_sums(overlap, threshold, strict)


@metric(Quotients(_accuracy))
def accuracy(overlap: Overlap, *, threshold: float = 0.5, strict: bool = False) -> Parts:
    """Accuracy = TP / (TP + FP + FN), which StarDist and Cellpose call average precision.

    From 0 to 1; 1 is perfect.

    See Also
    --------
    softpq.metrics.accuracy_range : Its mean over thresholds.
    softpq.metrics.f1 : Counts matches twice.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(accuracy(Overlap.from_labels([1, 1, 2], [1, 1, 0])))
    0.5
    """
    return matched_sums(overlap, threshold, strict)


def _mean_accuracy(parts: Parts) -> Terms:
    objects = parts["n_truth"] + parts["n_pred"]
    at = sorted(name for name in parts if name.startswith("tp_"))  # in one order, wherever the parts come from
    return [(parts[name], objects - parts[name]) for name in at]


@lru_cache
def _names_at(thresholds: tuple[float, ...]) -> tuple[str, ...]:
    """What the matches at each of several thresholds are called."""
    at = tuple(check_threshold(threshold, "threshold") for threshold in thresholds)
    if not at or len(set(at)) < len(at):
        raise ValueError(f"thresholds must be one or more different numbers; got {list(thresholds)}.")
    return tuple(f"tp_{threshold!r}" for threshold in at)


def _found_at(overlap: Overlap, thresholds: Sequence[float]) -> Parts:
    """Matches at each of several thresholds."""
    at = tuple(thresholds)
    parts: dict[str, float] = dict(zip(_names_at(at), matches_at(overlap, at), strict=True))
    parts["n_truth"], parts["n_pred"] = overlap.n_truth, overlap.n_pred
    return MappingProxyType(parts)


@metric(Quotients(_mean_accuracy), name="map", usual=True)
def map_(overlap: Overlap, *, thresholds: Sequence[float] = MAP_THRESHOLDS) -> Parts:
    """Return the paper's mAP: the mean accuracy over the thresholds 0.5, 0.75 and 0.9.

    From 0 to 1; 1 is perfect.

    Not the confidence-ranked average precision of COCO.

    See Also
    --------
    softpq.metrics.accuracy_range : Of accuracies.
    softpq.metrics.sorted_ap : The COCO way, without scores.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(map_(Overlap.from_labels([1, 1, 1, 1, 1], [1, 1, 1, 1, 0])))
    0.6666666666666666
    """
    return _found_at(overlap, thresholds)


@metric(Quotients(_mean_accuracy), usual=True)
def accuracy_range(overlap: Overlap, *, thresholds: Sequence[float] = RANGE_THRESHOLDS) -> Parts:
    """Mean accuracy over the thresholds 0.5, 0.55, ... 0.95: the score of the 2018 Data Science Bowl.

    From 0 to 1; 1 is perfect.

    See Also
    --------
    softpq.metrics.accuracy : At one threshold.
    softpq.metrics.map_ : Of precisions.

    References
    ----------
    J. C. Caicedo et al., *Nucleus segmentation across imaging experiments: the 2018 Data Science Bowl*, Nature
    Methods 2019.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(accuracy_range(Overlap.from_labels([1, 1, 1, 1, 1], [1, 1, 1, 1, 0])))
    0.7
    """
    return _found_at(overlap, thresholds)
