"""Masks that overlap against pycocotools on the same run-lengths: ``python benchmarks/masks.py``.

Side by side in one run, on one thread, the minimum of interleaved repetitions, as time of the processor, so that
other work on the machine matters less. Memory is what the process grew by at its highest, of each program by itself in
a process of its own. Needs pycocotools, which the package does not.

pycocotools is given run-lengths as text, and decodes them each time: *text* does the same work. *runs* counts masks
that are at hand; *softpq* is from the same masks to SoftPQ, *softpq of text* from the text.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy reads it

import numpy as np

from softpq import Masks, Overlap
from softpq.metrics import METRICS

CASES = {
    "100 at 512": (100, 512, (5, 40)),
    "1000 at 1024": (1000, 1024, (5, 30)),
    "2000 nested at 2048": (2000, 2048, (5, 600)),
    "10000 at 4096": (10_000, 4096, (5, 30)),
}


def discs(count: int, size: int, radii: tuple[int, int], seed: int) -> Masks:
    """Discs at random places, drawn as runs."""
    rng = np.random.default_rng(seed)
    offsets, starts, stops = [0], [], []
    for y, x, r in zip(*rng.integers(0, size, (2, count)), rng.integers(*radii, count), strict=True):
        rows = np.arange(max(y - r, 0), min(y + r + 1, size))
        half = np.sqrt(r * r - (rows - y) ** 2).astype(int)
        starts.append(rows * size + np.maximum(x - half, 0))
        stops.append(rows * size + np.minimum(x + half + 1, size))
        offsets.append(offsets[-1] + len(rows))
    begin, end = np.concatenate(starts), np.concatenate(stops)
    return _joined(size, np.array(offsets), begin, end)


def _joined(size: int, offsets: np.ndarray, starts: np.ndarray, stops: np.ndarray) -> Masks:
    """Runs that touch over the end of a line are one."""
    first = np.ones(len(starts), bool)
    first[1:] = starts[1:] != stops[:-1]
    first[offsets[:-1]] = True
    last = np.append(first[1:], True)
    return Masks((size, size), np.concatenate([[0], np.cumsum(first)])[offsets], starts[first], stops[last])


def as_coco(masks: Masks) -> list[dict[str, Any]]:
    """Run-lengths of pycocotools; the image is transposed, which changes no number."""
    from pycocotools import mask

    size, found = masks.shape, []
    for k in range(len(masks)):
        own = slice(masks.offsets[k], masks.offsets[k + 1])
        edges = np.column_stack([masks.starts[own], masks.stops[own]]).ravel()
        counts = np.diff(np.concatenate([[0], edges, [size[0] * size[1]]]))
        found.append(mask.frPyObjects({"size": list(size), "counts": counts.tolist()}, *size))
    return found


def fastest(works: dict[str, Callable[[], object]], repetitions: int) -> dict[str, float]:
    """The minimum of each, interleaved."""
    best = dict.fromkeys(works, float("inf"))
    for _ in range(repetitions):
        for name, work in works.items():
            start = time.process_time()
            work()
            best[name] = min(best[name], time.process_time() - start)
    return best


def compare(name: str, repetitions: int) -> None:
    from pycocotools import mask

    sides = [discs(*CASES[name], seed=seed) for seed in (0, 1)]
    coco = [as_coco(side) for side in sides]
    crowd = [0] * len(coco[0])

    def of_text() -> Overlap:
        return Overlap.from_masks(*(Masks.from_rle(side) for side in coco), threads=1)

    works = {
        "pycocotools": lambda: mask.iou(coco[1], coco[0], crowd),
        "text": of_text,
        "runs": lambda: Overlap.from_masks(*sides, threads=1),
        "softpq": lambda: METRICS["softpq"](Overlap.from_masks(*sides, threads=1)),
        "softpq of text": lambda: METRICS["softpq"](of_text()),
    }
    table, dense = Overlap.from_masks(*sides, threads=1), mask.iou(coco[1], coco[0], crowd)
    assert np.array_equal(dense[table.pair_pred, table.pair_truth], table.pair_iou)
    assert np.count_nonzero(dense) == len(table.pair_iou)
    best = fastest(works, repetitions)
    peer = best["pycocotools"]
    shown = "  ".join(f"{key} {1000 * value:9.1f} ms ({peer / value:5.1f} x)" for key, value in best.items())
    print(f"{name:20s} {shown}  memory {grown(name, 'runs'):.0f} MB, pycocotools {grown(name, 'peer'):.0f} MB")


def compare_dense(repetitions: int) -> None:
    """Stacks of 100 masks at 512."""
    from pycocotools import mask

    stacks = [discs(*CASES["100 at 512"], seed=seed).to_stack() for seed in (0, 1)]
    columns = [np.asfortranarray(stack.transpose(1, 2, 0).astype(np.uint8)) for stack in stacks]
    flat = [stack.reshape(len(stack), -1).astype(np.float32) for stack in stacks]
    best = fastest(
        {
            "encode + iou": lambda: mask.iou(mask.encode(columns[1]), mask.encode(columns[0]), [0] * 100),
            "matrix product": lambda: flat[0] @ flat[1].T,
            "masks": lambda: Overlap.from_masks(*(Masks.from_stack(stack) for stack in stacks), threads=1),
        },
        repetitions,
    )
    ours = best["masks"]
    print("dense 100 at 512    ", "  ".join(f"{k} {1000 * v:.2f} ms ({v / ours:.1f} x)" for k, v in best.items()))


def grown(name: str, who: str) -> float:
    """Megabytes that a process needs at its highest beyond what it had before it counted."""
    found = subprocess.run([sys.executable, __file__, "--alone", name, who], check=True, capture_output=True, text=True)
    return float(found.stdout)


def alone(name: str, who: str) -> None:
    sides = [discs(*CASES[name], seed=seed) for seed in (0, 1)]
    coco = [as_coco(side) for side in sides] if who == "peer" else []
    before = highest(anew=True)
    if who == "peer":
        from pycocotools import mask

        mask.iou(coco[1], coco[0], [0] * len(coco[0]))
    else:
        Overlap.from_masks(*sides, threads=1)
    print(highest() - before)


def highest(*, anew: bool = False) -> float:
    """Megabytes that this process had at its highest; since now, from now on (Linux)."""
    if anew:
        Path("/proc/self/clear_refs").write_text("5")
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", nargs="*", default=list(CASES))
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--alone", nargs=2)
    options = parser.parse_args()
    if options.alone:
        alone(*options.alone)
        return
    for name in options.cases:
        compare(name, options.repetitions)
    compare_dense(options.repetitions)


if __name__ == "__main__":
    main()
