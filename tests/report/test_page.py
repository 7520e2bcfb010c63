"""The report, in a real browser: its numbers are Python's, its controls work, and nothing gets in or out."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import Watched, running, wait_until
from golden_cases import EVERY_CASE, drawn, overlap_of, softpq_values
from made_up import scored
from reference import SHARED

import softpq
from softpq import metrics
from softpq.dataset.image_result import Failure, ImageResult
from softpq.dataset.results import Results
from softpq.explain.repairs import attribution
from softpq.report import inline, render, write_report
from softpq.report.page import SCRIPTS, script, static
from softpq.settings import PENALTIES
from softpq.synthetic import cells

STATIC = Path(softpq.__file__).parent / "report" / "static"


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


def arrays_of(image: ImageResult) -> tuple[np.ndarray, np.ndarray]:
    assert image.pair is not None
    return image.pair.truth.read().labels, image.pair.pred.read().labels


def two_models(n_images: int = 4) -> Results:
    """A few fields of cells and two models: one shifts everything, one is the usual mixture of errors."""
    fields = {f"field {k}": cells(objects=40 + 5 * k, shape=(160, 160), seed=k) for k in range(n_images)}
    good = scored({name: (field.truth, field.pred) for name, field in fields.items()}, model="mixed")
    poor = scored({name: (f.truth, np.roll(f.truth, 3, axis=1)) for name, f in fields.items()}, model="shifted")
    return Results(good.images + poor.images)


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    two_models().report(path, title="Two models", command="softpq evaluate truth mixed shifted")
    return path


# ---------------------------------------------------------------- the numbers


VALUES = """([settings]) => softpq.report.models.map((model) =>
    settings.map((one) => { const s = softpq.scoresOf(model, one);
      const plain = (v) => Number.isNaN(v) ? null : v;
      return {values: [...s.values].map(plain), pooled: plain(s.pooled), mean: plain(s.mean)}; }))"""


def in_the_browser(page: Any, settings: list[softpq.Settings]) -> list[list[dict[str, Any]]]:
    """Model -> settings -> values of images, pooled, mean."""
    plain = [
        {"low": s.iou_low, "high": s.iou_high, "penalty": s.penalty, "priority": s.priority, "reading": s.reading}
        for s in settings
    ]
    return page.evaluate(VALUES, [plain])


def number(value: float | None) -> float:
    return math.nan if value is None else value


@pytest.mark.shared
def test_the_browser_computes_the_golden_readings(watched: Watched, tmp_path: Path) -> None:
    images = []
    for case in EVERY_CASE:
        if "truth" in case:
            found = softpq.evaluate(drawn(case["truth"]), drawn(case["pred"]))
        else:
            found = softpq.evaluate(overlap_of(case))
        images.append(ImageResult.of(case["name"], "golden", found, keep_tables=True))
    Results(tuple(images)).report(tmp_path / "golden.html")
    page = watched.open(tmp_path / "golden.html")
    wanted = [(k, softpq.Settings(**s), value) for k, case in enumerate(EVERY_CASE) for s, value in softpq_values(case)]
    distinct = list(dict.fromkeys(settings for _, settings, _ in wanted))
    values = dict(zip(distinct, in_the_browser(page, distinct)[0], strict=True))
    assert len(wanted) > 1500
    for k, settings, expected in wanted:
        got = number(values[settings]["values"][k])
        assert got == pytest.approx(number(expected), abs=1e-9, nan_ok=True), (EVERY_CASE[k]["name"], settings)


def random_settings(rng: np.random.Generator, count: int) -> list[softpq.Settings]:
    found = []
    for _ in range(count):
        low, high = sorted(rng.uniform(0.0, 1.0, 2))
        found.append(
            softpq.Settings(
                low, high, str(rng.choice(list(PENALTIES))), str(rng.choice(["over", "under"])),
                str(rng.choice(["text", "figures", "unified", "released"])),
            )
        )  # fmt: skip
    return found


def check_against_python(
    page: Any, results: Results, settings: list[softpq.Settings], arrays: dict[str, Any] | None = None
) -> None:
    answers = in_the_browser(page, settings)
    for model, answer in zip(results.models, answers, strict=True):
        images = results.of(model)
        for one, got in zip(settings, answer, strict=True):
            table = "of_released" if one.reading == "released" else "objects"
            scores = [metrics.softpq(getattr(image.tables, table), **vars(one)) for image in images]
            expected = [score.value for score in scores]
            if one.reading == "released":  # the front door makes pieces of its own
                pairs = [arrays[image.name] if arrays else arrays_of(image) for image in images]
                options = {"iou_low": one.iou_low, "iou_high": one.iou_high, "penalty": one.penalty}
                options |= {"priority": one.priority, "reading": "released"}
                assert [softpq.score(*pair, **options) for pair in pairs] == pytest.approx(expected, abs=1e-12)
            np.testing.assert_allclose([number(v) for v in got["values"]], expected, rtol=0, atol=1e-9)
            assert number(got["pooled"]) == pytest.approx(softpq.pooled(scores).value, abs=1e-9, nan_ok=True)
            assert number(got["mean"]) == pytest.approx(softpq.mean(scores), abs=1e-9, nan_ok=True)


@pytest.mark.shared
def test_the_browser_equals_python_on_real_images_at_random_thresholds(watched: Watched, tmp_path: Path) -> None:
    folder = SHARED / "data" / "dsb2018"
    results = softpq.evaluate_dataset(
        folder / "gt", {p.name: p for p in sorted(folder.glob("pred_*"))}, keep_tables=True, metrics=["softpq", "pq"]
    )
    results.report(tmp_path / "dsb.html", max_images=0)
    page = watched.open(tmp_path / "dsb.html")
    rng = np.random.default_rng(20)
    check_against_python(page, results, random_settings(rng, 20))
    low_and_high = [
        replace(s, iou_low=s.iou_low / 4, iou_high=max(s.iou_high / 3, s.iou_low / 4, 0.01))
        for s in random_settings(rng, 8)
    ]
    check_against_python(page, results, low_and_high)  # where the matching is a real assignment problem


def touching(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Random blocks that all touch: many ties, many contested pairs."""
    rng = np.random.default_rng(seed)
    return np.kron(rng.integers(0, 9, (7, 7)), np.ones((3, 3), int)), rng.integers(0, 9, (21, 21)) // 2 * 2


