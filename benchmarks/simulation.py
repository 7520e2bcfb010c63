"""Do intervals cover, do equal models stay equal, does a plan keep its promise? Datasets drawn from known populations.

python benchmarks/simulation.py                 # all tables of docs/statistics.md, some 20 minutes
python benchmarks/simulation.py --datasets 200  # a rough look
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from softpq.dataset.exchanges import Exchanged
from softpq.dataset.families import holm
from softpq.dataset.planning import needed_for
from softpq.dataset.statistics import exchange_p, of_one, of_two
from softpq.dataset.terms import Terms

POPULATIONS = ("even", "lognormal", "empty", "huge", "huge, harder", "ceiling", "kinds")
SIZES = (10, 20, 30, 50)


def images(kind: str, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Objects of each image, and how easy they are to find."""
    size = rng.integers(10, 40, n).astype(float)
    if kind not in ("even", "ceiling", "kinds"):
        size = np.maximum(2.0, np.round(rng.lognormal(3, 0.9, n)))
    ease = rng.beta(57, 3, n) if kind == "ceiling" else rng.beta(8, 3, n)
    if kind in ("lognormal", "huge, harder"):
        ease -= 0.05 * np.log(size / 20)
    if kind.startswith("huge"):
        size = np.where(rng.random(n) < 0.05, 30 * size, size)
        ease -= 0.15 * (size > 200) if kind == "huge, harder" else 0
    if kind == "kinds":
        ease -= 0.4 * (rng.random(n) < 0.2)
    if kind == "empty":
        size *= rng.random(n) >= 0.3
    return size, ease


def found_by(size: np.ndarray, ease: np.ndarray, rng: np.random.Generator, noise: float = 0.08) -> Terms:
    """A model on these images: what it finds, how well, and what else it predicts; PQ's sums, halved."""
    rate = np.clip(ease + rng.normal(0, noise, len(size)), 0.01, 0.99)
    hits = rng.binomial(size.astype(int), rate)
    ghosts = rng.poisson(0.1 * size)
    quality = np.clip(0.8 + rng.normal(0, 0.05, len(size)), 0.5, 1.0)
    return Terms((hits * quality)[None], ((size + hits + ghosts) / 2)[None])


def models_of(kind: str, n: int, count: int, rng: np.random.Generator, gap: float = 0.0) -> list[Terms]:
    """Models on the same images, of which the last is worse by the gap; images without objects are left out."""
    size, ease = images(kind, n, rng)
    noise = 0.02 if kind == "ceiling" else 0.08
    found = [found_by(size, ease - gap * (k == count - 1), rng, noise) for k in range(count)]
    some = np.any([one.bottom[0] > 0 for one in found], axis=0)
    return [Terms(one.top[:, some], one.bottom[:, some]) for one in found]


def as_means(models: list[Terms]) -> list[Terms]:
    """The same with the mean over images: every image counts as much."""
    values = [np.divide(one.top, one.bottom, out=np.zeros_like(one.top), where=one.bottom > 0) for one in models]
    return [Terms(value, np.ones_like(value)) for value in values]


def tested(first: Terms, second: Terms, seed: int) -> float:
    return exchange_p((first, second), Exchanged.of_each([[first, second]], 1, seed)[0], (0, 1))


def coverage(kind: str, n: int, datasets: int, *, means: bool) -> tuple[float, float, int]:
    """Of one model's interval, of a true difference, and how often p and interval contradict each other."""
    rng = np.random.default_rng([n, POPULATIONS.index(kind), means])
    turned = as_means if means else list
    whole = turned(models_of(kind, 400_000, 2, rng, gap=0.05))
    true_value, true_gap = whole[0].value, whole[0].value - whole[1].value
    one = two = against = 0
    for seed in range(datasets):
        first, second = turned(models_of(kind, n, 2, rng, gap=0.05))
        interval = of_one(first)
        one += interval.low <= true_value <= interval.high
        gap, p = of_two((first, second), Exchanged.of_each([[first, second]], 1, seed)[0], (0, 1))
        two += not gap.low > true_gap and not gap.high < true_gap  # no end: nothing is left out
        against += (p <= 0.05) != (gap.low > 0 or gap.high < 0)
    return one / datasets, two / datasets, against


def patients(n: int, correlation: float, rng: np.random.Generator) -> tuple[list[Terms], np.ndarray]:
    """Two equal models on images of patients, on whom models differ alike; and who is on which image."""
    per = rng.integers(3, 13, n)
    who = np.repeat(np.arange(n), per)
    size = rng.integers(10, 40, len(who)).astype(float)
    ease = rng.beta(8, 3, n)[who]
    found = []
    for _ in range(2):
        shared, own = (
            rng.normal(0, 0.1 * math.sqrt(correlation), n),
            rng.normal(0, 0.1 * math.sqrt(1 - correlation), len(who)),
        )
        rate = np.clip(ease + shared[who] + own, 0.01, 0.99)
        found.append(Terms((rate * size)[None], size[None]))
    return found, who


