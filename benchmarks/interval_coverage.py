"""Do 90 % intervals cover the true value in 90 % of datasets? Simulated datasets with a known population value.

python benchmarks/interval_coverage.py
"""

from __future__ import annotations

import math

import numpy as np

from softpq import Results
from softpq.dataset.image_result import ImageResult
from softpq.metrics import METRICS

SIMULATIONS = 1000
NAMES = ("f1", "pq")


def image_parts(rng: np.random.Generator) -> dict[str, float]:
    """An image: easy or hard, with few or many objects; hard ones are crowded."""
    ease = rng.beta(4, 2)
    n_truth = 1 + rng.poisson(60 * (1.2 - ease))
    tp = rng.binomial(n_truth, ease)
    iou_sum = float(np.sum(rng.uniform(0.5, 0.5 + 0.5 * math.sqrt(ease), tp)))
    return {"tp": int(tp), "iou_sum": iou_sum, "n_truth": int(n_truth), "n_pred": int(tp + rng.poisson(8 * (1 - ease)))}


def image(rng: np.random.Generator, name: str) -> ImageResult:
    parts = image_parts(rng)
    scores = {metric: METRICS[metric].restored(parts, {}) for metric in NAMES}
    return ImageResult(name, "model", scores, {"n_truth": parts["n_truth"], "n_pred": parts["n_pred"]})


def covered(n: int, metric: str, over: str, method: str, truth: float) -> float:
    hits = 0
    for seed in range(SIMULATIONS):
        rng = np.random.default_rng([seed, n])
        results = Results(tuple(image(rng, str(k)) for k in range(n)))
        interval = results.interval(metric, over=over, method=method, level=0.9, resamples=1000, seed=seed)
        hits += interval.low <= truth <= interval.high
    return hits / SIMULATIONS


def main() -> None:
    rng = np.random.default_rng(99)
    population = Results(tuple(image(rng, str(k)) for k in range(100_000)))
    print("| images | metric | over | BCa | percentile |\n| --: | --- | --- | --: | --: |")
    for n in (20, 50, 100):
        for metric in NAMES:
            for over in ("pooled", "mean"):
                truth = getattr(population, over)()[metric]
                found = [covered(n, metric, over, method, truth) for method in ("bca", "percentile")]
                print(f"| {n} | {metric} | {over} | {found[0]:.1%} | {found[1]:.1%} |", flush=True)


if __name__ == "__main__":
    main()
