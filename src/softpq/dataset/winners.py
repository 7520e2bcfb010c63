"""Does the ranking survive the thresholds? Which model is best at each pair of them, and where that is clear."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.dataset.comparing import Headline
from softpq.dataset.exchanges import Exchanged
from softpq.dataset.families import holm
from softpq.dataset.image_result import ImageResult
from softpq.dataset.samples import Units
from softpq.dataset.statistics import FEWEST, exchange_p
from softpq.dataset.terms import Terms
from softpq.explain.surface import parts_over
from softpq.metrics import METRICS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softpq.dataset.results import Results
    from softpq.settings import Settings

    Floats = NDArray[np.float64]

STEP = 0.02
"""Between thresholds."""

LOWS, HIGHS = (0.0, 0.9), (0.5, 1.0)
"""First and last of the lower and upper thresholds."""

AT_ONCE = 48
"""Points of the map whose exchanges are made together."""


@dataclass(frozen=True, eq=False)
class WinnerMap:
    """Who is best where.

    Attributes
    ----------
    iou_low, iou_high
        The thresholds.
    models
        Their names.
    values
        SoftPQ by model, lower and upper threshold; NaN where the lower exceeds the upper.
    best
        Position of the best model by lower and upper threshold; -1 where there is none.
    clear
        Whether the best is told apart from every other one, by Holm's method over the pairs of that point.

    Examples
    --------
    >>> import numpy as np, softpq
    >>> truth = [np.arange(1, 9)] * 6
    >>> preds = [[np.where(np.arange(8) < k + j, np.arange(1, 9), 0) for k in range(6)] for j in (1, 2)]
    >>> results = softpq.evaluate_dataset(truth, dict(a=preds[0], b=preds[1]), keep_tables=True)
    >>> winners = results.winners(step=0.25)
    >>> winners.models, winners.shares["b"][0]
    (('a', 'b'), 1.0)
    """

    iou_low: Floats
    iou_high: Floats
    models: tuple[str, ...]
    values: Floats = field(repr=False)
    best: NDArray[np.int64] = field(repr=False)
    clear: NDArray[np.bool_] = field(repr=False)

    @property
    def shares(self) -> dict[str, tuple[float, float]]:
        """Model -> share of the points where it is the best, and where that is clear."""
        points = max(int((self.best >= 0).sum()), 1)
        return {
            model: (int((self.best == k).sum()) / points, int(((self.best == k) & self.clear).sum()) / points)
            for k, model in enumerate(self.models)
        }

    def __str__(self) -> str:
        told = [
            f"{model} is best at {share:.0%} of the thresholds (clearly at {clear:.0%})"
            for model, (share, clear) in sorted(self.shares.items(), key=lambda item: -item[1][0])
            if share > 0
        ]
        return "; ".join(told) or "no model is best anywhere"


def grid(step: float = STEP) -> tuple[Floats, Floats]:
    """Lower and upper thresholds."""
    if not 0.005 <= step <= 0.5:
        raise ValueError(f"step must be from 0.005 to 0.5; got {step:g}.")
    sides = [np.round(np.arange(first, last + step / 2, step), 10) for first, last in (LOWS, HIGHS)]
    return sides[0], sides[1]


def winner_map(results: Results, asked: Headline, step: float = STEP) -> WinnerMap:
    """Compare all models at all thresholds, on the images that all have."""
    models = results.scored
    reading = results.settings.reading
    if any(image.table(reading) is None for image in results.images) or not results.images:
        raise ValueError("results must have kept their tables for a map of winners; evaluate with keep_tables=True.")
    lows, highs = grid(step)
    units = results._field(models).units
    inside = lows[:, None] <= highs[None, :]
    sums = [_Sums.of(arm.images, lows, highs, inside, results.settings) for arm in units.arms]
    points = list(_points(sums, units, asked, results.settings))
    values = np.full((len(models), *inside.shape), np.nan)
    best, clear = np.full(inside.shape, -1), np.zeros(inside.shape, bool)
    values[:, inside] = np.array([[one.value for one in terms] for terms in points]).T if points else np.nan
    best[inside] = [int(np.argmax([one.value for one in terms])) for terms in points]
    if len(models) > 1 and points[0][0].units >= FEWEST and reading != "released":
        clear[inside] = _clear(points, asked)
    return WinnerMap(lows, highs, models, values, best, clear)


@dataclass(frozen=True)
class _Sums:
    """What SoftPQ is made of, for one model: by image and point of the map."""

    matched: Floats
    quality: Floats
    forgiven: Floats
    n_truth: Floats
    n_pred: Floats

    @classmethod
    def of(
        cls, images: Sequence[ImageResult], lows: Floats, highs: Floats, inside: NDArray[np.bool_], settings: Settings
    ) -> _Sums:
        shape = (len(images), int(inside.sum()))
        matched, quality, forgiven = (np.empty(shape, kind) for kind in (np.float32, np.float64, np.float32))
        for k, image in enumerate(images):
            table = image.table(settings.reading)
            assert table is not None
            parts = parts_over(table, lows, highs, settings)
            matched[k], forgiven[k] = parts["matched"][inside], parts["forgiven"][inside]
            quality[k] = (parts["matched_iou"] + parts["soft_iou"])[inside]
        counts = [np.array([image.counts[name] for image in images], float) for name in ("n_truth", "n_pred")]
        return cls(matched, quality, forgiven, counts[0], counts[1])

    def parts(self, point: int) -> dict[str, Any]:
        """As the metric has them; matches and soft pairs only count together."""
        return {
            "matched": self.matched[:, point].astype(np.float64),
            "matched_iou": np.zeros(len(self.n_truth)),
            "soft_iou": self.quality[:, point],
            "forgiven": self.forgiven[:, point].astype(np.float64),
            "n_truth": self.n_truth,
            "n_pred": self.n_pred,
        }


def _points(sums: Sequence[_Sums], units: Units, asked: Headline, settings: Settings) -> Iterator[list[Terms]]:
    """The terms of every model, point by point."""
    options = vars(settings)
    for point in range(sums[0].quality.shape[1]):
        columns = [_terms(one.parts(point), asked.over, options) for one in sums]
        yield units.of_columns(columns, everywhere=asked.over == "mean").terms


def _terms(parts: dict[str, Any], over: str, options: dict[str, Any]) -> tuple[list[Floats], list[Floats]]:
    metric, size = METRICS["softpq"], len(parts["n_truth"])
    if over == "mean":
        values = metric.values(parts, options)
        defined = ~np.isnan(values)
        return [np.where(defined, values, 0.0)], [defined.astype(np.float64)]
    terms = metric.terms_of(parts, options)
    if terms is None:  # the authors' program: no quotient of sums, a value all the same
        total = {name: float(np.sum(part)) for name, part in parts.items()}
        terms = [(metric.restored(total, options).value / size, 1 / size)]
    return [np.broadcast_to(terms[0][0], size)], [np.broadcast_to(terms[0][1], size)]


def _clear(points: Sequence[list[Terms]], asked: Headline) -> list[bool]:
    """Whether the best model beats every other one, at each point."""
    found: list[bool] = []
    pairs = [(i, j) for i in range(len(points[0])) for j in range(i + 1, len(points[0]))]
    for start in range(0, len(points), AT_ONCE):
        some = points[start : start + AT_ONCE]
        for terms, exchanged in zip(some, Exchanged.of_each(some, len(pairs), asked.seed), strict=True):
            p = holm([exchange_p((terms[i], terms[j]), exchanged, (i, j)) for i, j in pairs])
            best = int(np.argmax([one.value for one in terms]))
            against = [adjusted for pair, adjusted in zip(pairs, p, strict=True) if best in pair]
            found.append(max(against) <= 1 - asked.level)
    return found
