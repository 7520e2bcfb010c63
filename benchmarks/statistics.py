"""Do intervals cover, and do equal models stay equal? Datasets drawn from populations with a known value.

python benchmarks/statistics.py
"""

from __future__ import annotations

import argparse
from itertools import combinations

import numpy as np

from softpq.dataset.exchanges import Exchanged
from softpq.dataset.families import holm
from softpq.dataset.statistics import of_one, of_two
from softpq.dataset.terms import Terms

POPULATIONS = ("even", "lognormal", "huge", "ceiling")


def sizes(kind: str, n: int, rng: np.random.Generator) -> np.ndarray:
    if kind == "even":
        return rng.integers(10, 40, n).astype(float)
    size = np.maximum(2.0, np.round(rng.lognormal(3, 0.9, n)))
    return np.where(rng.random(n) < 0.05, 30 * size, size) if kind == "huge" else size


def models_of(kind: str, n: int, count: int, rng: np.random.Generator) -> list[Terms]:
    """Equal models on the same images; large images are harder where sizes differ."""
    size = sizes(kind, n, rng)
    ease = rng.beta(60, 3, n) if kind == "ceiling" else rng.beta(8, 3, n)
    ease = ease if kind in ("even", "ceiling") else ease - 0.05 * np.log(size / 20)
    found = []
    for _ in range(count):
        quality = np.clip(ease + rng.normal(0, 0.02 if kind == "ceiling" else 0.08, n), 0.01, 0.99)
        found.append(Terms((quality * size)[None], size[None]))
    return found


def coverage(kind: str, n: int, datasets: int) -> tuple[float, float]:
    """Of the interval of one model, and of the difference of two equal ones."""
    rng = np.random.default_rng([n, POPULATIONS.index(kind)])
    population = models_of(kind, 500_000, 1, rng)[0].value
    one = two = 0
    for seed in range(datasets):
        first, second = models_of(kind, n, 2, rng)
        interval = of_one(first)
        one += interval.low <= population <= interval.high
        gap, _ = of_two((first, second), Exchanged.of_each([[first, second]], 1, seed)[0], (0, 1))
        two += not gap.low > 0 and not gap.high < 0
    return one / datasets, two / datasets


def false_alarms(kind: str, n: int, count: int, datasets: int) -> float:
    """How often some adjusted p of equal models is at most 5 %."""
    rng = np.random.default_rng([n, count, POPULATIONS.index(kind)])
    alarms = 0
    pairs = list(combinations(range(count), 2))
    for seed in range(datasets):
        models = models_of(kind, n, count, rng)
        exchanged = Exchanged.of_each([models], len(pairs), seed)[0]
        p = [of_two((models[i], models[j]), exchanged, (i, j), level=1 - 1e-9)[1] for i, j in pairs]
        alarms += min(holm(p)) <= 0.05
    return alarms / datasets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", type=int, default=1000)
    parser.add_argument("--families", type=int, default=400)
    options = parser.parse_args()
    print("Coverage of 95 % intervals, pooled: one model / difference of two.\n")
    print("| population | n = 10 | 20 | 30 | 50 |\n| --- | --- | --- | --- | --- |")
    for kind in POPULATIONS:
        cells = [coverage(kind, n, options.datasets) for n in (10, 20, 30, 50)]
        print(
            f"| {kind} | " + " | ".join(f"{100 * one:.1f} / {100 * two:.1f}" for one, two in cells) + " |", flush=True
        )
    print("\nDatasets of equal models in which some pair has an adjusted p of at most 5 %, in %.\n")
    print("| population | 2 models, n = 10 | 20 | 5 models, n = 10 | 20 | 10 models, n = 20 |")
    print("| --- | --- | --- | --- | --- | --- |")
    for kind in POPULATIONS:
        found = [
            false_alarms(kind, n, count, options.families)
            for count, n in ((2, 10), (2, 20), (5, 10), (5, 20), (10, 20))
        ]
        print(f"| {kind} | " + " | ".join(f"{100 * share:.1f}" for share in found) + " |", flush=True)


if __name__ == "__main__":
    main()
