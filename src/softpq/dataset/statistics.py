"""Intervals over images, and paired comparison of two models."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Weights = NDArray[np.int64]
    Statistic = Callable[[Weights], NDArray[np.float64]]

Method = Literal["bca", "percentile"]

RESAMPLES = 2000


@dataclass(frozen=True)
class Interval:
    """A value with its confidence interval."""

    value: float
    low: float
    high: float
    level: float

    def __str__(self) -> str:
        return f"{self.value:.4f} [{self.low:.4f}, {self.high:.4f}]"


@dataclass(frozen=True)
class Comparison:
    """The difference of two models, first less second, over the same images.

    Attributes
    ----------
    metric, first, second
        What was compared.
    difference
        With its confidence interval.
    p
        Of a permutation test that exchanges the two models image by image.
    images
        How many both have.
    """

    metric: str
    first: str
    second: str
    difference: Interval
    p: float
    images: int = 0


def resampled(n: int, resamples: int, seed: int) -> Weights:
    """Return how often each of n images is drawn, for every resample.

    Examples
    --------
    >>> resampled(3, 2, 0).sum(axis=1)
    array([3, 3])
    """
    rng = np.random.default_rng(seed)
    return rng.multinomial(n, np.full(n, 1 / n), size=resamples).astype(np.int64)


def bootstrap(
    statistic: Statistic,
    n: int,
    *,
    level: float = 0.95,
    method: Method = "bca",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval:
    """Return a bootstrap interval over images.

    Parameters
    ----------
    statistic
        From weights (one row per resample, one column per image) to values.
    n
        Number of images.
    level
        Of the interval.
    method
        ``"bca"`` (bias-corrected and accelerated) or ``"percentile"``.
    resamples, seed
        The same seed gives the same interval.

    Examples
    --------
    >>> values = np.array([0.2, 0.4, 0.6, 0.8])
    >>> interval = bootstrap(lambda w: w @ values / w.sum(axis=1), 4, seed=1)
    >>> interval.low < interval.value < interval.high
    True
    """
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1; got {level}.")
    if method not in ("bca", "percentile"):
        raise ValueError(f'method must be one of "bca", "percentile"; got {method!r}.')
    value = float(statistic(np.ones((1, n), np.int64))[0])
    draws = statistic(resampled(n, resamples, seed)) if n > 1 else np.array([math.nan])
    draws = draws[~np.isnan(draws)]
    if math.isnan(value) or not len(draws):
        return Interval(value, math.nan, math.nan, level)
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    if method == "bca":
        tails = _bca_tails(statistic, n, value, draws, tails)
    low, high = np.quantile(draws, tails)
    return Interval(value, float(low), float(high), level)


def _bca_tails(
    statistic: Statistic, n: int, value: float, draws: NDArray[np.float64], tails: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Efron's correction; without spread there is nothing to correct."""
    from statistics import NormalDist

    below = (np.sum(draws < value) + np.sum(draws == value) / 2) / len(draws)
    left_out = statistic(1 - np.eye(n, dtype=np.int64))
    spread = np.nanmean(left_out) - left_out
    denominator = 6 * np.nansum(spread**2) ** 1.5
    if not 0 < below < 1 or denominator == 0:
        return tails
    normal = NormalDist()
    bias, acceleration = normal.inv_cdf(float(below)), float(np.nansum(spread**3) / denominator)
    shifted = [bias + normal.inv_cdf(float(tail)) for tail in tails]
    return np.array([normal.cdf(bias + z / (1 - acceleration * z)) for z in shifted])


def permutation_p(
    difference: Callable[[NDArray[np.bool_]], NDArray[np.float64]], n: int, *, permutations: int = 9999, seed: int = 0
) -> float:
    """Return the two-sided p-value of a paired permutation test.

    Parameters
    ----------
    difference
        From swaps (one row per permutation; True where the models of an image are exchanged) to differences.
    n
        Number of images. Up to 13, all exchanges are tried; beyond, a random sample.
    permutations, seed
        The same seed gives the same p.

    Examples
    --------
    >>> gaps = np.array([0.1, 0.2, 0.3])
    >>> permutation_p(lambda swap: np.where(swap, -gaps, gaps).mean(axis=1), 3)
    0.25
    """
    observed = abs(float(difference(np.zeros((1, n), bool))[0]))
    if math.isnan(observed) or n == 0:
        return math.nan
    if n <= 13:
        swaps = (np.arange(2**n)[:, None] >> np.arange(n)) & 1 == 1
        return float(np.mean(np.abs(difference(swaps)) >= observed - 1e-12))
    swaps = np.random.default_rng(seed).random((permutations, n)) < 0.5
    return float((1 + np.sum(np.abs(difference(swaps)) >= observed - 1e-12)) / (permutations + 1))
