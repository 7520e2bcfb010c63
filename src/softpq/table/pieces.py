"""Connected pieces of labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from softpq import _core
from softpq.table.labels import as_labels, not_negative

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def split_components(labels: ArrayLike) -> NDArray[np.uint64]:
    """Give every connected piece of every label its own label; pieces that touch at a corner stay together.

    Examples
    --------
    >>> split_components([[1, 0, 1], [2, 0, 1]])
    array([[1, 0, 2],
           [3, 0, 2]], dtype=uint64)
    """
    array = np.ascontiguousarray(not_negative(as_labels(labels, "labels"), "labels", None))
    return _core.connected_components(array).reshape(array.shape)
