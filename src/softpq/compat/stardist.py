"""What ``stardist.matching`` offers, without its dense tables."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq._checks import check_choice
from softpq.table.matching import best_sum
from softpq.table.overlap import Overlap

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

CRITERIA: dict[str, Callable[[Overlap], NDArray[np.float64]]] = {
    "iou": lambda overlap: overlap.pair_iou,
    "iot": lambda overlap: overlap.pair_pixels / overlap.truth_areas[overlap.pair_truth],
    "iop": lambda overlap: overlap.pair_pixels / overlap.pred_areas[overlap.pair_pred],
}

_MEANS = ("precision", "recall", "accuracy", "f1", "mean_true_score", "mean_matched_score", "panoptic_quality")


def matching(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    thresh: float | Iterable[float] | None = 0.5,
    criterion: str = "iou",
    report_matches: bool = False,
) -> Any:
    """Match two label images; one result, or a tuple of them for several thresholds.

    With ``report_matches``, ``matched_pairs`` also holds pairs below the threshold, as in StarDist; objects that
    overlap nothing are paired with what is left in the order of labels, where StarDist's choice is arbitrary.

    Examples
    --------
    >>> result = matching([[1, 1, 0], [2, 2, 0]], [[1, 1, 0], [0, 2, 3]])
    >>> result.tp, result.fp, result.fn, result.panoptic_quality
    (2, 1, 0, 0.6)
    """
    check_choice(criterion, tuple(CRITERIA), "criterion")
    overlap = Overlap.from_labels(y_true, y_pred)
    scores = CRITERIA[criterion](overlap)
    if thresh is None or np.isscalar(thresh):
        return _single(overlap, scores, float(thresh or 0), criterion, report_matches)  # type: ignore[arg-type]
    return tuple(_single(overlap, scores, float(t), criterion, report_matches) for t in thresh)  # type: ignore[union-attr]


def _single(overlap: Overlap, scores: NDArray[np.float64], thresh: float, criterion: str, report: bool) -> Any:
    n_true, n_pred = overlap.n_truth, overlap.n_pred
    n_matched = min(n_true, n_pred)
    weight = (scores >= thresh) + scores / (2 * n_matched) if thresh > 0 and n_matched else scores
    chosen = best_sum(overlap, np.asarray(weight, np.float64))
    good = chosen[scores[chosen] >= thresh]
    tp = len(good) if thresh > 0 else n_matched
    stats = _statistics(criterion, thresh, tp, n_true, n_pred, float(scores[good].sum()))
    if report:
        stats |= _matches(overlap, scores, chosen, thresh)
    return namedtuple("Matching", stats)(**stats)  # as in StarDist, the fields depend on what is asked for


def _statistics(criterion: str, thresh: float, tp: int, n_true: int, n_pred: int, score_sum: float) -> dict[str, Any]:
    return {
        "criterion": criterion,
        "thresh": thresh,
        "fp": n_pred - tp,
        "tp": tp,
        "fn": n_true - tp,
        "precision": _ratio(tp, n_pred),
        "recall": _ratio(tp, n_true),
        "accuracy": _ratio(tp, n_true + n_pred - tp),
        "f1": _ratio(2 * tp, n_true + n_pred),
        "n_true": n_true,
        "n_pred": n_pred,
        "mean_true_score": _ratio(score_sum, n_true),
        "mean_matched_score": _ratio(score_sum, tp),
        "panoptic_quality": _ratio(2 * score_sum, n_true + n_pred),
    }


def _ratio(numerator: float, denominator: float) -> float:
    """StarDist's rule for nothing: 0, also where both images are empty."""
    return numerator / denominator if denominator else 0.0


def _matches(
    overlap: Overlap, scores: NDArray[np.float64], chosen: NDArray[np.int64], thresh: float
) -> dict[str, tuple[Any, ...]]:
    truth, pred, score = overlap.pair_truth[chosen], overlap.pair_pred[chosen], scores[chosen]
    left_truth = np.setdiff1d(np.arange(overlap.n_truth), truth)
    left_pred = np.setdiff1d(np.arange(overlap.n_pred), pred)
    left = min(len(left_truth), len(left_pred))
    truth, pred = np.r_[truth, left_truth[:left]], np.r_[pred, left_pred[:left]]
    score = np.r_[score, np.zeros(left)]
    order = np.argsort(truth, kind="stable")
    pairs = zip(overlap.truth_ids[truth[order]].tolist(), overlap.pred_ids[pred[order]].tolist(), strict=True)
    return {
        "matched_pairs": tuple(pairs),
        "matched_scores": tuple(score[order].tolist()),
        "matched_tps": tuple(np.flatnonzero(score[order] >= thresh).tolist()),
    }


def matching_dataset(
    y_true: Sequence[ArrayLike],
    y_pred: Sequence[ArrayLike],
    thresh: float | Sequence[float] = 0.5,
    criterion: str = "iou",
    by_image: bool = False,
    show_progress: bool | int = True,
    parallel: bool = False,
) -> Any:
    """Match lists of images; pooled, or averaged over images with ``by_image``.

    Examples
    --------
    >>> matching_dataset([[1, 1], [1, 2]], [[1, 1], [1, 0]], show_progress=False).f1
    0.8
    """
    if len(y_true) != len(y_pred):
        raise ValueError("y_true and y_pred must have the same length.")
    pairs = zip(y_true, y_pred, strict=True)
    return matching_dataset_lazy(pairs, thresh, criterion, by_image, show_progress, parallel)


def matching_dataset_lazy(
    y_gen: Iterable[tuple[ArrayLike, ArrayLike]],
    thresh: float | Sequence[float] = 0.5,
    criterion: str = "iou",
    by_image: bool = False,
    show_progress: bool | int = True,
    parallel: bool = False,
) -> Any:
    """Match pairs of images as they come; see :func:`matching_dataset`. ``show_progress`` is accepted and not used.

    Examples
    --------
    >>> pairs = (([1, 1, 2], [1, 1, 0]), ([3, 3], [3, 3]))
    >>> found = matching_dataset_lazy(pairs)
    >>> found.tp, found.fn
    (2, 1)
    """
    thresholds = (thresh,) if np.isscalar(thresh) else tuple(thresh)  # type: ignore[arg-type]

    def work(pair: tuple[ArrayLike, ArrayLike]) -> Any:
        return matching(*pair, thresh=thresholds, criterion=criterion)  # type: ignore[arg-type]

    if parallel:
        with ThreadPoolExecutor() as pool:
            images = list(pool.map(work, y_gen))
    else:
        images = [work(pair) for pair in y_gen]
    results = tuple(_dataset(column, by_image) for column in zip(*images, strict=True))
    return results[0] if np.isscalar(thresh) else results


def _dataset(images: Sequence[Any], by_image: bool) -> Any:
    total = {name: sum(getattr(image, name) for image in images) for name in ("tp", "n_true", "n_pred")}
    score_sum = sum(image.mean_true_score * image.n_true for image in images)
    stats = _statistics(images[0].criterion, images[0].thresh, total["tp"], total["n_true"], total["n_pred"], score_sum)
    if by_image:
        stats |= {name: sum(getattr(image, name) for image in images) / len(images) for name in _MEANS}
    stats["by_image"] = bool(by_image)
    return namedtuple("DatasetMatching", stats)(**stats)
