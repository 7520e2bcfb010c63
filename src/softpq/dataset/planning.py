"""How many units it takes to see a difference, from how much two models differ image by image.

Never from the difference that was seen: a pilot that happens to show a large one promises too much. See
docs/statistics.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from softpq.dataset.distributions import chi2_quantile
from softpq.dataset.statistics import effective, jackknife_error
from softpq.dataset.terms import Terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

REACH = 2.8
"""Standard errors that a difference must be from 0 to be seen at 5 % in four of five datasets: 1.96 + 0.84."""

NAMED = 3
"""Units that a difference rests on, at most so many."""


@dataclass(frozen=True)
class Needed:
    """What it takes to tell two models apart.

    Attributes
    ----------
    first, second
        The models.
    units
        Images, or groups, that the estimate comes from.
    spread
        Standard deviation of the difference of one unit.
    caution
        What it is multiplied by, as so few units know it only roughly.

    Examples
    --------
    >>> import numpy as np, softpq
    >>> truth = [np.arange(1, 9)] * 6
    >>> preds = [[np.where(np.arange(8) < k + j, np.arange(1, 9), 0) for k in range(6)] for j in (1, 2)]
    >>> results = softpq.evaluate_dataset(truth, dict(a=preds[0], b=preds[1]))
    >>> needed = results.needed("recall")[0]
    >>> needed.first, needed.second, needed.units
    ('a', 'b', 6)
    """

    first: str
    second: str
    units: int
    spread: float
    caution: float

    def detectable(self, units: int) -> float:
        """The difference that so many units would show, with 80 % power.

        Examples
        --------
        >>> Needed("a", "b", 20, 0.1, 1.18).detectable(102)
        0.03304
        """
        if units <= 2:
            return math.nan
        return REACH * self.caution * self.spread / math.sqrt(units - 2)

    def units_for(self, difference: float) -> int:
        """How many units would show this difference, with 80 % power.

        Examples
        --------
        >>> Needed("a", "b", 20, 0.1, 1.18).units_for(0.03304)
        102
        """
        if not difference > 0:
            raise ValueError(f"difference must be above 0; got {difference:g}.")
        return math.ceil((REACH * self.caution * self.spread / difference) ** 2 + 2 - 1e-9)


def needed_for(names: tuple[str, str], models: tuple[Terms, Terms]) -> Needed:
    """From the terms of two models on the same units."""
    units = models[0].units
    error = jackknife_error(models[0].left_out - models[1].left_out)
    v = max(1.0, effective(models[0].weight + models[1].weight) - 1)
    return Needed(*names, units, math.sqrt(units) * error, math.sqrt(v / chi2_quantile(0.2, v)))


def deciding(models: tuple[Terms, Terms], names: NDArray[np.str_]) -> tuple[tuple[str, float], ...]:
    """The units that a difference rests on most, and what it would be without each."""
    gap = models[0].value - models[1].value
    without = models[0].left_out - models[1].left_out
    help_of = (gap - without) * math.copysign(1.0, gap)
    most = [int(k) for k in np.argsort(-help_of, kind="stable")[:NAMED] if help_of[k] > 1e-12]
    return tuple((str(names[k]), float(without[k])) for k in most)
