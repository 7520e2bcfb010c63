"""Predictions that are missing or broken: one policy, and models are compared on the images that all have."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tifffile
from commands import call
from made_up import write_models

from softpq import Results, evaluate_dataset

IMAGES = 8


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two models that are the same; the second lacks its two worst predictions: one is missing, one is broken."""
    write_models(tmp_path, IMAGES, truth=0.0, intact=0.3, other=0.5)
    (tmp_path / "lucky").mkdir()
    for path in (tmp_path / "intact").iterdir():
        (tmp_path / "lucky" / path.name).write_bytes(path.read_bytes())
    worst = sorted(
        evaluate_dataset(tmp_path / "truth", tmp_path / "intact").images, key=lambda image: image.scores["softpq"].value
    )
    (tmp_path / "lucky" / f"{worst[0].name}.tif").unlink()
    (tmp_path / "lucky" / f"{worst[1].name}.tif").write_bytes(b"")
    (tmp_path / "worst").mkdir()
    (tmp_path / "worst" / "names").write_text(" ".join(image.name for image in worst[:2]))
    return tmp_path


def scored(folder: Path, **options: object) -> Results:
    return evaluate_dataset(folder / "truth", {name: folder / name for name in ("intact", "lucky", "other")}, **options)  # type: ignore[arg-type]


def lost(folder: Path) -> list[str]:
    return (folder / "worst" / "names").read_text().split()


def test_error_lists_both_kinds_and_scores_the_rest(folder: Path) -> None:
    results = scored(folder)
    assert {(failure.name, failure.model) for failure in results.failures} == {(name, "lucky") for name in lost(folder)}
    assert {failure.reason for failure in results.failures} == {
        "no prediction was found",
        f"{lost(folder)[1]}.tif is empty",
    }
    assert len(results.of("lucky")) == IMAGES - 2
    assert len(results.of("intact")) == IMAGES


def test_a_model_is_not_ranked_first_because_its_worst_files_are_broken(folder: Path) -> None:
    """Seen: .4813 against .4141 of the intact copy, "difference 0.0000, p 1.0000"."""
    results = scored(folder)
    assert results.pooled("lucky")["softpq"] > results.pooled("intact")["softpq"]
    common = results.on_common()
    assert all(len(common.of(model)) == IMAGES - 2 for model in results.models)
    assert common.pooled("lucky") == common.pooled("intact")
    assert results.ranking() == ["intact", "lucky", "other"]  # equal models stay in their order
    comparison = results.compare("lucky", "intact")
    assert (comparison.difference.value, comparison.p, comparison.units) == (0.0, 1.0, IMAGES - 2)
    called = call("evaluate", folder / "truth", folder / "lucky", folder / "intact")
    assert called.exit_code == 1
    assert f"on the {IMAGES - 2} images that all have" in " ".join(called.stdout.split())


def test_empty_scores_both_kinds_as_empty(folder: Path) -> None:
    results = scored(folder, missing="empty")
    assert results.failures == ()
    assert len(results.of("lucky")) == IMAGES
    for image in results.of("lucky"):
        if image.name in lost(folder):
            assert image.counts["n_pred"] == 0
            assert image.notes[-1].startswith("scored as empty: ")
    assert results.pooled("lucky")["softpq"] < results.pooled("intact")["softpq"]
    assert any("lucky: 2 images scored as empty" in n for n in results.notes)
    assert call("evaluate", folder / "truth", folder / "lucky", "--missing", "empty").exit_code == 0


def test_skip_leaves_both_kinds_out_for_all_models(folder: Path) -> None:
    results = scored(folder, missing="skip")
    assert results.failures == ()
    for model in results.models:
        assert sorted(image.name for image in results.of(model)) == sorted(
            {f"image_{k}" for k in range(IMAGES)} - set(lost(folder))
        )
    assert results.pooled("lucky") == results.pooled("intact")
    for name in lost(folder):
        assert any(note.startswith(f"{name} was left out for all models: lucky: ") for note in results.notes)
    assert call("evaluate", folder / "truth", folder / "lucky", "--missing", "skip").exit_code == 0


@pytest.mark.parametrize("missing", ["empty", "skip", "error"])
def test_truth_that_cannot_be_read_is_a_failure_whatever_the_policy(folder: Path, missing: str) -> None:
    (folder / "truth" / "image_0.tif").write_bytes(b"")
    results = scored(folder, missing=missing)
    broken = [failure for failure in results.failures if failure.of_truth]
    assert {failure.name for failure in broken} == {"image_0"}
    assert {failure.model for failure in broken} == {"intact", "lucky", "other"} - (
        {"lucky"} if lost(folder)[0] == "image_0" else set()
    )
    assert all("image_0.tif is empty" in failure.reason for failure in broken)


def test_what_is_no_label_image_is_treated_the_same(folder: Path) -> None:
    mask = np.kron(np.eye(8), np.pad(np.ones((4, 4)), 2)).astype(np.uint8)
    path = folder / "other" / "image_0.tif"
    tifffile.imwrite(path, (np.tile(np.pad(np.ones((4, 4)), 2), (8, 8)) + 0 * mask).astype(np.uint8))
    reasons = [failure.reason for failure in scored(folder).failures if failure.model == "other"]
    assert "looks like a binary mask" in reasons[0]
    (image,) = [one for one in scored(folder, missing="empty").of("other") if one.name == "image_0"]
    assert image.counts["n_pred"] == 0


def test_models_without_a_common_image_are_not_compared(tmp_path: Path) -> None:
    images = {name: np.kron(np.arange(4).reshape(2, 2), np.ones((9, 9), int)) for name in "ab"}
    results = evaluate_dataset(images, {"x": {"a": images["a"]}, "y": {"b": images["b"]}})
    assert results.ranking() == []
    results.report(tmp_path / "r.html")
    assert (tmp_path / "r.html").exists()
