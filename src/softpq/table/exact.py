"""Sums that are rounded once."""

from __future__ import annotations

import math
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


def exact_sum(*arrays: NDArray[Any]) -> float:
    """Sum with one rounding, so that the order cannot matter; a part of the values at a time is made into Python's.

    Examples
    --------
    >>> import numpy as np
    >>> exact_sum(np.array([1e16, 1.0, -1e16]))
    1.0
    """
    step = 1 << 16
    parts = (values[k : k + step].tolist() for values in arrays for k in range(0, len(values), step))
    return math.fsum(chain.from_iterable(parts))
