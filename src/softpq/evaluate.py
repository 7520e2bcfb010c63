"""The front door: two label images in, numbers out."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq import _core
from softpq.attribution import attribution
from softpq.labels import as_ignore, as_labels, check_same_shape, not_negative
from softpq.metrics import METRICS, OF_BANDS
from softpq.metrics.softpq import Penalty, Priority, Reading, Settings, check_choice, softpq_with
from softpq.objects import Objects, objects_of
from softpq.overlap import Overlap
from softpq.score import Score
from softpq.tables import Tables

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

AT_THRESHOLD = frozenset(
    {"pq", "sq", "rq", "f1", "precision", "recall", "accuracy", "mean_matched_iou", "mean_true_iou", "boundary_pq"}
)
"""Metrics on one matching; they follow ``threshold``."""


def split_components(labels: ArrayLike) -> NDArray[np.uint64]:
    """Give every connected piece of every label its own label; pieces that touch at a corner stay together.

    Examples
    --------
    >>> split_components([[1, 0, 1], [2, 0, 1]])
    array([[1, 0, 2],
           [3, 0, 2]], dtype=uint64)
    """
    array = np.ascontiguousarray(not_negative(as_labels(labels, "labels"), "labels", None))
    return _core.connected_components(array).reshape(array.shape)


def score(
    truth: ArrayLike,
    pred: ArrayLike,
    *,
    iou_low: float = 0.05,
    iou_high: float = 0.5,
    penalty: Penalty = "sqrt",
    priority: Priority = "over",
    reading: Reading = "text",
    preset: str | None = None,
    ignore: ArrayLike | None = None,
    empty: float = math.nan,
) -> float:
    """SoftPQ of a prediction.

    Parameters
    ----------
    truth, pred
        Label images of the same shape: integers, 0 is background, one label is one object.
    iou_low, iou_high
        Pairs above ``iou_low`` (0.05) count softly, matches from ``iou_high`` (0.5) on count fully. Both 0.5 is PQ.
    penalty
        What soft matches of an object with n of them are divided by: ``"sqrt"`` (√(n+1)), ``"linear"``, ``"log"``,
        ``"log-raw"``, or a function of n.
    priority
        ``"over"`` groups soft matches by truth object, ``"under"`` by prediction.
    reading
        ``"text"``, ``"figures"``, ``"unified"`` or ``"released"`` (the authors' program, which splits labels into
        connected components first).
    preset
        ``"general"``, ``"precise"``, ``"exploratory"`` or ``"paper"`` instead of the two thresholds.
    ignore
        A boolean mask, or a label of truth, whose pixels count nowhere.
    empty
        The answer when neither image has an object.

    Examples
    --------
    >>> import softpq
    >>> softpq.score([[1, 1, 0], [2, 2, 0]], [[1, 1, 0], [0, 2, 0]])
    0.75
    """
    settings = Settings.make(iou_low, iou_high, penalty, priority, reading, preset)
    value = softpq_with(_overlap_for(truth, pred, ignore, settings), settings).value
    return empty if math.isnan(value) else value


def _overlap_for(truth: ArrayLike, pred: ArrayLike, ignore: ArrayLike | None, settings: Settings) -> Overlap:
    """Count; the authors' program looks at connected components, and so does its reading."""
    if settings.reading != "released":
        return Overlap.from_labels(truth, pred, ignore=ignore)
    truth, pred = as_labels(truth, "truth"), as_labels(pred, "pred")
    check_same_shape(truth, pred)
    mask = as_ignore(ignore, truth)
    pieces = [split_components(not_negative(side, name, mask)) for side, name in ((truth, "truth"), (pred, "pred"))]
    return Overlap.from_labels(*pieces, ignore=None if mask is None else mask.astype(bool))


