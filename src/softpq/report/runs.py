"""Masks as the page draws them: the runs of each object, row by row, so that what overlaps can be seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.table.masks import Masks
from softpq.table.tables import as_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.int64]


def stored_masks(
    masks: Masks, ids: NDArray[np.uint64], step: int, as_volume: Callable[[NDArray[Any]], NDArray[Any]]
) -> tuple[str, str]:
    """Type and text of the runs of all objects; ``as_volume`` brings an image into slices, rows and columns."""
    volume = as_volume(np.empty(masks.shape, bool))
    if not volume.flags.c_contiguous:  # its slices are along the last axis
        moved = [as_volume(one) for one in masks.to_stack()]
        masks = Masks.from_list(moved, shape=volume.shape, ids=masks.ids)
    depth, height, width = volume.shape
    return "runs", stored_runs(masks, ids, (depth, height, width), step)


def stored_runs(masks: Masks, ids: NDArray[np.uint64], shape: tuple[int, int, int], step: int) -> str:
    """Return the runs of these objects as text: how many each has; gaps before them; their lengths.

    Parameters
    ----------
    masks
        On one image.
    ids
        Of the objects of the table, in its order; others are not drawn.
    shape
        Of the image as slices, rows and columns.
    step
        Every so many rows and columns are shown.
    """
    order = np.argsort(masks.numbers)
    chosen = masks.select(order[np.searchsorted(masks.numbers[order], ids.astype(np.int64))])
    owner = np.repeat(np.arange(len(chosen)), np.diff(chosen.offsets))
    owner, start, stop = reduced(*by_rows(owner, chosen.starts, chosen.stops, shape[2]), shape, step)
    counts = np.bincount(owner, minlength=len(chosen))
    before = np.concatenate([[0], stop[:-1]])
    before[(np.cumsum(counts) - counts)[counts > 0]] = 0
    return as_text(np.concatenate([counts, start - before, stop - start]).astype("<u4").tobytes())


def by_rows(owner: Places, starts: Places, stops: Places, width: int) -> tuple[Places, Places, Places]:
    """The same runs, each within one row.

    Examples
    --------
    >>> [part.tolist() for part in by_rows(np.array([7]), np.array([2]), np.array([9]), 4)]
    [[7, 7, 7], [2, 4, 8], [4, 8, 9]]
    """
    first = starts // width
    times = (stops - 1) // width - first + 1
    run = np.repeat(np.arange(len(starts)), times)
    row = first[run] + np.arange(len(run)) - np.repeat(np.cumsum(times) - times, times)
    return owner[run], np.maximum(starts[run], row * width), np.minimum(stops[run], (row + 1) * width)


def reduced(
    owner: Places, starts: Places, stops: Places, shape: tuple[int, int, int], step: int
) -> tuple[Places, Places, Places]:
    """Runs within rows, on the picture that has every so many rows and columns."""
    _, height, width = shape
    row = starts // width
    plane, y = row // height, row % height
    first, end = (-(-(at - row * width) // step) for at in (starts, stops))
    keep = (y % step == 0) & (end > first)
    start = (plane * -(-height // step) + y // step) * -(-width // step)
    return owner[keep], (start + first)[keep], (start + end)[keep]
