"""Objects that formats describe in several ways, on one image: as runs of pixels, which may overlap."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from softpq.errors import ReadError
from softpq.table.masks import Masks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Runs = tuple[NDArray[np.int64], NDArray[np.int64]]
    Ring = NDArray[np.float64]


MOST_BYTES = 1 << 28
"""Of the runs of one object."""


def runs_in_box(inside: NDArray[np.bool_], top: int, left: int, shape: tuple[int, ...]) -> Runs:
    """Runs of a mask whose first pixel lies at a place of the image; it must lie in it."""
    padded = np.zeros((inside.shape[0], inside.shape[1] + 1), np.int8)
    padded[:, :-1] = inside
    edges = np.diff(padded, axis=1, prepend=0)
    rows, first = np.nonzero(edges == 1)
    last = np.nonzero(edges == -1)[1]
    starts = (rows + top) * shape[1] + left
    return joined_runs(starts + first, starts + last)


def joined_runs(starts: NDArray[np.int64], stops: NDArray[np.int64]) -> Runs:
    """Runs that touch, at the end of a line and the beginning of the next, are one."""
    apart = np.concatenate([[True], starts[1:] > stops[:-1]]) if len(starts) else np.zeros(0, bool)
    ends = np.concatenate([apart[1:], [True]]) if len(starts) else apart
    return starts[apart], stops[ends]


def runs_of_rings(rings: list[Ring], shape: tuple[int, ...]) -> Runs:
    """Runs of the pixels whose centre is inside of an odd number of rings."""
    check_crossings([rings], shape, MOST_BYTES)
    try:
        drawn = Masks.from_polygons([rings], shape)
    except ValueError as error:
        raise ReadError(f"has an outline that cannot be drawn: {error}") from error
    return drawn.starts, drawn.stops


def gathered(objects: Iterable[Runs], shape: tuple[int, ...]) -> Masks:
    """Masks of objects, each given as runs."""
    listed = list(objects)
    offsets = np.cumsum([0, *(len(starts) for starts, _ in listed)])
    empty = np.zeros(0, np.int64)
    starts, stops = (np.concatenate([empty, *(one[k] for one in listed)]) for k in (0, 1))
    return Masks(shape, offsets, starts, stops)


def check_crossings(objects: Iterable[list[Ring]], shape: tuple[int, ...], limit: int) -> None:
    """Refuse outlines whose edges cross so many lines of the image that their runs would need too much memory."""
    crossings = 0.0
    for rings in objects:
        for ring in rings:
            y = np.clip(ring[:, 1], -1, shape[0] + 1)
            crossings += float(np.abs(np.diff(y, append=y[:1])).sum())
    if 32 * crossings > limit:
        raise ReadError(f"has outlines that cross {crossings:,.0f} lines, which need more memory than allowed")


LARGEST = 1 << 40
"""Pixels of an image; objects are kept as runs, whatever they lie on."""


def check_plane(shape: tuple[int, ...], size: tuple[int, ...] | None) -> None:
    """Refuse an image that is no plane, of another size than is stated, or absurd."""
    if len(shape) != 2:
        raise ReadError(f"holds outlines on a plane; the other side has shape {tuple(shape)}")
    if size is not None and tuple(shape) != size:
        raise ReadError(f"is for images of {size}; the other side has {tuple(shape)}")
    if shape[0] * shape[1] > LARGEST:
        raise ReadError(f"lies on {shape[0]} x {shape[1]} pixels, which is more than any image has")
