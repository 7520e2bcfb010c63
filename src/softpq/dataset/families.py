"""Several models at once: p-values that stay honest, and which ranks are possible."""

from __future__ import annotations

import math
from collections.abc import Mapping

from softpq.dataset.statistics import FEWEST, LEVEL

MOST_MODELS = 30
"""With more, pairs are not compared: their p would have to be so small that tests of all of them take hours."""


def holm(p: list[float]) -> list[float]:
    """Adjust p-values of several tests so that the chance of any false alarm is kept.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted, running = [math.nan] * len(p), 0.0
    known = [k for k in range(len(p)) if not math.isnan(p[k])]
    for place, k in enumerate(sorted(known, key=lambda k: p[k])):
        running = max(running, min(1.0, (len(known) - place) * p[k]))
        adjusted[k] = running
    return adjusted


def rank_sets(models: list[str], decided: Mapping[tuple[str, str], bool]) -> dict[str, tuple[int, int]]:
    """Model -> its first and last possible rank.

    Parameters
    ----------
    models
        All of them.
    decided
        (better, worse) -> True, for pairs whose adjusted p is small enough.

    Examples
    --------
    >>> rank_sets(["a", "b", "c"], {("a", "c"): True})
    {'a': (1, 2), 'b': (1, 3), 'c': (2, 3)}
    """
    return {
        model: (
            1 + sum(decided.get((other, model), False) for other in models),
            len(models) - sum(decided.get((model, other), False) for other in models),
        )
        for model in models
    }


def fewest_for(models: int, level: float = LEVEL) -> int:
    """How many units it takes so that the smallest possible adjusted p is small enough.

    Examples
    --------
    >>> [fewest_for(models) for models in (2, 5, 10, 20)]
    [6, 9, 11, 13]
    """
    pairs = models * (models - 1) // 2
    return max(FEWEST, math.ceil(1 + math.log2(pairs / (1 - level)) - 1e-9))
