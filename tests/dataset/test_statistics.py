"""Intervals and permutation tests, on cases with a known answer."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from softpq.dataset.statistics import bootstrap, permutation_p, resampled


def mean_of(values: np.ndarray):
    return lambda weights: weights @ values / weights.sum(axis=1)


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_intervals_agree_with_scipy(method: str) -> None:
    values = np.random.default_rng(0).gamma(2, 1, 40)
    ours = bootstrap(mean_of(values), 40, method=method, resamples=20_000)
    theirs = stats.bootstrap((values,), np.mean, method=method, n_resamples=20_000, rng=0, vectorized=False)
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.02)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.02)


def test_without_spread_the_interval_is_a_point() -> None:
    interval = bootstrap(mean_of(np.full(10, 0.5)), 10)
    assert (interval.low, interval.value, interval.high) == (0.5, 0.5, 0.5)


def test_one_image_has_no_interval() -> None:
    interval = bootstrap(mean_of(np.array([0.5])), 1)
    assert interval.value == 0.5
    assert math.isnan(interval.low)


def test_resamples_draw_as_many_images_as_there_are() -> None:
    weights = resampled(7, 100, 3)
    assert (weights.sum(axis=1) == 7).all()
    assert np.array_equal(weights, resampled(7, 100, 3))


@pytest.mark.parametrize("n", [8, 30])
def test_permutation_p_agrees_with_scipy(n: int) -> None:
    gaps = np.random.default_rng(n).normal(0.2, 0.5, n)
    ours = permutation_p(lambda swap: np.where(swap, -gaps, gaps).mean(axis=1), n, permutations=20_000)
    theirs = stats.permutation_test(
        (gaps,), np.mean, permutation_type="samples", n_resamples=20_000, rng=0, vectorized=False
    ).pvalue
    assert ours == pytest.approx(theirs, abs=0.02)


def test_unknown_methods_are_refused() -> None:
    with pytest.raises(ValueError, match="method must be one of"):
        bootstrap(mean_of(np.ones(3)), 3, method="jackknife")  # type: ignore[arg-type]
