"""Voxels and pixels have a size: three views of a volume, true aspect, a scale bar; and how much is embedded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
from click.testing import CliRunner
from made_up import scored
from pages import Watched, settled, two_models, wait_until

from softpq import evaluate_dataset
from softpq.cli import main
from softpq.report.facts import FACTS
from softpq.synthetic import cells

COPY = """const copied = (c) => { const copy = document.createElement('canvas');
  [copy.width, copy.height] = [c.width, c.height];
  const context = copy.getContext('2d', {willReadFrequently: true}); context.drawImage(c, 0, 0);
  return context.getImageData(0, 0, c.width, c.height).data; };"""
PIXELS = (
    f"""(canvas) => {{ {COPY}"""
    + """ const data = copied(document.querySelector(canvas)), seen = {};
  for (let k = 0; k < data.length; k += 4) { const key = [data[k], data[k + 1], data[k + 2]].join();
    seen[key] = (seen[key] ?? 0) + 1; } return seen; }"""
)


def another(watched: Watched, path: Path) -> Any:
    """A page after another one."""
    watched.requests.clear()
    return watched.open(path)


def stack(folder: Path, truth: Any, pred: Any) -> dict[str, Path]:
    """A volume in files that state the size of their voxels: 2 µm deep, 0.5 µm wide."""
    for side, labels in (("truth", truth), ("pred", pred)):
        (folder / side).mkdir()
        tifffile.imwrite(
            folder / side / "stack.tif", labels.astype(np.uint16), imagej=True, resolution=(2, 2),
            metadata={"spacing": 2.0, "unit": "micron", "axes": "ZYX"},
        )  # fmt: skip
    return {side: folder / side for side in ("truth", "pred")}


def test_a_volume_is_seen_from_three_sides_at_its_true_aspect(watched: Watched, tmp_path: Path) -> None:
    truth = np.zeros((10, 40, 60), int)
    truth[2:8, 10:20, 10:20] = 1  # found
    truth[2:8, 10:20, 40:50] = 2  # missed
    files = stack(tmp_path, truth, np.where(truth == 1, 1, 0))
    evaluate_dataset(str(files["truth"]), {"m": str(files["pred"])}).report(tmp_path / "v.html")
    page = watched.open(tmp_path / "v.html")
    page.wait_for_selector("canvas.side:visible")
    assert page.evaluate("softpq.page.viewer.picture.sizes") == [2, 0.5, 0.5]
    page.evaluate("softpq.page.viewer.sides.moveTo(15, 15); softpq.page.viewer.draw()")
    across, down = page.evaluate(
        """() => { const s = softpq.page.viewer.sides, v = s.view('row', s.canvases[0], softpq.page.viewer.picture);
        return [v.scale, v.down]; }"""
    )
    assert down == pytest.approx(4 * across)  # a voxel is four times as deep as wide
    matched, missed = (",".join(map(str, FACTS["verdicts"][k]["colour"])) for k in (0, 4))
    row, column = (page.evaluate(PIXELS, f"figure:nth-child({k}) canvas.side") for k in (1, 2))
    assert row.get(matched, 0) > 50
    assert row.get(missed, 0) > 50  # the cut along a row goes through both
    assert column.get(matched, 0) > 50
    assert missed not in column
    page.locator("canvas.side").first.click(position={"x": 99, "y": 3})  # a click goes there
    assert page.evaluate("softpq.page.viewer.slice") == 0
    page.click("#next-error")
    assert page.evaluate("[softpq.page.viewer.sides.x, softpq.page.viewer.sides.y]") == [45, 15]


def test_pixels_that_are_not_square_are_drawn_so(watched: Watched, tmp_path: Path) -> None:
    truth = np.zeros((40, 40), int)
    truth[10:30, 10:30] = 1
    scored({"a": (truth, truth)}, spacing=(1.0, 0.5)).report(tmp_path / "a.html")
    page = watched.open(tmp_path / "a.html")
    page.wait_for_selector("canvas.pane[data-scale]")
    assert page.evaluate("softpq.page.viewer.aspect") == 2
    box = page.evaluate(
        f"() => {{ {COPY}"
        """const c = document.querySelector('canvas.pane'), data = copied(c); let x0 = 1e9, x1 = 0, y0 = 1e9, y1 = 0;
        for (let k = 0; k < data.length; k += 4) if (data[k + 1] > 120 && data[k] < 60) {
          const x = (k / 4) % c.width, y = Math.floor(k / 4 / c.width);
          x0 = Math.min(x0, x); x1 = Math.max(x1, x); y0 = Math.min(y0, y); y1 = Math.max(y1, y); }
        return [x1 - x0, y1 - y0]; }"""
    )
    assert box[1] == pytest.approx(2 * box[0], rel=0.03)
    page.locator("canvas.pane").first.click()
    assert "truth 1" in page.inner_text("#object-info")


def test_a_scale_bar_has_a_round_length(watched: Watched, tmp_path: Path) -> None:
    field = cells(objects=20, shape=(100, 100), seed=1)
    scored({"a": (field.truth, field.pred)}, spacing=(0.5, 0.5)).report(tmp_path / "b.html")
    page = watched.open(tmp_path / "b.html")
    page.wait_for_selector("canvas.pane[data-scale]")
    for _ in range(4):
        text, width = page.evaluate("Object.values(softpq.page.viewer.bar)")
        number, unit = text.split()
        assert unit == "units"
        assert number.strip("0.")[0] in "125"
        assert float(number) == pytest.approx(width * 0.5 / page.evaluate("softpq.page.viewer.view.scale"))
        assert width <= page.evaluate("softpq.page.viewer.paneSize.width") / 4
        page.click("#zoom-in")
    two_models(1).report(tmp_path / "n.html")
    assert another(watched, tmp_path / "n.html").evaluate("softpq.page.viewer.bar") is None


def test_bytes_decide_how_much_is_embedded(watched: Watched, tmp_path: Path) -> None:
    results = two_models(6)
    results.report(tmp_path / "all.html")
    results.report(tmp_path / "some.html", max_size="20kB")
    page = watched.open(tmp_path / "some.html")
    shown = page.evaluate("[...softpq.report.pictures.keys()].map((k) => softpq.report.names[k])")
    assert 1 <= len(shown) < 6
    values = {}
    for image in results.images:
        values[image.name] = min(values.get(image.name, 1), image.scores["softpq"].value)
    assert shown[0] == min(values, key=lambda name: values[name])  # the most telling one first
    assert f"{len(shown)} of 6 images are embedded: as many of the 6 with the lowest" in page.inner_text("#browser")
    assert "0.02 MB hold" in page.inner_text("#browser")
    assert (tmp_path / "some.html").stat().st_size < (tmp_path / "all.html").stat().st_size
    with pytest.raises(ValueError, match="max_size must be a size such as"):
        results.report(tmp_path / "x.html", max_size="much")
    said = CliRunner().invoke(main, ["evaluate", "a", "b", "--html", str(tmp_path / "y.html"), "--max-size", "much"])
    assert said.exit_code == 2
    assert "--max-size must be a size such as" in said.output


def test_a_large_raw_image_comes_in_full_where_somebody_looks_closely(watched: Watched, tmp_path: Path) -> None:
    truth = np.zeros((2400, 2400), np.uint16)
    truth[1000:1400, 1000:1400] = 1
    raw = np.zeros((2400, 2400), np.uint8)
    raw[::2] = 255  # every second row: grey from afar, stripes from near
    results = scored({"a": (truth, truth)})
    results.report(tmp_path / "f.html", images=raw)
    page = watched.open(tmp_path / "f.html")
    page.select_option("#stretch", "0")
    wait_until(page, "[...softpq.page.viewer.bases.values()].some((base) => base[0]?.width === 1200)")
    far = page.evaluate(
        "() => { const [c] = [...softpq.page.viewer.bases.values()].find((base) => base[0]?.width === 1200);"
        f"{COPY} const all = copied(c); return [300, 301, 302].map((y) => all[4 * (1200 * y + 300)]); }}"
    )
    assert all(100 < value < 150 for value in far)  # averaged, not every second pixel
    page.evaluate("softpq.page.viewer.zoom(8)")
    wait_until(page, "[...softpq.page.viewer.bases.values()].some((base) => base[0]?.width === 2400)")
    results.report(tmp_path / "small.html", images=raw, max_size="800kB")
    assert another(watched, tmp_path / "small.html").evaluate("softpq.page.viewer.picture.fine ?? null") is None


def test_channels_have_names(watched: Watched, tmp_path: Path) -> None:
    field = cells(objects=9, shape=(64, 64))
    (tmp_path / "raw").mkdir()
    planes = np.stack([(field.truth > 0) * 200, (field.pred > 0) * 100]).astype(np.uint8)
    tifffile.imwrite(
        tmp_path / "raw" / "a.ome.tif", planes, ome=True, metadata={"axes": "CYX", "Channel": {"Name": ["DAPI", "<b>"]}}
    )
    results = scored({"a": (field.truth, field.pred)})
    results.report(tmp_path / "c.html", images=tmp_path / "raw")
    page = watched.open(tmp_path / "c.html")
    page.wait_for_selector("canvas.pane[data-scale]")
    assert page.locator("#channel option").all_inner_texts() == ["all channels", "DAPI", "<b>"]
    results.report(tmp_path / "d.html", images=tmp_path / "raw", channels=["nuclei", "actin"])
    page = another(watched, tmp_path / "d.html")
    page.wait_for_selector("canvas.pane[data-scale]")
    assert page.locator("#channel option").all_inner_texts() == ["all channels", "nuclei", "actin"]


def test_the_legend_shows_and_hides(watched: Watched, tmp_path: Path) -> None:
    truth = np.zeros((60, 60), int)
    truth[10:20, 10:20], truth[40:50, 40:50] = 1, 2
    scored({"a": (truth, np.where(truth == 1, 1, 0))}).report(tmp_path / "l.html")
    page = watched.open(tmp_path / "l.html")
    page.wait_for_selector("canvas.pane[data-scale]")
    missed = ",".join(map(str, FACTS["verdicts"][4]["colour"]))
    assert page.evaluate(PIXELS, "canvas.pane").get(missed, 0) > 20
    button = page.locator("#viewer .legend button", has_text="missed")
    button.click()
    assert missed not in page.evaluate(PIXELS, "canvas.pane")
    button.click()
    assert page.evaluate(PIXELS, "canvas.pane").get(missed, 0) > 20


def test_the_other_models_verdict_stands_beside_and_rows_have_thumbnails(watched: Watched, tmp_path: Path) -> None:
    two_models().report(tmp_path / "t.html")
    page = watched.open(tmp_path / "t.html")
    page.wait_for_selector("canvas.pane[data-scale]")
    page.evaluate("softpq.page.viewer.goTo('truth', 0)")
    settled(page)
    other = page.evaluate("softpq.report.models[1 - softpq.page.state.model].name")
    verdict = page.evaluate(
        "softpq.report.head.facts.verdicts[softpq.page.analysis.verdictsOf(1 - softpq.page.state.model)"
        "[softpq.report.models[0].placeOf.get(softpq.page.state.image)].truth[0]].name"
    )
    assert f"{verdict} in {other}" in page.inner_text("#object-info .others")
    loaded = "[...document.querySelectorAll('.thumb img')].every((one) => one.complete && one.naturalWidth > 20)"
    wait_until(page, loaded)
    assert page.locator(".thumb img").count() == 4
