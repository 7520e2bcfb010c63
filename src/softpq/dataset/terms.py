"""Numerators and denominators, one per unit: what every value is a quotient of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Terms:
    """Numerators and denominators: (quotients, units) each; the value is the mean of the quotients of their sums."""

    top: Floats
    bottom: Floats

    @property
    def units(self) -> int:
        """How many there are."""
        return int(self.top.shape[1])

    @property
    def left_out(self) -> Floats:
        """The value without each unit."""
        tops, bottoms = (side.sum(axis=1, keepdims=True) - side for side in (self.top, self.bottom))
        return mean_quotient(tops, bottoms)

    @property
    def weight(self) -> Floats:
        """How much each unit counts."""
        found: Floats = self.bottom.mean(axis=0)
        return found

    @property
    def value(self) -> float:
        """Over all units."""
        return float(mean_quotient(self.top.sum(axis=1), self.bottom.sum(axis=1)))


def mean_quotient(top: Floats, bottom: Floats) -> Floats:
    """Mean over the first axis; nothing over nothing is 0, as it is for the metrics."""
    with np.errstate(divide="ignore", invalid="ignore"):
        quotients = np.where(bottom != 0, top / bottom, 0.0)
    found: Floats = quotients.mean(axis=0)
    return found
