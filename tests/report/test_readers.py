"""Keyboard, paper, odd datasets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_up import scored
from pages import Watched, settled, wait_until

from softpq import Results
from softpq.dataset.image_result import Failure


def test_charts_follow_the_keyboard_and_keep_the_focus(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    first = page.evaluate("softpq.page.state.image")
    page.locator("#chart-scatter svg").focus()
    page.keyboard.press("ArrowRight")
    assert "SoftPQ" in page.inner_text("#tip")
    page.keyboard.press("Enter")
    assert page.evaluate("softpq.page.state.image") != first
    page.locator("#chart-surface svg").focus()
    page.keyboard.press("ArrowUp")
    settled(page)
    page.keyboard.press("ArrowRight")
    settled(page)
    assert page.evaluate("[softpq.page.state.low, softpq.page.state.high]") == pytest.approx([0.1, 0.55])
    page.locator("#chart-verdicts svg").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert "objects" in page.inner_text("#tip")
    page.keyboard.press("Enter")
    wait_until(page, "softpq.page.viewer.selected !== null")
    assert page.evaluate("document.activeElement === document.querySelector('#chart-verdicts svg')")
    page.click("#next-error")
    before = page.inner_text("#object-info")
    page.keyboard.press("n")  # the focus is on the button
    assert page.inner_text("#object-info") != before


def test_an_emptied_field_changes_nothing(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    page.fill("#iou-high-number", "")
    page.keyboard.press("Tab")
    settled(page)
    assert page.evaluate("[softpq.page.state.low, softpq.page.state.high]") == [0.05, 0.5]


def test_it_prints_on_white_paper(browser: Any, page_file: Path) -> None:
    page = browser.new_page(color_scheme="dark")
    page.goto(page_file.as_uri())
    page.wait_for_selector("body[data-ready]")
    colour = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(colour) != "rgb(255, 255, 255)"
    page.emulate_media(media="print")
    assert page.evaluate(colour) == "rgb(255, 255, 255)"
    assert len(page.pdf()) > 10_000
    page.close()


def test_on_paper_intervals_are_smaller_than_values_and_errors_can_be_seen(browser: Any, page_file: Path) -> None:
    page = browser.new_page(viewport={"width": 794, "height": 1100})
    page.goto(page_file.as_uri())
    page.wait_for_selector("body[data-wall]")
    page.emulate_media(media="print")
    sizes = page.evaluate(
        """() => { const cell = document.querySelector('#metrics td'), small = document.createElement('small');
        cell.append(small);
        return [cell.querySelector('b'), small].map((one) => parseFloat(getComputedStyle(one).fontSize)); }"""
    )
    assert sizes[1] < sizes[0]
    assert page.locator("canvas.crop:visible").count() > 3
    assert not page.is_visible("#wall-tools")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.close()


def test_a_dataset_without_objects_has_a_page(watched: Watched, tmp_path: Path) -> None:
    nothing = np.zeros((9, 9), int)
    scored({"a": (nothing, nothing), "b": (nothing, nothing)}).report(tmp_path / "e.html")
    page = watched.open(tmp_path / "e.html")
    assert page.inner_text("#softpq-now") == "–"
    assert "SoftPQ is –" in page.inner_text("#answer")
    page.fill("#iou-high", "0.9")
    settled(page)


def test_models_with_different_images_are_told_apart(watched: Watched, tmp_path: Path) -> None:
    pair = ([[1, 1, 2]], [[1, 1, 0]])
    both, one = scored(dict.fromkeys("ab", pair), model="both"), scored({"a": pair}, model="one")
    Results(both.images + one.images, failures=(Failure("b", "one", "is broken"),)).report(tmp_path / "d.html")
    page = watched.open(tmp_path / "d.html")
    assert page.is_visible("#alerts")  # not inside of something that can be closed
    assert "not scored on the same images (both 2, one 1)" in page.inner_text("#alerts")
    assert "is broken" in page.inner_text("#warnings")
    assert page.inner_text("#lead").startswith("2 images, 4 truth objects, 2 models")
    page.select_option("#model", label="one")
    settled(page)
    assert "not scored" in page.inner_text(".rows")
    page.evaluate("softpq.page.pick(1)")
    page.click("#next-error")
    assert "not scored on this image" in page.inner_text("#object-info")