def test_the_browser_equals_python_where_matches_are_contested(watched: Watched, tmp_path: Path) -> None:
    blocks = {f"{k}": touching(k) for k in range(20)}
    tiled = {
        f"tile {k}": (np.arange(64).reshape(8, 8) // 4 + 1, np.roll(np.arange(64) // 4 + 1, 2 * k).reshape(8, 8))
        for k in range(4)
    }
    results = scored(blocks | tiled)
    results = Results(
        tuple(ImageResult.of(i.name, i.model, softpq.evaluate(*arrays_of(i)), keep_tables=True) for i in results.images)
    )
    results.report(tmp_path / "r.html")
    page = watched.open(tmp_path / "r.html")
    rng = np.random.default_rng(3)
    settings = [replace(s, iou_high=max(s.iou_low, s.iou_high * 0.4, 0.01)) for s in random_settings(rng, 60)]
    check_against_python(page, results, settings, blocks | tiled)


def test_verdicts_and_repairs_equal_pythons(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    results = two_models()
    for settings in (softpq.Settings(), softpq.Settings(0.2, 0.8, "linear", "under", "unified")):
        plain = {"low": settings.iou_low, "high": settings.iou_high, "penalty": settings.penalty,
                 "priority": settings.priority, "reading": settings.reading}  # fmt: skip
        for k, model in enumerate(results.models):
            for place, image in enumerate(results.of(model)):
                evaluation = softpq.evaluate(*arrays_of(image), **vars(settings))
                got = page.evaluate(
                    "([k, place, s]) => { const v = softpq.verdictsOf(softpq.report.models[k].tables[place], s);"
                    " return [...v.truth, ...v.pred]; }", [k, place, plain]
                )  # fmt: skip
                names = [
                    ["matched", "partial", "split", "merged", "missed"],
                    ["matched", "partial", "merger", "fragment", "ghost"],
                ]
                n = evaluation.overlap.n_truth
                assert [names[at >= n][v] for at, v in enumerate(got)] == evaluation.objects["verdict"].tolist()
                gains = page.evaluate(
                    "([k, place, s]) => { const model = softpq.report.models[k];"
                    " const steps = softpq.gainsOf({...model, tables: [model.tables[place]]}, s, 'pooled');"
                    " let step = steps.next(); while (!step.done) step = steps.next(); return step.value; }",
                    [k, place, plain],
                )  # fmt: skip
                expected = {name: gain["softpq"] for name, gain in attribution(evaluation.overlap, settings).items()}
                assert gains == pytest.approx(expected, abs=1e-9)


def test_the_surface_is_that_of_sweep(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    page.wait_for_selector("body[data-surface]")
    got = page.evaluate("[...softpq.page.surface.value].map((v) => Number.isNaN(v) ? null : v)")
    model = page.evaluate("softpq.page.modelNames[softpq.page.state.model]")
    tables = [softpq.evaluate(*arrays_of(image), metrics=["pq"]).overlap for image in two_models().of(model)]
    for row, column in ((0, 0), (1, 9), (8, 9), (9, 14), (0, 19), (19, 19)):
        settings = softpq.Settings(row / 20, (column + 1) / 20)
        pooled = softpq.pooled(metrics.softpq(table, **vars(settings)) for table in tables)
        assert got[row * 20 + column] == pytest.approx(pooled.value, abs=1e-9)
    assert got[10 * 20 + 3] is None  # l above h


# ---------------------------------------------------------------- the controls


def softpq_now(page: Any) -> float:
    return float(page.inner_text("#softpq-now"))


def settled(page: Any) -> None:
    wait_until(page, "!softpq.page.frame")


def test_sliders_move_scores_and_never_cross(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    before = softpq_now(page)
    page.fill("#iou-high", "0.9")
    settled(page)
    assert softpq_now(page) < before
    page.fill("#iou-low", "0.95")
    settled(page)
    assert page.input_value("#iou-high") == "0.95"
    page.fill("#iou-high", "0.3")
    settled(page)
    assert page.input_value("#iou-low") == "0.3"
    page.click("#reset")
    settled(page)
    assert softpq_now(page) == before


def test_presets_and_choices_give_pythons_numbers(watched: Watched, page_file: Path) -> None:
    page, results = watched.open(page_file), two_models()
    page.click("#preset-precise")
    page.select_option("#penalty", "linear")
    page.select_option("#priority", "under")
    page.select_option("#reading", "unified")
    page.select_option("#model", label="shifted")
    settled(page)
    settings = softpq.Settings.make(preset="precise", penalty="linear", priority="under", reading="unified")
    scores = [softpq.evaluate(*arrays_of(i), metrics=["pq"]).overlap for i in results.of("shifted")]
    scores = [metrics.softpq(overlap, **vars(settings)) for overlap in scores]
    assert page.inner_text("#softpq-now") == f"{softpq.pooled(scores).value:.4f}"
    page.select_option("#over", "mean")
    settled(page)
    assert page.inner_text("#softpq-now") == f"{softpq.mean(scores):.4f}"
    page.click("#preset-pq")
    page.select_option("#reading", "text")
    settled(page)
    assert page.inner_text("#softpq-now") == page.inner_text("#pq-now")


def test_a_link_shows_the_same_view(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    page.fill("#iou-low", "0.33")
    page.select_option("#model", label="shifted")
    page.select_option("#sort", "name")
    page.fill("#search", "field")
    page.click(".row[data-image='2']")
    settled(page)
    shown, value = page.url, softpq_now(page)
    assert "l=0.33" in shown
    page.goto("about:blank")
    again = watched.open(page_file, "#" + shown.partition("#")[2])
    assert softpq_now(again) == value
    assert again.input_value("#search") == "field"
    assert "field 2" in again.inner_text("#viewer-title")
    assert again.input_value("#sort") == "name"
    again.evaluate("location.hash = 'l=0.1&h=0.2'")
    wait_until(again, "softpq.page.state.low === 0.1")
    assert again.input_value("#iou-high") == "0.2"


def names_in_order(page: Any) -> list[str]:
    return [text.lstrip("▣▢ ") for text in page.locator(".rows .row .name").all_inner_texts()]


def test_images_are_sorted_and_searched(watched: Watched, page_file: Path) -> None:
    page, results = watched.open(page_file), two_models()
    model = page.evaluate("softpq.page.modelNames[softpq.page.state.model]")
    value = {image.name: image.scores["softpq"].value for image in results.of(model)}
    assert names_in_order(page) == sorted(value, key=value.get)
    page.select_option("#sort", "best")
    settled(page)
    assert names_in_order(page) == sorted(value, key=value.get, reverse=True)
    other = {image.name: image.scores["softpq"].value for image in results.of(({"mixed", "shifted"} - {model}).pop())}
    page.select_option("#sort", "disagreement")
    settled(page)
    assert names_in_order(page) == sorted(value, key=lambda name: -abs(value[name] - other[name]))
    recall = {image.name: image.scores["recall"].value for image in results.of(model)}
    page.select_option("#sort", "metric:recall")
    settled(page)
    assert [recall[name] for name in names_in_order(page)] == sorted(recall.values())
    page.fill("#search", "3")
    settled(page)
    assert names_in_order(page) == ["field 3"]


def test_clicks_lead_to_images_and_objects(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    page.locator("#chart-scatter circle[data-name='field 3']").click()
    settled(page)
    assert "field 3" in page.inner_text("#viewer-title")
    page.locator("#chart-verdicts .bar-row.current .segment[data-verdict='missed']").click()
    wait_until(page, "softpq.page.viewer.selected?.side === 'truth'")
    assert "missed" in page.inner_text("#object-info")
    page.locator("#chart-best g.bar").nth(35).click()
    wait_until(page, "document.querySelector('#object-info').innerText.includes('0.8')")
    page.locator("#chart-size rect.hit").first.click()
    page.locator("#chart-surface rect").nth(40).click()
    settled(page)
    assert page.evaluate("softpq.page.state.low <= softpq.page.state.high")


def test_thresholds_are_dragged_in_the_histogram(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    page.locator("#chart-best").scroll_into_view_if_needed()
    box = page.locator("#chart-best [data-threshold=high] .grip").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 40, box["y"] + box["height"] / 2, steps=4)
    page.mouse.move(box["x"] + 80, box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()
    settled(page)
    assert page.evaluate("softpq.page.state.high") > 0.6
    page.locator("#chart-best [data-threshold=low]").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        settled(page)
    assert page.evaluate("softpq.page.state.low") == pytest.approx(0.08)


def test_a_link_keeps_the_image_the_slice_and_the_object(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    page.select_option("#model", label="shifted")  # another model has another worst image
    page.fill("#iou-high", "0.95")
    settled(page)
    page.click("#next-error")
    page.uncheck("#layer-pred")
    settled(page)
    url, title, info = page.url, page.inner_text("#viewer-title"), page.inner_text("#object-info")
    page.goto("about:blank")
    again = watched.open(page_file, "#" + url.partition("#")[2])
    wait_until(again, "softpq.page.viewer.selected !== null")
    assert again.inner_text("#viewer-title") == title
    assert again.inner_text("#object-info") == info
    assert not again.is_checked("#layer-pred")
    watched.open(page_file, "#sort=bogus&view=z99_onobody+7+1_vx+y+z_tnothing&model=mixed")
    assert again.input_value("#sort") == "worst"


def test_an_object_of_the_other_model_is_told_as_its_own(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    page.wait_for_selector("canvas.pane[data-scale]")
    page.uncheck("#layer-truth")  # a click takes the prediction
    page.click("#side-by-side")
    pane = page.locator("canvas.pane").nth(1)
    pane.scroll_into_view_if_needed()
    box = pane.bounding_box()
    spot = page.evaluate(
        """() => { const v = softpq.page.viewer, labels = v.loaded.preds.get(v.other).plane(0), w = v.picture.shape[2];
        const at = labels.findIndex((label, k) => label && labels[k + 3 * w + 3] === label) + w + 1;
        const { scale, x, y } = v.view;
        return [((at % w) + 0.5) * scale + x, (Math.floor(at / w) + 0.5) * scale + y]; }"""
    )
    page.mouse.move(box["x"] + spot[0], box["y"] + spot[1])
    page.wait_for_selector("#tip .object")
    page.mouse.click(box["x"] + spot[0], box["y"] + spot[1])
    assert page.evaluate("softpq.page.viewer.selected.model === softpq.page.state.other")
    hovered = page.locator("#tip .object").last.inner_text()
    assert page.locator("#object-info .object").inner_text() == hovered


def test_moving_the_picture_does_not_change_what_is_selected(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    page.wait_for_selector("canvas.pane[data-scale]")
    page.click("#next-error")
    before = page.inner_text("#object-info")
    box = page.locator("canvas.pane").first.bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 90, box["y"] + 60, steps=4)
    page.mouse.up()
    assert page.inner_text("#object-info") == before


def test_clicks_on_a_verdict_go_from_image_to_image(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    part = page.locator("#chart-verdicts .bar-row.current .segment[data-verdict='missed']")
    seen = set()
    for _ in range(int(part.inner_text() or 9) + 1):
        part.click()
        wait_until(page, "softpq.page.viewer.selected !== null && softpq.page.viewer.loaded !== null")
        seen.add(tuple(page.evaluate("[softpq.page.state.image, softpq.page.viewer.selected.object]")))
    assert len({image for image, _ in seen}) > 1


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
    part = "#chart-verdicts .bar-row.current .segment:not([hidden])"
    page.locator(part).nth(1).focus()
    page.keyboard.press("Enter")
    wait_until(page, "softpq.page.viewer.selected !== null")
    assert page.evaluate(f"document.activeElement === document.querySelectorAll('{part}')[1]")
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


def test_a_dataset_without_objects_has_a_page(watched: Watched, tmp_path: Path) -> None:
    nothing = np.zeros((9, 9), int)
    scored({"a": (nothing, nothing), "b": (nothing, nothing)}).report(tmp_path / "e.html")
    page = watched.open(tmp_path / "e.html")
    assert page.inner_text("#softpq-now") == "–"
    assert "no image has an object" in page.inner_text("#dots")
    page.fill("#iou-high", "0.9")
    settled(page)


def test_models_with_different_images_are_told_apart(watched: Watched, tmp_path: Path) -> None:
    pair = ([[1, 1, 2]], [[1, 1, 0]])
    both, one = scored(dict.fromkeys("ab", pair), model="both"), scored({"a": pair}, model="one")
    Results(both.images + one.images, failures=(Failure("b", "one", "is broken"),)).report(tmp_path / "d.html")
    page = watched.open(tmp_path / "d.html")
    warnings = page.inner_text("#warnings")
    assert "not scored on the same images (both 2, one 1)" in warnings
    assert warnings.index("is broken") < warnings.index("not scored on")
    assert page.inner_text("#lead").startswith("2 images, 4 truth objects, 2 models")
    page.select_option("#model", label="one")
    settled(page)
    assert "not scored" in page.inner_text(".rows")
    page.evaluate("softpq.page.pick(1)")
    page.click("#next-error")
    assert "not scored on this image" in page.inner_text("#object-info")


def scale_of(page: Any) -> float:
    return float(page.get_attribute("canvas.pane", "data-scale"))


def test_the_viewer_zooms_pans_and_tells(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    page.wait_for_selector("canvas.pane[data-scale]")
    page.locator("canvas.pane").first.scroll_into_view_if_needed()
    before, box = scale_of(page), page.locator("canvas.pane").first.bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
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
    assert sorted(page.locator("figcaption").all_inner_texts()) == ["mixed", "shifted"]
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
    page.locator("#chart-verdicts .bar-row.current .segment:not([hidden])").nth(1).focus()
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
    wait_until(page, "[...softpq.page.viewer.bases.values()].some((base) => base.width === 96)")


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
    ready = "[...softpq.page.viewer.bases.values()].some((base) => base.width === 96)"
    wait_until(page, ready)
    whole = page.evaluate("document.querySelector('canvas.pane').toDataURL()")
    page.select_option("#channel", "1")
    wait_until(page, ready)
    one = page.evaluate("document.querySelector('canvas.pane').toDataURL()")
    page.select_option("#stretch", "0")
    wait_until(page, ready)
    assert len({whole, one, page.evaluate("document.querySelector('canvas.pane').toDataURL()")}) == 3


# ---------------------------------------------------------------- nothing gets in or out

NASTY = [
    "<img src=x onerror=alert(1)>", "</script><script>document.title='broken'</script>", "\"'`><svg onload=alert(1)>",
    "😀 émoji ‮ right to left", "n" * 300, "a&amp;b{{SCRIPT}}", "<!-- -->", "line\nbreak\u2028",
]  # fmt: skip


def test_names_cannot_inject(watched: Watched, tmp_path: Path) -> None:
    pair = ([[1, 1, 0], [0, 2, 2]], [[1, 1, 0], [0, 0, 3]])
    parts = [scored(dict.fromkeys(NASTY, pair), model=model) for model in NASTY]
    images = tuple(image for part in parts for image in part.images)
    failures = tuple(Failure(name, NASTY[0], name) for name in NASTY)
    results = Results(images, failures=failures, notes=tuple(NASTY))
    results.report(tmp_path / "n.html", title=NASTY[1], command=NASTY[0], warnings=NASTY)
    dialogs: list[str] = []
    watched.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page = watched.open(tmp_path / "n.html")
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert not dialogs
    assert page.title() == NASTY[1]
    assert page.locator("img, svg[onload], iframe").count() == 0
    assert page.evaluate("softpq.report.names") == NASTY
    assert page.evaluate("softpq.page.modelNames") == NASTY
    page.click(".row >> nth=4")
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_policy_of_the_page_stops_foreign_code(browser: Any, page_file: Path) -> None:
    text = page_file.read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    assert "default-src &#x27;none&#x27;" in policy[1]
    assert "unsafe-inline" not in policy[1]
    assert "http" not in policy[1]
    broken = page_file.with_name("foreign.html")
    broken.write_text(
        text.replace("</main>", "<script>document.title = 'foreign'</script></main>", 1), encoding="utf-8"
    )
    page = browser.new_page()
    page.goto(broken.as_uri())
    page.wait_for_selector("body[data-ready]")
    assert page.title() == "Two models"
    page.close()


def test_a_page_in_a_notebook_works(watched: Watched, tmp_path: Path) -> None:
    field = cells(objects=20, shape=(96, 96))
    evaluation = softpq.evaluate(field.truth, field.pred)
    (tmp_path / "notebook.html").write_text(f"<body data-ready>{evaluation._repr_html_()}", encoding="utf-8")
    page = watched.open(tmp_path / "notebook.html")
    frame = page.frame_locator("iframe")
    frame.locator("body[data-ready]").wait_for()
    assert frame.locator("#softpq-now").inner_text() == f"{evaluation['softpq']:.4f}"
    frame.locator("#preset-pq").click()
    assert frame.locator("#pq-now").inner_text() == f"{evaluation['pq']:.4f}"
    assert two_models(1)._repr_html_().startswith("<iframe")
    own = softpq.evaluate(field.truth, field.pred, penalty=lambda n: n + 2.0)
    assert inline(own).startswith("<pre>Evaluation (SoftPQ")  # the page knows only named penalties


# ---------------------------------------------------------------- from Python


def test_the_page_says_how_it_was_made(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    page.click("#details > summary")
    made = page.inner_text("#made")
    for text in (
        "softpq evaluate truth mixed shifted",
        softpq.__version__,
        "iou_low 0.05",
        "@article",
        "BCa bootstrap",
        "Content of truth",
    ):
        assert text in made
    assert page.locator("#summary td.best").count() >= 1
    assert "shifted" in page.inner_text("#comparisons") or "mixed" in page.inner_text("#comparisons")


def test_warnings_name_undefined_images_and_failures(watched: Watched, tmp_path: Path) -> None:
    results = scored({"empty": ([0, 0], [0, 0]), "full": ([1, 1], [1, 0])})
    results = replace(results, failures=(Failure("broken.tif", "model", "is empty"),))
    results.report(tmp_path / "w.html", warnings=["Labels repeat."])
    text = watched.open(tmp_path / "w.html").inner_text("#warnings")
    assert all(part in text for part in ("Labels repeat.", "1 image without any object", "broken.tif: is empty"))


def test_only_some_images_are_embedded_and_the_page_says_so(watched: Watched, tmp_path: Path) -> None:
    pairs = {f"{k}": ([[1, 1, 1, 1, 2]], [[1] * (k % 4 + 1) + [0] * (4 - k % 4)]) for k in range(20)}
    results = scored(pairs)
    results.report(tmp_path / "s.html", max_images=6)
    page = watched.open(tmp_path / "s.html")
    assert page.evaluate("softpq.report.pictures.size") == 6
    assert page.evaluate("softpq.report.models[0].tables.length") == 20
    note = page.inner_text("#browser")
    assert "6 of 20 images are embedded: the 3 with the lowest SoftPQ and a sample of 3 others" in note
    hidden = page.evaluate("softpq.report.names.findIndex((_, k) => !softpq.report.pictures.has(k))")
    page.evaluate(f"softpq.page.pick({hidden})")
    page.wait_for_selector(".no-picture:visible")
    assert "is not embedded" in page.inner_text(".no-picture")


def test_a_report_can_be_made_of_saved_results(tmp_path: Path) -> None:
    field = cells(objects=20, shape=(96, 96))
    found = softpq.evaluate(field.truth, field.pred)
    results = Results((ImageResult.of("a", "m", found, keep_tables=True),))
    again = Results.from_json(results.to_json())
    assert again.images[0].tables == results.images[0].tables
    assert again.images[0].fingerprints == results.images[0].fingerprints
    assert "No images are embedded" in render(again)
    without = Results.from_json(scored({"a": (field.truth, field.pred)}).to_json())
    with pytest.raises(ValueError, match="keep_tables=True"):
        without.report(tmp_path / "x.html")


def test_bad_requests_are_refused(tmp_path: Path) -> None:
    results = two_models(1)
    with pytest.raises(ValueError, match="max_images must be a whole number of at least 0; got -1"):
        write_report(results, tmp_path / "x.html", max_images=-1)
    with pytest.raises(ValueError, match="at least one image"):
        write_report(Results(()), tmp_path / "x.html")
    with pytest.raises(Exception, match="does not exist"):
        write_report(results, tmp_path / "x.html", images=tmp_path / "nowhere")
    (tmp_path / "raw").mkdir()
    np.save(tmp_path / "raw" / "other.npy", np.zeros((3, 3)))
    np.save(tmp_path / "raw" / "another.npy", np.zeros((3, 3)))
    with pytest.raises(Exception, match="No raw image"):
        write_report(results, tmp_path / "x.html", images=tmp_path / "raw")
    own = replace(results, settings=softpq.Settings(penalty=lambda n: n + 2.0))
    with pytest.raises(ValueError, match="penalty must be one of the named ones"):
        write_report(own, tmp_path / "x.html")
    assert not (tmp_path / "x.html").exists()


# ---------------------------------------------------------------- the source of the page


def test_modules_can_be_joined_into_one() -> None:
    joined = script()
    assert not re.search(r"^\s*(import|export)\b", joined, re.M)
    names = re.findall(r"^(?:async )?(?:function\*?|class|const|let) (\w+)", joined, re.M)
    assert len(names) == len(set(names))
    assert {f"{name}.js" for name in SCRIPTS} == {path.name for path in STATIC.glob("*.js")}
    assert "</script" not in joined
    for order, name in enumerate(SCRIPTS):
        wanted = re.findall(r'from "\./(\w+)\.js"', static(f"{name}.js"))
        assert all(SCRIPTS.index(one) < order for one in wanted)


def test_the_arithmetic_of_the_page_passes_its_own_tests() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs Node.js, which is not installed")
    tests = sorted(str(path) for path in (Path(__file__).parent / "report").glob("*.test.mjs"))
    done = subprocess.run([node, "--test", *tests], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_source_of_the_page_is_well_typed() -> None:
    compiler = shutil.which("tsc")
    if compiler is None:
        pytest.skip("needs the TypeScript compiler, which is not installed")
    config = Path(__file__).parent / "report" / "tsconfig.json"
    done = subprocess.run([compiler, "--project", str(config)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
