"""The viewer: zoom, objects, volumes, raw images."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_up import scored
from pages import Watched, settled, wait_until

from softpq.synthetic import cells


def scale_of(page: Any) -> float:
    return float(page.get_attribute("canvas.pane", "data-scale"))


def test_the_viewer_zooms_pans_and_tells(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    page.wait_for_selector("canvas.pane[data-scale]")
    page.locator("canvas.pane").first.scroll_into_view_if_needed()
    before, box = scale_of(page), page.locator("canvas.pane").first.bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.locator("canvas.pane").first.focus()
    page.mouse.move(*middle)
    page.mouse.wheel(0, -300)
    wait_until(page, f"Number(document.querySelector('canvas.pane').dataset.scale) > {before * 1.3}")
    left = float(page.get_attribute("canvas.pane", "data-x"))
    page.mouse.down()
    page.mouse.move(middle[0] + 50, middle[1], steps=5)
    page.mouse.up()
    assert float(page.get_attribute("canvas.pane", "data-x")) == pytest.approx(left + 50, abs=1.5)
    page.click("#fit")
    assert scale_of(page) == pytest.approx(before, rel=0.02)
    page.click("#next-error")
    info = page.inner_text("#object-info")
    assert re.search(r"missed|merged|split|partial|ghost", info)
    assert "to the SoftPQ of this image" in info
    page.mouse.move(middle[0] + 3, middle[1] + 3)  # the object is in the middle now
    page.wait_for_selector("#tip .object")
    assert "pixels" in page.inner_text("#tip")


def test_what_objects_add_is_the_score_of_the_image(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    for reading in ("text", "figures", "unified"):
        page.select_option("#reading", reading)
        settled(page)
        total, value = page.evaluate(
            """() => { const {analysis, state} = softpq.page, model = softpq.report.models[state.model];
            const place = model.placeOf.get(state.image), n = model.tables[place].truthAreas.length; let sum = 0;
            for (let k = 0; k < n; k++)
              for (const pair of analysis.pairsOf(state.model, place, 'truth', k)) sum += pair.adds;
            return [sum, analysis.scoresOf(state.model).values[place]]; }"""
        )
        assert total == pytest.approx(value, abs=1e-12)


def test_models_are_compared_side_by_side_and_blinking(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    page.wait_for_selector("canvas.pane[data-model]")
    first = page.get_attribute("canvas.pane", "data-model")
    page.click("#side-by-side")
    assert sorted(page.locator(".stage figcaption").all_inner_texts()) == ["mixed", "shifted"]
    page.click("#blink")
    wait_until(page, f"document.querySelector('canvas.pane').dataset.model !== '{first}'")
    wait_until(page, f"document.querySelector('canvas.pane').dataset.model === '{first}'")
    page.click("#blink")
    picture = "document.querySelector('canvas.pane').toDataURL()"
    before = page.evaluate(picture)
    page.uncheck("#layer-pred")
    assert page.evaluate(picture) != before


def test_everything_works_without_a_mouse(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    page.locator("#iou-low").focus()
    page.keyboard.press("ArrowRight")
    settled(page)
    assert page.evaluate("softpq.page.state.low") == pytest.approx(0.06)
    page.locator(".scroller").focus()
    first = page.evaluate("softpq.page.state.image")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("softpq.page.state.image") != first
    page.locator("canvas.pane").first.focus()
    wait_until(page, "softpq.page.viewer.loaded")
    before = scale_of(page)
    page.keyboard.press("+")
    assert scale_of(page) > before
    page.keyboard.press("n")
    assert page.evaluate("softpq.page.viewer.selected !== null")
    at = float(page.get_attribute("canvas.pane", "data-x"))
    page.keyboard.press("ArrowRight")
    assert float(page.get_attribute("canvas.pane", "data-x")) == pytest.approx(at - 40)
    page.keyboard.press("3")
    assert not page.is_checked("#layer-truth")
    now = page.evaluate("softpq.page.state.image")
    page.keyboard.press("k")
    settled(page)
    assert page.evaluate("softpq.page.state.image") != now
    page.locator("#chart-verdicts svg").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    wait_until(page, "softpq.page.viewer.selected !== null")


def test_volumes_have_slices_and_a_projection(watched: Watched, tmp_path: Path) -> None:
    field = cells(objects=20, shape=(96, 96), seed=1)
    depth = np.arange(5)[:, None, None]
    truth = np.where((depth + field.truth) % 3 > 0, field.truth, 0)
    results = scored({"volume": (truth, np.roll(truth, 1, axis=2))})
    raw = tmp_path / "raw"
    raw.mkdir()
    np.save(raw / "volume.npy", (truth > 0) * 1000.0 + depth)
    results.report(tmp_path / "v.html", images=raw)
    page = watched.open(tmp_path / "v.html")
    page.wait_for_selector("canvas.pane[data-slice='2']")
    page.fill("#slice", "4")
    page.wait_for_selector("canvas.pane[data-slice='4']")
    page.check("#projection")
    page.wait_for_selector("canvas.pane[data-slice='-1']")
    page.locator("canvas.pane").first.focus()
    page.keyboard.press("m")
    assert page.get_attribute("canvas.pane", "data-slice") == "4"
    for _ in range(6):
        page.keyboard.press("[")
    assert page.get_attribute("canvas.pane", "data-slice") == "0"
    page.check("#projection")
    wait_until(page, "[...softpq.page.viewer.bases.values()].some((base) => base[0]?.width === 96)")


def test_raw_images_have_channels_and_a_stretch(watched: Watched, tmp_path: Path) -> None:
    from PIL import Image

    fields = {f"f{k}": cells(objects=20, shape=(96, 96), seed=k) for k in range(2)}
    (tmp_path / "raw").mkdir()
    for name, field in fields.items():
        colours = np.stack([(field.truth > 0) * 90, (field.pred > 0) * 120, field.truth % 200], axis=-1).astype(
            np.uint8
        )
        Image.fromarray(colours).save(tmp_path / "raw" / f"{name}_img.png")
    results = scored({name: (f.truth, f.pred) for name, f in fields.items()})
    results.report(tmp_path / "r.html", images=tmp_path / "raw")
    page = watched.open(tmp_path / "r.html")
    ready = "[...softpq.page.viewer.bases.values()].some((base) => base[0]?.width === 96)"
    wait_until(page, ready)
    whole = page.evaluate("document.querySelector('canvas.pane').toDataURL()")
    page.select_option("#channel", "1")
    wait_until(page, ready)
    one = page.evaluate("document.querySelector('canvas.pane').toDataURL()")
    page.select_option("#stretch", "5")
    wait_until(page, ready)
    assert len({whole, one, page.evaluate("document.querySelector('canvas.pane').toDataURL()")}) == 3
