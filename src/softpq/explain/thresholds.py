"""Whole threshold curves and surfaces from one Overlap.

See surface.py for how a surface is made without a loop over its points.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq._checks import check_choice, check_threshold
from softpq.explain.surface import parts_over
from softpq.metrics import METRICS
from softpq.settings import Penalty, Priority, Reading, Settings
from softpq.table.matching import check_table

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from softpq.table.overlap import Overlap

    Floats = NDArray[np.float64]

CURVES = tuple(name for name, metric in METRICS.items() if "threshold" in metric.options and metric.reads == "objects")
"""Metrics that :func:`curve` knows."""


@dataclass(frozen=True, eq=False)
class Surface:
    """SoftPQ over both thresholds.

    Attributes
    ----------
    iou_low, iou_high
        The thresholds.
    values
        One row per lower, one column per upper threshold; NaN where the lower exceeds the upper.
    settings
        The other settings.

    Examples
    --------
    >>> from softpq import Overlap
    >>> surface = sweep(Overlap.from_labels([1, 1, 1, 1], [1, 1, 1, 0]), [0.05], [0.5, 0.8])
    >>> surface.values.round(3).tolist()
    [[0.75, 0.53]]
    """

    iou_low: Floats
    iou_high: Floats
    values: Floats = field(repr=False)
    settings: Settings


def sweep(
    overlap: Overlap,
    iou_low: ArrayLike | None = None,
    iou_high: ArrayLike | None = None,
    *,
    penalty: Penalty = "sqrt",
    priority: Priority = "over",
    reading: Reading = "text",
) -> Surface:
    """Compute SoftPQ for every pair of thresholds, exactly.

    Parameters
    ----------
    overlap
        The table.
    iou_low
        Lower thresholds; 0, 0.01, ... 1 by default.
    iou_high
        Upper thresholds; 0.5, 0.51, ... 1 by default. Below 0.5 the matching is an assignment problem for each.
    penalty
        Of n soft matches of one object: ``"sqrt"`` divides by √(n+1), ``"linear"`` by n+1, ``"log"`` by max(1,
        ln(n+1)), ``"log-raw"`` by ln(n+1); or a function of n.
    priority
        Soft matches belong to truth objects (``"over"``) or to predictions (``"under"``).
    reading
        What is counted where the paper's text, formulas and code differ: ``"text"``, ``"figures"``, ``"released"``,
        ``"unified"``.

    See Also
    --------
    softpq.curve : Any metric against the threshold.
    softpq.plots.plot_surface : A picture of the surface.

    Examples
    --------
    >>> from softpq import Overlap
    >>> surface = sweep(Overlap.from_labels([1, 1, 1, 1], [1, 1, 1, 2]), [0.2, 0.5], [0.5, 0.8])
    >>> surface.values.round(3)
    array([[0.618, 0.577],
           [0.5  , 0.53 ]])
    """
    check_table(overlap)
    lows = _thresholds(iou_low, np.arange(101) / 100, "iou_low")
    highs = _thresholds(iou_high, np.arange(50, 101) / 100, "iou_high")
    settings = Settings(0.0, 1.0, penalty, priority, reading)
    if highs.size and highs.min() == 0:
        raise ValueError("iou_high must be above 0; got 0.")
    low_order, high_order = np.argsort(lows, kind="stable"), np.argsort(highs, kind="stable")
    parts: dict[str, Any] = dict(parts_over(overlap, lows[low_order], highs[high_order], settings))
    parts |= {"n_truth": overlap.n_truth, "n_pred": overlap.n_pred}
    values = np.empty((len(lows), len(highs)))
    values[np.ix_(low_order, high_order)] = _valued(parts, METRICS["softpq"].restored(parts, vars(settings)).formula)
    values[lows[:, None] > highs[None, :]] = np.nan
    return Surface(lows, highs, values, settings)


def _valued(parts: dict[str, Any], formula: Callable[[Any], float]) -> Floats:
    shape = parts["matched"].shape
    values = np.empty(shape)
    numbers = {name: np.broadcast_to(part, shape).ravel().tolist() for name, part in parts.items()}
    values.ravel()[:] = [formula(dict(zip(numbers, row, strict=True))) for row in zip(*numbers.values(), strict=True)]
    return values


def _thresholds(given: ArrayLike | None, default: Floats, name: str) -> Floats:
    values = default if given is None else np.atleast_1d(np.asarray(given, np.float64))
    if values.ndim != 1:
        raise ValueError(f"{name} must be a flat list of thresholds; got shape {values.shape}.")
    for value in values:
        check_threshold(float(value), name)
    return values


def curve(
    overlap: Overlap, metric: str = "pq", thresholds: Sequence[float] | None = None, *, strict: bool = False
) -> tuple[Floats, Floats]:
    """Compute PQ, F1 or another metric on one matching for many thresholds.

    Parameters
    ----------
    overlap
        The table.
    metric
        One on a single matching: ``pq``, ``sq``, ``rq``, ``f1``, ``precision``, ``recall``, ``accuracy``,
        ``mean_matched_iou``, ``mean_true_iou``.
    thresholds
        0.5, 0.51, ... 1 by default.
    strict
        Match above the threshold instead of from it on.

    Returns
    -------
    thresholds, values

    See Also
    --------
    softpq.sweep : SoftPQ at all pairs of thresholds.
    softpq.plots.plot_curves : A picture of curves.

    Examples
    --------
    >>> from softpq import Overlap
    >>> curve(Overlap.from_labels([1, 1, 1, 1], [1, 1, 1, 0]), "f1", [0.5, 0.75, 0.8])[1]
    array([1., 1., 0.])
    """
    check_table(overlap)
    check_choice(metric, CURVES, "metric")
    at = _thresholds(thresholds, np.arange(50, 101) / 100, "thresholds")
    return at, np.array([float(METRICS[metric](overlap, threshold=t, strict=strict)) for t in at])
