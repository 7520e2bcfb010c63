"""Out of core: arrays that do not fit into memory are counted block by block, and the tables added."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq._checks import parse_size
from softpq.io.one_file import open_stored
from softpq.scale.blocks import (
    LARGEST_BLOCK,
    LARGEST_IN_PLACE,
    Block,
    Shape,
    block_shape,
    blocks_in,
    with_halo,
)
from softpq.table.labels import band_reach, cores
from softpq.table.overlap import Overlap
from softpq.table.partial import Partial

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Progress = Callable[[int, int], None]


def count_tiles(
    truth: Any,
    pred: Any,
    *,
    ignore: Any = None,
    boundary: float | None = None,
    spacing: Sequence[float] | None = None,
    strict: bool = False,
    memory: str | int,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Overlap:
    """Count two arrays that need not fit into memory; see :func:`softpq.count`.

    Blocks are decoded and counted side by side; for bands, they are read with what is around them. So the table is the
    same as from the whole arrays, bit by bit, however they are cut.

    Examples
    --------
    >>> import numpy as np
    >>> image = np.kron(np.arange(9).reshape(3, 3), np.ones((20, 20), int))
    >>> count_tiles(image, np.roll(image, 3), memory="30kB").n_truth
    8
    """
    work = Work.of(truth, pred, ignore, boundary, spacing)
    workers = cores(threads)
    blocks = work.blocks(parse_size(memory) // (workers + 1))
    tables = Sum()
    done = 0
    with ThreadPoolExecutor(workers) as pool:
        waiting: deque[Future[Partial]] = deque()
        for block in blocks:
            waiting.append(pool.submit(work.count, block))
            if len(waiting) > workers:
                tables.add(waiting.popleft().result())
                done += 1
                if progress is not None:
                    progress(done, len(blocks))
        for future in waiting:
            tables.add(future.result())
            done += 1
            if progress is not None:
                progress(done, len(blocks))
    return tables.tile().total(strict=strict)


class Sum:
    """Adds many tables so that each is merged only a few times: equal numbers of them are put together, as in 2048."""

    def __init__(self) -> None:
        self._levels: list[Partial | None] = []

    def add(self, tile: Partial) -> None:
        """Add one more."""
        for level, there in enumerate(self._levels):
            if there is None:
                self._levels[level] = tile
                return
            self._levels[level] = None
            tile = there + tile
        self._levels.append(tile)

    def tile(self) -> Partial:
        """Return what was counted in all of them."""
        whole: Partial | None = None
        for level, tile in enumerate(self._levels):
            self._levels[level] = None
            if tile is not None:
                whole = tile if whole is None else tile + whole
        return whole or Partial(Overlap.from_pairs([], [], []))


@dataclass(frozen=True)
class Work:
    """What is to be counted, and how: the same for all blocks."""

    truth: Any
    pred: Any
    ignore: Any = None
    reach: list[int] | None = None

    @classmethod
    def of(cls, truth: Any, pred: Any, ignore: Any, boundary: float | None, spacing: Sequence[float] | None) -> Work:
        """Open what is a path, and check what can be checked without reading."""
        truth, pred = _opened(truth, "truth"), _opened(pred, "pred")
        shape = tuple(int(size) for size in truth.shape)
        if shape != tuple(pred.shape):
            raise ValueError(f"truth and pred must have the same shape; got {shape} and {tuple(pred.shape)}.")
        if not shape:
            raise ValueError("truth must be a label image with at least one dimension; got a single value.")
        if hasattr(ignore, "shape") and tuple(ignore.shape) not in ((), shape):
            raise ValueError(f"ignore must have the shape of truth; got {tuple(ignore.shape)} and {shape}.")
        reach = None if boundary is None else band_reach(boundary, spacing, shape)
        return cls(truth, pred, ignore, reach)

    @property
    def shape(self) -> Shape:
        """Of the arrays."""
        return tuple(int(size) for size in self.truth.shape)

    @property
    def whole(self) -> Block:
        """All of it, as a block."""
        return tuple(slice(0, size) for size in self.shape)

    def blocks(self, nbytes: int, region: Block | None = None) -> list[Block]:
        """Cut the arrays, or a part of them, into blocks that need so many bytes at most."""
        each = sum(_itemsize(array) for array in (self.truth, self.pred)) + (0 if self.ignore is None else 1)
        most = nbytes // (each * (1 if self.reach is None else 4))  # bands need copies, and what is around a block
        if 0 in self.shape:
            return []
        usual = LARGEST_IN_PLACE if self.chunks == [None, None] else LARGEST_BLOCK
        return list(blocks_in(region or self.whole, block_shape(self.shape, self.chunks, most, usual)))

    def regions(self, voxels: int) -> list[Block]:
        """Cut the arrays into parts of about so many voxels, along chunks."""
        if 0 in self.shape:
            return []
        least = max(math.prod(chunk or (1,)) for chunk in self.chunks)
        return list(blocks_in(self.whole, block_shape(self.shape, self.chunks, max(voxels, 4 * least), voxels)))

    @property
    def chunks(self) -> list[Shape | None]:
        """Of both arrays."""
        return [_chunks(self.truth), _chunks(self.pred)]

    def count(self, block: Block) -> Partial:
        """Read and count one block."""
        outer, inner = (block, None) if self.reach is None else with_halo(block, self.reach, self.shape)
        ignore = self.ignore[outer] if getattr(self.ignore, "shape", ()) else self.ignore
        return Partial.counted(
            self.truth[outer], self.pred[outer], ignore=_as_array(ignore), reach=self.reach, inner=inner
        )


def _as_array(ignore: Any) -> ArrayLike | None:
    if ignore is None or isinstance(ignore, int):
        return ignore
    return np.asarray(ignore)


def _opened(array: Any, name: str) -> Any:
    if isinstance(array, str | Path):
        return open_stored(array)
    if not all(hasattr(array, needed) for needed in ("shape", "dtype", "__getitem__")):
        raise TypeError(f"{name} must be a path or have shape, dtype and slicing; got {type(array).__name__}.")
    return array


def _itemsize(array: Any) -> int:
    dtype: np.dtype[Any] = array.dtype
    return int(getattr(dtype, "itemsize", 8))


def _chunks(array: Any) -> Shape | None:
    """Chunks as one shape: arrays that are stored in one piece have none, dask's are the largest of each axis."""
    chunks = getattr(array, "shards", None) or getattr(array, "chunks", None)
    if not chunks:
        return None
    return tuple(max(axis) if isinstance(axis, tuple) else int(axis) for axis in chunks)
