"""Sliders, links, sorting, clicks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pages import Watched, arrays_of, settled, softpq_now, two_models, wait_until

import softpq
from softpq import metrics


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
    wait_until(page, "softpq.page.state.high === softpq.page.initial.high")
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
    page.locator("#chart-size circle.mark").first.click()
    page.wait_for_selector("body[data-surface]")
    page.locator("#chart-surface rect").nth(40).click()
    settled(page)
    low, high = page.evaluate("[softpq.page.state.low, softpq.page.state.high]")
    assert (low, high) != (0.05, 0.5)
    assert low <= high


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
    rows = page.evaluate("softpq.page.cards.behind.verdicts.data")
    count = rows["rows"][page.evaluate("softpq.page.state.model")][rows["headings"].index("missed")]
    for _ in range(count + 1):
        part.click()
        wait_until(page, "softpq.page.viewer.selected !== null && softpq.page.viewer.loaded !== null")
        seen.add(tuple(page.evaluate("[softpq.page.state.image, softpq.page.viewer.selected.object]")))
    assert len({image for image, _ in seen}) > 1


def test_words_are_explained_where_they_stand(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    page.click("#words summary")
    said = page.inner_text("#words")
    for word in ("l and h", "penalty", "priority", "reading", "unified", "p (Holm)", "was not found"):
        assert word in said
    assert page.locator("#words li svg circle").count() > 12
    assert "duplicate" not in said


def test_duplicates_are_explained_where_objects_overlap(watched: Watched, overlap_file: Path) -> None:
    page = watched.open(overlap_file)
    page.click("#words summary")
    assert "= duplicate (prediction) is a second one" in page.inner_text("#words")
