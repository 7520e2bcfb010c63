"""A browser, and a page to look at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from overlapping_pages import crossing_results
from pages import Watched, running, two_models


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with running() as found:
        yield found


@pytest.fixture
def watched(browser: Any) -> Iterator[Watched]:
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    found = Watched(context.new_page())
    yield found
    found.check()
    context.close()


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    two_models().report(path, title="Two models", command="softpq evaluate truth mixed shifted")
    return path


@pytest.fixture(scope="module")
def overlap_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Objects that overlap, with classes and scores."""
    path = tmp_path_factory.mktemp("overlap") / "overlap.html"
    crossing_results().report(path, title="Worms that cross")
    return path
