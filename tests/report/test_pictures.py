"""What is shown is what is there: colours, projections, slides, lines on any ground."""

from __future__ import annotations

import colorsys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_up import scored
from pages import Watched, settled, wait_until

from softpq.explain.verdicts import VERDICTS
from softpq.report.facts import FACTS
from softpq.synthetic import cells

MEAN = """() => { const [base] = [...softpq.page.viewer.bases.values()][0], n = base.width * base.height;
  const data = base.getContext('2d').getImageData(0, 0, base.width, base.height).data, sum = [0, 0, 0];
  for (let k = 0; k < data.length; k++) if (k % 4 < 3) sum[k % 4] += data[k] / n; return sum; }"""


def has_base(page: Any) -> None:
    wait_until(page, "[...softpq.page.viewer.bases.values()].some((base) => base[0]?.width)")


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_stained_tissue_keeps_its_colours(watched: Watched, tmp_path: Path, dtype: type) -> None:
    field = cells(objects=60, shape=(128, 128), seed=2)
    rng = np.random.default_rng(1)
    tissue = np.where(field.truth[..., None] > 0, [120, 80, 160], [215, 180, 205]) + rng.integers(-9, 9, (128, 128, 3))
    (tmp_path / "raw").mkdir()
    np.save(tmp_path / "raw" / "a.npy", (tissue * (1 if dtype == np.uint8 else 150)).astype(dtype))
    scored({"a": (field.truth, field.pred)}).report(tmp_path / "r.html", images=tmp_path / "raw")
    page = watched.open(tmp_path / "r.html")
    has_base(page)
    assert page.input_value("#stretch") == "0"
    if dtype == np.uint8:
        assert page.evaluate(MEAN) == pytest.approx(tissue.mean((0, 1)).tolist(), abs=1.5)
    page.select_option("#stretch", "1")
    has_base(page)
    wanted = colorsys.rgb_to_hsv(*tissue.mean((0, 1)))[0]
    assert colorsys.rgb_to_hsv(*page.evaluate(MEAN))[0] == pytest.approx(wanted, abs=0.02)


def test_every_object_of_a_volume_appears_in_its_projection(watched: Watched, tmp_path: Path) -> None:
    truth = np.zeros((6, 40, 40), int)
    for k in range(6):  # each hides behind those with larger labels
        truth[k, 10 - k : 30 + k, 10 - k : 30 + k] = k + 1
    scored({"volume": (truth, truth)}).report(tmp_path / "v.html")
    page = watched.open(tmp_path / "v.html")
    page.wait_for_selector("canvas.pane[data-slice]")
    page.check("#projection")
    areas = page.evaluate(
        """() => { const labels = softpq.page.viewer.loaded.truth; return [0, 1, 2, 3, 4, 5].map((k) => {
        const [loop] = labels.loops(k, -1); let twice = 0;
        for (let i = 0; i < loop.length; i += 2) { const j = (i + 2) % loop.length;
          twice += loop[i] * loop[j + 1] - loop[j] * loop[i + 1]; } return Math.abs(twice) / 2; }); }"""
    )
    assert areas == [(20 + 2 * k) ** 2 for k in range(6)]
    assert page.evaluate("softpq.page.viewer.loaded.truth.objectsAt(-1, 20, 20)") == [0, 1, 2, 3, 4, 5]
    page.uncheck("#projection")
    page.click("#next-error")
    page.locator("canvas.pane").first.hover()
    page.wait_for_selector("#tip .object")
    assert "voxels" in page.inner_text("#tip")


