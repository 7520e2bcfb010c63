"""The numbers of the page are Python's."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden_cases import EVERY_CASE, drawn, overlap_of, softpq_values
from made_up import scored
from pages import Watched, arrays_of, two_models
from reference import SHARED

import softpq
from softpq import Results, metrics
from softpq.dataset.image_result import ImageResult
from softpq.explain.repairs import attribution
from softpq.settings import PENALTIES

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
    got = page.evaluate(
        "[...softpq.page.cards.surfaces.value.surfaces[softpq.page.state.model]].map((v) => Number.isNaN(v) ? null : v)"
    )
    model = page.evaluate("softpq.page.modelNames[softpq.page.state.model]")
    tables = [softpq.evaluate(*arrays_of(image), metrics=["pq"]).overlap for image in two_models().of(model)]
    for row, column in ((0, 0), (1, 9), (8, 9), (9, 14), (0, 19), (19, 19)):
        settings = softpq.Settings(row / 20, (column + 1) / 20)
        pooled = softpq.pooled(metrics.softpq(table, **vars(settings)) for table in tables)
        assert got[row * 20 + column] == pytest.approx(pooled.value, abs=1e-9)
    assert got[10 * 20 + 3] is None  # l above h


@pytest.mark.parametrize(("strict", "shown"), [(False, "0.7500"), (True, "0.5000")])
def test_pq_above_the_threshold_is_pythons(watched: Watched, tmp_path: Path, strict: bool, shown: str) -> None:
    """Half of an object has an IoU of exactly 0.5, which is at the threshold but not above it."""
    truth, pred = np.repeat([[1, 2]], 4, axis=1), np.array([[1, 1, 0, 0, 2, 2, 2, 2]])
    results = softpq.evaluate_dataset({"a": truth}, {"m": {"a": pred}}, strict=strict, keep_tables=True)
    results.report(tmp_path / "s.html")
    page = watched.open(tmp_path / "s.html")
    assert page.inner_text("#pq-now") == shown == f"{results.pooled('m')['pq']:.4f}"
    assert ("above 0.5" in page.inner_text("#now")) == strict
