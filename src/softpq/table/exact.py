"""Sums that are rounded once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from softpq import _core

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def exact_sum(values: ArrayLike) -> float:
    """Sum with one rounding, so that the order cannot matter.

    Examples
    --------
    >>> import numpy as np
    >>> exact_sum(np.array([1e16, 1.0, -1e16]))
    1.0
    """
    return _core.exact_sum(np.ascontiguousarray(values, np.float64))
