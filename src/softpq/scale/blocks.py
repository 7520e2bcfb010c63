"""How a large array is cut into blocks: along its chunks, and small enough."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product

Shape = tuple[int, ...]
Block = tuple[slice, ...]

LARGEST_BLOCK = 1 << 22
"""Voxels; larger blocks are slower: memory of this size is used again, larger pieces are asked for anew each time."""

LARGEST_IN_PLACE = 1 << 26
"""Voxels of a block of arrays that are not decoded: no memory is asked for, and fewer objects are cut."""


def block_shape(shape: Shape, chunks: Sequence[Shape | None], most: int, usual: int = LARGEST_BLOCK) -> Shape:
    """Return the shape of blocks that begin and end where chunks do.

    Parameters
    ----------
    shape
        Of the arrays.
    chunks
        Of each array; None where any part can be read by itself.
    most
        Voxels that a block may have.
    usual
        Voxels that it has at most if chunks are smaller.

    Examples
    --------
    >>> block_shape((100, 1000, 1000), [(10, 100, 100), (10, 200, 50)], 10**6)
    (10, 200, 500)
    """
    known = [chunk for chunk in chunks if chunk is not None] or [(1,) * len(shape)]
    cells = [_common(known, shape), tuple(min(size, max(axis)) for size, *axis in zip(shape, *known, strict=True))]
    smallest = next((cell for cell in cells if math.prod(cell) <= most), None)
    if smallest is None:
        raise ValueError(
            f"memory must hold a chunk of each array for every thread; one of {cells[1]} has "
            f"{math.prod(cells[1]):,} voxels, and {most:,} fit. Pass more memory or fewer threads."
        )
    return _grown(smallest, shape, min(most, max(usual, math.prod(smallest))))


def _common(chunks: Sequence[Shape], shape: Shape) -> Shape:
    return tuple(min(size, math.lcm(*axis)) for size, *axis in zip(shape, *chunks, strict=True))


def _grown(cell: Shape, shape: Shape, most: int) -> Shape:
    """Several cells side by side, along the last axis first."""
    block = list(cell)
    for axis in reversed(range(len(shape))):
        fitting = max(1, most // math.prod(block))
        block[axis] = min(shape[axis], block[axis] * fitting)
    return tuple(block)


def blocks_of(shape: Shape, block: Shape) -> Iterator[Block]:
    """Yield all blocks of an array.

    Examples
    --------
    >>> list(blocks_of((5,), (3,)))
    [(slice(0, 3, None),), (slice(3, 5, None),)]
    """
    axes = [range(0, size, max(1, step)) for size, step in zip(shape, block, strict=True)]
    for corner in product(*axes):
        yield tuple(slice(at, min(at + b, s)) for at, b, s in zip(corner, block, shape, strict=True))


def blocks_in(region: Block, block: Shape) -> Iterator[Block]:
    """Yield all blocks of a part of an array.

    Examples
    --------
    >>> list(blocks_in((slice(4, 9),), (3,)))
    [(slice(4, 7, None),), (slice(7, 9, None),)]
    """
    for part in blocks_of(tuple(r.stop - r.start for r in region), block):
        yield tuple(slice(r.start + p.start, r.start + p.stop) for r, p in zip(region, part, strict=True))


def with_halo(block: Block, reach: Sequence[int], shape: Shape) -> tuple[Block, Block]:
    """Return the block with what is within reach around it, and where the block is in that.

    Examples
    --------
    >>> with_halo((slice(0, 3),), [2], (9,))
    ((slice(0, 5, None),), (slice(0, 3, None),))
    """
    outer, inner = [], []
    for part, width, size in zip(block, reach, shape, strict=True):
        start, stop = max(0, part.start - width), min(size, part.stop + width)
        outer.append(slice(start, stop))
        inner.append(slice(part.start - start, part.stop - start))
    return tuple(outer), tuple(inner)
