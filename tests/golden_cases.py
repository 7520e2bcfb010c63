"""The golden cases: small label images drawn in characters, and scenes given as pairs."""

from __future__ import annotations

import string

import numpy as np

from softpq import Overlap

_DIGITS = "." + string.digits[1:] + string.ascii_lowercase


def drawn(rows: list[str]) -> np.ndarray:
    return np.array([[_DIGITS.index(character) for character in row] for row in rows])


def overlap_of(case: dict) -> Overlap:
    if "pairs" in case:
        return Overlap.from_pairs(*np.array(case["pairs"], dtype=np.int64).reshape(-1, 3).T)
    return Overlap.from_labels(drawn(case["truth"]), drawn(case["pred"]))
