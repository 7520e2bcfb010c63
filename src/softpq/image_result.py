"""The scores of one image and model, and how they are saved."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from softpq.evaluate import score_named
from softpq.metrics import METRICS
from softpq.metrics.softpq import Settings, check_choice
from softpq.objects import Objects
from softpq.overlap import Overlap
from softpq.score import Score
from softpq.tables import Tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

Arrays = Callable[[], "tuple[NDArray[Any], NDArray[Any]]"]

_NO_OBJECTS = Overlap.from_pairs([], [], [])


@dataclass(frozen=True)
class ImageResult:
    """The scores of one image and model.

    ``tables`` is what they were computed from, if it was kept; ``fingerprints`` tell the two images from others;
    ``arrays`` reads the two images again.
    """

    name: str
    model: str
    scores: Mapping[str, Score]
    verdicts: Mapping[str, int] = field(default_factory=dict)
    objects: Objects | None = field(default=None, repr=False, compare=False)
    classes: Mapping[str, Mapping[str, Score]] = field(default_factory=dict)
    tables: Tables | None = field(default=None, repr=False, compare=False)
    fingerprints: tuple[str, str] | None = field(default=None, repr=False)
    arrays: Arrays | None = field(default=None, repr=False, compare=False)

    def values(self) -> dict[str, float]:
        """Metric -> value."""
        return {name: score.value for name, score in self.scores.items()}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "arrays": None}  # how to read files is not for another process

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


@dataclass(frozen=True)
class Failure:
    """An image that could not be scored, and why."""

    name: str
    model: str
    reason: str


def is_empty(image: ImageResult) -> bool:
    """Whether neither side has an object."""
    parts = next(iter(image.scores.values())).parts
    return bool(parts["n_truth"] == 0 and parts["n_pred"] == 0)


def is_nan(value: Any) -> bool:
    """Whether a value of any kind is undefined."""
    return isinstance(value, float) and math.isnan(value)


def no_nan(values: Mapping[str, float]) -> dict[str, float | None]:
    """Return what can be written as JSON."""
    return {name: None if is_nan(value) else value for name, value in values.items()}


def counts_of(image: ImageResult) -> dict[str, int]:
    """Objects of an image, and matches if a metric counted them."""
    parts = [score.parts for score in image.scores.values()]
    counts = {name: int(parts[0][name]) for name in ("n_truth", "n_pred")}
    with_tp = next((p for p in parts if "tp" in p), None)
    if with_tp is not None:
        tp = int(with_tp["tp"])
        counts |= {"tp": tp, "fp": counts["n_pred"] - tp, "fn": counts["n_truth"] - tp}
    return counts


def image_to_json(image: ImageResult) -> dict[str, Any]:
    """Return one image as plain JSON."""
    return {
        "name": image.name,
        "model": image.model,
        "values": no_nan(image.values()),
        "parts": _parts_of(image.scores),
        "verdicts": dict(image.verdicts),
        "classes": {name: _parts_of(scores) for name, scores in image.classes.items()},
        **({} if image.tables is None else {"tables": image.tables.to_json()}),
        **({} if image.fingerprints is None else {"fingerprints": list(image.fingerprints)}),
    }


def _parts_of(scores: Mapping[str, Score]) -> dict[str, dict[str, Any]]:
    return {name: dict(score.parts) for name, score in scores.items()}


def image_from_json(item: Mapping[str, Any], settings: Settings, threshold: float) -> ImageResult:
    """Read what :func:`image_to_json` made."""
    classes = {name: _scores_from(parts, settings, threshold) for name, parts in item.get("classes", {}).items()}
    scores = _scores_from(item["parts"], settings, threshold)
    tables = Tables.from_json(item["tables"]) if "tables" in item else None
    prints = (str(item["fingerprints"][0]), str(item["fingerprints"][1])) if "fingerprints" in item else None
    return ImageResult(
        item["name"], item["model"], scores, item["verdicts"], None, classes, tables=tables, fingerprints=prints
    )


def _scores_from(found: Mapping[str, Any], settings: Settings, threshold: float) -> dict[str, Score]:
    scores = {}
    for name, parts in found.items():
        check_choice(name, tuple(METRICS), "metric")
        model = score_named(name, _NO_OBJECTS, settings, threshold)
        listed = {key: tuple(value) if isinstance(value, list) else value for key, value in parts.items()}
        scores[name] = Score(name, listed, model.formula, model.settings)
    return scores
