"""The command line as a user calls it."""

from __future__ import annotations

import csv
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tifffile
from commands import call
from made_up import EMPTY, write_models

from softpq.synthetic import cells


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_models(tmp_path, good=0.05, poor=0.5)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "140")
    return tmp_path


def test_two_models_without_an_option(folder: Path) -> None:
    result = call("evaluate", "truth", "poor", "good")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[0] == "2 models by softpq on the 6 images that all have, pooled over all objects"
    assert [line.split()[:2] for line in lines[2:4]] == [["1", "good"], ["2", "poor"]]
    assert all(len(line) <= 80 for line in lines[:6])
    assert "SoftPQ: l=0.05, h=0.5, sqrt, over, text (preset paper)" in result.output
    assert "6 of 6 images were paired" in result.output


def test_models_can_be_named(folder: Path) -> None:
    assert "my model: 6 images" in call("evaluate", "truth", "my model=good").output
    (folder / "runs" / "good").mkdir(parents=True)
    for file in (folder / "poor").iterdir():
        (folder / "runs" / "good" / file.name).write_bytes(file.read_bytes())
    assert "runs/good" in call("evaluate", "truth", "good", "runs/good").output
    assert "Two models are called a" in call("evaluate", "truth", "a=good", "a=poor").stderr


def test_models_are_ranked_by_what_is_asked_for(folder: Path) -> None:
    by_recall = call("evaluate", "truth", "poor", "good", "--rank-by", "recall", "--over", "mean", "--metrics", "pq")
    assert by_recall.output.startswith("2 models by recall on the 6 images that all have, mean over images")
    assert "good" in by_recall.output.splitlines()[2]
    assert "Against the one before, by recall: 95 % interval, Holm's p" in by_recall.output
    assert "No metric is called nonsense" in call("evaluate", "truth", "good", "--rank-by", "nonsense").stderr


def test_what_is_written(folder: Path) -> None:
    files = ("--csv", "out/a.csv", "--json", "out/a.json", "--objects", "out/o.csv", "--plots", "out/plots")
    result = call("evaluate", "truth", "good", "-q", *files)
    assert (result.exit_code, result.output) == (0, "")
    assert len(list(csv.DictReader((folder / "out/a.csv").read_text().splitlines()))) == 6
    assert json.loads((folder / "out/a.json").read_text())["pooled"]["good"]["pq"] > 0.5
    assert (folder / "out/plots/pq_vs_softpq_good.png").stat().st_size > 5000
    rows = list(csv.DictReader((folder / "out/o.csv").read_text().splitlines()))
    assert {row["verdict"] for row in rows} >= {"matched"}
    assert set(rows[0]) >= {"model", "image", "id", "centroid_0"}


def test_gates(folder: Path) -> None:
    assert call("evaluate", "truth", "good", "--fail-under", "softpq=0.5", "-q").exit_code == 0
    failed = call("evaluate", "truth", "poor", "--fail-under", "pq=0.99", "-q")
    assert failed.exit_code == 1
    assert "poor: pq is 0." in failed.stderr
    assert call("evaluate", "truth", "good", "--fail-under", "vi=0.0001", "-q").exit_code == 1
    for nonsense in ("pq", "pq=high", "beauty=0.5"):
        assert call("evaluate", "truth", "good", "--fail-under", nonsense).exit_code == 2


