"""Intervals, tests and ranks: against slow, obvious programs, on cases with a known answer, and by simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from softpq import Results
from softpq.dataset.distributions import t_quantile
from softpq.dataset.exchanges import Exchanged, exchanges, how_many
from softpq.dataset.families import holm
from softpq.dataset.image_result import ImageResult
from softpq.dataset.statistics import of_one, of_two
from softpq.dataset.terms import Terms
from softpq.metrics import METRICS


def terms(top: np.ndarray, bottom: np.ndarray) -> Terms:
    return Terms(np.atleast_2d(top).astype(float), np.atleast_2d(bottom).astype(float))


def drawn(n: int, seed: int, quotients: int = 1, gap: float = 0.0) -> tuple[Terms, Terms]:
    """Two models on images of uneven sizes; the second is worse by the gap."""
    rng = np.random.default_rng(seed)
    size = np.maximum(2, np.round(rng.lognormal(3, 0.7, n)))
    ease = rng.beta(8, 3, n)
    models = []
    for shift in (0.0, gap):
        quality = np.clip(ease + rng.normal(0, 0.08, (quotients, n)) - shift, 0.01, 0.99)
        models.append(terms(quality * size, np.broadcast_to(size, quality.shape)))
    return models[0], models[1]


@pytest.mark.parametrize("df", [1, 1.5, 3, 10, 29.3, 500])
@pytest.mark.parametrize("probability", [0.6, 0.9, 0.95, 0.975, 0.995, 0.025])
def test_quantiles_of_t(probability: float, df: float) -> None:
    assert t_quantile(probability, df) == pytest.approx(stats.t.ppf(probability, df), rel=1e-10)


@pytest.mark.parametrize("quotients", [1, 3])
def test_one_model_as_it_is_written_down(quotients: int) -> None:
    """The pseudocode of the jackknife on the logit scale, line by line."""
    model, _ = drawn(25, 3, quotients)
    a, b = model.top, model.bottom
    value = np.mean(a.sum(axis=1) / b.sum(axis=1))
    left_out = [np.mean(np.delete(a, k, 1).sum(axis=1) / np.delete(b, k, 1).sum(axis=1)) for k in range(25)]
    error = math.sqrt(24 / 25 * np.sum((np.array(left_out) - np.mean(left_out)) ** 2))
    weight = b.mean(axis=0)
    df = weight.sum() ** 2 / np.sum(weight**2) - 1
    reach = stats.t.ppf(0.95, df) * error / (value * (1 - value))
    found = of_one(model, level=0.9)
    assert found.value == pytest.approx(value)
    assert found.low == pytest.approx(1 / (1 + math.exp(-(math.log(value / (1 - value)) - reach))))
    assert found.high == pytest.approx(1 / (1 + math.exp(-(math.log(value / (1 - value)) + reach))))


def slow_p(models: tuple[Terms, Terms], q: float) -> float:
    """Exchange the models of every subset of the units, one after the other."""
    (a1, b1), (a2, b2) = ((one.top, one.bottom) for one in models)
    a2 = a2 + q * b2

    def gap(swap: np.ndarray) -> float:
        top1, top2 = np.where(swap, a2, a1).sum(axis=1), np.where(swap, a1, a2).sum(axis=1)
        bottom1, bottom2 = np.where(swap, b2, b1).sum(axis=1), np.where(swap, b1, b2).sum(axis=1)
        return float(np.mean(top1 / bottom1 - top2 / bottom2))

    n = a1.shape[1]
    seen = abs(gap(np.zeros(n, bool)))
    all_of_them = [abs(gap(np.array(swap, bool))) for swap in itertools.product((False, True), repeat=n)]
    return float(np.mean([value >= seen - 1e-12 for value in all_of_them]))


@pytest.mark.parametrize("quotients", [1, 3])
@pytest.mark.parametrize("seed", range(4))
def test_two_models_against_every_exchange(seed: int, quotients: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = drawn(8, seed, quotients, gap=0.05)
    second = Terms(second.top, second.bottom + rng.integers(0, 9, second.bottom.shape))
    models = (first, second)
    exchanged = Exchanged.of_each([list(models)], 1)[0]
    interval, p = of_two(models, exchanged, (0, 1))
    assert p == pytest.approx(slow_p(models, 0.0))
    assert interval.value == pytest.approx(first.value - second.value)
    if not math.isnan(interval.low):
        assert slow_p(models, interval.low + 1e-6) > 0.05 >= slow_p(models, interval.low - 1e-6)
        assert slow_p(models, interval.high - 1e-6) > 0.05 >= slow_p(models, interval.high + 1e-6)
        assert (interval.low <= 0 <= interval.high) == (p > 0.05)
    turned, same = of_two((second, first), exchanged, (1, 0))
    assert same == p
    assert turned.value == pytest.approx(-interval.value)


def test_all_exchanges_of_few_units_and_a_sample_of_many() -> None:
    few = np.concatenate(list(exchanges(5, 1)))
    assert len({tuple(row) for row in few.tolist()}) == len(few) == how_many(5, 1) == 32
    many = np.concatenate(list(exchanges(40, 1, seed=3)))
    assert many.shape == (9999, 40)
    assert abs(many.mean() - 0.5) < 0.005
    assert np.abs(np.corrcoef(many.T) - np.eye(40)).max() < 0.05
    assert not np.array_equal(many[:256], next(iter(exchanges(40, 1, seed=4))))
    assert how_many(40, 190) == 19000


def test_the_generator_can_be_repeated_anywhere() -> None:
    """Numbers that another language must give; see the documentation of exchanges."""
    first = next(iter(exchanges(70, 1, seed=0)))
    words = (first.reshape(len(first), -1)[:2, :64].reshape(2, 2, 32) * 2.0 ** np.arange(32)).sum(axis=2)
    assert words.astype(int).tolist() == [[0, 1364076727], [2247144487, 614249093]]


def test_holm() -> None:
    assert holm([0.04, 0.01, math.nan, 0.03]) == pytest.approx([0.06, 0.03, math.nan, 0.06], nan_ok=True)
    assert holm([0.9, 0.8]) == [1.0, 1.0]


def results_of(models: dict[str, np.ndarray], groups: dict[str, str] | None = None) -> Results:
    """Results with a PQ of so many hundredths on images of ten objects."""
    images = []
    for model, quality in models.items():
        for k, value in enumerate(quality):
            parts = {"tp": 10, "iou_sum": 10 * float(value), "n_truth": 10, "n_pred": 10}
            score = METRICS["pq"].restored(parts, {})
            images.append(ImageResult(f"{k:03d}", model, {"pq": score}, {"n_truth": 10, "n_pred": 10}))
    return Results(tuple(images), groups=groups or {})


@pytest.mark.parametrize(
    ("n", "difference", "of_mean", "of_pooled"),
    [(5, False, False, False), (6, True, False, False), (9, True, False, False), (10, True, True, False),
     (29, True, True, False), (30, True, True, True)],
)  # fmt: skip
def test_the_rule_by_number_of_images(n: int, difference: bool, of_mean: bool, of_pooled: bool) -> None:
    rng = np.random.default_rng(n)
    results = results_of({"a": rng.uniform(0.5, 0.9, n), "b": rng.uniform(0.4, 0.8, n)})
    compared = results.compare("a", "b", "pq")
    assert math.isnan(compared.p) != difference
    assert ("too few images" in compared.difference.reason) != difference
    for over, expected in (("mean", of_mean), ("pooled", of_pooled)):
        interval = results.interval("pq", "a", over=over)
        assert math.isnan(interval.low) != expected
        assert bool(interval.reason) != expected


def test_groups_are_exchanged_whole() -> None:
    rng = np.random.default_rng(0)
    by_patient = np.repeat(rng.normal(0, 0.1, 8), 5)
    models = {"a": 0.6 + by_patient + rng.normal(0, 0.01, 40), "b": 0.6 + rng.normal(0, 0.01, 40)}
    alone = results_of(models).compare("a", "b", "pq")
    together = results_of(models, {f"{k:03d}": f"patient {k // 5}" for k in range(40)}).compare("a", "b", "pq")
    assert (alone.units, together.units) == (40, 8)
    assert together.difference.high - together.difference.low > 1.5 * (alone.difference.high - alone.difference.low)


def test_pixels_and_formulas_that_are_no_quotient_have_no_pooled_interval() -> None:
    for name, word in (("iou", "a few images decide"), ("aji", "a few images decide"), ("sorted_ap", "no quotient")):
        images = []
        for k in range(40):
            area = {"intersection": 5 + k, "truth_area": 60, "pred_area": 60, "union": 100, "ious": (0.5, 0.01 * k)}
            score = METRICS[name].restored({**area, "n_truth": 2, "n_pred": 2}, {})
            images.append(ImageResult(str(k), "a", {name: score}, {"n_truth": 2, "n_pred": 2}))
        results = Results(tuple(images))
        assert word in results.interval(name).reason
        assert results.interval(name, over="mean").low > 0


def test_equal_models_share_ranks_and_a_worse_one_does_not() -> None:
    rng = np.random.default_rng(1)
    base = rng.uniform(0.5, 0.8, 20)
    results = results_of({"a": base + rng.normal(0, 0.02, 20), "b": base + rng.normal(0, 0.02, 20), "c": base - 0.2})
    assert results.ranks("pq") == {"a": (1, 2), "b": (1, 2), "c": (3, 3)}
    assert {(one.first, one.second) for one in results.comparisons("pq")} == {("a", "b"), ("a", "c"), ("b", "c")}


def test_family_of_equal_models_is_rarely_told_apart() -> None:
    """200 datasets of five equal models: some adjusted p is at most 5 % in at most 6.5 % and two standard errors."""
    alarms = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        base = rng.beta(8, 3, 12)
        models = {name: np.clip(base + rng.normal(0, 0.1, 12), 0, 1) for name in "abcde"}
        alarms += any(one.adjusted_p <= 0.05 for one in results_of(models).comparisons("pq"))
    assert alarms / 200 <= 0.065 + 2 * math.sqrt(0.065 * 0.935 / 200)


def test_intervals_cover() -> None:
    """300 datasets of 30 images: what is true on average is inside in at least 92 % less two standard errors."""
    rng = np.random.default_rng(7)
    population = terms(*_quality(rng, 300_000)).value
    inside = 0
    for _ in range(300):
        found = of_one(terms(*_quality(rng, 30)))
        inside += found.low <= population <= found.high
    assert inside / 300 >= 0.92 - 2 * math.sqrt(0.92 * 0.08 / 300)


def _quality(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    size = np.maximum(2, np.round(rng.lognormal(3, 0.7, n)))
    return np.clip(rng.beta(8, 3, n) - 0.05 * np.log(size / 20), 0.01, 0.99) * size, size
