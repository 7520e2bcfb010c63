"""What may be said of models: intervals by the number of units, all pairs, ranks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from softpq.dataset.families import fewest_for, holm, rank_sets
from softpq.dataset.image_result import ImageResult
from softpq.dataset.samples import Units, value_of
from softpq.dataset.statistics import (
    FEWEST,
    FEWEST_MATCHED,
    FEWEST_OF_MEANS,
    FEWEST_POOLED,
    LEVEL,
    Comparison,
    Exchanged,
    Interval,
    Terms,
    of_one,
    of_two,
)
from softpq.metrics import METRICS

TOO_FEW = "too few images for an interval or a test"
ALIKE = "few images: assumes unseen ones are alike"


@dataclass(frozen=True)
class Question:
    """What is asked: a metric, over objects or images, and how sure one wants to be."""

    metric: str
    over: str
    options: Mapping[str, Any]
    groups: Mapping[str, str]
    level: float = LEVEL
    seed: int = 0

    @property
    def unbounded(self) -> bool:
        """Whether values may be above 1."""
        return METRICS[self.metric].unbounded

    def why_not(self, terms: Sequence[Terms] | None, fewest: int) -> str:
        """Why there is no interval; empty if there is one."""
        record = METRICS[self.metric]
        if self.over == "pooled" and record.by_pixels:
            return "a few images decide what is pooled over pixels; see the mean over images"
        if terms is None:
            return "the formula is no quotient of sums; see the mean over images"
        if terms[0].units < FEWEST:
            return TOO_FEW
        if record.among_matches and terms[0].units < FEWEST_MATCHED:
            return f"{terms[0].units} images have a match, {FEWEST_MATCHED} are needed"
        if terms[0].units < fewest:
            return f"{terms[0].units} images are too few for an interval of one model, {fewest} are needed"
        return ""

    def interval(self, images: Sequence[ImageResult], value: float) -> Interval:
        """Of one model."""
        terms = Units([images], self.groups).terms(self.metric, self.options, self.over)
        fewest = FEWEST_OF_MEANS if self.over == "mean" else FEWEST_POOLED
        reason = self.why_not(terms, fewest)
        if reason or terms is None or math.isnan(value):
            return Interval(value, level=self.level, reason=reason or "there is no object")
        found = of_one(terms[0], level=self.level, unbounded=self.unbounded)
        caution = ALIKE if terms[0].units < FEWEST_POOLED and not found.reason else found.caution
        return replace(found, value=value, caution=caution)

    def comparisons(self, arms: Mapping[str, Sequence[ImageResult]]) -> list[Comparison]:
        """All pairs of models, on the same images; p adjusted by Holm's method."""
        models, pairs = list(arms), list(combinations(arms, 2))
        units = Units(list(arms.values()), self.groups)
        terms = units.terms(self.metric, self.options, self.over)
        reason = self.why_not(terms, FEWEST)
        if reason or terms is None:
            return [self._without(pair, arms, reason, units.count) for pair in pairs]
        exchanged = Exchanged.of(terms, len(pairs), self.seed)
        found = []
        for first, second in pairs:
            places = (models.index(first), models.index(second))
            both = (terms[places[0]], terms[places[1]])
            gap, p = of_two(both, exchanged, places, level=self.level, unbounded=self.unbounded)
            found.append(Comparison(self.metric, first, second, gap, p, units.count))
        adjusted = holm([one.p for one in found])
        return [replace(one, adjusted_p=p) for one, p in zip(found, adjusted, strict=True)]

    def _without(
        self, pair: tuple[str, str], arms: Mapping[str, Sequence[ImageResult]], reason: str, units: int
    ) -> Comparison:
        values = [value_of(arms[model], self.metric, self.over) for model in pair]
        gap = Interval(values[0] - values[1], level=self.level, reason=reason)
        return Comparison(self.metric, *pair, gap, math.nan, units)


def ranks_of(comparisons: Sequence[Comparison], models: Sequence[str], level: float) -> dict[str, tuple[int, int]]:
    """Model -> first and last possible rank; none is decided where there are too few images."""
    less = METRICS[comparisons[0].metric].less_is_better if comparisons else False
    decided = {}
    for one in comparisons:
        if one.adjusted_p <= 1 - level:
            better = (one.difference.value > 0) != less
            decided[(one.first, one.second) if better else (one.second, one.first)] = True
    return rank_sets(list(models), decided)


def too_few_for(models: int, units: int) -> str:
    """What to say if no pair of so many models could be told apart by so few units.

    Examples
    --------
    >>> too_few_for(5, 8)
    '8 images cannot separate 5 models: the smallest possible adjusted p is 0.078'
    """
    if units >= fewest_for(models):
        return ""
    pairs = models * (models - 1) // 2
    smallest = min(1.0, pairs * 2.0 ** (1 - units))
    return f"{units} images cannot separate {models} models: the smallest possible adjusted p is {smallest:.3f}"
