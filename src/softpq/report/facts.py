"""What the page must know and Python knows: it is sent along, and the page has no second list."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from softpq.dataset.exchanges import ALL_UP_TO, AT_LEAST, PER_PAIR
from softpq.dataset.families import MOST_MODELS
from softpq.dataset.statistics import FEWEST, FEWEST_OF_MEANS, FEWEST_POOLED
from softpq.explain.classes import CLASSES_CORRECTED
from softpq.explain.layered_repairs import OVERLAPPING_REPAIRS
from softpq.explain.repairs import REPAIRS
from softpq.explain.verdicts import VERDICTS
from softpq.settings import PENALTIES, PRESETS, PRIORITIES, READINGS

FACTS = {
    "verdicts": [asdict(verdict) for verdict in VERDICTS],
    "repairs": list(REPAIRS),
    "penalties": list(PENALTIES),
    "priorities": PRIORITIES,
    "readings": READINGS,
    "presets": dict(PRESETS),
    "statistics": {
        "fewest": FEWEST,
        "fewestPooled": FEWEST_POOLED,
        "fewestOfMeans": FEWEST_OF_MEANS,
        "allUpTo": ALL_UP_TO,
        "atLeast": AT_LEAST,
        "perPair": PER_PAIR,
        "mostModels": MOST_MODELS,
    },
}
"""What the page must know and Python knows: the page has no second list."""


def facts_of(*, overlap: bool, by_class: bool = False) -> dict[str, Any]:
    """The same for a page: what only happens to objects that overlap, or have classes, is said where they do."""
    repairs = [*(OVERLAPPING_REPAIRS if overlap else REPAIRS), *([CLASSES_CORRECTED] if by_class else [])]
    if overlap:
        readings = [reading for reading in READINGS if reading != "released"]
        return {**FACTS, "repairs": repairs, "readings": readings}
    verdicts = [asdict(verdict) for verdict in VERDICTS if verdict.name != "duplicate"]
    return {**FACTS, "repairs": repairs, "verdicts": verdicts}
