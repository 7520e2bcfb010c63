"""Results of several runs as one: only what was scored in the same way, against the same truth, may be added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from softpq.dataset.image_result import ImageResult
from softpq.plan import Plan

if TYPE_CHECKING:
    from softpq.dataset.results import Results

_MAY_DIFFER = (
    "metrics", "missing", "classes", "allow_outside", "require_chunks", "axes", "channel", "check", "geometry",
)  # fmt: skip
"""What a plan may have otherwise, and the numbers still mean the same."""


def merged(first: Results, second: Results) -> Results:
    """The images of both, with the metrics that both have."""
    _check_plans(first.plan, second.plan)
    _check_images([*first.images, *second.images])
    metrics = [name for name in first.metrics if name in second.metrics] if second.images else first.metrics
    metrics = metrics if first.images else second.metrics
    if not metrics:
        raise ValueError("results must have a metric in common to be added; they have none.")
    headline = first.headline if first.headline.metric in ("", *metrics) else replace(first.headline, metric="")
    return replace(
        first,
        images=tuple(_only(image, metrics) for image in (*first.images, *second.images)),
        plan=replace(first.plan, metrics=tuple(metrics)),
        failures=(*first.failures, *second.failures),
        notes=tuple(dict.fromkeys((*first.notes, *second.notes))),
        groups=_both_groups(first.groups, second.groups),
        headline=headline,
    )


def _check_plans(first: Plan, second: Plan) -> None:
    one, other = _told(first), _told(second)
    for name, value in one.items():
        if value != other[name]:
            raise ValueError(
                f"results must be scored in the same way to be added; {name} is {value} in one and {other[name]} in "
                "the other. Score them again, or keep tables and choose one."
            )


def _told(plan: Plan) -> dict[str, Any]:
    told = {name: value for name, value in plan.to_dict().items() if name not in _MAY_DIFFER}
    return {**told.pop("settings"), **told}


def _check_images(images: Sequence[ImageResult]) -> None:
    """No image twice for one model; the same truth behind all images of one name."""
    for (model, name), count in Counter((image.model, image.name) for image in images).items():
        if count > 1:
            raise ValueError(
                f"models must have different names to be added; {model} has {name} in both. Rename one of them."
            )
    known: dict[str, str] = {}
    other = {}
    for image in images:
        if image.fingerprints and known.setdefault(image.name, image.fingerprints[0]) != image.fingerprints[0]:
            other[image.name] = True
    if other:
        shown = ", ".join(list(other)[:3]) + (" and others" if len(other) > 3 else "")
        raise ValueError(
            f"results must be scored against the same truth to be added; {len(other)} of {len(known)} images have "
            f"other objects: {shown}."
        )


def _only(image: ImageResult, metrics: Sequence[str]) -> ImageResult:
    if list(image.scores) == list(metrics):
        return image
    classes = {name: {metric: scores[metric] for metric in metrics} for name, scores in image.classes.items()}
    return replace(image, scores={metric: image.scores[metric] for metric in metrics}, classes=classes)


def _both_groups(first: Mapping[str, str], second: Mapping[str, str]) -> dict[str, str]:
    for name in first.keys() & second.keys():
        if first[name] != second[name]:
            raise ValueError(f"groups must agree to be added; {name} is in {first[name]} and in {second[name]}.")
    return {**first, **second}
