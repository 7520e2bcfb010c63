"""What a test does without the shared reference data; and how Hypothesis works here."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings
from reference import SHARED

EXAMPLES = int(os.environ.get("SOFTPQ_EXAMPLES", "40"))
"""Of every law; more before a release (SOFTPQ_EXAMPLES=400), fewer where tests run again and again."""

settings.register_profile(
    "repeatable",
    deadline=None,
    derandomize=True,
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if SHARED.is_dir():
        return
    skip = pytest.mark.skip(reason="needs the reference data of the project, which is not here")
    for item in items:
        if item.get_closest_marker("shared"):
            item.add_marker(skip)