def of_patients(n: int, correlation: float, datasets: int) -> tuple[float, float]:
    """False alarms with images as units, and with patients."""
    rng = np.random.default_rng([n, int(100 * correlation)])
    alarms = np.zeros(2)
    for seed in range(datasets):
        models, who = patients(n, correlation, rng)
        whole = [Terms(*(np.bincount(who, weights=side[0])[None] for side in (m.top, m.bottom))) for m in models]
        alarms += [tested(*models, seed) <= 0.05, tested(*whole, seed) <= 0.05]
    return alarms[0] / datasets, alarms[1] / datasets


def false_alarms(kind: str, n: int, count: int, datasets: int) -> float:
    """How often some adjusted p of equal models is at most 5 %."""
    rng = np.random.default_rng([n, count, POPULATIONS.index(kind)])
    alarms = 0
    pairs = list(combinations(range(count), 2))
    for seed in range(datasets):
        models = models_of(kind, n, count, rng)
        exchanged = Exchanged.of_each([models], len(pairs), seed)[0]
        p = [exchange_p((models[i], models[j]), exchanged, (i, j)) for i, j in pairs]
        alarms += min(holm(p)) <= 0.05
    return alarms / datasets


def power(kind: str, n: int, gap: float, datasets: int, *, means: bool) -> float:
    """How often n images show the gap."""
    rng = np.random.default_rng([n, POPULATIONS.index(kind), 5])
    turned = as_means if means else list
    return np.mean([tested(*turned(models_of(kind, n, 2, rng, gap)), seed) <= 0.05 for seed in range(datasets)])


def kept_promises(kind: str, pilot: int, gap: float, datasets: int, *, means: bool) -> float:
    """Share of pilots whose plan for the true difference has a power of 80 % or more."""
    rng = np.random.default_rng([pilot, POPULATIONS.index(kind), 6])
    turned = as_means if means else list
    whole = turned(models_of(kind, 400_000, 2, rng, gap))
    difference = whole[0].value - whole[1].value
    planned = [
        needed_for(("a", "b"), tuple(turned(models_of(kind, pilot, 2, rng, gap)))).units_for(difference)  # type: ignore[arg-type]
        for _ in range(datasets)
    ]
    at = np.unique(np.round(np.geomspace(max(8, min(planned)), max(planned), 9)).astype(int))
    reached = np.maximum.accumulate([power(kind, int(n), gap, max(datasets // 2, 100), means=means) for n in at])
    enough = np.interp(0.8, reached, at) if reached[-1] >= 0.8 else math.inf
    return float(np.mean(np.array(planned) >= enough))


def shown(*shares: float) -> str:
    return " / ".join(f"{100 * share:.1f}" for share in shares)


def table(head: list[str], rows: Iterator[list[str]]) -> None:
    print("| " + " | ".join(head) + " |\n" + "| --- " * len(head) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |", flush=True)
    print()


def coverage_rows(datasets: int, against: list[int]) -> Iterator[list[str]]:
    for kind in POPULATIONS:
        for means in (False, True):
            cells = [coverage(kind, n, datasets, means=means) for n in SIZES]
            against += [cell[2] for cell in cells]
            yield [kind, "mean" if means else "pooled", *(shown(*cell[:2]) for cell in cells)]


def said(text: str, datasets: int) -> None:
    error = 100 * math.sqrt(0.05 * 0.95 / datasets)
    print(f"{text}; {datasets} datasets a cell, standard error {error:.1f} points at 5 or 95 %.\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--datasets", type=int, default=2000, help="Of families; half for intervals, a fifth for plans."
    )
    families = parser.parse_args().datasets
    intervals, plans = families // 2, max(families // 5, 20)
    said("Datasets of equal models in which some pair has an adjusted p of at most 5 %, in %", families)
    rows = (
        [kind, str(n), *(shown(false_alarms(kind, n, k, families)) for k in (2, 5, 10, 20))]
        for kind in ("even", "lognormal")
        for n in (10, 20, 50)
    )
    table(["population", "n", *(f"{k} models" for k in (2, 5, 10, 20))], rows)
    said("Coverage of 95 % intervals: one model / a true difference of two", intervals)
    against: list[int] = []
    table(["population", "over", *(f"n = {n}" for n in SIZES)], coverage_rows(intervals, against))
    print(f"p and interval contradict each other in {sum(against)} of {len(against) * intervals} datasets.\n")
    said("Two equal models, tested at 5 %: false alarms with images / patients as units, in %", intervals)
    rows = ([f"{c}", *(shown(*of_patients(n, c, intervals)) for n in (6, 10, 20))] for c in (0.3, 0.5))
    table(["correlation", "6 patients", "10", "20"], rows)
    said("Pilots whose plan has a power of 80 % or more for the true difference, in %", plans)
    rows = (
        [kind, over, *(shown(kept_promises(kind, n, 0.05, plans, means=over == "mean")) for n in (10, 20, 30))]
        for kind, over in (("even", "mean"), ("lognormal", "mean"), ("lognormal", "pooled"))
    )
    table(["population", "over", "pilot of 10", "20", "30"], rows)


if __name__ == "__main__":
    main()
