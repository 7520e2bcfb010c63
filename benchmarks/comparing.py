"""How long intervals, pairs and the map of winners take, and how much memory: python benchmarks/comparing.py."""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import softpq
from softpq.dataset.image_result import ImageResult
from softpq.dataset.winners import grid
from softpq.synthetic import cells

MODELS = [f"model {k}" for k in range(5)]


def made_up(images: int, shape: tuple[int, int], objects: int, *, keep_tables: bool) -> softpq.Results:
    """Five models on so many images, drawn from a few that were really counted."""
    rng = np.random.default_rng(0)
    known = []
    for seed in range(12):
        scene = cells(shape, objects, seed=seed)
        known.append(softpq.evaluate(scene.truth, scene.pred))
    drawn = [
        ImageResult.of(f"{k:05d}", model, known[int(rng.integers(len(known)))], keep_tables=keep_tables)
        for model in MODELS
        for k in range(images)
    ]
    return softpq.Results(tuple(drawn))


def memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def measured(what: str, work: Callable[[], Any]) -> None:
    before, start, wall = memory(), time.process_time(), time.perf_counter()
    work()
    spent = time.process_time() - start, time.perf_counter() - wall
    print(f"{what}: {spent[0]:.1f} s of CPU, {spent[1]:.1f} s, {memory() - before:.0f} MB more", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=10_000)
    options = parser.parse_args()
    results = made_up(options.images, (64, 64), 12, keep_tables=False)
    print(f"{options.images} images, {len(results.metrics)} metrics, {len(MODELS)} models")
    measured("all intervals, pooled and mean", lambda: results.rows("models"))
    measured("all pairs", lambda: results.rows("pairs"))
    fewer = made_up(options.images // 10, (512, 512), 200, keep_tables=True)
    lows, highs = grid()
    points = int((lows[:, None] <= highs).sum())
    measured(f"map of winners, {points} points, {options.images // 10} images of 200 objects", fewer.winners)


if __name__ == "__main__":
    main()
