"""Where masks are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softpq.table.masks import Masks

    Regions = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


def regions_of_masks(masks: Masks, ids: NDArray[np.uint64]) -> Regions:
    """First and end of the box, and centroid, of the masks with these ids, which ascend; an empty box is all 0.

    Examples
    --------
    >>> from softpq import Masks
    >>> low, high, center = regions_of_masks(Masks.from_labels([[0, 0, 0], [0, 5, 5]]), np.array([5], np.uint64))
    >>> low.tolist(), high.tolist(), center.tolist()
    ([[1, 1]], [[2, 3]], [[1.0, 1.5]])
    """
    numbers = masks.numbers.astype(np.uint64)
    order = np.argsort(numbers)
    masks = masks.select(order[np.searchsorted(numbers, ids, sorter=order)])
    mask, at, length = _lines(masks)
    low = np.full((len(masks), len(masks.shape)), np.iinfo(np.int64).max)
    high, center = np.zeros((len(masks), len(masks.shape)), np.int64), np.zeros((len(masks), len(masks.shape)))
    for axis, first in enumerate(np.unravel_index(at, masks.shape)):
        last = first + length - 1 if axis == len(masks.shape) - 1 else first
        np.minimum.at(low[:, axis], mask, first)
        np.maximum.at(high[:, axis], mask, last + 1)
        sums = np.bincount(mask, weights=(first + last) / 2 * length, minlength=len(masks))
        center[:, axis] = sums / np.maximum(masks.areas, 1)
    low[masks.areas == 0] = 0
    return low, high, center


def _lines(masks: Masks) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The runs, cut where lines end: mask, first pixel and length of each."""
    width = max(masks.shape[-1], 1)
    mask = np.repeat(np.arange(len(masks)), np.diff(masks.offsets))
    first, last = masks.starts // width, (masks.stops - 1) // width
    times = last - first + 1
    line = np.repeat(first, times) + np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
    start = np.maximum(np.repeat(masks.starts, times), line * width)
    stop = np.minimum(np.repeat(masks.stops, times), (line + 1) * width)
    return np.repeat(mask, times), start, stop - start
