"""Numerators and denominators of metrics, one per unit: an image, or a group of images that belong together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.dataset.image_result import ImageResult
from softpq.dataset.terms import Terms
from softpq.metrics import METRICS

if TYPE_CHECKING:
    from numpy.typing import NDArray


Columns = tuple[Sequence["NDArray[np.float64]"], Sequence["NDArray[np.float64]"]]
"""Numerators and denominators by image."""


@dataclass(frozen=True)
class Sample:
    """What is known of a metric: the terms of every model, and which units have some."""

    terms: list[Terms]
    kept: NDArray[np.bool_]


class Units:
    """Which images make a unit.

    Parameters
    ----------
    arms
        Of each model: the same names in the same order.
    groups
        Image name -> group; an image that is in none is a unit of its own.
    """

    def __init__(self, arms: Sequence[Arm], groups: Mapping[str, str]) -> None:
        self.arms = arms
        self.noun = "groups" if groups else "images"
        keys = [(image.name in groups, groups.get(image.name, image.name)) for image in arms[0].images]
        order = {key: k for k, key in enumerate(dict.fromkeys(keys))}
        self.names = np.array([name for _, name in order], dtype=np.str_)
        self._place = np.array([order[key] for key in keys], np.int64)
        counts = [[image.counts["n_truth"] + image.counts["n_pred"] for image in arm.images] for arm in arms]
        self.informative = self._summed(np.sum(counts, axis=0, dtype=np.float64) if keys else np.zeros(0)) > 0
        self._samples: dict[tuple[str, str], Sample | None] = {}

    def _summed(self, column: NDArray[np.float64]) -> NDArray[np.float64]:
        found: NDArray[np.float64] = np.bincount(self._place, weights=column).astype(np.float64)
        return found

    @property
    def count(self) -> int:
        """Units with an object in the truth or in a prediction."""
        return int(self.informative.sum())

    def sample(self, metric: str, over: str) -> Sample | None:
        """Of every model; None if the metric is no quotient. Units that say nothing are left out."""
        if (metric, over) not in self._samples:
            columns = [one for arm in self.arms if (one := arm.columns(metric, over)) is not None]
            everywhere = METRICS[metric].among_matches or over == "mean"
            whole = len(columns) == len(self.arms)
            self._samples[metric, over] = self.of_columns(columns, everywhere=everywhere) if whole else None
        return self._samples[metric, over]

    def of_columns(self, columns: Sequence[Columns], *, everywhere: bool) -> Sample:
        """Sum what images say over units; ``everywhere``: only units where every model says something."""
        found = [[np.stack([self._summed(column) for column in side]) for side in sides] for sides in columns]
        kept = np.all([(bottom > 0).all(axis=0) for _, bottom in found], axis=0) if everywhere else self.informative
        return Sample([Terms(top[:, kept], bottom[:, kept]) for top, bottom in found], kept)


class Arm:
    """The images of one model, as columns: read once, however often they are asked for.

    Parameters
    ----------
    images
        In the order of the columns.
    options
        Of the plan.
    """

    def __init__(self, images: Sequence[ImageResult], options: Mapping[str, Any]) -> None:
        self.images, self.options = images, options
        self._parts: dict[str, dict[str, Any]] = {}
        self._values: dict[str, NDArray[np.float64]] = {}
        self._whole: dict[tuple[str, str], float] = {}

    def parts(self, metric: str) -> dict[str, Any]:
        """Part -> its value in each image: an array, or a list of tuples."""
        if metric not in self._parts:
            rows = [image.scores[metric].parts for image in self.images]
            self._parts[metric] = {name: _column([row[name] for row in rows]) for name in (rows[0] if rows else ())}
        return self._parts[metric]

    def values(self, metric: str) -> NDArray[np.float64]:
        """The value of each image."""
        if metric not in self._values:
            self._values[metric] = METRICS[metric].values(self.parts(metric), self.options)
        return self._values[metric]

    def value(self, metric: str, over: str) -> float:
        """Over all objects, or the mean over images; NaN without images."""
        if not self.images:
            return math.nan
        if (metric, over) not in self._whole:
            self._whole[metric, over] = self._mean(metric) if over == "mean" else self._pooled(metric)
        return self._whole[metric, over]

    def _mean(self, metric: str) -> float:
        values = self.values(metric)
        defined = values[~np.isnan(values)]
        return math.fsum(defined.tolist()) / len(defined) if len(defined) else math.nan

    def _pooled(self, metric: str) -> float:
        total = {name: _total(column) for name, column in self.parts(metric).items()}
        return METRICS[metric].restored(total, self.options).value

    def columns(self, metric: str, over: str) -> Columns | None:
        """Numerators and denominators; None if the metric is no quotient."""
        if over == "mean":  # a quotient, too: of values, and of ones where they are defined
            values = self.values(metric)
            defined = ~np.isnan(values)
            return [np.where(defined, values, 0.0)], [defined.astype(np.float64)]
        parts = self.parts(metric)
        if any(isinstance(column, list) for column in parts.values()):
            return None
        terms = METRICS[metric].terms_of(
            {name: np.asarray(part, np.float64) for name, part in parts.items()}, self.options
        )
        if terms is None:
            return None
        size = len(self.images)
        return [np.broadcast_to(top, size) for top, _ in terms], [np.broadcast_to(bottom, size) for _, bottom in terms]


def _column(values: list[Any]) -> Any:
    return values if isinstance(values[0], tuple) else np.array(values)


def _total(column: Any) -> Any:
    """Numbers add, rounded once; tuples join."""
    if isinstance(column, list):
        return tuple(chain.from_iterable(column))
    return int(column.sum()) if column.dtype.kind in "iu" else math.fsum(column.tolist())