class Evaluation(Mapping[str, float]):
    """All numbers of one pair of images: a read-only mapping from metric name to value.

    Attributes
    ----------
    scores
        Metric name -> Score; Scores of several images add.
    overlap
        The table they were computed from.
    settings
        Of SoftPQ.
    threshold
        Of PQ, F1 and the other metrics on one matching.
    objects
        What happened to each object, see :class:`softpq.objects.Objects`.
    """

    def __init__(
        self,
        scores: Mapping[str, Score],
        overlap: Overlap,
        settings: Settings,
        threshold: float,
        arrays: tuple[NDArray[Any], NDArray[Any]] | None = None,
    ) -> None:
        self._arrays = arrays
        self._ignore: ArrayLike | None = None
        self.scores = scores
        self.overlap = overlap
        self.settings = settings
        self.threshold = threshold
        self._values = {name: score.value for name, score in scores.items()} | self._counts()

    def _counts(self) -> dict[str, float]:
        counts: dict[str, float] = {}
        for one in self.scores.values():
            if "tp" in one.parts:
                tp, n_truth, n_pred = (int(one.parts[key]) for key in ("tp", "n_truth", "n_pred"))
                counts |= {"tp": tp, "fp": n_pred - tp, "fn": n_truth - tp}
                break
        counts |= {"n_truth": self.overlap.n_truth, "n_pred": self.overlap.n_pred}
        if "softpq" in self.scores:
            counts["n_soft"] = int(self.scores["softpq"].parts["soft"])
        return counts

    @cached_property
    def objects(self) -> Objects:
        """What happened to each object; with places while the images that were given are still there."""
        return objects_of(self.overlap, self.settings, arrays=self._arrays)

    def remember(self, truth: ArrayLike, pred: ArrayLike, ignore: ArrayLike | None = None) -> None:
        """Keep the images, so that objects have places."""
        self._arrays = (as_labels(truth, "truth"), as_labels(pred, "pred"))
        self._ignore = ignore

    @property
    def arrays(self) -> tuple[NDArray[Any], NDArray[Any]] | None:
        """The two images, if they were kept."""
        return self._arrays

    def tables(self) -> Tables:
        """Return the table, and that of connected pieces where it is another and the images are at hand."""
        if self._arrays is None:
            return Tables(self.overlap)
        if self._ignore is not None:
            return Tables(self.overlap, _overlap_for(*self._arrays, self._ignore, Settings(reading="released")))
        pieces = Overlap.from_labels(*(split_components(side) for side in self._arrays))
        return Tables(self.overlap, None if pieces.same_but_for_labels(self.overlap) else pieces)

    def attribution(self) -> dict[str, dict[str, float]]:
        """By how much SoftPQ, PQ and F1 would rise if one kind of error were repaired."""
        return attribution(self.overlap, self.settings)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_arrays": None, "_ignore": None}

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def to_dict(self) -> dict[str, float | None]:
        """Return a plain dictionary that is valid JSON: undefined values are None."""
        return {name: None if math.isnan(value) else value for name, value in self.items()}

    def to_json(self) -> str:
        """Return the values as JSON."""
        return json.dumps(self.to_dict())

    def __repr__(self) -> str:
        width = max(len(name) for name in self)
        rows = "\n".join(f"  {name:<{width}}  {_shown(value)}" for name, value in self.items())
        return f"Evaluation (SoftPQ: {self.settings}; others at IoU {self.threshold:g})\n{rows}"

    def report(self, path: str | Path, **options: Any) -> None:
        """Write a page that shows why the score is what it is; options as for :func:`softpq.report.write_report`."""
        import_module("softpq.report").write_report(self, path, **options)

    def _repr_html_(self) -> str:
        return str(import_module("softpq.report").inline(self))


def _shown(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.4f}"


