"""Intervals of one model and of the difference of two, tests, and sets of ranks, over images or groups of them.

Every metric is a sum over another, or the mean of several such; see docs/statistics.md for why these methods.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from softpq.dataset.distributions import t_quantile
from softpq.dataset.exchanges import Exchanged
from softpq.dataset.terms import Terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LEVEL = 0.95

FINE = 1e-12
"""How exactly the ends of intervals of differences are found."""

FEWEST = 6
"""Units for a difference."""

FEWEST_OF_MEANS, FEWEST_POOLED, FEWEST_MATCHED = 10, 30, 15
"""Units for an interval of one model: of a mean over images, pooled, and of what is only defined where matches are."""


@dataclass(frozen=True)
class Interval:
    """A value with its confidence interval, or the reason why there is none; ``caution`` tells what it rests on.

    Examples
    --------
    >>> Interval(0.71, 0.68, 0.74).level
    0.95
    >>> Interval(0.71, reason="4 images are too few").reason
    '4 images are too few'
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    level: float = LEVEL
    reason: str = ""
    caution: str = ""

    def turned(self) -> Interval:
        """The same of the difference the other way round.

        Examples
        --------
        >>> Interval(0.02, -0.01, 0.05).turned().high
        0.01
        """
        return replace(self, value=-self.value, low=-self.high, high=-self.low)

    def __str__(self) -> str:
        if math.isnan(self.low):
            return f"{self.value:.4f} (no interval: {self.reason})"
        return f"{self.value:.4f} [{self.low:.4f}, {self.high:.4f}]"


@dataclass(frozen=True)
class Comparison:
    """The difference of two models, first less second, over the same units.

    Attributes
    ----------
    metric, first, second
        What was compared.
    difference
        With the interval that the test gives: it leaves out 0 where p is at most 1 - level.
    p
        Of the test that exchanges the two models unit by unit; NaN where there are too few.
    units
        Images, or groups, that say something.
    adjusted_p
        By Holm's method, if several pairs were compared.
    detectable
        The smallest difference that so many units would show, four times out of five; NaN where it is not known.
    deciding
        The units that the difference rests on most, and what it would be without each.

    Examples
    --------
    >>> import numpy as np, softpq
    >>> truth = [np.arange(1, 9)] * 6
    >>> preds = [[np.where(np.arange(8) < k + j, np.arange(1, 9), 0) for k in range(6)] for j in (1, 2)]
    >>> results = softpq.evaluate_dataset(truth, dict(a=preds[0], b=preds[1]))
    >>> found = results.compare("a", "b", "recall")
    >>> round(found.difference.value, 3), found.p, found.units
    (-0.125, 0.03125, 6)
    """

    metric: str
    first: str
    second: str
    difference: Interval
    p: float
    units: int = 0
    adjusted_p: float = math.nan
    detectable: float = math.nan
    deciding: tuple[tuple[str, float], ...] = ()

    @property
    def is_clear(self) -> bool:
        """Whether the difference is established, among all that were compared."""
        return self.adjusted_p <= 1 - self.difference.level


# ---------------------------------------------------------------- one model


def of_one(terms: Terms, *, level: float = LEVEL, unbounded: bool = False, noun: str = "images") -> Interval:
    """The value of one model, and its interval: the jackknife on the logit scale, with effective degrees of freedom.

    Parameters
    ----------
    terms
        Of the units that say something.
    level
        Of the interval.
    unbounded
        Whether values may be above 1: then the scale is the logarithm.
    noun
        What the units are.

    Examples
    --------
    >>> halves = Terms(np.tile([3.0, 4, 5], 10)[None], np.full((1, 30), 8.0))
    >>> print(of_one(halves))
    0.5000 [0.4613, 0.5387]
    """
    check_level(level)
    value = terms.value
    error = jackknife_error(terms.left_out)
    if value <= 0 or (value >= 1 and not unbounded):
        return Interval(value, level=level, reason=f"the value is {value:g}, at the end of the scale")
    if error <= 1e-12:
        return Interval(value, level=level, reason=f"all {noun} say the same")
    df = max(1.0, effective(terms.weight) - 1)
    reach = t_quantile((1 + level) / 2, df) * error / (value if unbounded else value * (1 - value))
    if unbounded:
        return Interval(value, value * math.exp(-reach), value * math.exp(reach), level)
    middle = math.log(value / (1 - value))
    return Interval(value, _expit(middle - reach), _expit(middle + reach), level, caution=uneven(terms.weight, noun))


