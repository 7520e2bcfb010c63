"""Other questions to the same tables: thresholds, metrics, sizes of objects; no image is read again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Unpack

from softpq.dataset.image_result import ImageResult
from softpq.dataset.results import Results
from softpq.evaluation import evaluate_tables
from softpq.explain.verdicts import verdict_counts
from softpq.metrics import METRICS
from softpq.metrics._by_size import by_size
from softpq.metrics.score import pooled
from softpq.plan import Plan, PlanOptions
from softpq.table.overlap import Overlap

NO_TABLES = "results must have kept their tables for {}; evaluate with keep_tables=True."


def rescored(results: Results, **changes: Unpack[PlanOptions]) -> Results:
    """Score the tables of results anew: other thresholds, another reading, other metrics beside those that are there.

    Parameters
    ----------
    results
        Of :func:`softpq.evaluate_dataset` with ``keep_tables=True``.
    changes
        What is asked for now, as for :func:`softpq.evaluate_dataset`; metrics of boundary bands need the images.

    Examples
    --------
    >>> import numpy as np, softpq
    >>> truth, pred = [np.array([1, 1, 1, 2])], [np.array([1, 1, 0, 2])]
    >>> results = softpq.evaluate_dataset(truth, pred, keep_tables=True)
    >>> results.pooled()["f1"], rescored(results, threshold=0.9).pooled()["f1"]
    (1.0, 0.5)
    """
    plan = _changed(results, changes)
    if plan.wants_bands:
        raise ValueError("metrics must not be of boundary bands, which are counted from images; evaluate them again.")
    return _of_tables(results, plan, lambda table: table, "other metrics or thresholds")


def threshold_curves(
    results: Results, metrics: Sequence[str], thresholds: Sequence[float]
) -> dict[str, dict[str, list[float]]]:
    """Model -> metric -> its pooled value at each threshold of a match.

    Parameters
    ----------
    results
        Of :func:`softpq.evaluate_dataset` with ``keep_tables=True``.
    metrics
        Names of metrics that have a threshold.
    thresholds
        Of IoU.
    """
    tables = {model: [image.table() for image in results.of(model)] for model in results.scored}
    if any(table is None for own in tables.values() for table in own):
        raise ValueError(NO_TABLES.format("curves"))

    def value(own: Sequence[Overlap | None], name: str, threshold: float) -> float:
        options = {**results.plan.options, "threshold": threshold}
        return pooled([METRICS[name].score(table, options) for table in own if table is not None]).value

    return {
        model: {name: [value(own, name, threshold) for threshold in thresholds] for name in metrics}
        for model, own in tables.items()
    }


def _changed(results: Results, changes: PlanOptions) -> Plan:
    now: dict[str, Any] = {name: getattr(results.plan, name) for name in ("threshold", "strict")}
    now |= {
        name: value
        for name, value in vars(results.settings).items()
        if changes.get("preset") is None or name not in ("iou_low", "iou_high")
    }
    wanted = changes.get("metrics") or ()
    metrics = [*(name for name in results.metrics if METRICS[name].reads == "objects"), *wanted]
    asked: Any = {**now, **changes, "metrics": list(dict.fromkeys(metrics))}
    return replace(Plan.of(**asked), ignore=results.plan.ignore)


def by_sizes(results: Results, bounds: Sequence[float]) -> dict[str, Results]:
    """Size of objects -> the results of those alone; as :func:`softpq.metrics.by_size` cuts tables.

    Parameters
    ----------
    results
        Of :func:`softpq.evaluate_dataset` with ``keep_tables=True``.
    bounds
        Areas in pixels, ascending.
    """
    bare = [name for name in results.metrics if METRICS[name].reads == "objects"]
    plan = replace(results.plan, metrics=tuple(bare))
    edges = [0, *bounds, float("inf")]
    found = {}
    for low, high in pairwise(edges):
        name = f"from {low:g}" if high == float("inf") else f"{low:g} to {high:g}" if low else f"below {high:g}"
        key = (low, high)
        found[name] = _of_tables(results, plan, lambda table, key=key: by_size(table, bounds)[key], "sizes")  # type: ignore[misc]
    return found


def _of_tables(results: Results, plan: Plan, change: Callable[[Overlap], Overlap], what: str) -> Results:
    if any(image.table(plan.settings.reading) is None for image in results.images):
        raise ValueError(NO_TABLES.format(what))
    images = tuple(_image(image, plan, change) for image in results.images)
    headline = results.headline
    if images and headline.metric not in ("", *images[0].scores):
        headline = replace(headline, metric="")
    return replace(results, images=images, plan=plan, headline=headline)


def _image(image: ImageResult, plan: Plan, change: Callable[[Overlap], Overlap]) -> ImageResult:
    found, pieces = image.table(), image.table(plan.settings.reading)
    assert found is not None
    assert pieces is not None
    table = change(found)
    evaluation = evaluate_tables(table, plan, pieces=None if pieces is found else change(pieces))
    verdicts = verdict_counts(table, plan.settings)
    return replace(
        image,
        scores=evaluation.scores,
        counts=evaluation.counts,
        verdicts={f"{side}_{verdict}": n for (side, verdict), n in verdicts.items()},
        classes={},
        confused={},
        objects=None,
        tables=image.tables if table is found else None,
        overlap=table,
    )
