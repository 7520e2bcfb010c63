"""What was found in one image, for one model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from softpq.dataset.confusion import Confused
from softpq.evaluation import Evaluation
from softpq.explain.objects import Objects
from softpq.explain.verdicts import verdict_counts
from softpq.io.pairing import Pair
from softpq.metrics import METRICS
from softpq.metrics.score import Score
from softpq.plan import Plan
from softpq.table.overlap import Overlap
from softpq.table.tables import Tables, fingerprint_of_objects

ClassScores = Mapping[str, Mapping[str, Score]]


@dataclass(frozen=True)
class ImageResult:
    """The scores of one image and model.

    Attributes
    ----------
    name, model
        Of the image and of the model.
    scores
        Metric name -> Score.
    counts
        Objects of both sides, and what the matching at the threshold found.
    verdicts
        ``"truth_missed"`` and the like -> number of objects.
    classes
        Class -> metric name -> Score.
    confused
        Class of truth -> class of the prediction -> objects that match, whatever their class.
    objects
        One row per object, if they were kept.
    tables
        What the scores were computed from, if it was kept.
    overlap
        The table of the objects alone, if it was kept.
    corrected
        The same with right classes, where there are classes.
    fingerprints
        Of the objects of truth and pred, to tell them from others.
    pair
        Where the two images are.
    notes
        What should be said of it.
    spread
        Whether other files were read, too, which the two name: nobody knows whether those are still the same.

    Examples
    --------
    >>> import numpy as np, softpq
    >>> truth = [np.array([1, 1, 2]), np.array([3, 3, 0])]
    >>> results = softpq.evaluate_dataset(truth, {"a": truth, "b": [np.array([1, 1, 0]), np.array([3, 0, 0])]})
    >>> image = results.of("b")[1]
    >>> image.name, image.counts["tp"], image.scores["pq"].value
    ('1', 1, 0.5)
    """

    name: str
    model: str
    scores: Mapping[str, Score]
    counts: Mapping[str, int] = field(default_factory=dict)
    verdicts: Mapping[str, int] = field(default_factory=dict)
    classes: ClassScores = field(default_factory=dict)
    objects: Objects | None = field(default=None, repr=False, compare=False)
    tables: Tables | None = field(default=None, repr=False, compare=False)
    fingerprints: tuple[str, str] | None = field(default=None, repr=False)
    pair: Pair | None = field(default=None, repr=False, compare=False)
    notes: tuple[str, ...] = ()
    spread: bool = False
    overlap: Overlap | None = field(default=None, repr=False, compare=False)
    confused: Confused = field(default_factory=dict)
    corrected: Overlap | None = field(default=None, repr=False, compare=False)

    def table(self, reading: str = "text") -> Overlap | None:
        """The table that a reading looks at, if it was kept; what was counted elsewhere has no pieces.

        Examples
        --------
        >>> import numpy as np, softpq
        >>> images = {"a": np.array([1, 1, 2]), "b": np.array([3, 3, 0])}
        >>> results = softpq.evaluate_dataset(images, images, keep_tables=True)
        >>> [image.table().n_truth for image in results.images]
        [2, 1]
        """
        if self.tables is not None:
            return self.tables.of_released if reading == "released" else self.tables.objects
        return None if reading == "released" else self.overlap

    @classmethod
    def of(
        cls,
        name: str,
        model: str,
        evaluation: Evaluation,
        *,
        classes: ClassScores | None = None,
        class_of: Sequence[Mapping[int, str] | None] = (None, None),
        pair: Pair | None = None,
        keep_objects: bool = False,
        keep_tables: bool = False,
        keep_overlap: bool = False,
    ) -> ImageResult:
        """Make the result of an image from its evaluation; ``class_of`` is label -> class of both sides.

        Examples
        --------
        >>> import softpq
        >>> ImageResult.of("field 1", "model", softpq.evaluate([1, 1, 2], [1, 1, 0])).counts["fn"]
        1
        """
        found = verdict_counts(evaluation.overlap, evaluation.settings)
        overlap = evaluation.overlap
        return cls(
            name,
            model,
            evaluation.scores,
            evaluation.counts,
            {f"{side}_{verdict}": n for (side, verdict), n in found.items()},
            classes or {},
            evaluation.objects if keep_objects else None,
            evaluation.tables(class_of) if keep_tables else None,
            (
                fingerprint_of_objects(overlap.truth_ids, overlap.truth_areas, overlap.pixels),
                fingerprint_of_objects(overlap.pred_ids, overlap.pred_areas, overlap.pixels),
            ),
            pair,
            overlap=overlap if keep_overlap or keep_tables else None,
            corrected=evaluation.corrected if keep_overlap else None,
        )

    def values(self) -> dict[str, float]:
        """Metric -> value.

        Examples
        --------
        >>> import softpq
        >>> ImageResult.of("field 1", "model", softpq.evaluate([1, 1, 2], [1, 1, 0])).values()["recall"]
        0.5
        """
        return {name: score.value for name, score in self.scores.items()}

    @property
    def is_empty(self) -> bool:
        """Whether neither side has an object."""
        return self.counts["n_truth"] == 0 and self.counts["n_pred"] == 0


def images_of_class(images: tuple[ImageResult, ...], name: str, plan: Plan) -> tuple[ImageResult, ...]:
    """The images of a class: all where a model or the truth has an object of it."""
    known = {image.name for image in images if name in image.classes}
    nothing = Overlap.from_pairs([], [], [])
    empty = {metric: METRICS[metric].score(nothing, plan.options) for metric in images[0].scores} if images else {}
    found = []
    for image in images:
        if image.name in known:
            of_class = image.classes.get(name, empty)
            scores = {metric: of_class[metric] for metric in empty}  # those that all images have
            parts = next(iter(scores.values())).parts
            counts = {side: int(parts[side]) for side in ("n_truth", "n_pred")}
            found.append(ImageResult(image.name, image.model, scores, counts))
    return tuple(found)


def with_common_metrics(images: tuple[ImageResult, ...]) -> tuple[tuple[ImageResult, ...], tuple[str, ...]]:
    """The images with the metrics that all of them have, and a note on those that are refused where objects overlap."""
    names = list(dict.fromkeys(name for image in images for name in image.scores))
    lost = [name for name in names if any(name not in image.scores for image in images)]
    if not lost:
        return images, ()
    without = sum(lost[0] not in image.scores for image in images)
    note = f"{', '.join(lost)}: left out, as objects overlap in {without} of {len(images)} images."
    kept = [{name: score for name, score in image.scores.items() if name not in lost} for image in images]
    return tuple(replace(image, scores=scores) for image, scores in zip(images, kept, strict=True)), (note,)


@dataclass(frozen=True)
class Failure:
    """An image that could not be scored, and why; ``of_truth`` if its truth is to blame, and no model could be."""

    name: str
    model: str
    reason: str
    of_truth: bool = False


def is_nan(value: Any) -> bool:
    """Whether a value of any kind is undefined."""
    return isinstance(value, float) and math.isnan(value)


def no_nan(values: Mapping[str, float]) -> dict[str, float | None]:
    """Return what can be written as JSON."""
    return {name: None if is_nan(value) else value for name, value in values.items()}
