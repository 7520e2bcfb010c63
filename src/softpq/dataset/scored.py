"""What was scored: images of one or several models, and what they add up to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from softpq._checks import check_choice, unknown
from softpq.dataset.comparing import Headline
from softpq.dataset.confusion import Confused, summed
from softpq.dataset.image_result import Failure, ImageResult, images_of_class
from softpq.dataset.samples import Arm
from softpq.explain.objects import Objects
from softpq.metrics.score import pooled
from softpq.plan import Plan
from softpq.settings import Settings


class _Values(dict[str, float]):
    """Metric -> value."""

    def __missing__(self, name: str) -> float:
        raise unknown(name, self, "metric")


@dataclass(frozen=True)
class Scored:
    """The scores of one or several models on a dataset, and their sums.

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
    headline
        What models are ranked by.

    Examples
    --------
    >>> import numpy as np, softpq
    >>> truth = [np.array([1, 1, 2]), np.array([3, 3, 0])]
    >>> results = softpq.evaluate_dataset(truth, {"a": truth, "b": [np.array([1, 1, 0]), np.array([3, 0, 0])]})
    >>> len(results.images), results.metrics[:2]
    (4, ['softpq', 'pq'])
    """

    images: tuple[ImageResult, ...]
    plan: Plan = field(default_factory=Plan)
    failures: tuple[Failure, ...] = ()
    notes: tuple[str, ...] = ()
    groups: Mapping[str, str] = field(default_factory=dict)
    headline: Headline = field(default_factory=Headline)
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

    @property
    def scored(self) -> tuple[str, ...]:
        """Names of the models that have an image."""
        return tuple(model for model in self.models if self.of(model))

    @property
    def rank_by(self) -> str:
        """The metric that models are ranked by."""
        return self.headline.metric or ("softpq" if "softpq" in self.metrics else (self.metrics or [""])[0])

    def of(self, model: str | None = None) -> list[ImageResult]:
        """Return the images of one model; of the only one by default.

        Examples
        --------
        >>> import numpy as np, softpq
        >>> truth = [np.array([1, 1, 2]), np.array([3, 3, 0])]
        >>> results = softpq.evaluate_dataset(truth, {"a": truth, "b": [np.array([1, 1, 0]), np.array([3, 0, 0])]})
        >>> [image.name for image in results.of("a")]
        ['0', '1']
        """
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
        """Metric -> value over all objects: the sums over images, then the formula.

        Examples
        --------
        >>> import numpy as np, softpq
        >>> truth = [np.array([1, 1, 2]), np.array([3, 3, 0])]
        >>> results = softpq.evaluate_dataset(truth, {"a": truth, "b": [np.array([1, 1, 0]), np.array([3, 0, 0])]})
        >>> results.pooled("a")["pq"], round(results.pooled("b")["pq"], 4)
        (1.0, 0.6)
        """
        return self._values(model, "pooled")

    def mean(self, model: str | None = None) -> dict[str, float]:
        """Metric -> mean over the images where it is defined.

        Examples
        --------
        >>> import numpy as np, softpq
        >>> truth = [np.array([1, 1, 2]), np.array([3, 3, 0])]
        >>> results = softpq.evaluate_dataset(truth, {"a": truth, "b": [np.array([1, 1, 0]), np.array([3, 0, 0])]})
        >>> round(results.mean("b")["pq"], 4)
        0.5833
        """
        return self._values(model, "mean")

    def _values(self, model: str | None, over: str) -> dict[str, float]:
        return _Values({metric: self._value(model, metric, over) for metric in self.metrics})

    def _value(self, model: str | None, metric: str, over: str) -> float:
        check_choice(metric, self.metrics, "metric")
        check_choice(over, ("pooled", "mean"), "over")
        return self._arm(self._model(model)).value(metric, over)

    def _arm(self, model: str) -> Arm:
        if ("arm", model) not in self._known:
            self._known["arm", model] = Arm(self.of(model), self.plan.options)
        arm: Arm = self._known["arm", model]
        return arm

    @property
    def classes(self) -> list[str]:
        """Names of the classes, if objects have some."""
        return sorted({name for image in self.images for name in image.classes})

    def of_class(self, name: str) -> Self:
        """Return the results of one class: only its objects are there.

        Examples
        --------
        >>> import softpq
        >>> truth = softpq.Masks.from_labels([[1, 1, 2, 2]], classes=["cell", "debris"])
        >>> pred = softpq.Masks.from_labels([[1, 1, 2, 0]], classes=["cell", "debris"])
        >>> results = softpq.evaluate_dataset({"image": truth}, {"image": pred}, classes="auto")
        >>> results.of_class("debris").pooled()["pq"]
        0.5
        """
        check_choice(name, self.classes, "name")
        return replace(self, images=images_of_class(self.images, name, self.plan), failures=(), notes=())

    def per_class(self, model: str | None = None) -> dict[str, dict[str, float]]:
        """Class -> metric -> pooled value; classes without an object on either side are NaN.

        Examples
        --------
        >>> import softpq
        >>> truth = softpq.Masks.from_labels([[1, 1, 2, 2]], classes=["cell", "debris"])
        >>> pred = softpq.Masks.from_labels([[1, 1, 2, 0]], classes=["cell", "debris"])
        >>> results = softpq.evaluate_dataset({"image": truth}, {"image": pred}, classes="auto")
        >>> {name: row["pq"] for name, row in results.per_class().items()}
        {'cell': 1.0, 'debris': 0.5}
        """
        images = self.of(model)
        names = dict.fromkeys(name for image in images for name in image.classes)
        return {
            name: {metric: pooled(image.classes[name][metric] for image in images if name in image.classes).value
                   for metric in self.metrics}
            for name in sorted(names)
        }  # fmt: skip

    def class_mean(self, model: str | None = None) -> dict[str, float]:
        """Metric -> mean of the classes that have objects, as panopticapi averages.

        Examples
        --------
        >>> import softpq
        >>> truth = softpq.Masks.from_labels([[1, 1, 2, 2]], classes=["cell", "debris"])
        >>> pred = softpq.Masks.from_labels([[1, 1, 2, 0]], classes=["cell", "debris"])
        >>> results = softpq.evaluate_dataset({"image": truth}, {"image": pred}, classes="auto")
        >>> results.class_mean()["pq"]
        0.75
        """
        table = self.per_class(model).values()
        columns = {metric: [row[metric] for row in table if not math.isnan(row[metric])] for metric in self.metrics}
        return {metric: sum(column) / len(column) if column else math.nan for metric, column in columns.items()}

    def confused(self, model: str | None = None) -> Confused:
        """Class of truth -> class of the prediction -> objects that match, whatever their class.

        Examples
        --------
        >>> import softpq
        >>> truth = softpq.Masks.from_labels([[1, 1, 2, 2]], classes=["cell", "debris"])
        >>> pred = softpq.Masks.from_labels([[1, 1, 2, 0]], classes=["cell", "cell"])
        >>> results = softpq.evaluate_dataset({"image": truth}, {"image": pred}, classes="auto")
        >>> results.confused()["debris"]
        {'cell': 1}
        """
        return summed(image.confused for image in self.of(model))

    def undefined(self, model: str | None = None) -> list[str]:
        """Names of images without an object on either side.

        Examples
        --------
        >>> import numpy as np, softpq
        >>> empty = {"image": np.zeros((2, 2), int)}
        >>> softpq.evaluate_dataset(empty, empty).undefined()
        ['image']
        """
        return [image.name for image in self.of(model) if image.is_empty]

    @property
    def objects(self) -> list[tuple[ImageResult, Objects]]:
        """The objects of every image, if they were kept."""
        return [(image, image.objects) for image in self.images if image.objects is not None]

    def on_common(self) -> Self:
        """Return the results on the images that all models have; models without any image are left out.

        Examples
        --------
        >>> import numpy as np, softpq
        >>> truth = [np.array([1, 1, 2]), np.array([3, 3, 0])]
        >>> results = softpq.evaluate_dataset(truth, {"a": truth, "b": [np.array([1, 1, 0]), np.array([3, 0, 0])]})
        >>> len(results.on_common().images)
        4
        """
        names = [{image.name for image in self.of(model)} for model in self.scored]
        common = set.intersection(*names) if names else set()
        if "common" not in self._known:
            images = tuple(image for image in self.images if image.name in common)
            self._known["common"] = (
                self if len(images) == len(self.images) else replace(self, images=images, failures=(), notes=())
            )
        found: Self = self._known["common"]
        return found
