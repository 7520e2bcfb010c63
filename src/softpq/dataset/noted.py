"""One image as plain JSON: a line of the file that a run goes on from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from softpq._checks import check_choice
from softpq.dataset.image_result import ImageResult, no_nan
from softpq.metrics import METRICS
from softpq.plan import Plan
from softpq.table.tables import Tables

if TYPE_CHECKING:
    from softpq.metrics.score import Score


def image_to_json(image: ImageResult) -> dict[str, Any]:
    """Return one image as plain JSON."""
    return {
        "name": image.name,
        "model": image.model,
        "values": no_nan(image.values()),
        "parts": _parts_of(image.scores),
        "counts": dict(image.counts),
        "verdicts": dict(image.verdicts),
        "classes": {name: _parts_of(scores) for name, scores in image.classes.items()},
        **({} if image.tables is None else {"tables": image.tables.to_json()}),
        **({"confused": image.confused} if image.confused else {}),
        **({"notes": list(image.notes)} if image.notes else {}),
        **({} if image.fingerprints is None else {"fingerprints": list(image.fingerprints)}),
    }


def _parts_of(scores: Mapping[str, Score]) -> dict[str, dict[str, Any]]:
    return {name: dict(score.parts) for name, score in scores.items()}


def image_from_json(item: Mapping[str, Any], plan: Plan) -> ImageResult:
    """Read what :func:`image_to_json` made."""
    prints = (str(item["fingerprints"][0]), str(item["fingerprints"][1])) if "fingerprints" in item else None
    return ImageResult(
        item["name"],
        item["model"],
        _scores_from(item["parts"], plan),
        item["counts"],
        item["verdicts"],
        {name: _scores_from(parts, plan) for name, parts in item["classes"].items()},
        tables=Tables.from_json(item["tables"]) if "tables" in item else None,
        fingerprints=prints,
        notes=tuple(item.get("notes", ())),
        confused=item.get("confused", {}),
    )


def _scores_from(found: Mapping[str, Any], plan: Plan) -> dict[str, Score]:
    scores = {}
    for name, parts in found.items():
        check_choice(name, METRICS, "metric")
        listed = {key: tuple(value) if isinstance(value, list) else value for key, value in parts.items()}
        scores[name] = METRICS[name].restored(listed, plan.options)
    return scores


def is_usable(image: ImageResult) -> bool:
    """Whether what was noted has values that can be computed with.

    Raises
    ------
    Exception
        Of any kind, if it has not.
    """
    every = [image.scores, *image.classes.values()]
    numbers = [part for scores in every for score in scores.values() for part in _numbers_of(score)]
    for scores in every:
        for score in scores.values():
            float(score.value)
    counts = [*image.counts.values(), *image.verdicts.values()]
    counted = all(type(count) is int and 0 <= count < 2**62 for count in counts)
    good = counted and bool(image.scores) and {"n_truth", "n_pred"} <= {*image.counts}
    return good and all(type(one) in (int, float) and abs(one) < 2**62 for one in numbers)


def _numbers_of(score: Score) -> list[Any]:
    """All parts, also those that are lists."""
    return [one for part in score.parts.values() for one in (part if isinstance(part, tuple) else (part,))]
