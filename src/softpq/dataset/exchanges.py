"""Exchanging two models image by image: which exchanges are tried, and the sums after each.

Moving model 2 by q adds q times its denominators to its numerators, which is linear: one product of the exchanges with
all numerators and denominators serves every q, every pair of models and every metric.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from softpq.dataset.terms import Terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

ALL_UP_TO = 14
"""Units; of more, a sample of the exchanges is tried."""

AT_LEAST = 9999
PER_PAIR = 100
AT_ONCE = 1 << 20
"""Zeros and ones that are made together: 8 MB."""


def how_many(units: int, pairs: int) -> int:
    """Exchanges to try: all, or a sample that is fine enough for the adjusted p of so many pairs."""
    return 2**units if units <= ALL_UP_TO else max(AT_LEAST, PER_PAIR * pairs)


def exchanges(units: int, pairs: int, seed: int = 0) -> Iterator[NDArray[np.float64]]:
    """Rows of 0 and 1, a few at a time: 1 where the two models of a unit are exchanged.

    All of them, in the order of counting; or random ones. Bit j of word k of row r, for unit 32 k + j, is that of
    ``mixed(seed' + r W + k)`` for W words a row: the last step of MurmurHash3 on a counter, which any language with 32
    bits can repeat.
    """
    rows, words = how_many(units, pairs), -(-units // 32)
    step = max(AT_ONCE // max(units, 1), 64)
    for first in range(0, rows, step):
        row = np.arange(first, min(first + step, rows), dtype=np.uint64)
        if units <= ALL_UP_TO:
            bits = (row[:, None] >> np.arange(units, dtype=np.uint64)) & np.uint64(1)
        else:
            start = np.uint64(mixed(np.array([seed], np.uint32))[0])
            counter = (start + row[:, None] * np.uint64(words) + np.arange(words, dtype=np.uint64)).astype(np.uint32)
            word = mixed(counter)
            bits = ((word[:, :, None] >> np.arange(32, dtype=np.uint32)) & np.uint32(1)).reshape(len(row), -1)[
                :, :units
            ]
        yield bits.astype(np.float64)


def mixed(values: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Scramble 32 bits.

    Examples
    --------
    >>> mixed(np.array([0, 1, 2], np.uint32)).tolist()
    [0, 1364076727, 821347078]
    """
    found = values ^ (values >> np.uint32(16))
    found = found * np.uint32(0x85EBCA6B)
    found ^= found >> np.uint32(13)
    found = found * np.uint32(0xC2B2AE35)
    found ^= found >> np.uint32(16)
    return found


@dataclass(frozen=True)
class Exchanged:
    """The sums of all models after every exchange: (models, quotients, exchanges), and whether all were tried."""

    tops: Floats
    bottoms: Floats
    complete: bool

    @classmethod
    def of_each(cls, samples: Sequence[Sequence[Terms]], pairs: int, seed: int = 0) -> list[Exchanged]:
        """Exchange all models that have the same units: for each metric, the terms of every model."""
        sides = [np.concatenate([np.concatenate([one.top, one.bottom]) for one in models]) for models in samples]
        columns, place = np.unique(np.concatenate(sides), axis=0, return_inverse=True)  # many metrics share some
        sums, place = sums_after(columns, pairs, seed), place.ravel()
        found, at = [], 0
        for models, rows in zip(samples, sides, strict=True):
            own = sums[place[at : at + len(rows)]].reshape(len(models), 2, -1, sums.shape[1])
            found.append(cls(own[:, 0], own[:, 1], models[0].units <= ALL_UP_TO))
            at += len(rows)
        return found


def sums_after(columns: Floats, pairs: int, seed: int = 0) -> Floats:
    """What is exchanged in each exchange: (columns, exchanges), from columns of (columns, units)."""
    return np.concatenate([columns @ rows.T for rows in exchanges(columns.shape[1], pairs, seed)], axis=1)
