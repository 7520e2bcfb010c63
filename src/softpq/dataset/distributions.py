"""Quantiles of Student's t and of chi squared, which need no library for the few that are asked for."""

from __future__ import annotations

import math
from functools import lru_cache


def _continued_fraction(x: float, a: float, b: float) -> float:
    """Of the incomplete beta function, by Lentz's method."""
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    value = d
    for m in range(1, 300):
        for top in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                    -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):  # fmt: skip
            d, c = 1 + top * d, 1 + top / c
            d, c = 1 / (d if abs(d) > tiny else tiny), c if abs(c) > tiny else tiny
            value *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return value


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    if x < (a + 1) / (a + b + 2):
        return math.exp(log_front) * _continued_fraction(x, a, b) / a
    return 1 - math.exp(log_front) * _continued_fraction(1 - x, b, a) / b


@lru_cache(maxsize=4096)
def t_quantile(probability: float, df: float) -> float:
    """Quantile of Student's t.

    Examples
    --------
    >>> round(t_quantile(0.975, 10), 6), round(t_quantile(0.975, 1e6), 4)
    (2.228139, 1.96)
    """
    if probability < 0.5:
        return -t_quantile(1 - probability, df)
    low, high = 0.0, 1.0

    def below(t: float) -> float:
        return 1 - _incomplete_beta(df / (df + t * t), df / 2, 0.5) / 2

    while below(high) < probability:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < probability else (low, middle)
        if high - low <= 1e-14 * high:
            break
    return (low + high) / 2


def _lower_gamma(a: float, x: float) -> float:
    """The regularised lower incomplete gamma function, by its series, whose terms are all positive."""
    if x <= 0:
        return 0.0
    term = total = 1 / a
    k = a
    while term > total * 1e-17:
        k += 1
        term *= x / k
        total += term
    return total * math.exp(a * math.log(x) - x - math.lgamma(a))


@lru_cache(maxsize=4096)
def chi2_quantile(probability: float, df: float) -> float:
    """Quantile of chi squared.

    Examples
    --------
    >>> round(chi2_quantile(0.2, 10), 6), round(chi2_quantile(0.5, 1.5), 6)
    (6.179079, 0.908334)
    """
    reach = 12 * math.sqrt(2 * df)  # twelve standard deviations
    low, high = max(0.0, df - reach), df + reach
    while _lower_gamma(df / 2, high / 2) < probability:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if _lower_gamma(df / 2, middle / 2) < probability else (low, middle)
        if high - low <= 1e-12 * high:
            break
    return (low + high) / 2
