"""A metric declares itself: what is known of it stands beside its function; every list of metrics follows from that."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial, wraps
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Concatenate, Literal, NamedTuple, ParamSpec

import numpy as np

from softpq.metrics.score import Parts, Quotients, Score, Terms
from softpq.table.overlap import Overlap

if TYPE_CHECKING:
    from numpy.typing import NDArray

P = ParamSpec("P")

Table = Literal["objects", "bands"]


@dataclass(frozen=True)
class Metric:
    """What is known of a metric. It can be called: ``METRICS["pq"](overlap, threshold=0.7)``.

    Attributes
    ----------
    name
        In tables, files and on the command line.
    parts
        From a table, and options, to sums that add over images.
    formula
        From the sums, and those options that it names, to the value.
    reads
        The table it is computed from: of ``"objects"``, or of their boundary ``"bands"``.
    less_is_better
        Whether it is 0 where all is right.
    usual
        Whether it is shown unless others are asked for.
    needs_partition
        Whether every pixel must belong to one object at most.
    terms
        From parts, and options that it names, to the sums that the value is a quotient of; None if it is none.
    by_pixels
        Whether a few large objects decide the pooled value: no interval is given for it.
    among_matches
        Whether images without a match say nothing.
    unbounded
        Whether it may be above 1.
    each
        From parts with one place per image, and options that it names, to the value of each; for formulas that are no
        quotient, which are asked image by image else.

    Examples
    --------
    >>> from softpq import Overlap, metrics
    >>> pq = metrics.METRICS["pq"]
    >>> pq.less_is_better, pq(Overlap.from_labels([1, 1, 2], [1, 0, 2])).value
    (False, 0.75)
    """

    name: str
    parts: Callable[..., Parts]
    formula: Callable[..., float]
    reads: Table = "objects"
    less_is_better: bool = False
    usual: bool = False
    needs_partition: bool = False
    terms: Callable[..., Terms | None] | None = None
    by_pixels: bool = False
    among_matches: bool = False
    unbounded: bool = False
    each: Callable[..., NDArray[np.float64] | None] | None = None

    def values(self, parts: Parts, options: Mapping[str, Any]) -> NDArray[np.float64]:
        """The value of each of several images; parts have one place per image: arrays, or lists of tuples.

        Examples
        --------
        >>> import numpy as np
        >>> from softpq.metrics import METRICS
        >>> sums = {"n_truth": np.array([2, 3]), "n_pred": np.array([2, 5]), "tp": np.array([1, 3])}
        >>> METRICS["f1"].values({**sums, "iou_sum": np.array([0.8, 2.5])}, {})
        array([0.5 , 0.75])
        """
        if isinstance(self.formula, Quotients):
            return self.formula.each(parts)
        own = self._own(options)
        found = None
        if self.each is not None:
            found = self.each(parts, **{name: own[name] for name in _keywords(self.each)})
        if found is None:
            formula = self._bound(own).formula
            columns = [column if isinstance(column, list) else column.tolist() for column in parts.values()]
            found = np.array([formula(dict(zip(parts, row, strict=True))) for row in zip(*columns, strict=True)], float)
        return found

    def terms_of(self, parts: Parts, options: Mapping[str, Any]) -> Terms | None:
        """Numerators and denominators of the value, from parts that may be arrays; None if it is no quotient.

        Examples
        --------
        >>> from softpq.metrics import METRICS
        >>> METRICS["recall"].terms_of({"n_truth": 5, "n_pred": 4, "tp": 3, "iou_sum": 2.5}, {})
        [(3, 5)]
        """
        if isinstance(self.formula, Quotients):
            return self.formula.terms(parts)
        if self.terms is None:
            return None
        own = self._own(options)
        return self.terms(parts, **{name: own[name] for name in _keywords(self.terms)})

    @cached_property
    def options(self) -> Mapping[str, Any]:
        """Its options, and what they are unless told otherwise."""
        return _keywords(self.parts)

    @cached_property
    def _options_of_formula(self) -> tuple[str, ...]:
        return () if isinstance(self.formula, Quotients) else tuple(_keywords(self.formula))

    def __call__(self, overlap: Overlap, **options: Any) -> Score:
        """Score a table."""
        return self._scored(overlap, {**self.options, **options})

    def score(self, overlap: Overlap, options: Mapping[str, Any]) -> Score:
        """Score a table with those options that concern this metric.

        Examples
        --------
        >>> from softpq import Overlap
        >>> from softpq.metrics import METRICS
        >>> METRICS["pq"].score(Overlap.from_labels([1, 1, 2], [1, 0, 2]), {"threshold": 0.6, "iou_low": 0.1}).value
        0.5
        """
        return self.bound(options)(overlap)

    def _scored(self, overlap: Overlap, options: Mapping[str, Any]) -> Score:
        return self._bound(options)(overlap)

    def restored(self, parts: Parts, options: Mapping[str, Any]) -> Score:
        """Make the score from sums that were saved.

        Examples
        --------
        >>> from softpq.metrics import METRICS
        >>> METRICS["recall"].restored({"n_truth": 5, "n_pred": 4, "tp": 3, "iou_sum": 2.5}, {}).value
        0.6
        """
        return self.bound(options).score_of(parts)

    def bound(self, options: Mapping[str, Any]) -> Bound:
        """Return the metric with those options that concern it: what many tables are scored with.

        Examples
        --------
        >>> from softpq import Overlap
        >>> from softpq.metrics import METRICS
        >>> pq = METRICS["pq"].bound({"threshold": 0.6, "iou_low": 0.1})
        >>> pq(Overlap.from_labels([1, 1, 2], [1, 0, 2])).value
        0.5
        """
        return self._bound(self._own(options))

    def _bound(self, own: Mapping[str, Any]) -> Bound:
        names = self._options_of_formula
        formula = partial(self.formula, **{name: own[name] for name in names}) if names else self.formula
        settings = MappingProxyType({name: _hashable(value) for name, value in own.items()})
        return Bound(self, own, formula, settings)

    def __reduce__(self) -> tuple[Any, ...]:
        return _by_name, (self.name,)

    def _own(self, options: Mapping[str, Any]) -> dict[str, Any]:
        return {name: options.get(name, usual) for name, usual in self.options.items()}


class Bound(NamedTuple):
    """A metric and its options."""

    metric: Metric
    options: Mapping[str, Any]
    formula: Callable[..., float]
    settings: Mapping[str, Any]

    def __call__(self, overlap: Overlap) -> Score:
        """Score a table."""
        metric = self.metric
        if metric.needs_partition and not overlap.is_partition:
            raise ValueError(
                f"{metric.name} must be given one object per pixel on each side; "
                f"got {overlap.whole.atoms.several} pixels with several. Leave it out for objects that overlap."
            )
        return Score(metric.name, metric.parts(overlap, **self.options), self.formula, self.settings)

    def score_of(self, parts: Parts) -> Score:
        """Make the score from sums."""
        return Score(self.metric.name, parts, self.formula, self.settings)


def _by_name(name: str) -> Metric:
    from softpq.metrics import METRICS  # which is made of all families

    return METRICS[name]


def _hashable(value: Any) -> Any:
    """Lists of thresholds are tuples."""
    if type(value) in (float, bool, str, tuple):
        return value
    return value if isinstance(value, str) or not hasattr(value, "__iter__") else tuple(value)


def _keywords(function: Callable[..., Any]) -> dict[str, Any]:
    parameters = inspect.signature(function).parameters.values()
    return {one.name: one.default for one in parameters if one.kind is inspect.Parameter.KEYWORD_ONLY}


def metric(
    formula: Callable[..., float], *, name: str | None = None, **facts: Any
) -> Callable[[Callable[Concatenate[Overlap, P], Parts]], Callable[Concatenate[Overlap, P], Score]]:
    """Make a metric of a function that returns the sums of a table; the function then returns a Score.

    Parameters
    ----------
    formula
        From the sums to the value.
    name
        Of the metric; that of the function by default.
    facts
        The other fields of :class:`Metric`.
    """

    def wrap(parts: Callable[Concatenate[Overlap, P], Parts]) -> Callable[Concatenate[Overlap, P], Score]:
        record = Metric(name or parts.__name__, parts, formula, **facts)

        @wraps(parts)
        def scored(overlap: Overlap, /, *args: P.args, **options: P.kwargs) -> Score:
            return record(overlap, *args, **options)

        scored.__signature__ = inspect.signature(parts).replace(return_annotation=Score)  # type: ignore[attr-defined]
        scored.record = record  # type: ignore[attr-defined]
        return scored

    return wrap


def records_in(module: Any) -> list[Metric]:
    """The metrics that a module defines, in its order."""
    found = [value.record for value in vars(module).values() if isinstance(getattr(value, "record", None), Metric)]
    return [record for record in found if record.parts.__module__ == module.__name__]