def contrast(one: Any, two: Any) -> float:
    def luminance(colour: Any) -> float:
        shares = [c / 255 for c in colour]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares]
        return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted((luminance(one), luminance(two)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("ground", [0, 128, 255])
def test_every_verdict_shows_on_every_ground(watched: Watched, tmp_path: Path, ground: int) -> None:
    """Of the pixels at the outline of an object alone, some differ from the ground by 3:1, at any zoom."""
    truth = np.zeros((60, 60), int)
    truth[20:40, 20:40] = 1
    (tmp_path / "raw").mkdir()
    np.save(tmp_path / "raw" / "a.npy", np.full((60, 60), ground, np.uint8))
    scored({"a": (np.zeros_like(truth), truth)}).report(tmp_path / "g.html", images=tmp_path / "raw")  # a ghost
    page = watched.open(tmp_path / "g.html")
    page.select_option("#stretch", "0")
    has_base(page)
    for zoom in (1, 0.5):
        page.evaluate("(by) => softpq.page.viewer.zoom(by)", zoom)
        pixels = page.evaluate(
            """() => { const c = document.querySelector('canvas.pane'), v = softpq.page.viewer.view;
            const y = Math.round((30 * v.scale + v.y) * devicePixelRatio), x = 20 * v.scale + v.x;
            const copy = document.createElement('canvas'); [copy.width, copy.height] = [8, 18];
            const context = copy.getContext('2d', {willReadFrequently: true});
            context.drawImage(c, 4 - Math.round(x * devicePixelRatio), 9 - y);
            return [...context.getImageData(0, 0, 8, 18).data]; }"""
        )
        seen = np.array(pixels).reshape(-1, 4)[:, :3]
        assert max(contrast(colour, [ground] * 3) for colour in seen.tolist()) >= 3
    for verdict in VERDICTS:
        assert contrast(verdict.ink, (255, 255, 255)) >= 3  # charts on white
        assert max(contrast(verdict.colour, [ground] * 3), contrast((40, 40, 40), [ground] * 3)) >= 3


OUTSIDE = """() => { const c = document.querySelector('canvas.pane'), { view } = softpq.page.viewer;
    const ratio = c.width / c.clientWidth, seen = new Set(), wide = Math.floor((view.x - 2) * ratio);
    const copy = new OffscreenCanvas(Math.max(1, wide), c.height / 2).getContext('2d', { willReadFrequently: true });
    copy.drawImage(c, 0, -c.height / 2);
    const data = copy.getImageData(0, 0, Math.max(1, wide), c.height / 2).data;
    for (let k = 0; k < data.length; k += 4) seen.add([data[k], data[k + 1], data[k + 2]].join());
    return seen.size; }"""
"""How many colours there are at the left of the image, below the key."""


def test_a_slide_is_painted_by_pixels_and_its_outlines_only_where_they_are_seen(
    watched: Watched, tmp_path: Path
) -> None:
    at = np.arange(1200) // 6
    grid = at[:, None] * 200 + at[None, :] + 1
    gaps = (np.arange(1200) % 6 < 5)[:, None] & (np.arange(1200) % 6 < 5)[None, :]
    truth = np.where(gaps, grid, 0)  # 40,000 objects of 5 x 5 pixels
    pred = np.where(truth % 3 > 0, truth, 0)
    scored({"slide": (truth, pred)}).report(tmp_path / "s.html")
    page = watched.open(tmp_path / "s.html")
    page.wait_for_selector("canvas.pane[data-detail]")
    assert page.get_attribute("canvas.pane", "data-detail") == "density"
    assert page.evaluate("softpq.page.viewer.loaded.truth.outlines.size") < 1000  # those of the wall of errors
    assert page.evaluate(OUTSIDE) == 1, "squares of errors must end where the image ends"
    page.evaluate("softpq.page.viewer.zoom(3)")
    assert page.get_attribute("canvas.pane", "data-detail") == "fills"
    matched, missed = FACTS["verdicts"][0]["colour"], FACTS["verdicts"][4]["colour"]
    colours = page.evaluate(
        """() => { const c = document.querySelector('canvas.pane'), seen = new Set();
        const data = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        for (let k = 0; k < data.length; k += 4) seen.add([data[k], data[k + 1], data[k + 2]].join());
        return [...seen]; }"""
    )
    assert {",".join(map(str, matched)), ",".join(map(str, missed))} <= set(colours)
    page.evaluate("softpq.page.viewer.zoom(12)")
    assert page.get_attribute("canvas.pane", "data-detail") == "outlines"
    assert 0 < page.evaluate("softpq.page.viewer.loaded.truth.outlines.size") < 2000


def test_a_link_sets_layers_and_reset_takes_them_back(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file, "#view=tfill")
    wait_until(page, "softpq.page.viewer.layers.fill")
    page.evaluate("location.hash = 'view=tfill&l=0.1'")
    wait_until(page, "softpq.page.state.low === 0.1")
    page.wait_for_timeout(100)
    assert page.is_checked("#layer-fill")
    page.click("#side-by-side")
    assert "two" in page.url
    page.click("#reset")
    settled(page)
    wait_until(page, "!softpq.page.viewer.two")
    assert not page.is_checked("#layer-fill")
    assert "view" not in page.url
    page.evaluate("location.hash = 'view=two'")
    wait_until(page, "softpq.page.viewer.two")


def test_a_link_keeps_what_the_legend_hides(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    page.wait_for_selector("canvas.pane[data-detail]")
    hidden = page.locator(".viewer .legend button, #viewer .legend button").nth(1)
    hidden.click()
    assert "x1" in page.url
    again = watched.open(page_file, page.url.partition("report.html")[2])
    wait_until(again, "softpq.page.viewer.hiddenSigns.size === 1")
    assert again.locator(".legend button[aria-pressed=false]").count() == 1
    again.click("#reset")
    wait_until(again, "softpq.page.viewer.hiddenSigns.size === 0")
    assert again.locator(".legend button[aria-pressed=false]").count() == 0


def test_without_a_picture_there_are_no_tools_for_it(watched: Watched, tmp_path: Path) -> None:
    two = {"a": (np.array([[1, 1, 2]]), np.array([[1, 0, 2]])), "b": (np.array([[1, 1, 2]]), np.array([[1, 0, 2]]))}
    scored(two).report(tmp_path / "n.html", max_images=0)
    page = watched.open(tmp_path / "n.html")
    page.wait_for_selector(".no-picture")
    assert not page.is_visible("#next-error")
    assert not page.is_visible("#layer-fill")
    assert not page.is_visible(".keys")
    page.evaluate("location.hash = 'l=0.2'")
    wait_until(page, "!softpq.page.viewer.two")


def test_the_wheel_scrolls_the_page_until_the_picture_is_asked_for(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    page.wait_for_selector("canvas.pane[data-scale]")
    pane = page.locator("canvas.pane").first
    pane.scroll_into_view_if_needed()
    pane.hover()
    before, top = pane.get_attribute("data-scale"), page.evaluate("scrollY")
    page.mouse.wheel(0, -200)
    wait_until(page, f"scrollY < {top}")
    assert pane.get_attribute("data-scale") == before
    pane.focus()
    for _ in range(40):
        page.keyboard.press("-")
    assert float(pane.get_attribute("data-scale") or 0) >= 0.4 * float(before or 0)  # it does not shrink to nothing


def test_two_fingers_zoom_and_one_scrolls(browser: Any, page_file: Path) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True)
    page = context.new_page()
    page.goto(page_file.as_uri())
    page.wait_for_selector("canvas.pane[data-scale]")
    page.locator("canvas.pane").first.scroll_into_view_if_needed()
    box = page.locator("canvas.pane").first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    scale = "Number(document.querySelector('canvas.pane').dataset.scale)"
    before, touch = page.evaluate(scale), context.new_cdp_session(page)
    for kind, far in (("touchStart", 30), ("touchMove", 60), ("touchMove", 90), ("touchEnd", None)):
        points = [] if far is None else [{"x": x - far, "y": y, "id": 0}, {"x": x + far, "y": y, "id": 1}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    assert page.evaluate(scale) > 2 * before
    top = page.evaluate("scrollY")
    for kind, far in (("touchStart", 0), ("touchMove", 40), ("touchMove", 120), ("touchMove", 200), ("touchEnd", None)):
        points = [] if far is None else [{"x": x, "y": y + far - 100, "id": 0}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    wait_until(page, f"scrollY < {top}")
    context.close()


def test_blinking_stands_still_for_those_who_ask_for_less_motion(browser: Any, page_file: Path) -> None:
    page = browser.new_page(reduced_motion="reduce")
    page.goto(page_file.as_uri())
    page.wait_for_selector("canvas.pane[data-model]")
    first = page.get_attribute("canvas.pane", "data-model")
    page.click("#blink")
    other = page.get_attribute("canvas.pane", "data-model")
    page.wait_for_timeout(1600)
    assert page.get_attribute("canvas.pane", "data-model") == other != first
    page.click("#blink")
    assert page.get_attribute("canvas.pane", "data-model") == first
    page.close()


def test_the_legend_is_hidden_where_there_is_no_picture(watched: Watched, page_file: Path, tmp_path: Path) -> None:
    field = cells(objects=9, shape=(64, 64))
    scored({"a": (field.truth, field.pred)}).report(tmp_path / "n.html", max_images=0)
    page = watched.open(tmp_path / "n.html")
    assert not page.is_visible("#viewer .legend")