def test_a_broken_file_among_others(folder: Path) -> None:
    (folder / "good" / "image_2.tif").write_bytes(b"II*\0")
    result = call("evaluate", "truth", "good")
    assert result.exit_code == 1
    assert "1 could not be scored:" in result.output
    assert "good / image_2: image_2.tif cannot be read as TIFF" in result.output
    assert "good: 5 images" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["truth", "nowhere"], "nowhere does not exist"),
        (["truth", "good", "--iou-low", "0.9"], "--iou-low must not exceed --iou-high; got 0.9 and 0.5."),
        (["truth", "good", "--metrics", "beauty"], "No metric is called beauty"),
        (["truth", "good", "--preset", "general", "--iou-low", "0.3"], "preset must not be given together"),
        (["truth", "good", "--penalty", "cube"], "Invalid value for '--penalty'"),
        (["truth"], "PRED... is missing: softpq evaluate TRUTH PRED..."),
        (["truth", "good", "--preset", "general", "--iou-low", "0.05"], "preset must not be given together"),
        (["truth", "good", "--threshold", "3"], "threshold must be between 0 and 1"),
        (["truth", "good", "--classes", "nowhere.json"], "nowhere.json cannot be read as JSON"),
        (["truth", "good", "--csv", "truth"], "truth is a folder; a file was expected"),
        (["truth", "good", "--fail-under", "pq=nan"], "--fail-under must be METRIC=VALUE"),
        (["truth", "=good"], "=good names no model"),
    ],
)
def test_calls_that_make_no_sense(folder: Path, arguments: list[str], message: str) -> None:
    result = call("evaluate", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_missing_predictions(folder: Path) -> None:
    (folder / "good" / "image_1.tif").unlink()
    listed = call("evaluate", "truth", "good")
    assert listed.exit_code == 1
    assert "good / image_1: no prediction was found" in listed.stdout
    assert call("evaluate", "truth", "good", "--missing", "empty").exit_code == 0
    assert call("evaluate", "truth", "good", "--missing", "skip").exit_code == 0


def test_patterns(folder: Path) -> None:
    for k in range(2):
        (folder / "plants" / f"p{k}").mkdir(parents=True)
        for name in ("gt", "pred"):
            tifffile.imwrite(folder / "plants" / f"p{k}" / f"{name}.tif", np.eye(8, dtype=np.uint8))
    for arguments in (
        ("plants", "plants", "--pattern", "*/gt.tif:*/pred.tif"),
        ("plants/*/gt.tif", "plants/*/pred.tif"),
    ):
        result = call("evaluate", *arguments)
        assert result.exit_code == 0
        assert "2 images" in result.output


def test_names_cannot_style_or_break_the_output(folder: Path) -> None:
    assert "[red]good: 6 images" in call("evaluate", "truth", "[red]good=good").output


def test_the_doctor_finds_nothing_in_good_folders(tmp_path: Path) -> None:
    for k in range(2):
        scene = cells((64, 64), 9, seed=k, fates={}, ghosts=0)
        for name, labels in (("truth", scene.truth), ("pred", scene.pred)):
            (tmp_path / name).mkdir(exist_ok=True)
            tifffile.imwrite(tmp_path / name / f"{k}.tif", labels)
    result = call("doctor", str(tmp_path / "truth"), str(tmp_path / "pred"))
    assert (result.exit_code, result.output) == (0, "Nothing seems wrong.\nLooked at 2 of 2 pairs.\n")


SICK = {
    "identical": (lambda t: t, "truth and prediction are identical"),
    "binary": (lambda t: (t > 0).astype(np.uint8) * 255, "pred looks like a binary mask"),
    "moved": (lambda t: np.roll(t, 1, axis=1), "fits better when it is moved by -1 pixel along axis 1"),
    "transposed": (lambda t: t.T, "the axes are in another order: truth (64, 96), pred (96, 64)"),
    "halved": (lambda t: t[::2, ::2], "another pixel size: truth (64, 96), pred (32, 48)"),
    "cropped": (lambda t: t[:50], "the shapes differ"),
    "pieces": (lambda t: np.where(t > 0, (t + 1) // 2, 0), "pred has labels that are not connected"),
    "specks": (lambda t: np.where(np.arange(t.size).reshape(t.shape) == 5, 999, t), "fewer than 10 pixels"),
    "negative": (lambda t: t - 1, "pred holds negative labels"),
}


@pytest.mark.parametrize("name", list(SICK))
def test_the_doctor_finds(name: str, tmp_path: Path) -> None:
    change, message = SICK[name]
    truth = cells((64, 96), 12, seed=1).truth
    for folder, labels in (("truth", truth), ("pred", change(truth))):
        (tmp_path / folder).mkdir()
        tifffile.imwrite(tmp_path / folder / "a.tif", labels)
    result = call("doctor", str(tmp_path / "truth"), str(tmp_path / "pred"))
    assert result.exit_code == 1
    assert message in result.output


def test_the_doctor_reads_pixel_sizes(tmp_path: Path) -> None:
    labels = cells((64, 64), 9, seed=1, fates={}, ghosts=0)
    for name, image, step in (("truth", labels.truth, 2.0), ("pred", labels.pred, 4.0)):
        (tmp_path / name).mkdir()
        tifffile.imwrite(tmp_path / name / "a.tif", image, resolution=(step, step))
    output = call("doctor", str(tmp_path / "truth"), str(tmp_path / "pred")).output
    assert "different pixel sizes: truth 0.5 x 0.5, pred 0.25 x 0.25" in output


def test_the_doctor_notices_swapped_arguments(folder: Path) -> None:
    (folder / "good").rename(folder / "predictions")
    assert "Are the two arguments swapped?" in call("doctor", "predictions", "truth").output
    assert "Are the two arguments swapped?" not in call("doctor", "truth", "predictions").output


def test_the_doctor_looks_at_the_whole_folder(folder: Path) -> None:
    (folder / "good" / "image_0.tif").rename(folder / "good" / "other.tif")
    tifffile.imwrite(folder / "good" / "image_1.tif", tifffile.imread(folder / "good" / "image_2.tif"))
    tifffile.imwrite(folder / "truth" / "image_3.tif", EMPTY)
    (folder / "good" / "image_4.tif").write_bytes(b"II*\0")
    output = call("doctor", "truth", "good").output
    for message in (
        "image_0: no prediction was found",
        "other: these predictions have no truth image",
        "the same, pixel by pixel",
        "truth is empty and the prediction is not",
        "image_4.tif cannot be read as TIFF",
    ):
        assert message in output
    assert call("doctor", "truth", "nowhere").exit_code == 2


def test_help_is_light() -> None:
    """Nothing heavy is imported for --help."""
    code = "import sys; sys.argv = ['softpq', '--help']\nfrom softpq.cli import main\n"
    code += "try: main()\nexcept SystemExit: print('LOADED', ' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    loaded = done.stdout.split("LOADED")[1].split()
    assert not {"numpy", "scipy", "matplotlib", "rich", "PIL", "tifffile"} & set(loaded)


def test_the_demo_speaks_fits_a_screen_and_ends_with_what_to_open(tmp_path: Path) -> None:
    result = call("demo", tmp_path / "out", "--images", "6")
    lines = result.stdout.splitlines()
    assert result.exit_code == 0, result.output
    assert lines[0].startswith("Making 6 fields of cells, and what 3 models see in them")
    assert len(lines) <= 40
    assert lines[-1].strip() == f"Now open {(tmp_path / 'out/report.html').as_uri()}"
    (command,) = [line.strip() for line in lines if line.strip().startswith("softpq evaluate")]
    assert call(*shlex.split(command)[1:]).exit_code == 0


def test_a_surface_of_a_folder(folder: Path) -> None:
    result = call("sweep", "truth", "good", "--plot", "surface.png", "--csv", "surface.csv")
    assert result.exit_code == 0
    assert (folder / "surface.png").stat().st_size > 1000
    assert (folder / "surface.csv").read_text().startswith("iou_low,0.5,0.51")
    assert call("sweep", "truth", "nowhere").exit_code == 2


def test_models_in_folders_with_an_equal_sign(folder: Path) -> None:
    (folder / "good").rename(folder / "lr=0.1")
    assert "lr=0.1: 6 images" in call("evaluate", "truth", "lr=0.1").output
    assert "6 images" in call("evaluate", "truth", "lr=0.1/*.tif").output


def test_a_report_is_written(folder: Path) -> None:
    (folder / "note.md").write_text("Read **this**.", encoding="utf-8")
    told = ["--title", "My title", "--author", "Me", "--note", "note.md"]
    result = call("evaluate", "truth", "poor", "good", "--html", "out/report.html", "--max-images", "2", *told)
    assert result.exit_code == 0
    page = (folder / "out/report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert all(text in page for text in ("<title>My title</title>", '"author": "Me"', '"note": "Read **this**."'))
    refused = call("evaluate", "truth", "good", "--html", "x.html", "--note", "nowhere.md")
    assert refused.exit_code == 2
    assert "--note must be a text file" in refused.output
    assert "2 of 6 images are embedded" in page
    assert page.count('"why"') == 2


def test_a_report_tells_what_the_doctor_found_and_what_failed(folder: Path) -> None:
    next((folder / "good").iterdir()).write_bytes(b"")
    assert call("evaluate", "truth", "good", "--html", "r.html", "-q").exit_code == 1
    assert "is empty" in (folder / "r.html").read_text(encoding="utf-8")


def test_names_are_printed_as_they_are(folder: Path) -> None:
    assert "a:smile:b" in call("evaluate", "truth", "a:smile:b=good").output


def test_boundary_metrics_are_printed_if_a_reach_is_given(folder: Path) -> None:
    assert "boundary_pq" in call("evaluate", "truth", "good", "--boundary", "2").output
    assert "boundary_pq" not in call("evaluate", "truth", "good").output


def test_a_resumed_run_has_pictures_too(folder: Path) -> None:
    assert call("evaluate", "truth", "good", "--resume", "log", "--html", "a.html", "-q").exit_code == 0
    assert call("evaluate", "truth", "good", "poor", "--resume", "log", "--html", "b.html", "-q").exit_code == 0
    assert "All images are embedded" in (folder / "b.html").read_text(encoding="utf-8")


def test_if_all_fails_the_reasons_are_told(folder: Path) -> None:
    for path in (folder / "good").iterdir():
        path.write_bytes(b"")
    result = call("evaluate", "truth", "good", "--html", "r.html")
    assert (result.exit_code, "is empty" in result.output) == (1, True)
    assert not (folder / "r.html").exists()
    assert call("evaluate", "truth", "poor", "--html", "-").exit_code == 2


def test_raw_images_must_fit_before_anything_is_scored(folder: Path) -> None:
    result = call("evaluate", "truth", "good", "--images", "truth")
    assert (result.exit_code, "give --html, too" in result.stderr) == (2, True)
    result = call("evaluate", "truth", "good", "--html", "r.html", "--images", "nowhere")
    assert (result.exit_code, "nowhere does not exist" in result.stderr) == (2, True)
    (folder / "raw").mkdir()
    for name in ("x.png", "y.png"):
        (folder / "raw" / name).write_bytes(b"")
    result = call("evaluate", "truth", "good", "--html", "r.html", "--images", "raw")
    assert (result.exit_code, "No raw image in raw has the name of a label image" in result.stderr) == (2, True)
    assert not (folder / "r.html").exists()
