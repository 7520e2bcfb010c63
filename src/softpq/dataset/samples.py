"""Metrics of weighted lists of images, as resampling and exchanging need them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.dataset.image_result import ImageResult
from softpq.metrics.score import Score

if TYPE_CHECKING:
    from numpy.typing import NDArray


def statistic_of(
    images: Sequence[ImageResult], metric: str, over: str
) -> Callable[[NDArray[np.int64]], NDArray[np.float64]]:
    """From weights of images to the metric."""
    if over == "mean":
        values = np.array([image.scores[metric].value for image in images])
        return lambda weights: _weighted_mean(weights, values)
    return lambda weights: _pooled_values(weights, [image.scores[metric] for image in images])


def _weighted_mean(weights: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    defined = ~np.isnan(values)
    total = weights[:, defined].sum(axis=1)
    with np.errstate(invalid="ignore"):
        result: NDArray[np.float64] = weights[:, defined] @ values[defined] / total
    return result


def _pooled_values(weights: NDArray[np.int64], scores: Sequence[Score]) -> NDArray[np.float64]:
    formula, names = scores[0].formula, list(scores[0].parts)
    sums = {name: _weighted_parts(weights, [score.parts[name] for score in scores]) for name in names}
    rows = zip(*sums.values(), strict=True)
    return np.array([formula(dict(zip(names, row, strict=True))) for row in rows], np.float64)


def _weighted_parts(weights: NDArray[np.int64], parts: list[Any]) -> Iterable[Any]:
    if isinstance(parts[0], tuple):
        return [np.concatenate([np.repeat(p, w) for p, w in zip(parts, row, strict=True)]) for row in weights]
    column = np.array(parts)
    return (weights.astype(column.dtype) @ column).tolist()  # type: ignore[no-any-return]


def swapped_difference(
    first: Sequence[ImageResult], second: Sequence[ImageResult], metric: str, over: str
) -> Callable[[NDArray[np.bool_]], NDArray[np.float64]]:
    """The difference when some images have their two models exchanged."""
    joined = statistic_of([*first, *second], metric, over)

    def difference(swaps: NDArray[np.bool_]) -> NDArray[np.float64]:
        swap = swaps.astype(np.int64)
        return joined(np.hstack([1 - swap, swap])) - joined(np.hstack([swap, 1 - swap]))

    return difference
