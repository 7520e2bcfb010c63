"""Models beside each other: against the threshold, image by image, by repairs, and as a table for a paper."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from made_up import scored, write_models
from pages import Watched, settled, two_models, wait_until

from softpq import Results
from softpq.cli import main
from softpq.dataset.gains import pooled_gains
from softpq.synthetic import cells

CURVES = (
    "softpq.page.cards.curves.value.map((one) => ({pq: [...one.pq], f1: [...one.f1], accuracy: [...one.accuracy]}))"
)


def three_models(**options: Any) -> Results:
    fields = {f"field {k}": cells(objects=30, shape=(96, 96), seed=k) for k in range(7)}
    shifts = {"mixed": None, "shifted by one": 1, "shifted by three": 3}
    found: list[Any] = []
    for name, by in shifts.items():
        preds = {k: f.pred if by is None else np.roll(f.truth, by, axis=1) for k, f in fields.items()}
        found += scored({k: (f.truth, preds[k]) for k, f in fields.items()}, model=name, **options).images
    return Results(tuple(found))


@pytest.mark.parametrize("over", ["pooled", "mean"])
def test_metrics_against_the_threshold_are_pythons(watched: Watched, tmp_path: Path, over: str) -> None:
    three_models().report(tmp_path / "c.html")
    page = watched.open(tmp_path / "c.html", f"#over={over}")
    page.wait_for_selector(f"body[data-curves={over}]")
    curves = page.evaluate(CURVES)
    for threshold in (0.05, 0.3, 0.5, 0.75, 1.0):
        python = three_models(threshold=threshold)
        for model, name in enumerate(python.models):
            for metric in ("pq", "f1", "accuracy"):
                values = [image.scores[metric].value for image in python.of(name)]
                wanted = python.pooled(name)[metric] if over == "pooled" else np.nanmean(values)
                assert curves[model][metric][round(20 * threshold) - 1] == pytest.approx(wanted, abs=1e-9)
    assert page.locator("#chart-curves path.curve").count() == 9
    page.locator("#chart-curves svg").first.focus()
    page.keyboard.press("ArrowRight")
    assert "shifted by three" in page.inner_text("#tip")


def test_one_model_stands_against_another_image_by_image(watched: Watched, tmp_path: Path) -> None:
    results = three_models()
    results.report(tmp_path / "d.html")
    page = watched.open(tmp_path / "d.html", "#model=mixed&other=shifted+by+three")
    settled(page)
    mixed, other = ([image.scores["softpq"].value for image in results.of(m)] for m in ("mixed", "shifted by three"))
    better = sum(one > two for one, two in zip(mixed, other, strict=True))
    assert page.locator("#chart-duel .point").count() == 7
    assert f"mixed is better on {better}, shifted by three on {7 - better}" in page.inner_text(".card:has(#chart-duel)")
    page.select_option("#other", label="shifted by one")
    settled(page)
    assert "SoftPQ of shifted by one" in page.locator("#chart-duel").text_content()


def test_models_by_repairs_are_pythons(watched: Watched, tmp_path: Path) -> None:
    results = three_models(keep_tables=True)
    results.report(tmp_path / "r.html")
    page = watched.open(tmp_path / "r.html")
    page.wait_for_selector("body[data-repairs]")
    data = page.evaluate("softpq.page.cards.behind.repairs.data")
    for row in data["rows"]:
        gains = pooled_gains(results.of(row[0]), results.settings)
        shown = dict(zip(data["headings"][1:], row[1:], strict=True))
        assert {name: shown[name] for name in gains} == pytest.approx(gains, abs=1e-9)
    page.locator("#chart-repairs svg").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")  # the first row is that of the best model
    settled(page)
    assert page.evaluate("softpq.page.state.model") == page.evaluate("softpq.report.head.ranking[0]")


def test_without_another_thread_the_page_computes_the_same(watched: Watched, tmp_path: Path) -> None:
    three_models().report(tmp_path / "w.html")
    watched.page.add_init_script("delete window.Worker")
    page = watched.open(tmp_path / "w.html")
    page.wait_for_selector("body[data-surface][data-repairs][data-curves][data-compared]")
    assert page.evaluate("softpq.page.workshop.worker") is None
    here = page.evaluate(CURVES)
    other = watched.page.context.new_page()
    other.goto((tmp_path / "w.html").as_uri())
    other.wait_for_selector("body[data-curves]")
    assert other.evaluate("softpq.page.workshop.worker !== null")
    assert other.evaluate(CURVES) == here


@pytest.mark.parametrize("options", [[], ["--metrics", "aji,pq"]])
def test_the_table_for_a_paper_is_that_of_the_command_line(
    watched: Watched, tmp_path: Path, options: list[str]
) -> None:
    write_models(tmp_path, poor=0.4, good_one=0.1)
    places = [str(tmp_path / name) for name in ("truth", "poor", "good_one")]
    for suffix in (".md", ".tex"):
        outputs = ["--table", str(tmp_path / f"t{suffix}"), "--html", str(tmp_path / "t.html")]
        assert CliRunner().invoke(main, ["evaluate", *places, *outputs, *options]).exit_code == 0
    page = watched.open(tmp_path / "t.html")
    page.evaluate("document.querySelectorAll('#tables details').forEach((one) => { one.open = true; })")
    assert page.text_content("#table-markdown") == (tmp_path / "t.md").read_text()
    assert page.text_content("#table-latex") == (tmp_path / "t.tex").read_text()
    page.click("#tables .copy button >> nth=1")
    page.locator("#tables .copy button >> nth=1", has_text=re.compile("copied|selected")).wait_for()


def test_every_chart_says_what_it_shows(watched: Watched, tmp_path: Path) -> None:
    two_models().report(tmp_path / "s.html")
    page = watched.open(tmp_path / "s.html")
    page.wait_for_selector("body[data-surface][data-repairs][data-curves]")
    wait_until(page, "softpq.page.cards.gains !== null")
    said = page.eval_on_selector_all(".card .said", "all => all.map((one) => one.textContent)")
    assert len(said) == page.locator("#charts > .card").count() == 11
    assert all(one.endswith(".") for one in said), said


def test_a_report_of_one_image_has_charts_of_objects(watched: Watched, tmp_path: Path) -> None:
    field = cells(objects=30, shape=(96, 96), seed=3)
    scored({"a": (field.truth, field.pred)}).report(tmp_path / "o.html")
    page = watched.open(tmp_path / "o.html")
    page.wait_for_selector("body[data-surface][data-curves]")
    shown = page.evaluate("Object.keys(softpq.page.cards.bodies)")
    assert shown == ["objects", "best", "surface", "gains", "size", "verdicts", "curves"]
    assert page.locator("#chart-objects .point").count() == len(np.unique(field.truth)) - 1
    page.locator("#chart-objects .point").first.click(force=True)
    wait_until(page, "softpq.page.viewer.selected?.side === 'truth'")
