"""The kernel on all kinds of images, what surrounds it, and small images; as ratios, which a busy machine spares.

python benchmarks/kinds.py                                  # prints the section
python benchmarks/kinds.py --write docs/benchmarks.md       # puts it into the page
python benchmarks/kinds.py --data folder                    # and images of folder/truth and folder/pred, side by side

Work is measured in CPU time, in turns with reading, and the fastest of all turns counts.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

import softpq
from softpq import Overlap
from softpq.explain.objects import objects_of
from softpq.io import read_labels
from softpq.synthetic import bacteria, cells, histology, tissue
from softpq.table.images import Images
from softpq.table.pieces import pieces_overlap

Pair = tuple[np.ndarray, np.ndarray]

TARGETS = {
    "cells": {8: 6.0, 16: 3.5, 32: 2.2},
    "cells, every label a random number": {},
    "tissue without background": {8: 6.0, 16: 3.3, 32: 2.6},
    "histology": {8: 6.0, 16: 4.4, 32: 2.8},
    "bacteria": {8: 6.0, 16: 2.2, 32: 1.8},
}
"""Kind -> bits -> how often as long as reading both arrays counting should take."""

HEADING = "## Kinds of images"


def in_turns(
    work: dict[str, Callable[[], object]], turns: int = 12, clock: Callable[[], float] = process_time
) -> dict[str, float]:
    best = dict.fromkeys(work, float("inf"))
    for _ in range(turns):
        for name, task in work.items():
            start = clock()
            task()
            best[name] = min(best[name], clock() - start)
    return best


def read(pair: Pair) -> None:
    for side in pair:
        np.add.reduce(side.reshape(-1).view(np.uint64))


def in_folder(folder: Path) -> Pair:
    return mosaic([[read_labels(path) for path in sorted((folder / side).iterdir())] for side in ("truth", "pred")])


def mosaic(found: list[list[np.ndarray]], size: int = 4096) -> Pair:
    """Images of truth and pred, again and again, each with labels of its own, until a large image is full."""
    sides = [np.zeros((size, size), np.uint32) for _ in found]
    height, width = (max(image.shape[axis] for image in found[0]) for axis in (0, 1))
    last = [0, 0]
    for place, corner in enumerate(np.ndindex(-(-size // height), -(-size // width))):
        y, x = corner[0] * height, corner[1] * width
        for side, images in enumerate(found):
            part = images[place % len(images)][: size - y, : size - x].astype(np.int64)
            sides[side][y : y + part.shape[0], x : x + part.shape[1]] = np.where(part > 0, part + last[side], 0)
            last[side] += int(part.max(initial=0))
    return sides[0], sides[1]


def kinds(data: list[Path]) -> dict[str, Pair]:
    scene = cells((4096, 4096), 10_000, seed=1)
    field = (scene.truth.astype(np.uint64), scene.pred.astype(np.uint64))
    sparse = tuple(side * np.uint64(0x9E3779B97F4A7C15) for side in field)
    others = (
        tissue((1024, 1024), 625, seed=1),
        histology((1024, 1024), 900, seed=1),
        bacteria((1024, 1024), 500, seed=1),
    )
    found = zip(TARGETS, (field, sparse, *(mosaic([[side] for side in pair]) for pair in others)), strict=True)
    return dict(found) | {folder.name: in_folder(folder) for folder in data}  # type: ignore[arg-type]


def kernel_rows(images: dict[str, Pair]) -> list[str]:
    rows = [
        "| 4096² | bits | pixels a run | pairs | × reading both | target |",
        "| --- | --: | --: | --: | --: | --: |",
    ]
    for kind, (truth, pred) in images.items():
        changes = (truth[:, 1:] != truth[:, :-1]) | (pred[:, 1:] != pred[:, :-1])
        for bits in (8, 16, 32, 64) if "random" not in kind else (64,):
            pair = truth.astype(f"u{bits // 8}"), pred.astype(f"u{bits // 8}")
            pairs = len(Overlap.from_labels(*pair).pair_pixels)
            best = in_turns({"read": lambda: read(pair), "count": lambda: Overlap.from_labels(*pair, threads=1)})  # noqa: B023
            target = TARGETS.get(kind, {}).get(bits, "")
            rows.append(
                f"| {kind} | {bits} | {changes.size / changes.sum():.0f} | {pairs:,} | "
                f"{best['count'] / best['read']:.1f} | {target} |"
            )
    return rows


def around_rows(pair: Pair) -> list[str]:
    """What surrounds counting, with one thread's worth of CPU time."""
    rows = ["| 4096², 10,000 cells | 16 bit, × reading both | 32 bit | target |", "| --- | --: | --: | --: |"]
    found = []
    for bits in (16, 32):
        truth, pred = (side.astype(f"u{bits // 8}") for side in pair)
        overlap = Overlap.from_labels(truth, pred)
        work: dict[str, Callable[[], object]] = {
            "read": lambda: read((truth, pred)),  # noqa: B023
            "count": lambda: Overlap.from_labels(truth, pred, threads=1),  # noqa: B023
            "bare": lambda: objects_of(overlap),  # noqa: B023
            "placed": lambda: objects_of(overlap, images=Images(truth, pred)),  # noqa: B023
            "pieces": lambda: pieces_overlap(truth, pred),  # noqa: B023
            "bands": lambda: Overlap.from_labels(truth, pred, boundary=20, threads=1),  # noqa: B023
        }
        best = in_turns(work)
        best["placed"] += best["count"] - best["bare"]
        found.append({name: seconds / best["read"] for name, seconds in best.items()})
    names = {"placed": ("pairs, boxes and centroids", 8), "pieces": ("pairs of connected pieces", 60)}
    names["bands"] = ("pairs of boundary bands, reach 20", 50)
    for name, (what, target) in names.items():
        rows.append(f"| {what} | {found[0][name]:.1f} | {found[1][name]:.1f} | {target} |")
    return rows


