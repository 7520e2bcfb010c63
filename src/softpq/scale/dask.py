"""Over many processes or machines with Dask: blocks are counted where they are read, tables are added in a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from softpq._checks import check_whole, parse_size
from softpq.errors import needs
from softpq.io.image import absolute
from softpq.io.one_file import open_stored
from softpq.scale.blocks import Block, with_halo
from softpq.scale.tiles import Sum, Work
from softpq.table.overlap import Overlap
from softpq.table.partial import Partial

if TYPE_CHECKING:
    from softpq.io.stored import StoredArray

SPLIT_EVERY = 4
"""Tables that one task adds."""

HERE = "127.0.0.1:0"
LOCAL = {"threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": HERE, "worker_dashboard_address": HERE}
"""A cluster on this machine: nobody else can reach it."""

KEEP_MEMORY = {
    "distributed.nanny.pre-spawn-environ": {"MALLOC_TRIM_THRESHOLD_": 1 << 28, "MALLOC_MMAP_THRESHOLD_": 1 << 26}
}
"""Workers give memory back at once otherwise, and spend a third of their time on asking for it again."""

BLOCK_MEMORY = "256MB"
"""What a task may use for its block."""

PER_TASK = 1 << 26
"""Voxels that a task counts: about a second of work."""


def count_anywhere(truth: Any, pred: Any, dask: str | None, **options: Any) -> Overlap:
    """Count on a cluster, or, without one or with ``"current"``, on whatever scheduler Dask uses now."""
    if dask in (None, "current"):
        return count_delayed(truth, pred, **options)
    with connected(str(dask)):
        return count_delayed(truth, pred, **options)


def count_delayed(
    truth: Any,
    pred: Any,
    *,
    ignore: Any = None,
    boundary: float | None = None,
    spacing: Sequence[float] | None = None,
    strict: bool = False,
    memory: str | int = BLOCK_MEMORY,
    per_task: int = PER_TASK,
    split_every: int = SPLIT_EVERY,
) -> Overlap:
    """Count two Dask arrays, or two paths, on whatever scheduler Dask uses: threads, processes, or a cluster.

    Parameters
    ----------
    truth, pred
        Two dask arrays; or two paths (Zarr, HDF5, TIFF, NPY) that every worker can open, which is faster, as only paths
        and tables travel.
    ignore
        A boolean dask array, or a label of truth, whose pixels count nowhere. With paths: a label.
    boundary, spacing
        Count only the boundary band of each object, its pixels within this reach of another label or of the border:
        pixels, or a fraction of the image diagonal below 1. ``spacing`` is the size of a pixel along each axis; the
        reach is then in its unit. Bands are exact at the borders of chunks.
    strict
        With ``ignore``: a prediction that lies mostly there stays if it fits an object with an IoU above 0.5, not
        from 0.5 on.
    memory, per_task
        With paths: what a task may use for the block it reads, and how many voxels it counts, block after block.
    split_every
        How many tables a task adds: more makes a flatter tree, fewer lets a worker hold less.

    Returns
    -------
    Overlap
        The same as from the whole arrays, bit by bit, whatever the scheduler, and whichever worker fails on the way.

    Examples
    --------
    >>> import dask.array as da
    >>> image = da.from_array([[1, 1, 2], [3, 3, 2]], chunks=1)
    >>> count_delayed(image, image).pair_iou
    array([1., 1., 1.])
    """
    dask = needed()
    check_whole(split_every, "split_every", 2)
    check_whole(per_task, "per_task")
    if isinstance(truth, str | Path) and isinstance(pred, str | Path):
        tiles = _of_paths(absolute(truth), absolute(pred), ignore, boundary, spacing, parse_size(memory), per_task)
    else:
        tiles = _of_arrays(truth, pred, ignore, boundary, spacing)
    if not tiles:
        return Overlap.from_pairs([], [], [])
    try:
        (total,) = dask.compute(in_a_tree(tiles, split_every))
    finally:
        stored.cache_clear()  # files of this process; those of workers are closed when others are opened
    return total.total(strict=strict)  # type: ignore[no-any-return]


def needed() -> Any:
    """Import dask, or say how to get it."""
    return needs("dask", "dask", "Counting with Dask")


def in_a_tree(tiles: list[Any], split_every: int) -> Any:
    """Add delayed tables so that no task holds more than a few."""
    add = needed().delayed(add_tiles, pure=True)
    while len(tiles) > 1:
        tiles = [add(tiles[k : k + split_every]) for k in range(0, len(tiles), split_every)]
    return tiles[0]


def add_tiles(tiles: Sequence[Partial]) -> Partial:
    """Add a few tables."""
    total = tiles[0]
    for tile in tiles[1:]:
        total = total + tile
    return total


# ---------------------------------------------------------------- paths


def _of_paths(
    truth: str,
    pred: str,
    ignore: Any,
    boundary: float | None,
    spacing: Sequence[float] | None,
    nbytes: int,
    per_task: int,
) -> list[Any]:
    if not (ignore is None or isinstance(ignore, Integral)):
        raise TypeError("ignore must be a label where paths are given; pass dask arrays to ignore a mask.")
    work = Work.of(truth, pred, ignore, boundary, spacing)
    work.blocks(nbytes)  # says at once if a chunk does not fit
    count = needed().delayed(count_stored, pure=True)
    run = uuid4().hex  # files may be others in the next run
    return [count(truth, pred, ignore, work.reach, region, nbytes, run) for region in work.regions(per_task)]


def count_stored(
    truth: str, pred: str, ignore: int | None, reach: list[int] | None, region: Block, nbytes: int, run: str
) -> Partial:
    """Read and count a part of two arrays, block after block; files stay open in the worker."""
    work, tables = Work(stored(truth, run), stored(pred, run), ignore, reach), Sum()
    for block in work.blocks(nbytes, tuple(region)):
        tables.add(work.count(block))
    return tables.tile()


@lru_cache(maxsize=4)
def stored(location: str, run: str) -> StoredArray:
    """Open an array once in a process and run."""
    return open_stored(location)


# ---------------------------------------------------------------- arrays


def _of_arrays(
    truth: Any, pred: Any, ignore: Any, boundary: float | None, spacing: Sequence[float] | None
) -> list[Any]:
    import dask.array as da

    truth, pred = (_as_dask(array, name) for array, name in ((truth, "truth"), (pred, "pred")))
    if hasattr(ignore, "shape") and ignore.shape:
        ignore = _as_dask(ignore, "ignore")
    work = Work.of(truth, pred, ignore, boundary, spacing)
    if 0 in truth.shape:
        return []
    count = needed().delayed(count_arrays, pure=True)
    if work.reach is None:
        sides = [truth, pred.rechunk(truth.chunks)]
        sides += [ignore.rechunk(truth.chunks)] if isinstance(ignore, da.Array) else []
        parts = zip(*(side.to_delayed().ravel() for side in sides), strict=True)
        return [count(*part) if len(part) == 3 else count(*part, ignore) for part in parts]
    found = []
    for block in da.core.slices_from_chunks(truth.chunks):
        outer, inner = with_halo(block, work.reach, work.shape)
        around = ignore[outer] if isinstance(ignore, da.Array) else ignore
        found.append(count(truth[outer], pred[outer], around, work.reach, inner))
    return found


def _as_dask(array: Any, name: str) -> Any:
    import dask.array as da

    if isinstance(array, str | Path):
        raise TypeError(f"{name} is a path and the other is not; pass two paths or two dask arrays.")
    if isinstance(array, da.Array):
        if any(size != size for axis in array.chunks for size in axis):  # NaN: a size that is not known yet
            raise ValueError(f"{name} must have known chunk sizes; call {name}.compute_chunk_sizes() first.")
        return array
    return da.from_array(array)


def count_arrays(
    truth: Any, pred: Any, ignore: Any = None, reach: list[int] | None = None, inner: Block | None = None
) -> Partial:
    """Count one block that Dask has read."""
    return Partial.counted(truth, pred, ignore=ignore, reach=reach, inner=None if inner is None else tuple(inner))


# ---------------------------------------------------------------- clusters


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Give a client of a cluster: ``"local"`` starts one with a process for each core, else an address.

    Parameters
    ----------
    address
        ``"local"``, ``"local:4"`` for four processes, or the address of a scheduler, such as ``tcp://host:8786``.
    """
    distributed = needs("distributed", "dask", "Working on a cluster")
    Client, LocalCluster = distributed.Client, distributed.LocalCluster
    kind, _, count = address.partition(":")
    if kind != "local":
        with Client(address, timeout="20s") as client:
            _wait_for_workers(client, address)
            yield client
        return
    if count and not (count.isdigit() and int(count)):
        raise ValueError(f'dask must be "local", "local:N" or an address; got {address!r}.')
    with (
        needed().config.set(KEEP_MEMORY),
        LocalCluster(n_workers=int(count) if count else None, **LOCAL) as cluster,
        Client(cluster) as client,
    ):
        yield client


def _wait_for_workers(client: Any, address: str, seconds: int = 60) -> None:
    try:
        client.wait_for_workers(1, timeout=seconds)
    except TimeoutError as error:
        raise OSError(f"The scheduler at {address} had no worker for {seconds} s.") from error


def in_order(client: Any, function: Callable[..., Any], tasks: Sequence[Any]) -> Iterator[Any]:
    """Run a function for every task on the cluster, and yield the results in order as they come in.

    Workers that die are replaced, and their tasks are done again elsewhere.
    """
    futures = client.map(function, tasks, pure=False)
    for future in futures:
        yield future.result()
        future.release()
