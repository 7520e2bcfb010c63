"""A pair of Zarr arrays that fits on no machine's memory twice: 65,536 x 65,536 pixels, three million objects.

python benchmarks/large.py make FOLDER [--side 65536]     writes truth.zarr and pred.zarr
python benchmarks/large.py measure FOLDER                 counts them, one and two at a time, and prints a table
python benchmarks/large.py compare [--side 16384]         in tiles against in memory

Run it on an idle machine; FOLDER needs some hundred megabytes.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import zarr

from softpq import Overlap, count
from softpq.io import open_stored
from softpq.scale.blocks import blocks_of
from softpq.scale.tiles import count_tiles
from softpq.synthetic import cells

TILE, PER_TILE, CHUNK, SHIFT = 4096, 11_720, 2048, 1000


class Mosaic:
    """A field of cells that goes on without end; tiles have labels of their own, and are no multiple of chunks."""

    def __init__(self, side: int) -> None:
        scene = cells((TILE, TILE), PER_TILE, seed=1)
        self.sides = {"truth": scene.truth.astype(np.uint32), "pred": scene.pred.astype(np.uint32)}
        self.across = side // TILE + 2

    def block(self, name: str, part: tuple[slice, ...]) -> np.ndarray:
        """A part of the image."""
        tile, step = self.sides[name], int(max(side.max() for side in self.sides.values()))
        result = np.zeros([p.stop - p.start for p in part], np.uint32)
        for row in range((part[0].start + SHIFT) // TILE, (part[0].stop - 1 + SHIFT) // TILE + 1):
            for column in range((part[1].start + SHIFT) // TILE, (part[1].stop - 1 + SHIFT) // TILE + 1):
                corner = (row * TILE - SHIFT, column * TILE - SHIFT)
                into, source = [], []
                for p, at in zip(part, corner, strict=True):
                    low, high = max(p.start, at), min(p.stop, at + TILE)
                    into.append(slice(low - p.start, high - p.start))
                    source.append(slice(low - at, high - at))
                values = tile[tuple(source)]
                offset = np.uint32((row * self.across + column) * step)
                result[tuple(into)] = np.where(values > 0, values + offset, 0)
        return result


def make(folder: Path, side: int) -> None:
    mosaic = Mosaic(side)
    for name in ("truth", "pred"):
        store = zarr.create_array(
            str(folder / f"{name}.zarr"), shape=(side, side), dtype="u4", chunks=(CHUNK, CHUNK), overwrite=True
        )

        def write(part: tuple[slice, ...], name: str = name, store: zarr.Array = store) -> None:
            store[part] = mosaic.block(name, part)

        with ThreadPoolExecutor() as pool:
            list(pool.map(write, blocks_of((side, side), (CHUNK, CHUNK))))
    print(f"{folder}: {sum(p.stat().st_size for p in folder.rglob('*') if p.is_file()) / 1e6:.0f} MB on disk")


def timed_run(*arguments: str) -> dict[str, float]:
    """Do one measurement in a process of its own, so that its memory can be told."""
    done = subprocess.run([sys.executable, __file__, *arguments], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def report(seconds: float, **more: float) -> None:
    print(json.dumps({"seconds": seconds, "peak": peak_bytes(), **more}))


def use_cores(count: int) -> None:
    """Stay on so many cores: Zarr decodes with threads of its own."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:count])


def run_count(folder: Path, threads: int) -> None:
    use_cores(threads)
    start = time.perf_counter()
    table = count(folder / "truth.zarr", folder / "pred.zarr", threads=threads, memory="500MB")
    report(time.perf_counter() - start, n_truth=table.n_truth, n_pred=table.n_pred, pairs=len(table.pair_pixels))


def run_decode(folder: Path) -> None:
    """Only read: what counting cannot be faster than."""
    use_cores(1)
    arrays = [open_stored(folder / f"{name}.zarr") for name in ("truth", "pred")]
    start = time.perf_counter()
    for part in blocks_of(arrays[0].shape, (CHUNK, CHUNK)):
        for array in arrays:
            array[part]
    report(time.perf_counter() - start)


def run_dask(folder: Path, workers: int) -> None:
    import dask

    from softpq.scale import dask as backend

    use_cores(workers)

    with dask.config.set({"distributed.worker.memory.target": False}), backend.connected(f"local:{workers}") as client:
        client.run(lambda: bool(__import__("softpq.scale.dask")))  # not part of the time
        start = time.perf_counter()
        table = backend.count_delayed(folder / "truth.zarr", folder / "pred.zarr")
        seconds = time.perf_counter() - start
        peaks = client.run(peak_bytes)
    report(seconds, n_truth=table.n_truth, peak=max(peaks.values()))


def measure(folder: Path) -> None:
    voxels = float(np.prod(open_stored(folder / "truth.zarr").shape))
    rows = {
        "reading alone, one core": timed_run("decode", str(folder)),
        "one core": timed_run("count", str(folder), "1"),
        "two cores, threads": timed_run("count", str(folder), "2"),
        "one core, Dask": timed_run("dask", str(folder), "1"),
        "two cores, Dask processes": timed_run("dask", str(folder), "2"),
    }
    print("| | seconds | megapixels / s | peak memory |\n| --- | ---: | ---: | ---: |")
    for name, row in rows.items():
        print(f"| {name} | {row['seconds']:.1f} | {voxels / row['seconds'] / 1e6:.0f} | {row['peak'] / 1e6:.0f} MB |")
    one, two = rows["one core"], rows["two cores, threads"]
    print(f"\nobjects: {one['n_truth']:,} and {one['n_pred']:,}; pairs: {one['pairs']:,}")
    print(f"share of reading: {rows['reading alone, one core']['seconds'] / one['seconds']:.0%}")
    print(f"two threads: {one['seconds'] / two['seconds']:.2f} x one; ", end="")
    print(
        f"two processes: {rows['one core, Dask']['seconds'] / rows['two cores, Dask processes']['seconds']:.2f} x one"
    )


def compare(side: int) -> None:
    mosaic, whole = Mosaic(side), (slice(0, side), slice(0, side))
    truth, pred = (mosaic.block(name, whole) for name in ("truth", "pred"))
    for threads in (1, 2):
        for _ in range(2):  # the first is for warming up
            start = time.perf_counter()
            in_memory = Overlap.from_labels(truth, pred, threads=threads)
            middle = time.perf_counter()
            in_tiles = count_tiles(truth, pred, threads=threads, memory="1GB")
            end = time.perf_counter()
        assert in_memory == in_tiles
        whole_seconds, tile_seconds = middle - start, end - middle
        print(f"{side} x {side}, {threads} threads: in memory {whole_seconds:.2f} s, ", end="")
        print(f"in tiles {tile_seconds:.2f} s, {tile_seconds / whole_seconds:.2f} x")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=["make", "measure", "compare", "count", "decode", "dask"])
    parser.add_argument("folder", type=Path, nargs="?", default=Path("large"))
    parser.add_argument("workers", type=int, nargs="?", default=1)
    parser.add_argument("--side", type=int)
    options = parser.parse_args()
    if options.task == "make":
        make(options.folder, options.side or 65_536)
    elif options.task == "measure":
        measure(options.folder)
    elif options.task == "compare":
        compare(options.side or 16_384)
    elif options.task == "count":
        run_count(options.folder, options.workers)
    elif options.task == "decode":
        run_decode(options.folder)
    else:
        run_dask(options.folder, options.workers)


if __name__ == "__main__":
    main()
