"""The golden cases: small label images drawn in characters, and scenes given as pairs."""

from __future__ import annotations

import string

import numpy as np
from reference import shared_json

from softpq import Overlap

_DIGITS = "." + string.digits[1:] + string.ascii_lowercase


def drawn(rows: list[str]) -> np.ndarray:
    return np.array([[_DIGITS.index(character) for character in row] for row in rows])


def overlap_of(case: dict) -> Overlap:
    if "pairs" in case:
        return Overlap.from_pairs(*np.array(case["pairs"], dtype=np.int64).reshape(-1, 3).T)
    return Overlap.from_labels(drawn(case["truth"]), drawn(case["pred"]))


GOLDEN = shared_json("golden/readings.json") or {"cases": [], "scenes": [], "datasets": []}
EVERY_CASE = GOLDEN["cases"] + GOLDEN["scenes"]
CASES = {case["name"]: case for case in EVERY_CASE}
SETTINGS_KEYS = ("exact_hard", "exact_soft", "exact_scale", "matches", "forgiven")


def softpq_values(case: dict):
    """Yield (settings, expected value) for everything a case records."""
    for block in case["softpq"]:
        thresholds = {"iou_low": block["iou_low"], "iou_high": block["iou_high"]}
        for priority in ("over", "under"):
            for reading, values in block[priority].items():
                for penalty, expected in values.items():
                    if penalty not in SETTINGS_KEYS:
                        yield (
                            {
                                **thresholds,
                                "priority": priority,
                                "reading": reading,
                                "penalty": penalty.replace("_", "-"),
                            },
                            expected,
                        )
