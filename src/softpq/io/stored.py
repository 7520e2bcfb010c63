"""Arrays that stay in their files: opened for reading parts of them, never as a whole."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Block = tuple[slice, ...]


class StoredArray:
    """An array in a file: shape, type and chunks are known, blocks are read when they are asked for.

    Axes of length 1 are left out, as they are where files are read as a whole. ``notes`` returns what should be said.
    """

    def __init__(
        self,
        read: Callable[[Block], NDArray[Any]],
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        chunks: tuple[int, ...] | None,
        name: str,
        notes: Callable[[], tuple[str, ...]] = tuple,
        close: Callable[[], Any] | None = None,
    ) -> None:
        if close is not None:
            weakref.finalize(self, close)
        self._read, self._full, self._chunks = read, shape, chunks
        self._kept_alive: object = None  # the array that this is a part of
        self._kept = [axis for axis, size in enumerate(shape) if size != 1]
        self._n_axes = len(shape)
        self.shape = tuple(shape[axis] for axis in self._kept) or (1,)
        self.dtype = np.dtype(dtype)
        self.chunks = None if chunks is None else tuple(chunks[axis] for axis in self._kept) or (1,)
        self.name = name
        self.notes = notes
        self.spread = False  # whether other files are read, too

    def part(self, part: Block) -> StoredArray:
        """A part of the array as an array of its own: a moment, a channel. ``part`` counts all axes of the file."""
        if all(one.start == 0 and one.stop == size for one, size in zip(part, self._full, strict=True)):
            return self

        def read(block: Block) -> NDArray[Any]:
            return self._read(
                tuple(slice(p.start + b.start, p.start + b.stop) for p, b in zip(part, block, strict=True))
            )

        shape = tuple(one.stop - one.start for one in part)
        chunks = None if self._chunks is None else tuple(min(c, s) for c, s in zip(self._chunks, shape, strict=True))
        found = StoredArray(read, shape, self.dtype, chunks, self.name, self.notes)
        found._kept_alive = self
        return found

    @property
    def nbytes(self) -> int:
        """Of the pixels, once they are decoded."""
        return math.prod(self.shape) * self.dtype.itemsize

    def __getitem__(self, block: Block) -> NDArray[Any]:
        whole = [slice(0, 1)] * self._n_axes
        for axis, part in zip(self._kept, block, strict=False):
            whole[axis] = part
        try:
            found = np.asarray(self._read(tuple(whole)))
        except ReadError:
            raise
        except Exception as error:  # decoders raise many kinds
            place = ", ".join(f"{part.start}:{part.stop}" for part in block)
            reason = " ".join((str(error) or type(error).__name__).split())[:160]
            raise ReadError(f"{self.name} cannot be read at [{place}]: {reason}") from error
        return found.reshape([part.stop - part.start for part in block] if self._kept else (1,))


class AsMask:
    """A stored array as a mask: what is not 0 is inside."""

    def __init__(self, array: StoredArray) -> None:
        self._array, self.shape, self.dtype = array, array.shape, np.dtype(bool)

    def __getitem__(self, block: Block) -> NDArray[np.bool_]:
        inside: NDArray[np.bool_] = self._array[block] != 0
        return inside