def jackknife_error(left_out: Floats) -> float:
    """The standard error, from the values without each unit."""
    n = len(left_out)
    return math.sqrt((n - 1) / n * float(np.sum((left_out - left_out.mean()) ** 2)))


def effective(weight: Floats) -> float:
    """Kish's effective number of units: as many equal ones would tell as much.

    Examples
    --------
    >>> effective(np.ones(5)), round(effective(np.array([10.0, 1, 1])), 2)
    (5.0, 1.41)
    """
    return float(weight.sum() ** 2 / np.sum(weight**2)) if weight.any() else 0.0


def uneven(weight: Floats, noun: str = "images") -> str:
    """Say so if few units decide."""
    n = len(weight)
    if effective(weight) >= n / 3:
        return ""
    largest = np.cumsum(np.sort(weight)[::-1])
    return f"half of the weight lies on {int(np.searchsorted(largest, largest[-1] / 2)) + 1} of {n} {noun}"


def _expit(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def check_level(level: float) -> None:
    """Raise unless it is one."""
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1; got {level}.")


# ---------------------------------------------------------------- two models


def of_two(
    models: tuple[Terms, Terms],
    exchanged: Exchanged,
    places: tuple[int, int],
    *,
    level: float = LEVEL,
    unbounded: bool = False,
) -> tuple[Interval, float]:
    """The difference of two models, the interval that inverts the exchange test, and the p of that test.

    Parameters
    ----------
    models
        The two.
    exchanged, places
        The sums after every exchange, and where these two stand in them.
    level
        Of the interval.
    unbounded
        Whether values may be above 1.
    """
    check_level(level)
    test = _Test(models, exchanged, places)
    gap = models[0].value - models[1].value
    p = test.p_of(0.0)
    alpha = 1 - level
    if test.p_of(gap) <= alpha:
        return Interval(gap, level=level, reason="too few exchanges differ"), p
    ends = [_end(test.p_of, gap, alpha, sign * (math.inf if unbounded else 1.0)) for sign in (-1, 1)]
    if any(end is None for end in ends):
        return Interval(gap, level=level, reason="the units do not bound the difference"), p
    return Interval(gap, ends[0], ends[1], level), p  # type: ignore[arg-type]  # None was asked for


def exchange_p(models: tuple[Terms, Terms], exchanged: Exchanged, places: tuple[int, int]) -> float:
    """The p of the exchange test alone."""
    return _Test(models, exchanged, places).p_of(0.0)


class _Test:
    """The exchange test of a difference q."""

    def __init__(self, models: tuple[Terms, Terms], exchanged: Exchanged, places: tuple[int, int]) -> None:
        top1, top2 = (one.top.sum(axis=1, keepdims=True) for one in models)
        bottom1, bottom2 = (one.bottom.sum(axis=1, keepdims=True) for one in models)
        i, j = places
        x = exchanged.tops[j] - exchanged.tops[i]
        y = exchanged.bottoms[j]
        z = y - exchanged.bottoms[i]
        with np.errstate(divide="ignore", invalid="ignore"):
            one, two = bottom1 + z, bottom2 - z
            alpha = ((top1 + x) / one - (top2 - x) / two).mean(axis=0)
            beta = (y / one - (bottom2 - y) / two).mean(axis=0)
        fine = np.isfinite(alpha) & np.isfinite(beta)
        self.alpha, self.beta = alpha[fine], beta[fine]
        self.gap, self.complete = models[0].value - models[1].value, exchanged.complete

    def p_of(self, q: float) -> float:
        """How often an exchange gives at least as large a difference, if the true one is q."""
        count = int(np.count_nonzero(np.abs(self.alpha + self.beta * q) >= abs(self.gap - q) - 1e-12))
        if self.complete:
            return count / max(len(self.alpha), 1)
        return (1 + count) / (len(self.alpha) + 1)


def _end(p_of: Callable[[float], float], gap: float, alpha: float, limit: float) -> float | None:
    """Where p falls to alpha, going outwards from the difference; None if it does not within the limit."""
    sign = math.copysign(1.0, limit)
    step, inside = 0.01, gap
    while True:
        outside = gap + sign * step
        if abs(outside) > abs(limit):
            outside = limit
        if p_of(outside) <= alpha:
            break
        if outside == limit or step > 1e6:
            return None
        inside, step = outside, step * 2
    while abs(outside - inside) > FINE:
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if p_of(middle) > alpha else (inside, middle)
    return inside
