"""Images whose background is not 0: it would count as one more object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALLEST = 400
"""Pixels; in less, everything may be by chance."""


def odd_background(side: Any, ids: NDArray[np.uint64], areas: NDArray[np.int64]) -> str:
    """Say so where one label covers most of an image that has no 0, and touches its four borders.

    Examples
    --------
    >>> image = np.ones((30, 30), int)
    >>> image[5:9, 5:9] = 2
    >>> odd_background(image, np.array([1, 2], np.uint64), np.array([884, 16]))[:35]
    'has no background 0: label 1 covers'
    """
    if not isinstance(side, np.ndarray) or side.ndim != 2 or side.size < SMALLEST or len(ids) < 2:
        return ""
    largest = int(areas.argmax())
    if 2 * int(areas[largest]) <= side.size or int(areas.sum()) < side.size:
        return ""
    label = int(ids[largest])
    if not all((border == label).any() for border in (side[0], side[-1], side[:, 0], side[:, -1])):
        return ""
    share = round(100 * int(areas[largest]) / side.size)
    return f"has no background 0: label {label} covers {share} % and counts as an object. Set it to 0 if it is none."