def evaluate(
    truth: ArrayLike,
    pred: ArrayLike,
    *,
    metrics: Sequence[str] | None = None,
    iou_low: float = 0.05,
    iou_high: float = 0.5,
    penalty: Penalty = "sqrt",
    priority: Priority = "over",
    reading: Reading = "text",
    preset: str | None = None,
    ignore: ArrayLike | None = None,
    threshold: float = 0.5,
    boundary: float | None = None,
    spacing: Sequence[float] | None = None,
    threads: int | None = None,
) -> Evaluation:
    """Compute all metrics, or those asked for, of one prediction.

    Parameters
    ----------
    truth, pred
        Label images of the same shape.
    metrics
        Names from ``softpq.metrics.METRICS``; all of them by default.
    iou_low, iou_high, penalty, priority, reading, preset, ignore
        As for :func:`softpq.score`; they belong to SoftPQ.
    threshold
        Smallest IoU of a match for PQ, F1, precision, recall, accuracy and the counts.
    boundary, spacing
        Reach of the boundary band, as for :meth:`softpq.Overlap.from_labels`; adds the boundary metrics.
    threads
        Threads to count with; all cores by default.

    Examples
    --------
    >>> import softpq
    >>> evaluation = softpq.evaluate([1, 1, 1, 1, 0, 2], [1, 1, 1, 0, 3, 0])
    >>> evaluation["pq"], evaluation["tp"], evaluation["fp"], evaluation["fn"]
    (0.375, 1, 1, 1)
    """
    settings = Settings.make(iou_low, iou_high, penalty, priority, reading, preset)
    return evaluate_labels(
        truth,
        pred,
        metrics=metrics,
        settings=settings,
        ignore=ignore,
        threshold=threshold,
        boundary=boundary,
        spacing=spacing,
        threads=threads,
    )


def evaluate_labels(
    truth: ArrayLike,
    pred: ArrayLike,
    *,
    metrics: Sequence[str] | None = None,
    settings: Settings | None = None,
    ignore: ArrayLike | None = None,
    threshold: float = 0.5,
    boundary: float | None = None,
    spacing: Sequence[float] | None = None,
    threads: int | None = None,
) -> Evaluation:
    """Do what :func:`evaluate` does, with the settings of SoftPQ already made.

    Examples
    --------
    >>> evaluate_labels([1, 1, 0], [1, 1, 0], settings=Settings(iou_low=0.2))["softpq"]
    1.0
    """
    settings = settings or Settings()
    overlap = Overlap.from_labels(truth, pred, ignore=ignore, threads=threads)
    tables = {"softpq": _overlap_for(truth, pred, ignore, settings)} if settings.reading == "released" else {}
    if wants_bands(metrics, boundary):
        reach = 0.02 if boundary is None else boundary
        bands = Overlap.from_labels(truth, pred, ignore=ignore, threads=threads, boundary=reach, spacing=spacing)
        tables |= dict.fromkeys(OF_BANDS, bands)
    evaluation = evaluate_overlap(overlap, metrics=metrics, settings=settings, threshold=threshold, tables=tables)
    evaluation.remember(truth, pred, ignore)
    return evaluation


def wants_bands(metrics: Sequence[str] | None, boundary: float | None) -> bool:
    """Whether boundary metrics are asked for, by name or by a reach."""
    return boundary is not None or bool(OF_BANDS & set(metrics or ()))


def evaluate_overlap(
    overlap: Overlap,
    *,
    metrics: Sequence[str] | None = None,
    settings: Settings | None = None,
    threshold: float = 0.5,
    tables: Mapping[str, Overlap] = MappingProxyType({}),
) -> Evaluation:
    """Compute metrics from a table that is already counted; see :func:`evaluate`.

    ``tables`` gives some metrics a table of their own: boundary metrics need one of boundary bands.

    Examples
    --------
    >>> evaluate_overlap(Overlap.from_labels([1, 1], [1, 1]), metrics=["pq"])["pq"]
    1.0
    """
    settings = settings or Settings()
    usual = [name for name in METRICS if name not in OF_BANDS or name in tables]
    scores = {}
    for name in usual if metrics is None else metrics:
        check_choice(name, tuple(METRICS), "metrics")
        if name in OF_BANDS and name not in tables:
            raise ValueError(f'tables must hold boundary bands for "{name}"; got none. See Overlap.from_labels.')
        scores[name] = score_named(name, tables.get(name, overlap), settings, threshold)
    return Evaluation(scores, overlap, settings, threshold)


def score_named(name: str, table: Overlap, settings: Settings, threshold: float = 0.5) -> Score:
    """Score one metric of METRICS with the settings that concern it."""
    if name in ("softpq", "boundary_softpq"):
        return replace(softpq_with(table, settings), name=name)
    if name in AT_THRESHOLD:
        return METRICS[name](table, threshold=threshold)
    return METRICS[name](table)
