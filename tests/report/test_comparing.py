"""Intervals, tests, ranks and the map of winners: the page computes Python's, at any thresholds."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from nodejs import node
from pages import Watched, settled, two_models, wait_until

import softpq
from softpq import Results, Settings
from softpq.dataset.distributions import t_quantile
from softpq.dataset.exchanges import exchanges
from softpq.dataset.image_result import ImageResult
from softpq.plan import Plan
from softpq.report.facts import FACTS
from softpq.synthetic import cells

COMPARED = """([settings, over]) => { const parts = softpq.report.models.map((m) => softpq.scoresOf(m, settings).parts);
  const steps = softpq.comparedOf(softpq.report, parts, settings, over);
  let step = steps.next(); while (!step.done) step = steps.next();
  return JSON.stringify(step.value, (key, v) => Number.isNaN(v) ? null : v); }"""


def several(images: int, models: int, groups: dict[str, str] | None = None) -> Results:
    found = []
    for model in range(models):
        for k in range(images):
            scene = cells(objects=14, shape=(72, 72), seed=k)
            moved = np.roll(scene.pred, (model * (k % 3), model), (0, 1))
            found.append(
                ImageResult.of(f"{k}", f"model {model}", softpq.evaluate(scene.truth, moved), keep_tables=True)
            )
    return Results(tuple(found), groups=groups or {})


def with_settings(results: Results, settings: Settings) -> Results:
    again = [
        ImageResult.of(
            image.name, image.model, softpq.evaluate(image.tables.objects, **vars(settings)), keep_tables=True
        )
        for image in results.images
        if image.tables is not None
    ]
    return Results(tuple(again), Plan.of(**vars(settings)), groups=results.groups)


def number(value: float | None) -> float:
    return math.nan if value is None else value


@pytest.mark.parametrize(("images", "models"), [(9, 3), (40, 2), (4, 2)])
def test_the_page_says_what_python_says_of_models(watched: Watched, tmp_path: Path, images: int, models: int) -> None:
    groups = {f"{k}": f"slide {k // 2}" for k in range(12)} if images == 40 else {}
    results = several(images, models, groups)
    results.report(tmp_path / "c.html", max_images=0)
    page = watched.open(tmp_path / "c.html")
    for settings, over in (
        (Settings(), "pooled"),
        (Settings(0.2, 0.83, "linear", "under", "unified"), "pooled"),
        (Settings(0.4, 0.9), "mean"),
        (Settings(0.0, 1.0), "pooled"),
    ):
        plain = {"low": settings.iou_low, "high": settings.iou_high, "penalty": settings.penalty,
                 "priority": settings.priority, "reading": settings.reading}  # fmt: skip
        got = json.loads(page.evaluate(COMPARED, [plain, over]))
        python = with_settings(results, settings)
        for model, interval in zip(python.models, got["intervals"], strict=True):
            wanted = python.interval("softpq", model, over=over)
            assert number(interval["low"]) == pytest.approx(wanted.low, abs=1e-9, nan_ok=True)
            assert number(interval["high"]) == pytest.approx(wanted.high, abs=1e-9, nan_ok=True)
        for pair, one in zip(got["pairs"], python.comparisons("softpq", over=over), strict=True):
            assert pair["gap"]["value"] == pytest.approx(one.difference.value, abs=1e-9)
            assert number(pair["gap"]["low"]) == pytest.approx(one.difference.low, abs=1e-9, nan_ok=True)
            assert number(pair["gap"]["high"]) == pytest.approx(one.difference.high, abs=1e-9, nan_ok=True)
            assert number(pair["p"]) == pytest.approx(one.p, abs=1e-12, nan_ok=True)
            assert number(pair["adjusted"]) == pytest.approx(one.adjusted_p, abs=1e-12, nan_ok=True)
        assert [tuple(rank) for rank in got["ranks"]] == list(python.ranks("softpq", over=over).values())


def test_the_map_of_winners_is_pythons(watched: Watched, tmp_path: Path) -> None:
    results = several(8, 3)
    results.report(tmp_path / "w.html", max_images=0)
    page = watched.open(tmp_path / "w.html")
    page.wait_for_selector("body[data-surface]")
    best, clear = page.evaluate(
        "[[...softpq.page.cards.surfaces.value.best], [...softpq.page.cards.surfaces.value.clear]]"
    )
    python = results.winners(step=0.1)
    compared = 0
    for row, low in enumerate(python.iou_low):
        for column, high in enumerate(python.iou_high):
            at = round(low * 20) * 20 + round(high * 20) - 1
            if low <= high:
                assert best[at] == python.best[row, column], (low, high)
                assert bool(clear[at]) == bool(python.clear[row, column]), (low, high)
                compared += 1
    assert compared > 40
    assert len({*best}) > 1


def test_exchanges_and_quantiles_are_pythons_bit_by_bit() -> None:
    script = f"""
        import {{ exchangesOf, sumsAfter }} from "{Path(softpq.__file__).parent}/report/scripts/engine/exchanges.js";
        import {{ tQuantile }} from "{Path(softpq.__file__).parent}/report/scripts/engine/distributions.js";
        import {{ learn }} from "{Path(softpq.__file__).parent}/report/scripts/facts.js";
        learn(JSON.parse(process.env.SOFTPQ_FACTS));
        const found = [[3, 1, 0], [14, 10, 0], [15, 1, 0], [70, 200, 5]].map(([units, pairs, seed]) => {{
          const made = exchangesOf(units, pairs, seed);
          return [...sumsAfter(made, Float64Array.from({{ length: units }}, (_, k) => 2 ** (k % 50)))]; }});
        const quantiles = [1, 1.5, 2, 9.3, 29, 79.5, 81, 998.2, 5e3].map((df) => tQuantile(0.975, df));
        process.stdout.write(JSON.stringify([found, quantiles]));"""
    found, quantiles = json.loads(node("--input-type=module", "-e", script, facts=FACTS))
    for (units, pairs, seed), sums in zip([(3, 1, 0), (14, 10, 0), (15, 1, 0), (70, 200, 5)], found, strict=True):
        rows = np.concatenate(list(exchanges(units, pairs, seed)))
        assert (rows @ 2.0 ** (np.arange(units) % 50)).tolist() == sums
    expected = [t_quantile(0.975, df) for df in (1, 1.5, 2, 9.3, 29, 79.5, 81, 998.2, 5e3)]
    assert quantiles == pytest.approx(expected, rel=1e-11)


def test_the_answer_stands_first_and_follows_the_thresholds(watched: Watched, tmp_path: Path) -> None:
    results = several(9, 3)
    results.report(tmp_path / "a.html", max_images=2)
    page = watched.open(tmp_path / "a.html")
    page.wait_for_selector("body[data-compared]")
    said = page.inner_text("#answer")
    best, second = results.ranking("softpq")[:2]
    assert f"{best} has the highest SoftPQ" in said
    assert f"more than {second}" in said
    (gap,) = [one for one in results.comparisons("softpq") if {one.first, one.second} == {best, second}]
    assert ("more than chance" in said) == gap.is_clear
    wait_until(page, "document.querySelector('#answer').innerText.includes('of all pairs of thresholds')")
    before = page.get_attribute("body", "data-compared")
    page.fill("#iou-high", "0.95")
    settled(page)
    wait_until(page, f"document.body.dataset.compared !== '{before}'")
    assert page.inner_text("#answer") != said
    page.locator("#answer .clause").last.click()
    assert page.evaluate("document.querySelector('#chart-winners').contains(document.activeElement)")


def test_models_are_ranked_and_the_runner_up_is_the_opponent(watched: Watched, tmp_path: Path) -> None:
    results = several(7, 4)
    turned = Results(tuple(reversed(results.images)))
    turned.report(tmp_path / "r.html", max_images=0)
    page = watched.open(tmp_path / "r.html")
    order = results.ranking("softpq")
    assert page.locator("#models tbody th").all_inner_texts() == order
    names = page.evaluate("[softpq.page.state.model, softpq.page.state.other].map((k) => softpq.page.modelNames[k])")
    assert names == order[:2]
    page.locator("#models thead button", has_text="F1").click()
    f1 = [float(row.locator("td").nth(5).inner_text()) for row in page.locator("#models tbody tr").all()]
    assert f1 == sorted(f1, reverse=True)
    page.fill("#iou-low", "0.2")
    settled(page)
    assert page.get_attribute("#models thead th:has-text('F1')", "aria-sort") == "descending"  # it stays


def test_long_names_stay_different(watched: Watched, tmp_path: Path) -> None:
    one = two_models(1)
    names = [f"unet_resnet50_pretrained_imagenet_fold{k}_lr0.0001_final_checkpoint_best_validation" for k in range(3)]
    images = tuple(replace(image, model=name) for name in names for image in one.of("mixed"))
    Results(images).report(tmp_path / "n.html")
    page = watched.open(tmp_path / "n.html")
    for place in ("#models tbody th", "#metrics tbody th", "#model option", "#chart-dots .interval text"):
        texts = page.locator(place).all_text_contents()
        assert len(set(texts)) == 3, place
        assert all(any(f"fold{k}" in text for text in texts) for k in range(3)), place
    stars = page.locator("#metrics .star").count()
    assert stars == 0  # all are tied


def test_very_many_models_are_ranked_without_tests_and_the_page_says_so(watched: Watched, tmp_path: Path) -> None:
    field = cells((40, 40), 6, seed=1)
    models = {f"model {k:02d}": [np.roll(field.pred, k % 5, 1)] * 8 for k in range(31)}
    softpq.evaluate_dataset([field.truth] * 8, models, keep_tables=True).report(tmp_path / "many.html")
    page = watched.open(tmp_path / "many.html")
    assert "more than 30 models are ranked by their values alone." in page.inner_text("#answer")
    assert page.evaluate("softpq.page.compared") is None


def test_the_released_reading_has_differences_and_says_why_there_are_no_tests(watched: Watched, tmp_path: Path) -> None:
    results = with_settings(several(12, 2), Settings(reading="released"))
    results.report(tmp_path / "r.html")
    page = watched.open(tmp_path / "r.html")
    wait_until(page, "softpq.page.compared")
    (pair,) = results.comparisons("softpq")
    gap = page.evaluate("softpq.page.compared.pairs[0].gap.value")
    assert abs(gap) == pytest.approx(abs(pair.difference.value), abs=1e-12)
    assert page.evaluate("softpq.page.compared.units") == pair.units
    assert "whether that is chance can be said of the mean over images only" in page.inner_text("#answer")
    assert "too few" not in page.inner_text("#live-note")


def test_models_that_are_equal_are_called_tied(watched: Watched, tmp_path: Path) -> None:
    scenes = [cells((64, 64), 8, seed=seed) for seed in range(7)]
    truth, pred = [scene.truth for scene in scenes], [scene.pred for scene in scenes]
    softpq.evaluate_dataset(truth, {"m1": pred, "m2": pred}, keep_tables=True).report(tmp_path / "t.html")
    page = watched.open(tmp_path / "t.html")
    page.wait_for_selector("body[data-surface]")
    wait_until(page, "softpq.page.cards.surfaces.value")
    page.wait_for_timeout(200)
    said = page.inner_text("#answer")
    assert "m1 and m2 are tied at SoftPQ" in said
    assert "is best at" not in said
    assert "is best at" not in page.inner_text("#charts")
    assert "PQ is the same for all" in page.inner_text("#charts")
