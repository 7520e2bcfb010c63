"""Runs of many masks: held in memory, or drawn from what a file says when they are asked for, some at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from softpq.errors import ReadError
from softpq.io.coco_records import CocoObjects
from softpq.table.mask_sources import chosen
from softpq.table.segmentations import WrongMask, runs_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.int64]
    Runs = tuple[Places, Places, Places]

AT_ONCE = 1 << 27
"""Bytes of runs that are in memory at a time, about."""


class RunStore(Protocol):
    """Runs of masks by position; along the rows, or down the columns of their images."""

    @property
    def down(self) -> bool:
        """Whether they go down the columns."""
        ...

    @property
    def weights(self) -> Places:
        """Bytes that the runs of each would take, about; nothing for those that are there anyway."""
        ...

    def of(self, at: Places) -> Runs:
        """Offsets, starts and stops of some masks, in this order."""
        ...

    def taken(self, at: Places) -> RunStore:
        """Return the store of some masks, in this order."""
        ...


@dataclass(frozen=True)
class Held:
    """Runs in memory."""

    runs: Runs
    down: bool = False

    @property
    def weights(self) -> Places:
        """Nothing: they are there."""
        return np.zeros(len(self.runs[0]) - 1, np.int64)

    def of(self, at: Places) -> Runs:
        """Offsets, starts and stops of some masks, in this order."""
        return chosen(*self.runs, at)

    def taken(self, at: Places) -> Held:
        """Return the store of some masks, in this order."""
        return Held(self.of(at), self.down)


@dataclass(frozen=True)
class Drawn:
    """Masks of a file, each on an image of its own size; ``at`` are their positions in the file."""

    down = True
    found: CocoObjects
    at: Places
    heights: Places
    widths: Places

    @cached_property
    def weights(self) -> Places:
        """Bytes that the runs of each would take, about."""
        masks = self.found.segmentations
        return np.fromiter((_weight(masks[k]) for k in self.at.tolist()), np.int64, len(self.at))

    def of(self, at: Places) -> Runs:
        """Offsets, starts and stops of some masks, in this order."""
        mine = self.at[at]
        self.found.check_masks(mine)
        try:
            masks = [self.found.segmentations[k] for k in mine.tolist()]
            return runs_of(masks, self.heights[at], self.widths[at])
        except WrongMask as error:
            raise ReadError(f"{self.found.named(int(mine[error.position]))} {error.reason}") from error

    def taken(self, at: Places) -> Drawn:
        """Return the store of some masks, in this order."""
        return Drawn(self.found, self.at[at], self.heights[at], self.widths[at])


def stored(found: CocoObjects, at: Places, heights: Places, widths: Places) -> RunStore:
    """Masks of a file: held if they are not too large."""
    drawn = Drawn(found, at, heights, widths)
    return drawn if drawn.weights.sum() > AT_ONCE else Held(drawn.of(np.arange(len(at))), down=True)


NO_RUNS = Held((np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64)))


def some_at_a_time(weights: Places) -> Iterator[slice]:
    """Cut a list into pieces that are about as large as may be.

    Examples
    --------
    >>> [(one.start, one.stop) for one in some_at_a_time(np.array([1, AT_ONCE, 1, 1]))]
    [(0, 2), (2, 4)]
    """
    pieces = (np.cumsum(weights) - weights) // AT_ONCE
    ends = np.flatnonzero(np.diff(pieces, append=-1)) + 1
    begin = 0
    for end in ends.tolist():
        yield slice(begin, end)
        begin = end


def _weight(mask: Any) -> int:
    """A run takes two numbers of eight bytes: about four signs of a text, two counts, or a line of a polygon."""
    if isinstance(mask, dict):
        counts = mask.get("counts", ())
        return (4 if isinstance(counts, str | bytes) else 8) * len(counts) if hasattr(counts, "__len__") else 0
    if not isinstance(mask, list):
        return 0
    rings = [ring[1::2] for ring in mask if isinstance(ring, np.ndarray) and ring.size > 1]
    with np.errstate(over="ignore"):
        lines = sum(float(min(2 + np.ptp(ring), AT_ONCE)) for ring in rings if np.isfinite(ring).all())
    return int(min(32 * lines, AT_ONCE))
