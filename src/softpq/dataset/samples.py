"""Numerators and denominators of metrics, one per unit: an image, or a group of images that belong together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.dataset.image_result import ImageResult
from softpq.dataset.statistics import Terms
from softpq.metrics import METRICS
from softpq.metrics.score import mean, pooled

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Units:
    """Which images make a unit.

    Parameters
    ----------
    images
        For each model, its images: the same names in the same order.
    groups
        Image name -> group; an image that is in none is a unit of its own.
    """

    def __init__(self, images: Sequence[Sequence[ImageResult]], groups: Mapping[str, str]) -> None:
        self.images = images
        names = [groups.get(image.name, f"image {image.name}") for image in images[0]]
        order = {name: k for k, name in enumerate(dict.fromkeys(names))}
        self._place = np.array([order[name] for name in names], np.int64)
        counts = [[image.counts["n_truth"] + image.counts["n_pred"] for image in arm] for arm in images]
        self.informative = self._summed(np.sum(counts, axis=0, dtype=np.float64) if names else np.zeros(0)) > 0

    def _summed(self, column: NDArray[np.float64]) -> NDArray[np.float64]:
        found: NDArray[np.float64] = np.bincount(self._place, weights=column).astype(np.float64)
        return found

    @property
    def count(self) -> int:
        """Units with an object in the truth or in a prediction."""
        return int(self.informative.sum())

    def terms(self, metric: str, options: Mapping[str, Any], over: str) -> list[Terms] | None:
        """Of every model; None if the metric is no quotient. Units that say nothing are left out."""
        found = []
        for arm in self.images:
            columns = _of_means(arm, metric) if over == "mean" else _of_sums(arm, metric, options)
            if columns is None:
                return None
            found.append([np.stack([self._summed(column) for column in side]) for side in columns])
        kept = self.informative
        if METRICS[metric].among_matches or over == "mean":
            kept = kept & np.all([(bottom > 0).all(axis=0) for _, bottom in found], axis=0)
        return [Terms(top[:, kept], bottom[:, kept]) for top, bottom in found]


def value_of(images: Sequence[ImageResult], metric: str, over: str) -> float:
    """Over all objects, or the mean over images; NaN without images."""
    scores = [image.scores[metric] for image in images]
    if not scores:
        return math.nan
    return mean(scores) if over == "mean" else pooled(scores).value


Columns = tuple[list["NDArray[np.float64]"], list["NDArray[np.float64]"]]


def _of_means(images: Sequence[ImageResult], metric: str) -> Columns:
    """The mean over images is a quotient, too: of values, and of ones where they are defined."""
    values = np.array([image.scores[metric].value for image in images])
    defined = ~np.isnan(values)
    return [np.where(defined, values, 0.0)], [defined.astype(np.float64)]


def _of_sums(images: Sequence[ImageResult], metric: str, options: Mapping[str, Any]) -> Columns | None:
    names = images[0].scores[metric].parts if images else {}
    first = [images[0].scores[metric].parts[name] for name in names] if images else []
    if any(isinstance(part, tuple) for part in first):
        return None
    parts = {name: np.array([image.scores[metric].parts[name] for image in images], np.float64) for name in names}
    terms = METRICS[metric].terms_of(parts, options)
    if terms is None:
        return None
    size = len(images)
    return [np.broadcast_to(top, size) for top, _ in terms], [np.broadcast_to(bottom, size) for _, bottom in terms]
