"""A real browser for the report, watched for requests and errors; and results to show."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_up import scored

from softpq import Results
from softpq.dataset.image_result import ImageResult
from softpq.synthetic import cells

QUIET = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync")  # fmt: skip


def executable() -> str:
    found = next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
    )
    if found is None:
        pytest.skip("needs the browser Chromium, which is not installed")
    return found


@contextmanager
def running() -> Iterator[Any]:
    path = executable()
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(QUIET))
        yield browser
        browser.close()


class Watched:
    """A page, everything it asked for, and everything it complained about."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on(
            "console", lambda line: self.complaints.append(line.text) if line.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def open(self, path: Path, fragment: str = "") -> Any:
        self.page.goto(f"{path.as_uri()}{fragment}")
        self.page.wait_for_selector("body[data-ready]")
        return self.page

    def check(self) -> None:
        """Nothing but the file itself was asked for, and nobody complained."""
        outside = [url for url in self.requests if not url.startswith(("file:", "data:", "blob:"))]
        files = [url.partition("#")[0] for url in self.requests if url.startswith("file:")]
        assert not outside
        assert len(set(files)) <= 1
        assert not self.complaints


def wait_until(page: Any, condition: str) -> None:
    """Ask until it is true. (Playwright's own way is evaluated by the page, whose policy forbids that.)"""
    for _ in range(3000):  # a busy machine may take long; what is wrong fails later, what is right does not
        if page.evaluate(condition):
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"never true: {condition}")


def softpq_now(page: Any) -> float:
    return float(page.inner_text("#softpq-now"))


def settled(page: Any) -> None:
    wait_until(page, "!softpq.page.frame")
    page.evaluate("softpq.page.writeFragment()")  # a moving slider does so a moment later


def arrays_of(image: ImageResult) -> tuple[np.ndarray, np.ndarray]:
    assert image.pair is not None
    return image.pair.truth.read().labels, image.pair.pred.read().labels


def two_models(n_images: int = 4) -> Results:
    """A few fields of cells and two models: one shifts everything, one is the usual mixture of errors."""
    fields = {f"field {k}": cells(objects=40 + 5 * k, shape=(160, 160), seed=k) for k in range(n_images)}
    good = scored({name: (field.truth, field.pred) for name, field in fields.items()}, model="mixed")
    poor = scored({name: (f.truth, np.roll(f.truth, 3, axis=1)) for name, f in fields.items()}, model="shifted")
    return Results(good.images + poor.images)