def noise_rows() -> list[str]:
    rng = np.random.default_rng(0)
    truth, pred = (rng.permutation(1 << 20).astype(np.uint32).reshape(1024, 1024) for _ in range(2))
    work: dict[str, Callable[[], object]] = {
        "softpq": lambda: Overlap.from_labels(truth, pred, threads=1),
        "unique": lambda: np.unique(truth.astype(np.uint64) << np.uint64(32) | pred, return_counts=True),
    }
    best = in_turns(work, 5)
    return [
        f"Noise, every pixel of 1024² an object: {best['softpq'] / best['unique']:.1f} times as long as `np.unique`",
        "of the pairs (target: 1), which sorts one word for each pixel with AVX-512 or AVX2. A quarter of the time is",
        "adding to the table, two fifths sorting (four times as fast as `std::sort`), a third tables of a million",
        "objects on each side and of a million pairs: 56 MB that are written for the first time. That is what the",
        "kernel is worst at.",
    ]


def small_rows() -> list[str]:
    rows = [
        "| image | `score` | of which looking at what it is | `evaluate`, all metrics |",
        "| --- | --: | --: | --: |",
    ]
    for size, objects in ((64, 5), (256, 100)):
        scene = cells((size, size), objects, seed=1)
        truth, pred = scene.truth.astype(np.uint16), scene.pred.astype(np.uint16)
        work: dict[str, Callable[[], object]] = {
            "score": lambda: softpq.score(truth, pred),  # noqa: B023
            "unchecked": lambda: softpq.score(truth, pred, check=False),  # noqa: B023
            "all": lambda: softpq.evaluate(truth, pred),  # noqa: B023
        }
        best = {name: 1e6 * seconds for name, seconds in in_turns(work, 500, perf_counter).items()}
        micros = (best["score"], best["score"] - best["unchecked"], best["all"])
        rows.append(f"| {size}², {objects} objects | " + " | ".join(f"{value:.0f} µs" for value in micros) + " |")
    return [
        *rows,
        "",
        "Targets: `score` 30 µs, all metrics 200 µs at 64² and 400 µs at 256². What limits it is Python: looking at",
        "what an image is (labels, a mask, intensities), and a record for each of two dozen scores.",
    ]


def section(data: list[Path] | None = None) -> list[str]:
    images = kinds(data or [])
    return [
        HEADING,
        "",
        "Made by `python benchmarks/kinds.py --write docs/benchmarks.md`. One thread, CPU time, in turns with reading",
        "both arrays once; the fastest of twelve turns. Ratios hold on a busy machine, microseconds do not.",
        "",
        *kernel_rows(images),
        "",
        "What limits it: finding runs takes about as long as reading; the rest is 4 to 5 ns for each run.",
        "",
        *noise_rows(),
        "",
        *around_rows(images["cells"]),
        "",
        *small_rows(),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, nargs="*", default=[], help="folders with truth and pred in them")
    parser.add_argument("--write", type=Path, help="the page to put the section into")
    chosen = parser.parse_args()
    lines = "\n".join(section(chosen.data))
    print(lines)
    if chosen.write:
        page = chosen.write.read_text()
        old = re.search(rf"{HEADING}.*?\n(?=## )", page, re.DOTALL)
        before = old.group() if old else "## Matching in touching tissue\n"
        chosen.write.write_text(page.replace(before, lines + "\n\n" + ("" if old else before)))


if __name__ == "__main__":
    main()
