"""What ``cellpose.metrics`` offers on label images, without its dense tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.table.matching import best_sum, match
from softpq.table.overlap import Overlap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Labels = NDArray[np.integer[Any]]
    Floats = NDArray[np.float32]


def average_precision(
    masks_true: Labels | list[Labels],
    masks_pred: Labels | list[Labels],
    threshold: float | Sequence[float] = (0.5, 0.75, 0.9),
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return ap, tp, fp and fn at each threshold, per image for lists.

    Unlike Cellpose, an image without background is counted right, and nothing at all gives NaN without a warning. At
    threshold 0 objects that share nothing are matched, too, as in Cellpose.

    Examples
    --------
    >>> ap, tp, fp, fn = average_precision(np.array([1, 1, 2]), np.array([1, 1, 0]), threshold=[0.5])
    >>> float(ap[0]), int(tp[0]), int(fp[0]), int(fn[0])
    (0.5, 1, 0, 1)
    """
    single = not isinstance(masks_true, list)
    truths, preds = ([masks_true], [masks_pred]) if single else (masks_true, masks_pred)
    if len(truths) != len(preds):
        raise ValueError("metrics.average_precision requires len(masks_true)==len(masks_pred)")
    at = [float(t) for t in np.atleast_1d(threshold)]
    tp, fp, fn = (np.zeros((len(truths), len(at)), np.float32) for _ in range(3))
    for n, (truth, pred) in enumerate(zip(truths, preds, strict=True)):
        overlap = Overlap.from_labels(truth, pred)
        for k, t in enumerate(at):
            matched = match(overlap, t).tp if t > 0 else min(overlap.n_truth, overlap.n_pred)
            tp[n, k], fp[n, k], fn[n, k] = matched, overlap.n_pred - matched, overlap.n_truth - matched
    with np.errstate(invalid="ignore"):
        ap = tp / (tp + fp + fn)
    return (ap[0], tp[0], fp[0], fn[0]) if single else (ap, tp, fp, fn)


def _best_matched(overlap: Overlap) -> NDArray[np.int64]:
    """Cellpose's pairs: most with an IoU from 0.5 on, then the largest sum of all IoUs."""
    fewer = max(min(overlap.n_truth, overlap.n_pred), 1)
    return best_sum(overlap, (overlap.pair_iou >= 0.5) + overlap.pair_iou / (2 * fewer))


def mask_ious(masks_true: Labels, masks_pred: Labels) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the IoU and the label of the best-matched prediction for every truth label 1, 2, ... .

    A truth object that overlaps nothing has IoU 0 and partner 0; Cellpose gives it an arbitrary partner.

    Examples
    --------
    >>> [side.tolist() for side in mask_ious(np.array([1, 1, 3]), np.array([5, 5, 0]))]
    [[1.0, 0.0, 0.0], [5, 0, 0]]
    """
    overlap = Overlap.from_labels(masks_true, masks_pred)
    chosen = _best_matched(overlap)
    labels = overlap.truth_ids[overlap.pair_truth[chosen]].astype(np.int64)
    iou, partner = np.zeros(int(np.max(masks_true))), np.zeros(int(np.max(masks_true)), np.int64)
    iou[labels - 1] = overlap.pair_iou[chosen]
    partner[labels - 1] = overlap.pred_ids[overlap.pair_pred[chosen]].astype(np.int64)
    return iou, partner


def aggregated_jaccard_index(masks_true: Sequence[Labels], masks_pred: Sequence[Labels]) -> NDArray[np.float64]:
    """Return Cellpose's AJI per image: matched intersections over the foreground. Not the AJI of the literature.

    Examples
    --------
    >>> float(aggregated_jaccard_index([np.array([1, 1, 0])], [np.array([1, 1, 2])])[0])
    0.6666666666666666
    """
    values = np.zeros(len(masks_true))
    for n, (truth, pred) in enumerate(zip(masks_true, masks_pred, strict=True)):
        overlap = Overlap.from_labels(truth, pred)
        foreground = overlap.pixels - overlap.background
        shared = overlap.pair_pixels[_best_matched(overlap)].sum()
        values[n] = shared / foreground if foreground else np.nan
    return values
