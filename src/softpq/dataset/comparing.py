"""What may be said of models: intervals by the number of units, all pairs, ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

from softpq._checks import check_choice
from softpq.dataset.exchanges import Exchanged
from softpq.dataset.families import fewest_for, holm, rank_sets
from softpq.dataset.planning import Needed, deciding, needed_for
from softpq.dataset.samples import Sample, Units
from softpq.dataset.statistics import (
    FEWEST,
    FEWEST_MATCHED,
    FEWEST_OF_MEANS,
    FEWEST_POOLED,
    LEVEL,
    Comparison,
    Interval,
    check_level,
    of_one,
    of_two,
)
from softpq.dataset.terms import Terms
from softpq.metrics import METRICS

Over = Literal["pooled", "mean"]

TOO_FEW = "too few {} for an interval or a test"
ALIKE = "few {}: assumes unseen ones are alike"


@dataclass(frozen=True)
class Headline:
    """What models are ranked by. One metric that was declared beforehand gets p-values and ranks.

    Attributes
    ----------
    metric
        Its name; SoftPQ if it is there, else the first one.
    over
        ``"pooled"`` over all objects, or the ``"mean"`` over images.
    level
        Of intervals, and of what counts as told apart.
    seed
        Of the random exchanges, where not all can be tried.
    """

    metric: str = ""
    over: Over = "pooled"
    level: float = LEVEL
    seed: int = 0

    def __post_init__(self) -> None:
        check_level(self.level)
        check_choice(self.over, ("pooled", "mean"), "over")

    def changed(self, **asked: Any) -> Headline:
        """The same, but for what is asked for: None is not."""
        return replace(self, **{name: value for name, value in asked.items() if value is not None})


def why_not(asked: Headline, terms: Sequence[Terms] | None, fewest: int, noun: str) -> str:
    """Why there is no interval; empty if there is one. ``noun``: what the units are."""
    record = METRICS[asked.metric]
    if asked.over == "pooled" and record.by_pixels:
        return "a few images decide what is pooled over pixels; see the mean over images"
    if terms is None:
        return "the formula is no quotient of sums; see the mean over images"
    if terms[0].units < FEWEST:
        return TOO_FEW.format(noun)
    if record.among_matches and terms[0].units < FEWEST_MATCHED:
        return f"{terms[0].units} {noun} have a match, {FEWEST_MATCHED} are needed for {asked.metric}"
    if terms[0].units < fewest:
        return f"{terms[0].units} {noun} are too few for an interval of one model, {fewest} are needed"
    return ""


def interval_of(asked: Headline, units: Units) -> Interval:
    """The value of the only model with its interval."""
    value = units.arms[0].value(asked.metric, asked.over)
    sample = units.sample(asked.metric, asked.over)
    terms = None if sample is None else sample.terms
    reason = why_not(asked, terms, FEWEST_OF_MEANS if asked.over == "mean" else FEWEST_POOLED, units.noun)
    if reason or terms is None or math.isnan(value):
        return Interval(value, level=asked.level, reason=reason or "there is no object")
    found = of_one(terms[0], level=asked.level, unbounded=METRICS[asked.metric].unbounded, noun=units.noun)
    caution = ALIKE.format(units.noun) if terms[0].units < FEWEST_POOLED and not found.reason else found.caution
    return replace(found, value=value, caution=caution)


@dataclass(frozen=True)
class Field:
    """Several models on the same images."""

    names: tuple[str, ...]
    units: Units

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Positions of all pairs of models."""
        return list(combinations(range(len(self.names)), 2))

    def sample(self, asked: Headline) -> Sample | None:
        """What is known of the metric that is asked for."""
        return self.units.sample(asked.metric, asked.over)

    def compare(self, questions: Sequence[Headline]) -> list[list[Comparison]]:
        """All pairs of models, for every question; one product of exchanges serves all that have the same units."""
        found: dict[int, list[Comparison]] = {}
        alike: dict[tuple[bytes, int], list[tuple[int, Sample]]] = {}
        for k, asked in enumerate(questions):
            sample = self.sample(asked)
            reason = why_not(asked, None if sample is None else sample.terms, FEWEST, self.units.noun)
            if reason or sample is None:
                found[k] = [self._without(asked, pair, reason) for pair in self.pairs]
            else:
                alike.setdefault((sample.kept.tobytes(), asked.seed), []).append((k, sample))
        for (_, seed), several in alike.items():
            exchanged = Exchanged.of_each([sample.terms for _, sample in several], len(self.pairs), seed)
            for (k, sample), sums in zip(several, exchanged, strict=True):
                found[k] = self._adjusted(questions[k], sample, sums)
        return [found[k] for k in range(len(questions))]

    def _adjusted(self, asked: Headline, sample: Sample, exchanged: Exchanged) -> list[Comparison]:
        compared = [self._compared(asked, pair, sample, exchanged) for pair in self.pairs]
        adjusted = holm([one.p for one in compared])
        return [replace(one, adjusted_p=p) for one, p in zip(compared, adjusted, strict=True)]

    def _compared(self, asked: Headline, pair: tuple[int, int], sample: Sample, exchanged: Exchanged) -> Comparison:
        both = (sample.terms[pair[0]], sample.terms[pair[1]])
        names = (self.names[pair[0]], self.names[pair[1]])
        gap, p = of_two(both, exchanged, pair, level=asked.level, unbounded=METRICS[asked.metric].unbounded)
        needed = needed_for(names, both)
        rests_on = deciding(both, self.units.names[sample.kept])
        units = both[0].units
        return Comparison(asked.metric, *names, gap, p, units, detectable=needed.detectable(units), deciding=rests_on)

    def _without(self, asked: Headline, pair: tuple[int, int], reason: str) -> Comparison:
        values = [self.units.arms[k].value(asked.metric, asked.over) for k in pair]
        gap = Interval(values[0] - values[1], level=asked.level, reason=reason)
        return Comparison(asked.metric, self.names[pair[0]], self.names[pair[1]], gap, math.nan, self.units.count)

    def needed(self, asked: Headline) -> list[Needed]:
        """What it would take to tell each pair apart."""
        sample = self.sample(asked)
        reason = why_not(asked, None if sample is None else sample.terms, FEWEST, self.units.noun)
        if reason or sample is None:
            raise ValueError(f"{asked.metric} must have a difference with an interval to plan with; {reason}.")
        return [needed_for((self.names[i], self.names[j]), (sample.terms[i], sample.terms[j])) for i, j in self.pairs]


def ranks_of(comparisons: Sequence[Comparison], models: Sequence[str], level: float) -> dict[str, tuple[int, int]]:
    """Model -> first and last possible rank; none is decided where there are too few images."""
    less = METRICS[comparisons[0].metric].less_is_better if comparisons else False
    decided = {}
    for one in comparisons:
        if one.adjusted_p <= 1 - level:
            better = (one.difference.value > 0) != less
            decided[(one.first, one.second) if better else (one.second, one.first)] = True
    return rank_sets(list(models), decided)


def too_few_for(models: int, units: int, noun: str = "images") -> str:
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
    noun = noun[:-1] if units == 1 else noun
    return f"{units} {noun} cannot separate {models} models: the smallest possible adjusted p is {smallest:.3f}"
