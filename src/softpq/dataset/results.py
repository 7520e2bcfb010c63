"""Results: the scores of one or several models on a dataset, with intervals and comparisons."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from softpq._checks import check_choice
from softpq._files import Location, atomic_file, plain_cell
from softpq.dataset.comparing import Question, ranks_of
from softpq.dataset.image_result import Failure, ImageResult, is_nan
from softpq.dataset.samples import value_of
from softpq.dataset.saved import results_from_json, results_to_json
from softpq.dataset.statistics import LEVEL, Comparison, Interval, check_level
from softpq.errors import needs
from softpq.explain.objects import Objects
from softpq.metrics import METRICS
from softpq.metrics.score import pooled
from softpq.plan import Plan
from softpq.settings import Settings

Over = Literal["pooled", "mean"]


@dataclass(frozen=True)
class Results:
    """The scores of one or several models on a dataset.

    Attributes
    ----------
    images
        One per image and model, in the order of models and names.
    failures
        What could not be scored.
    plan
        What was asked for.
    notes
        What should be said beside the numbers.
    groups
        Image -> patient, slide or the like, if images of one belong together: they are then the units of statistics.
    """

    images: tuple[ImageResult, ...]
    plan: Plan = field(default_factory=Plan)
    failures: tuple[Failure, ...] = ()
    notes: tuple[str, ...] = ()
    groups: Mapping[str, str] = field(default_factory=dict)
    _known: dict[Any, Any] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )  # intervals and the like

    @property
    def settings(self) -> Settings:
        """Of SoftPQ."""
        return self.plan.settings

    @property
    def models(self) -> list[str]:
        """Names of the models."""
        if "models" not in self._known:
            named = [image.model for image in self.images] + [failure.model for failure in self.failures]
            self._known["models"] = list(dict.fromkeys(named))
        return list(self._known["models"])

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics."""
        return list(self.images[0].scores) if self.images else []

    def of(self, model: str | None = None) -> list[ImageResult]:
        """Return the images of one model; of the only one by default."""
        if "by model" not in self._known:
            by_model: dict[str, list[ImageResult]] = {}
            for image in self.images:
                by_model.setdefault(image.model, []).append(image)
            self._known["by model"] = by_model
        return list(self._known["by model"].get(self._model(model), ()))

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
        return {metric: self._value(model, metric, over) for metric in self.metrics}

    def _value(self, model: str | None, metric: str, over: str) -> float:
        check_choice(metric, self.metrics, "metric")
        check_choice(over, ("pooled", "mean"), "over")
        return value_of(self.of(model), metric, over)

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
        return [image.name for image in self.of(model) if image.is_empty]

    def interval(
        self,
        metric: str = "softpq",
        model: str | None = None,
        *,
        over: Over = "pooled",
        level: float = LEVEL,
    ) -> Interval:
        """Return a value with its confidence interval over images, or groups; or the reason why it has none.

        Parameters
        ----------
        metric, model
            What to look at.
        over
            ``"pooled"`` or ``"mean"``.
        level
            Of the interval.
        """
        check_level(level)
        key = ("interval", metric, model, over, level)
        if key not in self._known:
            value = self._value(model, metric, over)
            self._known[key] = self._question(metric, over, level).interval(self.of(model), value)
        interval: Interval = self._known[key]
        return interval

    def _question(self, metric: str, over: str, level: float, seed: int = 0) -> Question:
        check_choice(metric, self.metrics, "metric")
        check_choice(over, ("pooled", "mean"), "over")
        return Question(metric, over, self.plan.options, self.groups, level, seed)

    def compare(
        self,
        first: str,
        second: str,
        metric: str = "softpq",
        *,
        over: Over = "pooled",
        level: float = LEVEL,
        seed: int = 0,
    ) -> Comparison:
        """Compare two models on the images that both have: difference, interval, p-value.

        Two models that were named beforehand; for several, see :meth:`comparisons`, which adjusts p.

        Examples
        --------
        >>> import numpy as np, softpq
        >>> truth = [np.array([1, 1, 2]), np.array([3, 3])]
        >>> results = softpq.evaluate_dataset(truth, {"a": truth, "b": [np.array([1, 1, 0]), np.array([3, 3])]})
        >>> round(results.compare("a", "b", "f1").difference.value, 2)
        0.2
        """
        if first == second:
            same = Interval(0.0, level=level, reason="it is the same model")
            return Comparison(metric, first, second, same, 1.0, len(self.of(first)))
        (found,) = self._pairs((first, second), metric, over, level, seed)
        return found

    def comparisons(
        self, metric: str = "softpq", *, over: Over = "pooled", level: float = LEVEL, seed: int = 0
    ) -> list[Comparison]:
        """Compare all pairs of models on the images that all have; p is adjusted by Holm's method."""
        scored = tuple(model for model in self.models if self.of(model))
        return self._pairs(scored, metric, over, level, seed) if len(scored) > 1 else []

    def ranks(
        self, metric: str = "softpq", *, over: Over = "pooled", level: float = LEVEL
    ) -> dict[str, tuple[int, int]]:
        """Return the first and last rank that each model may have: models that cannot be told apart share ranks."""
        found = self.comparisons(metric, over=over, level=level)
        return ranks_of(found, [model for model in self.models if self.of(model)], level)

    def _pairs(self, models: tuple[str, ...], metric: str, over: str, level: float, seed: int) -> list[Comparison]:
        check_level(level)
        key = ("pairs", models, metric, over, level, seed)
        if key not in self._known:
            by_name = {model: {image.name: image for image in self.of(model)} for model in models}
            common = [name for name in by_name[models[0]] if all(name in other for other in by_name.values())]
            if not common:
                raise ValueError(f"{' and '.join(models)} must have images in common; there are none.")
            arms = {model: [images[name] for name in common] for model, images in by_name.items()}
            self._known[key] = self._question(metric, over, level, seed).comparisons(arms)
        found: list[Comparison] = self._known[key]
        return found

    @property
    def objects(self) -> list[tuple[ImageResult, Objects]]:
        """The objects of every image, if they were kept."""
        return [(image, image.objects) for image in self.images if image.objects is not None]

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per image and model."""
        return [
            {"image": image.name, "model": image.model, **image.values(), **image.counts, **image.verdicts}
            for image in self.images
        ]

    def to_csv(self, path: Location) -> None:
        """Write one line per image and model."""
        rows = self.rows()
        names = list(dict.fromkeys(name for row in rows for name in row)) or ["image", "model"]
        with atomic_file(path) as file:
            writer = csv.DictWriter(file, names, restval=0)
            writer.writeheader()
            writer.writerows({k: "" if is_nan(v) else plain_cell(v) for k, v in row.items()} for row in rows)

    def to_pandas(self) -> Any:
        """Return one row per image and model as a DataFrame."""
        return needs("pandas", "pandas", "to_pandas").DataFrame(self.rows())

    def to_json(self, path: Location | None = None) -> str:
        """Return everything as JSON, and write it if a path is given; :meth:`from_json` reads it again."""
        text = results_to_json(self)
        if path is not None:
            with atomic_file(path) as file:
                file.write(text)
        return text

    def on_common(self) -> Results:
        """Return the results on the images that all models have; models without any image are left out."""
        scored = [model for model in self.models if self.of(model)]
        names = [{image.name for image in self.of(model)} for model in scored]
        common = set.intersection(*names) if names else set()
        if "common" not in self._known:
            images = tuple(image for image in self.images if image.name in common)
            self._known["common"] = (
                self if len(images) == len(self.images) else Results(images, self.plan, groups=self.groups)
            )
        found: Results = self._known["common"]
        return found

    def ranking(self, metric: str = "softpq", *, over: Over = "pooled") -> list[str]:
        """Return the models from best to worst, over the images that all have."""
        results = self.on_common()
        values = {model: results._value(model, metric, over) for model in results.models if results.of(model)}
        sign = 1 if METRICS[metric].less_is_better else -1
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
        return cls(**results_from_json(text))
