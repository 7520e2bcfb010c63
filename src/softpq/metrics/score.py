"""Scores are sums: those of several images add, and one formula turns the sums into a value."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Parts = Mapping[str, Any]

_NONE: Mapping[str, Any] = MappingProxyType({})


def _fixed(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """A copy that nobody can change; what nobody can change needs none."""
    return values if type(values) is MappingProxyType else MappingProxyType(dict(values))


@dataclass(frozen=True, repr=False, init=False)
class Score:
    """What one metric found in one image, or in several together.

    Attributes
    ----------
    name
        Of the metric.
    parts
        Sums that add over images (or tuples, which join). They always hold ``n_truth`` and ``n_pred``.
    formula
        From the parts to the value.
    settings
        The options of the metric; they must be equal for two scores to add.

    Examples
    --------
    >>> from softpq import Overlap, metrics
    >>> one = metrics.f1(Overlap.from_labels([1, 1, 2], [1, 1, 0]))
    >>> other = metrics.f1(Overlap.from_labels([1, 1, 2], [1, 1, 2]))
    >>> round(float(one), 3), float(other), round(float(one + other), 3)
    (0.667, 1.0, 0.857)
    """

    name: str
    parts: Parts
    formula: Callable[[Parts], float] = field(compare=False)
    settings: Mapping[str, Any]

    def __init__(
        self, name: str, parts: Parts, formula: Callable[[Parts], float], settings: Mapping[str, Any] = _NONE
    ) -> None:
        self.__dict__.update(name=name, parts=_fixed(parts), formula=formula, settings=_fixed(settings))

    @property
    def value(self) -> float:
        """The metric; NaN where it is undefined because neither side has an object."""
        return float(self.formula(self.parts))

    def __float__(self) -> float:
        return self.value

    def __add__(self, other: Score) -> Score:
        if not isinstance(other, Score):
            return NotImplemented
        self.check_same(other)
        parts = {key: value + other.parts[key] for key, value in self.parts.items()}
        return Score(self.name, parts, self.formula, self.settings)

    def check_same(self, other: Score) -> None:
        """Raise unless both are of the same metric and settings.

        Examples
        --------
        >>> from softpq import Overlap, metrics
        >>> table = Overlap.from_labels([1, 1, 2], [1, 0, 2])
        >>> metrics.pq(table).check_same(metrics.pq(table))
        >>> try:
        ...     metrics.pq(table).check_same(metrics.f1(table))
        ... except ValueError as error:
        ...     print(str(error)[:53])
        scores must be of the same metric and settings to add
        """
        if (self.name, self.settings) != (other.name, other.settings):
            raise ValueError(
                f"scores must be of the same metric and settings to add; got {self._label()} and {other._label()}."
            )

    def __radd__(self, other: object) -> Score:
        return self if other == 0 else NotImplemented  # so that sum() works

    def __hash__(self) -> int:
        return hash((self.name, tuple(self.parts.items()), tuple(self.settings.items())))

    def _label(self) -> str:
        options = ", ".join(f"{name}={value}" for name, value in self.settings.items())
        return f"{self.name} ({options})" if options else self.name

    def __repr__(self) -> str:
        parts = ", ".join(
            f"{key}={value:g}" if isinstance(value, int | float) else f"{key}: {len(value)}"
            for key, value in self.parts.items()
        )
        return f"Score({self.name}={self.value:.6g}; {parts})"

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "parts": dict(self.parts), "settings": dict(self.settings)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Score.__init__(self, **state)


def ratio(parts: Parts, numerator: float, denominator: float) -> float:
    """Divide; this is where 0/0 is decided, for all metrics.

    Without an object on either side there is nothing to judge: NaN. With objects, and nothing found, it is 0.
    """
    if parts["n_truth"] == 0 and parts["n_pred"] == 0:
        return math.nan
    return numerator / denominator if denominator else 0.0


def ratios(parts: Parts, numerator: Any, denominator: Any) -> NDArray[np.float64]:
    """Divide as :func:`ratio` does, image by image: parts have one place for each."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(denominator != 0, numerator / denominator, 0.0)
    return np.where((parts["n_truth"] == 0) & (parts["n_pred"] == 0), np.nan, found)


Terms = list[tuple[Any, Any]]


@dataclass(frozen=True)
class Quotients:
    """A formula that is one sum over another, or the mean of several such: what statistics over images ask for.

    Attributes
    ----------
    terms
        From parts, which may be arrays with one place per image, to numerators and denominators.
    """

    terms: Callable[[Parts], Terms]

    def __call__(self, parts: Parts) -> float:
        """Return the value."""
        terms = self.terms(parts)
        if len(terms) == 1:
            return ratio(parts, *terms[0])
        return math.fsum(ratio(parts, top, bottom) for top, bottom in terms) / len(terms)

    def each(self, parts: Parts) -> NDArray[np.float64]:
        """Return the value of each image, from parts with one place per image."""
        values = [ratios(parts, top, bottom) for top, bottom in self.terms(parts)]
        if len(values) == 1:
            return values[0]
        return np.array([math.fsum(of_image) / len(values) for of_image in np.transpose(values).tolist()])


def pooled(scores: Iterable[Score]) -> Score:
    """Add the scores of images: every object has the same weight.

    See Also
    --------
    softpq.mean : The mean over images.
    softpq.Score : What is added.

    Examples
    --------
    >>> from softpq import Overlap, metrics
    >>> float(pooled([metrics.pq(Overlap.from_labels([1], [1])), metrics.pq(Overlap.from_labels([1], [0]))]))
    0.6666666666666666
    """
    listed = list(scores)
    if not listed:
        raise ValueError("pooled needs at least one score; got none.")
    first = listed[0]
    for other in listed[1:]:
        first.check_same(other)
    parts = {name: _added([score.parts[name] for score in listed]) for name in first.parts}
    return Score(first.name, parts, first.formula, first.settings)


def _added(parts: list[Any]) -> Any:
    """Numbers add, rounded once; tuples join."""
    if isinstance(parts[0], tuple):
        return tuple(chain.from_iterable(parts))
    return sum(parts) if all(isinstance(part, int) for part in parts) else math.fsum(parts)


def mean(scores: Iterable[Score]) -> float:
    """Average the values of images that are defined: every image has the same weight.

    See Also
    --------
    softpq.pooled : The score of all objects together.
    softpq.Score : What is added.

    Examples
    --------
    >>> from softpq import Overlap, metrics
    >>> mean([metrics.pq(Overlap.from_labels([1], [1])), metrics.pq(Overlap.from_labels([1], [0]))])
    0.5
    """
    values = [score.value for score in scores]
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan
