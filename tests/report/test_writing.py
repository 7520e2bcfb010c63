"""Reports from Python: what they say, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from made_up import scored
from pages import Watched, two_models

import softpq
from softpq import Results
from softpq.dataset.image_result import Failure, ImageResult
from softpq.plan import Plan
from softpq.report import Report, write_report
from softpq.synthetic import cells


def test_the_page_says_how_it_was_made(watched: Watched, page_file: Path) -> None:
    page = watched.open(page_file)
    page.click("#details > summary")
    made = page.inner_text("#made")
    for text in (
        "softpq evaluate truth mixed shifted",
        softpq.__version__,
        "iou_low 0.05",
        "@article",
        "Scores were pooled over all objects",
        "Labels and areas of truth",
    ):
        assert text in made
    assert page.locator("#summary td.best").count() >= 1
    assert page.locator("#models tbody th").count() == 2


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
    assert "No images are embedded" in Report().render(again)
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
    own = replace(results, plan=Plan.of(penalty=lambda n: n + 2.0))
    with pytest.raises(ValueError, match="penalty must be one of the named ones"):
        write_report(own, tmp_path / "x.html")
    assert not (tmp_path / "x.html").exists()


def test_title_author_and_note_are_text(watched: Watched, tmp_path: Path) -> None:
    note = "# First\n\nTwo **strong** words, <b>none</b> of HTML.\n\n- one\n- two"
    scored({"a": ([[1, 1, 0]], [[1, 1, 2]])}).report(tmp_path / "t.html", title="T", author="A. Nyone", note=note)
    page = watched.open(tmp_path / "t.html")
    assert page.inner_text("#byline") == "A. Nyone"
    assert page.inner_text("#note h2") == "First"
    assert page.inner_text("#note strong") == "strong"
    assert "<b>none</b>" in page.inner_text("#note p")
    assert page.locator("#note li").all_inner_texts() == ["one", "two"]
