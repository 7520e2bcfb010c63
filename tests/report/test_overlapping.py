"""The page of objects that overlap: numbers, scores and classes are Python's, and all of it can be reached."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from overlapping_pages import crossing, crossing_results
from pages import Watched, settled, softpq_now, wait_until

import softpq
from softpq import Masks, Results, Settings, evaluate_dataset, metrics
from softpq.dataset.gains import pooled_gains
from softpq.detection.by_class import confused_classes

PLAIN = "const plain = (v) => Number.isNaN(v) ? null : v;"
RUN = "const run = (steps) => { let step = steps.next(); while (!step.done) step = steps.next(); return step.value; };"


def number(value: float | None) -> float:
    return math.nan if value is None else value


def given(settings: Settings) -> dict[str, Any]:
    return {"low": settings.iou_low, "high": settings.iou_high, "penalty": settings.penalty,
            "priority": settings.priority, "reading": settings.reading}  # fmt: skip


SETTINGS = [
    Settings(),
    Settings(0.2, 0.75, "linear", "under", "unified"),
    Settings(0.0, 0.3, "log", "over", "figures"),
    Settings(0.1, 0.6, "sqrt", "under", "text"),
]


def test_scores_of_images_are_pythons(watched: Watched, overlap_file: Path) -> None:
    page, results = watched.open(overlap_file), crossing_results()
    for settings in SETTINGS:
        got = page.evaluate(
            f"""([s]) => {{ {PLAIN} return softpq.report.models.map((model) => {{
            const found = softpq.scoresOf(model, s);
            return [[...found.values].map(plain), plain(found.pooled)]; }}) }}""",
            [given(settings)],
        )
        for model, (values, pooled) in zip(results.models, got, strict=True):
            scores = [metrics.softpq(image.tables.objects, **vars(settings)) for image in results.of(model)]
            np.testing.assert_allclose([number(v) for v in values], [one.value for one in scores], atol=1e-9, rtol=0)
            assert number(pooled) == pytest.approx(softpq.pooled(scores).value, abs=1e-9)


def test_repairs_of_a_dataset_are_pythons(watched: Watched, overlap_file: Path) -> None:
    page, results = watched.open(overlap_file), crossing_results()
    for settings in SETTINGS[:2]:
        for k, model in enumerate(results.models):
            got = page.evaluate(
                f"([k, s]) => {{ {RUN} return run(softpq.gainsOf(softpq.report.models[k], s, 'pooled')); }}",
                [k, given(settings)],
            )
            assert "duplicates removed" in got
            images = evaluated(settings, model)
            assert got == pytest.approx(pooled_gains(images, settings), abs=1e-9)
            assert got["classes corrected"] > 0 or settings != Settings()


def evaluated(settings: Settings, model: str, **options: Any) -> Any:
    """The same images at other thresholds, with the tables that gains are computed from."""
    truth, models = crossing()
    return evaluate_dataset(truth, {model: models[model]}, keep_overlaps=True, **vars(settings), **options).images


def test_what_right_classes_would_bring_follows_the_slider_of_scores(watched: Watched, overlap_file: Path) -> None:
    page = watched.open(overlap_file, "#score=0.6")
    wait_until(page, "softpq.page.cards.gains !== null")
    model = page.evaluate("softpq.page.modelNames[softpq.page.state.model]")
    expected = pooled_gains(evaluated(Settings(), model, score_threshold=0.6), Settings())
    assert page.evaluate("softpq.page.cards.gains") == pytest.approx(expected, abs=1e-9)
    page.select_option("#kind", "worm")
    wait_until(page, "!('classes corrected' in softpq.page.cards.gains)")


def test_scores_of_classes_are_pythons_with_intervals_and_tests(watched: Watched, overlap_file: Path) -> None:
    page, results = watched.open(overlap_file), crossing_results()
    for kind, name in enumerate(results.classes, start=1):
        of_class = results.of_class(name)
        page.select_option("#kind", name)
        settled(page)
        wait_until(page, "softpq.page.compared !== null")
        found = page.evaluate(
            f"""() => {{ {PLAIN} const {{compared, analysis}} = softpq.page; return softpq.page.modelNames.map((_, k) =>
            [plain(analysis.scoresOf(k).pooled), plain(compared.intervals[k].low), plain(compared.pairs[0].p)]) }}"""
        )
        for k, model in enumerate(results.models):
            interval = of_class.interval("softpq", model)
            assert found[k][0] == pytest.approx(of_class.pooled(model)["softpq"], abs=1e-9)
            assert number(found[k][1]) == pytest.approx(interval.low, abs=1e-9, nan_ok=True)
            rows = page.evaluate(
                f"""([k, s]) => {{ {RUN} const score = softpq.page.state.score;
                return run(softpq.byClassOf(softpq.report, k, score, s, 'pooled')).map((one) => one.values); }}""",
                [k, given(results.settings)],
            )
            python = results.per_class(model)[name]
            for metric, value in rows[kind - 1].items():
                assert number(value) == pytest.approx(python[metric], abs=1e-9, nan_ok=True), metric
        comparison = of_class.comparisons("softpq")[0]
        assert found[0][2] == pytest.approx(comparison.p, abs=1e-9)
    page.select_option("#kind", "")
    settled(page)
    assert softpq_now(page) == pytest.approx(results.pooled(results.ranking("softpq")[0])["softpq"], abs=1e-4)


def test_the_slider_of_scores_does_what_a_score_threshold_does(watched: Watched, overlap_file: Path) -> None:
    page, (truth, models) = watched.open(overlap_file), crossing()
    for threshold in (0.05, 0.5, 0.731, 0.9):
        results = evaluate_dataset(truth, models, classes="auto", score_threshold=threshold, keep_tables=True)
        page.fill("#score-number", str(threshold))
        page.keyboard.press("Enter")
        wait_until(page, f"softpq.page.state.score === {threshold} && !softpq.page.frame")
        got = page.evaluate("softpq.page.modelNames.map((_, k) => softpq.page.analysis.scoresOf(k).pooled)")
        assert got == pytest.approx([results.pooled(model)["softpq"] for model in results.models], abs=1e-9)
        kept = page.evaluate("softpq.page.report.models.map((model) => model.whole.predAreas.length)")
        assert kept == [sum(i.counts["n_pred"] for i in results.of(model)) for model in results.models]
        counted = page.evaluate("softpq.page.modelNames.map((_, k) => softpq.page.cards.countVerdicts(k).pred)")
        names = ["matched", "partial", "merger", "fragment", "ghost", "duplicate"]
        for model, counts in zip(results.models, counted, strict=True):
            python = [sum(i.verdicts.get(f"pred_{name}", 0) for i in results.of(model)) for name in names]
            assert counts == python
        wait_until(page, "!document.querySelector('#summary').classList.contains('stale')")
        shown = page.locator("#metrics tbody tr").first.locator("td").nth(0).inner_text().split()[0]
        best = results.ranking("softpq")[0] if threshold == 0.05 else crossing_results().ranking("softpq")[0]
        assert float(shown) == pytest.approx(results.pooled(best)["softpq"], abs=6e-4)


def test_the_curve_over_scores_is_that_of_score_curve(watched: Watched, overlap_file: Path) -> None:
    page, (truth, models) = watched.open(overlap_file), crossing()
    wait_until(page, "document.body.dataset.scoreCurve")
    for k, (name, pred) in enumerate(models.items()):
        page.select_option("#model", str(k))
        curve = softpq.score_curve(truth, pred)
        page.evaluate("(k) => { globalThis.curve = softpq.page.cards.kinds.curve; globalThis.model = k; }", k)
        got = page.evaluate("[[...curve.thresholds], [...curve.values[model]], curve.all]")
        assert got[2] == len(got[0])
        mine = dict(zip(got[0], got[1], strict=True))
        for threshold, value in zip(curve.thresholds, curve.values, strict=True):
            assert mine[threshold] == pytest.approx(value, abs=1e-9), name
        assert max(mine[t] for t in curve.thresholds) == pytest.approx(curve.best_value, abs=1e-9)
    page.locator("#chart-score svg").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    wait_until(page, "softpq.page.state.score === softpq.page.cards.kinds.curve.thresholds[2]")


def test_confused_classes_are_pythons_and_lead_to_objects(watched: Watched, overlap_file: Path) -> None:
    page, (truth, models) = watched.open(overlap_file), crossing()
    names = ["egg", "worm"]
    for k, pred in enumerate(models.values()):
        python = confused_classes([(truth[name], pred[name]) for name in truth], threshold=0.5)
        counts = page.evaluate("(k) => softpq.confusedOf(softpq.report.models[k], 2, 0.5, -Infinity)"
                               ".map((row) => row.map((cell) => cell.length))", k)  # fmt: skip
        for i, one in enumerate(names):
            for j, other in enumerate(names):
                assert counts[i + 1][j + 1] == python.get(one, {}).get(other, 0)
        objects = sum(len(masks) for masks in truth.values())
        assert sum(sum(row) for row in counts[1:3]) == objects
    page.locator("#chart-confused svg").focus()
    page.keyboard.press("ArrowRight")  # eggs that were found as eggs
    page.keyboard.press("Enter")
    wait_until(page, "softpq.page.viewer.selected !== null")
    assert "· egg" in page.inner_text("#object-info")


def test_duplicates_can_be_clicked_and_overlapping_outlines_are_seen(watched: Watched, overlap_file: Path) -> None:
    page = watched.open(overlap_file)
    assert "duplicate" in page.inner_text("#viewer .legend")
    page.select_option("#wall-verdict", "duplicate")
    page.click("#wall-next")
    wait_until(page, "softpq.page.viewer.selected !== null")
    assert "duplicate" in page.inner_text("#object-info")
    assert "score 0." in page.inner_text("#object-info")
    there = page.evaluate(
        """() => { const {viewer} = softpq.page; const {side, object} = viewer.selected;
        const labels = viewer.labelsOf(side, viewer.model); const [x0, y0, x1, y1] = labels.box(object);
        return labels.objectsAt(0, (x0 + x1) >> 1, (y0 + y1) >> 1).length; }"""
    )
    assert there >= 2
    assert page.get_attribute("canvas.pane", "data-detail") == "outlines"
    page.locator("#chart-verdicts svg").focus()
    assert page.locator("#chart-verdicts [data-verdict=duplicate]").count() > 0


def test_what_is_refused_is_shown_as_such(watched: Watched, overlap_file: Path) -> None:
    page = watched.open(overlap_file, "#reading=released")
    assert page.evaluate("softpq.page.state.reading") == "text"
    assert page.locator("#reading option[value=released]").is_disabled()
    assert "as objects overlap: vi, vi_split" in page.inner_text("#summary-note")


def test_label_images_have_no_duplicates_and_no_slider_of_scores(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    assert "duplicate" not in page.inner_text("#viewer .legend")
    assert page.locator("#wall-verdict option[value=duplicate]").count() == 0
    for absent in ("#score", "#kind", "#chart-score", "#chart-confused"):
        assert page.locator(absent).count() == 0
    assert not page.is_visible("#by-class")
    assert page.locator("#reading option[value=released]").is_enabled()


def test_a_link_keeps_class_and_score(watched: Watched, overlap_file: Path) -> None:
    page = watched.open(overlap_file, "#class=worm&score=0.5")
    assert page.evaluate("[softpq.page.state.kind, softpq.page.state.score]") == ["worm", 0.5]
    assert page.input_value("#kind") == "worm"
    assert "Of class worm and predictions with a score from 0.5 on" in page.inner_text("#answer")
    wait_until(page, "softpq.page.cards.surfaces.value && softpq.page.cards.gains && softpq.page.compared")
    place = page.evaluate("document.getElementById('reset').getBoundingClientRect().y")
    page.click("#reset")
    settled(page)
    assert page.evaluate("softpq.page.report === softpq.page.full")
    assert page.evaluate("document.getElementById('reset').getBoundingClientRect().y") == place
    assert "class" not in page.evaluate("location.hash")


def test_what_is_selected_stays_selected_where_fewer_objects_are_looked_at(
    watched: Watched, overlap_file: Path
) -> None:
    page = watched.open(overlap_file)
    wait_until(page, "softpq.page.viewer.loaded !== null")
    chosen = page.evaluate(
        """() => { const {viewer, full, state} = softpq.page; const data = full.models[state.model];
        const place = data.placeOf.get(state.image); const object = data.known.truthClass[place].length - 1;
        viewer.select({side: 'truth', object, model: state.model});
        const kind = full.head.classNames[data.known.truthClass[place][object] - 1];
        return [kind, String(data.truthIds[place][object])]; }"""
    )
    page.select_option("#kind", chosen[0])
    settled(page)
    assert f"truth {chosen[1]} " in page.inner_text("#object-info")
    other = next(name for name in ("egg", "worm") if name != chosen[0])
    page.select_option("#kind", other)
    settled(page)
    assert page.evaluate("softpq.page.viewer.selected") is None


def test_classes_of_label_images_are_live(watched: Watched, tmp_path: Path) -> None:
    """Matched whatever their class, and each class by itself."""
    rng = np.random.default_rng(4)
    truth = {f"{k}": Masks.from_labels(np.kron(np.arange(1, 13).reshape(3, 4), np.ones((8, 8), int))) for k in range(3)}
    kinds = {name: rng.choice(["a", "b"], 12) for name in truth}
    seen = {name: np.where(rng.uniform(size=12) < 0.7, kinds[name], "a") for name in truth}
    moved = {name: Masks.from_labels(np.roll(masks.to_labels(), 2, 1)) for name, masks in truth.items()}
    results = evaluate_dataset(
        {name: masks.with_(classes=kinds[name]) for name, masks in truth.items()},
        {"m": {name: masks.with_(classes=seen[name]) for name, masks in moved.items()}},
        classes="auto", class_agnostic=True, keep_tables=True,
    )  # fmt: skip
    results.report(tmp_path / "k.html")
    page = watched.open(tmp_path / "k.html")
    assert softpq_now(page) == pytest.approx(results.pooled("m")["softpq"], abs=1e-4)
    wait_until(page, "document.body.dataset.classes")
    page.click("#class-table button.plain >> nth=1")
    settled(page)
    assert softpq_now(page) == pytest.approx(results.per_class("m")["b"]["softpq"], abs=1e-4)
    assert page.locator("#class-table tr.current").count() <= 1


def test_saved_results_make_the_same_page(watched: Watched, tmp_path: Path) -> None:
    results = crossing_results(3)
    results.to_json(tmp_path / "r.json")
    again = Results.from_json(tmp_path / "r.json")
    assert [i.tables for i in again.images] == [i.tables for i in results.images]
    again.report(tmp_path / "a.html")
    page = watched.open(tmp_path / "a.html")
    assert page.evaluate("softpq.report.head.classNames") == ["egg", "worm"]
    assert page.evaluate("softpq.report.scores.length") > 5
    assert softpq_now(page) == pytest.approx(results.pooled(results.ranking("softpq")[0])["softpq"], abs=1e-4)


def test_results_without_tables_and_one_evaluation_make_a_page(watched: Watched, tmp_path: Path) -> None:
    truth, models = crossing(2)
    results = evaluate_dataset(truth, models["hasty"], score_threshold=0.5)
    results.report(tmp_path / "w.html")
    page = watched.open(tmp_path / "w.html")
    assert softpq_now(page) == pytest.approx(results.pooled()["softpq"], abs=1e-4)
    wait_until(page, "softpq.page.viewer.loaded !== null")
    chosen = models["hasty"][page.evaluate("softpq.report.names[softpq.page.state.image]")]
    check_boxes(page, chosen.select(chosen.scores >= 0.5))
    evaluation = softpq.evaluate(truth["dish 0"], models["hasty"]["dish 0"])
    evaluation.report(tmp_path / "e.html")
    watched.requests.clear()
    page = watched.open(tmp_path / "e.html")
    assert softpq_now(page) == pytest.approx(evaluation["softpq"], abs=1e-4)
    wait_until(page, "softpq.page.viewer.loaded !== null")
    check_boxes(page, models["hasty"]["dish 0"])


def check_boxes(page: Any, masks: Masks) -> None:
    """The predictions that are drawn are these."""
    drawn = page.evaluate("[...softpq.page.viewer.loaded.preds.get(0).boxes]")
    for mask, box in zip(masks.to_stack(), np.reshape(drawn, (-1, 7)), strict=True):
        rows, columns = np.nonzero(mask)
        assert box[:4].tolist() == [columns.min(), rows.min(), columns.max(), rows.max()]


def test_volumes_of_masks_are_drawn_slice_by_slice(watched: Watched, tmp_path: Path) -> None:
    stack = np.zeros((2, 4, 10, 12), bool)
    stack[0, 1:3, 2:8, 2:9], stack[1, 2:4, 4:9, 5:12] = True, True
    for name, one in (("first", stack), ("last", np.ascontiguousarray(np.moveaxis(stack, 1, 3)))):
        masks = Masks.from_stack(one)
        softpq.evaluate(masks, masks).report(tmp_path / f"{name}.html")
        watched.requests.clear()
        page = watched.open(tmp_path / f"{name}.html")
        wait_until(page, "softpq.page.viewer.loaded !== null")
        boxes = page.evaluate("[...softpq.page.viewer.loaded.truth.boxes]")
        assert np.reshape(boxes, (2, 7)).tolist() == [[2, 2, 8, 7, 1, 1, 2], [5, 4, 11, 8, 2, 2, 3]]
        assert page.evaluate("softpq.page.viewer.loaded.truth.objectsAt(2, 6, 5).length") == 2


def test_masks_nested_too_deep_are_refused_in_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("softpq.report.MOST_PAIRS", 10)
    with pytest.raises(ValueError, match=r"less deep over each other for a report; got dish 0.*Write tables"):
        crossing_results(1).report(tmp_path / "n.html")


def test_a_report_of_images_without_any_overlap_says_nothing_of_it(watched: Watched, tmp_path: Path) -> None:
    truth, models = crossing(1)
    one = {name: masks.select([0]) for name, masks in truth.items()}
    results = evaluate_dataset(one, {name: masks.select([0]) for name, masks in models["hasty"].items()})
    replace(results).report(tmp_path / "p.html")
    page = watched.open(tmp_path / "p.html")
    assert "duplicate" not in page.inner_text("#viewer .legend")
    assert page.locator("#score").count() == 1


def test_charts_of_scores_and_classes_say_what_they_show(watched: Watched, overlap_file: Path) -> None:
    page = watched.open(overlap_file)
    wait_until(page, "document.body.dataset.scoreCurve !== undefined")
    said = page.inner_text("#charts")
    assert re.search(
        r"SoftPQ of \S+ is highest, 0\.\d+, if (all predictions|predictions from a score of 0\.\d+ on) are kept", said
    )
    assert re.search(r"\d+ % of matched objects have the right class", said)
