"""All thresholds at once against the points one by one, on touching tissue: ``python benchmarks/sweep.py``.

Side by side in one run, the minimum of five repetitions; of the points one by one a part is timed, and all are counted.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from scipy.spatial import cKDTree

from softpq import Overlap, metrics, sweep

LOWS, HIGHS = np.arange(101) / 100, np.arange(5, 101, 5) / 100


def tissue(objects: int, seed: int = 0) -> Overlap:
    """The table of a volume of cells that fill it, and of the same cells with centres that are a little off."""
    rng = np.random.default_rng(seed)
    side = round((objects * 300) ** (1 / 3))
    centres = rng.random((objects, 3)) * side
    moved = centres + rng.normal(0, 0.35 * side / objects ** (1 / 3), centres.shape)
    voxels = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3) + 0.5
    truth, pred = (cKDTree(points).query(voxels)[1].reshape((side,) * 3) + 1 for points in (centres, moved))
    return Overlap.from_labels(truth, pred)


def fastest(work: Callable[[], object], repetitions: int) -> float:
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def compare(objects: int, columns: tuple, reading: str, repetitions: int) -> None:
    """Print a row: a table that is counted anew remembers no matchings but its own."""
    surface = sweep(Overlap(*columns), LOWS, HIGHS, reading=reading)
    whole = fastest(lambda: sweep(Overlap(*columns), LOWS, HIGHS, reading=reading), repetitions)
    chosen = [(i, j) for j in range(len(HIGHS)) for i in range(0, 101, 25) if LOWS[i] <= HIGHS[j]]

    def points() -> list[float]:
        table = Overlap(*columns)
        return [float(metrics.softpq(table, iou_low=LOWS[i], iou_high=HIGHS[j], reading=reading)) for i, j in chosen]

    one_by_one = fastest(points, repetitions) / len(chosen) * int(np.isfinite(surface.values).sum())
    apart = max(abs(surface.values[i, j] - v) for (i, j), v in zip(chosen, points(), strict=True))
    ratio = one_by_one / whole
    print(f"{objects:7d} {reading:8s} {whole:7.3f} s {one_by_one:9.3f} s {ratio:7.1f} x   {apart:.0e}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, nargs="*", default=[500, 5_000, 50_000])
    parser.add_argument("--repetitions", type=int, default=5)
    options = parser.parse_args()
    print("objects reading   sweep      points     ratio   largest difference")
    for objects in options.objects:
        columns = tissue(objects).as_tuple()
        for reading in ("text", "figures", "unified"):
            compare(objects, columns, reading, options.repetitions)


if __name__ == "__main__":
    main()
