"""Masks as arrays of pixels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softpq.table.masks import Masks


def labels_of(masks: Masks) -> NDArray[np.uint64] | None:
    """A label image; None where masks overlap, are empty, or one has the id 0."""
    order = np.argsort(masks.starts)
    apart = (masks.starts[order][1:] >= masks.stops[order][:-1]).all()
    if not apart or not masks.areas.all() or not masks.numbers.all():
        return None
    flat = np.zeros(math.prod(masks.shape), np.uint64)
    lengths = masks.stops - masks.starts
    first = np.repeat(masks.starts - np.cumsum(lengths) + lengths, lengths)
    flat[first + np.arange(len(first))] = np.repeat(masks.numbers, masks.areas)
    return flat.reshape(masks.shape)


def cover_of(masks: Masks) -> NDArray[np.bool_]:
    """The pixels under any mask, stretch by stretch: no more memory is needed than for these."""
    size = math.prod(masks.shape)
    found = np.zeros(size, bool)
    starts, stops = np.sort(masks.starts), np.sort(masks.stops)
    depth = 0
    for first in range(0, size, STRETCH):
        last = min(first + STRETCH, size)
        begun, ended = (column[slice(*np.searchsorted(column, [first, last]))] - first for column in (starts, stops))
        steps = np.bincount(begun, minlength=last - first) - np.bincount(ended, minlength=last - first)
        found[first:last] = depth + np.cumsum(steps) > 0
        depth += len(begun) - len(ended)
    return found.reshape(masks.shape)


STRETCH = 1 << 20
"""Pixels that are looked at together."""


def stack_of(masks: Masks) -> NDArray[np.bool_]:
    """One array (N, ...)."""
    steps = np.zeros((len(masks), math.prod(masks.shape) + 1), np.int8)
    mask = np.repeat(np.arange(len(masks)), np.diff(masks.offsets))
    steps[mask, masks.starts] = 1
    steps[mask, masks.stops] = -1
    return np.cumsum(steps[:, :-1], axis=1, dtype=np.int8).astype(bool).reshape(len(masks), *masks.shape)


def as_labels_if_plain(masks: Masks) -> Masks | NDArray[np.uint32]:
    """A label image, if it says all that the masks do: they do not overlap, none is empty, nothing else is known.

    Else the masks, as they are: what is scored must not depend on whether some objects of an image overlap.
    """
    known = any(column is not None for column in (masks.scores, masks.classes, masks.crowd))
    labels = None if known else labels_of(masks)
    return masks if labels is None else labels.astype(np.uint32)
