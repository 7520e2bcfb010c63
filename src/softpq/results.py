"""Results: the scores of one or several models on a dataset, with intervals and comparisons."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from softpq.files import Location, atomic_file
from softpq.image_result import (
    Failure,
    ImageResult,
    counts_of,
    image_from_json,
    image_to_json,
    is_empty,
    is_nan,
    no_nan,
)
from softpq.metrics import ERRORS
from softpq.metrics.softpq import Settings, check_choice
from softpq.objects import Objects
from softpq.score import Score, pooled
from softpq.statistics import RESAMPLES, Comparison, Interval, Method, bootstrap, permutation_p

if TYPE_CHECKING:
    from numpy.typing import NDArray


USUAL = ("softpq", "pq", "sq", "rq", "f1", "precision", "recall", "map", "accuracy_range", "iou")
"""Metrics that are shown unless others are asked for."""


@dataclass(frozen=True)
class Results:
    """The scores of one or several models on a dataset.

    Attributes
    ----------
    images
        One per image and model, in the order of models and names.
    failures
        What could not be scored.
    settings, threshold
        Of SoftPQ, and of the other metrics.
    notes
        What should be said beside the numbers.
    """

    images: tuple[ImageResult, ...]
    settings: Settings = field(default_factory=Settings)
    threshold: float = 0.5
    failures: tuple[Failure, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def models(self) -> list[str]:
        """Names of the models."""
        return list(dict.fromkeys([image.model for image in self.images] + [f.model for f in self.failures]))

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics."""
        return list(self.images[0].scores) if self.images else []

    def of(self, model: str | None = None) -> list[ImageResult]:
        """Return the images of one model; of the only one by default."""
        name = self._model(model)
        return [image for image in self.images if image.model == name]

    def _model(self, model: str | None) -> str:
        if model is None and len(self.models) == 1:
            return self.models[0]
        if model not in self.models:
            raise ValueError(f"model must be one of {', '.join(self.models)}; got {model!r}.")
        return str(model)

    def pooled(self, model: str | None = None) -> dict[str, float]:
        """Metric -> value over all objects: the sums over images, then the formula."""
        return self._values(model, "pooled")

    def mean(self, model: str | None = None) -> dict[str, float]:
        """Metric -> mean over the images where it is defined."""
        return self._values(model, "mean")

    def _values(self, model: str | None, over: str) -> dict[str, float]:
        once = np.ones((1, len(self.of(model))), np.int64)
        return {metric: float(self._statistic(model, metric, over)(once)[0]) for metric in self.metrics}

    def per_class(self, model: str | None = None) -> dict[str, dict[str, float]]:
        """Class -> metric -> pooled value; classes without an object on either side are NaN."""
        images = self.of(model)
        names = dict.fromkeys(name for image in images for name in image.classes)
        return {
            name: {metric: pooled(image.classes[name][metric] for image in images if name in image.classes).value
                   for metric in self.metrics}
            for name in sorted(names)
        }  # fmt: skip

    def class_mean(self, model: str | None = None) -> dict[str, float]:
        """Metric -> mean of the classes that have objects, as panopticapi averages."""
        table = self.per_class(model).values()
        columns = {metric: [row[metric] for row in table if not math.isnan(row[metric])] for metric in self.metrics}
        return {metric: sum(column) / len(column) if column else math.nan for metric, column in columns.items()}

    def undefined(self, model: str | None = None) -> list[str]:
        """Names of images without an object on either side."""
        return [image.name for image in self.of(model) if is_empty(image)]

    def interval(
        self,
        metric: str = "softpq",
        model: str | None = None,
        *,
        over: Literal["pooled", "mean"] = "pooled",
        level: float = 0.95,
        method: Method = "bca",
        resamples: int = RESAMPLES,
        seed: int = 0,
    ) -> Interval:
        """Return a bootstrap interval over images.

        Parameters
        ----------
        metric, model
            What to look at.
        over
            ``"pooled"`` or ``"mean"``.
        level, method, resamples, seed
            As for :func:`softpq.statistics.bootstrap`.
        """
        statistic, n = self._statistic(model, metric, over), len(self.of(model))
        return bootstrap(statistic, n, level=level, method=method, resamples=resamples, seed=seed)

    def compare(
        self,
        first: str,
        second: str,
        metric: str = "softpq",
        *,
        over: Literal["pooled", "mean"] = "pooled",
        level: float = 0.95,
        method: Method = "bca",
        resamples: int = RESAMPLES,
        seed: int = 0,
    ) -> Comparison:
        """Compare two models on the images that both have: difference, interval, p-value.

        Examples
        --------
        >>> from softpq.dataset import evaluate_arrays
        >>> results = evaluate_arrays({"a": ([1, 1, 2], [1, 1, 2]), "b": ([3, 3], [3, 0])}, model="m")
        >>> results.pooled()["f1"]
        1.0
        """
        check_choice(metric, tuple(self.metrics), "metric")
        both, arms = self._both(first, second), []
        for model in (first, second):
            by_name = {image.name: image for image in self.of(model)}
            arms.append([by_name[name] for name in both])
        a, b = (_statistic_of(arm, metric, over) for arm in arms)
        gap = bootstrap(lambda w: a(w) - b(w), len(both), level=level, method=method, resamples=resamples, seed=seed)
        p = permutation_p(_swapped_difference(arms[0], arms[1], metric, over), len(both), seed=seed)
        return Comparison(metric, first, second, gap, p)

    def _both(self, first: str, second: str) -> list[str]:
        names = {image.name for image in self.of(second)}
        both = [image.name for image in self.of(first) if image.name in names]
        if not both:
            raise ValueError(f"{first} and {second} must have images in common; there are none.")
        return both

    def _statistic(self, model: str | None, metric: str, over: str) -> Callable[[NDArray[np.int64]], Any]:
        check_choice(metric, tuple(self.metrics), "metric")
        check_choice(over, ("pooled", "mean"), "over")
        return _statistic_of(self.of(model), metric, over)

    @property
    def objects(self) -> list[tuple[ImageResult, Objects]]:
        """The objects of every image, if they were kept."""
        return [(image, image.objects) for image in self.images if image.objects is not None]

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per image and model."""
        return [
            {"image": image.name, "model": image.model, **image.values(), **counts_of(image), **image.verdicts}
            for image in self.images
        ]

    def to_csv(self, path: Location) -> None:
        """Write one line per image and model."""
        rows = self.rows()
        names = list(dict.fromkeys(name for row in rows for name in row)) or ["image", "model"]
        with atomic_file(path) as file:
            writer = csv.DictWriter(file, names, restval=0)
            writer.writeheader()
            writer.writerows({k: "" if is_nan(v) else v for k, v in row.items()} for row in rows)

    def to_pandas(self) -> Any:
        """Return one row per image and model as a DataFrame."""
        try:
            import pandas as pd  # type: ignore[import-untyped, unused-ignore]
        except ImportError as error:
            raise ImportError("to_pandas needs an extra: pip install 'softpq[pandas]'.") from error
        return pd.DataFrame(self.rows())

    def to_json(self, path: Location | None = None) -> str:
        """Return everything as JSON, and write it if a path is given; :meth:`from_json` reads it again."""
        text = json.dumps(
            {
                "format": "softpq results 1",
                "settings": _settings_to_json(self.settings),
                "threshold": self.threshold,
                "notes": list(self.notes),
                "failures": [asdict(failure) for failure in self.failures],
                "images": [image_to_json(image) for image in self.images],
                "pooled": {model: no_nan(self.pooled(model)) for model in self.models if self.of(model)},
                "mean": {model: no_nan(self.mean(model)) for model in self.models if self.of(model)},
            },
            indent=1,
        )
        if path is not None:
            with atomic_file(path) as file:
                file.write(text)
        return text

    def ranking(self, metric: str = "softpq") -> list[str]:
        """Return the models from best to worst, pooled; those without an image are left out."""
        values = {model: self.pooled(model)[metric] for model in self.models if self.of(model)}
        sign = 1 if metric in ERRORS else -1
        return sorted(values, key=lambda model: math.inf if math.isnan(values[model]) else sign * values[model])

    def report(self, path: Location, **options: Any) -> None:
        """Write a page that shows why scores are what they are; options as for :func:`softpq.report.write_report`."""
        import_module("softpq.report").write_report(self, path, **options)

    def _repr_html_(self) -> str:
        return str(import_module("softpq.report").inline(self))

    @classmethod
    def from_json(cls, source: Location) -> Results:
        """Read what :meth:`to_json` wrote: a path, or the text itself."""
        text = str(source) if str(source).lstrip().startswith("{") else Path(source).read_text(encoding="utf-8")
        found = json.loads(text)
        if found.get("format") != "softpq results 1":
            raise ValueError("source must be results that softpq wrote; the format is another.")
        settings, threshold = Settings(**found["settings"]), float(found["threshold"])
        images = tuple(image_from_json(item, settings, threshold) for item in found["images"])
        failures = tuple(Failure(**item) for item in found["failures"])
        return cls(images, settings, threshold, failures, tuple(found["notes"]))


def _settings_to_json(settings: Settings) -> dict[str, Any]:
    if callable(settings.penalty):
        raise ValueError("penalty must be one of the named ones to be saved; got a function.")
    return asdict(settings)


# ---------------------------------------------------------------- statistics of a list of images


def _statistic_of(
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


def _swapped_difference(
    first: Sequence[ImageResult], second: Sequence[ImageResult], metric: str, over: str
) -> Callable[[NDArray[np.bool_]], NDArray[np.float64]]:
    """The difference when some images have their two models exchanged."""
    joined = _statistic_of([*first, *second], metric, over)

    def difference(swaps: NDArray[np.bool_]) -> NDArray[np.float64]:
        swap = swaps.astype(np.int64)
        return joined(np.hstack([1 - swap, swap])) - joined(np.hstack([swap, 1 - swap]))

    return difference
