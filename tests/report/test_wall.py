"""Errors to look at: the right ones, in the right order, and the way to each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_up import scored
from pages import Watched, two_models, wait_until

import softpq
from softpq import Results

LISTED = "softpq.page.wall.seen.map(({side, verdict, place, object, cost}) => [side, verdict, place, object, cost])"


def drawn(page: Any, after: Any = None) -> str:
    wait_until(page, f"document.body.dataset.wall !== {after!r}" if after else "document.body.dataset.wall")
    return page.get_attribute("body", "data-wall")


def test_the_wall_shows_every_error_once_the_most_expensive_first(watched: Watched, page_file: Path) -> None:
    page, results = watched.open(page_file), two_models()
    drawn(page)
    model = page.evaluate("softpq.page.modelNames[softpq.page.state.model]")
    wrong = sum(n for image in results.of(model) for name, n in image.verdicts.items()
                if name == "pred_ghost" or (name.startswith("truth") and name != "truth_matched"))  # fmt: skip
    listed = page.evaluate(LISTED)
    assert len(listed) == wrong == len({tuple(one[:4]) for one in listed})
    costs = [one[4] for one in listed]
    assert costs == sorted(costs, reverse=True)
    assert page.locator(".crops button").count() == min(24, wrong)
    page.select_option("#wall-verdict", "merged")
    merged = sum(image.verdicts.get("truth_merged", 0) for image in results.of(model))
    assert page.evaluate("softpq.page.wall.seen.length") == merged
    wait_until(page, "[...document.querySelectorAll('canvas.crop')].every((one) => one.width > 100)")
    page.click("#wall-next")
    page.click("#wall-next")
    wait_until(page, "softpq.page.viewer.selected !== null")
    assert f"error 2 of {merged}" in page.inner_text("#wall-said")
    assert "merged" in page.inner_text("#object-info")


def test_what_an_error_costs_is_what_its_repair_would_bring(watched: Watched, tmp_path: Path) -> None:
    """One perfect, one missed, one ghost: found, the missed one adds an IoU of 1; the ghost is one too many."""
    truth, pred = np.repeat([1, 2, 0], [6, 4, 3]), np.repeat([1, 0, 3], [6, 4, 3])
    scored({"a": (truth[None], pred[None])}).report(tmp_path / "c.html")
    page = watched.open(tmp_path / "c.html")
    drawn(page)
    costs = {side: cost for side, _, _, _, cost in page.evaluate(LISTED)}
    now = softpq.score(truth, pred)
    assert costs["truth"] == pytest.approx(2 * (1 + 1) / 4 - now)  # as many predictions as before
    assert costs["pred"] == pytest.approx(softpq.score(truth, np.where(pred == 3, 0, pred)) - now)


def test_what_one_model_has_right_and_the_other_wrong(watched: Watched, tmp_path: Path) -> None:
    truth = np.kron(np.arange(1, 9).reshape(2, 4), np.ones((9, 9), int))
    good = {"a": (truth, np.where(truth == 8, 0, truth))}
    poor = {"a": (truth, np.where(truth >= 6, 0, truth))}
    results = Results(scored(good, model="good").images + scored(poor, model="poor").images)
    results.report(tmp_path / "b.html")
    page = watched.open(tmp_path / "b.html")
    before = drawn(page)
    page.select_option("#model", label="poor")
    drawn(page, before)
    for choice, objects in (("", {5, 6, 7}), ("right", {5, 6}), ("wrong", {7})):
        page.select_option("#wall-compared", choice)
        assert {one[3] for one in page.evaluate(LISTED)} == objects


def test_the_worst_images_are_a_contact_sheet(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    page.wait_for_selector("#sheet-body canvas[data-drawn] >> nth=3")
    model = page.evaluate("softpq.page.state.model")
    values = page.evaluate(f"[...softpq.page.analysis.scoresOf({model}).values].sort((a, b) => a - b)")
    assert page.locator("#sheet-body b").all_inner_texts() == [f"{value:.3f}" for value in values]
    page.locator("#sheet-body button").last.click()
    assert page.evaluate("softpq.page.state.image") >= 0
    page.emulate_media(media="print")
    assert page.is_visible("#sheet-body canvas >> nth=0")
