"""Datasets: pairing, pooled and mean, intervals and comparisons, saving, going on after a break."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
from made_up import EMPTY, write_models

from softpq import Results, evaluate_dataset
from softpq.io import ReadError
from softpq.synthetic import cells


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_models(tmp_path, good=0.05, poor=0.5)
    return tmp_path


@pytest.fixture
def results(folder: Path) -> Results:
    return evaluate_dataset(folder / "truth", {"good": folder / "good", "poor": folder / "poor"})


def test_every_image_of_every_model_is_scored(results: Results) -> None:
    assert results.models == ["good", "poor"]
    assert len(results.of("good")) == len(results.of("poor")) == 6
    assert not results.failures
    assert "6 of 6 images were paired, such as truth/image_0.tif with good/image_0.tif" in results.notes[0]


def test_pooled_and_mean_are_those_of_the_scores(results: Results) -> None:
    images = results.of("good")
    for metric in ("softpq", "pq", "map", "sorted_ap", "vi", "aji"):
        scores = [image.scores[metric] for image in images]
        assert results.pooled("good")[metric] == pytest.approx(sum(scores[1:], scores[0]).value)
        assert results.mean("good")[metric] == pytest.approx(np.mean([s.value for s in scores]))


@pytest.mark.parametrize("over", ["pooled", "mean"])
def test_six_images_are_too_few_for_an_interval_of_one_model(results: Results, over: str) -> None:
    interval = results.interval("pq", "good", over=over)
    assert math.isnan(interval.low)
    assert "too few" in interval.reason
    assert interval.value == getattr(results, over)("good")["pq"]


@pytest.mark.parametrize("over", ["pooled", "mean"])
def test_a_better_model_is_found_better(results: Results, over: str) -> None:
    found = results.compare("good", "poor", "f1", over=over)
    assert found.difference.value == pytest.approx(
        getattr(results, over)("good")["f1"] - getattr(results, over)("poor")["f1"]
    )
    assert found.difference.low > 0
    assert found.p == 2 / 64  # all six images agree: the smallest p of six
    assert results.compare("poor", "good", "f1", over=over).p == found.p


def test_a_model_equals_itself(results: Results) -> None:
    found = results.compare("good", "good")
    assert (found.difference.value, found.p) == (0, 1)


def undated(text: str) -> dict[str, Any]:
    return {name: value for name, value in json.loads(text).items() if name != "date"}


def test_results_are_saved_and_read_again(results: Results, tmp_path: Path) -> None:
    results.to_json(tmp_path / "r.json")
    again = Results.from_json(tmp_path / "r.json")
    without = {name: value for name, value in results.pooled("good").items() if name != "sorted_ap"}
    assert again.pooled("good") == without  # lists as long as the objects are only written with tables
    assert again.mean("poor") == {name: results.mean("poor")[name] for name in without}
    assert again.interval("pq", "good") == results.interval("pq", "good")
    assert undated(again.to_json()) == undated(Results.from_json(again.to_json()).to_json())
    json.loads((tmp_path / "r.json").read_text(), parse_constant=lambda name: pytest.fail(name))
    with pytest.raises(ValueError, match="results that softpq wrote"):
        Results.from_json('{"format": "other"}')


def test_tables(results: Results, tmp_path: Path) -> None:
    results.to_csv(tmp_path / "r.csv")
    lines = (tmp_path / "r.csv").read_text().splitlines()
    assert len(lines) == 13
    assert lines[0].startswith("image,model,softpq,pq")
    assert len(results.to_pandas()) == 12


@pytest.mark.parametrize("jobs", [1, 3])
def test_the_number_of_jobs_does_not_matter(folder: Path, results: Results, jobs: int) -> None:
    again = evaluate_dataset(folder / "truth", {"good": folder / "good", "poor": folder / "poor"}, jobs=jobs)
    assert undated(again.to_json()) == undated(results.to_json())


def test_undefined_images_are_counted_and_left_out(folder: Path) -> None:
    for name in ("truth", "good"):
        tifffile.imwrite(folder / name / "nothing.tif", EMPTY)
    results = evaluate_dataset(folder / "truth", folder / "good")
    assert results.undefined() == ["nothing"]
    assert not math.isnan(results.mean()["pq"])
    assert results.interval("pq", over="mean").value > 0


def test_missing_predictions(folder: Path) -> None:
    (folder / "good" / "image_3.tif").unlink()
    listed = evaluate_dataset(folder / "truth", folder / "good")
    assert [(f.name, f.model, f.reason) for f in listed.failures] == [("image_3", "good", "no prediction was found")]
    assert len(listed.images) == 5
    skipped = evaluate_dataset(folder / "truth", folder / "good", missing="skip")
    empty = evaluate_dataset(folder / "truth", folder / "good", missing="empty")
    assert (len(skipped.images), len(empty.images)) == (5, 6)
    assert empty.pooled()["recall"] < skipped.pooled()["recall"]
    assert any("scored as empty" in note for note in empty.notes)


def test_predictions_of_other_images(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for k in range(2):
        tifffile.imwrite(other / f"something_else_{k}.tif", EMPTY)
    with pytest.raises(ReadError, match="No prediction of other has the name of a truth image, such as image_0"):
        evaluate_dataset(folder / "truth", other)


def test_a_run_that_was_ended_goes_on(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log.jsonl"
    whole = evaluate_dataset(folder / "truth", folder / "good", resume=log, metrics=["pq", "sorted_ap"])
    lines = [line for line in log.read_text().splitlines() if '"key"' in line]
    assert len(lines) == 6
    log.write_text("\n".join(lines[:4]) + "\n" + lines[4][: len(lines[4]) // 2])  # killed while writing the fifth
    from softpq.dataset.scoring import Scorer

    computed = []
    score = Scorer.score
    monkeypatch.setattr(
        Scorer, "score", lambda self, task, *a: computed.append(task.pair.name) or score(self, task, *a)
    )
    again = evaluate_dataset(folder / "truth", folder / "good", resume=log, metrics=["pq", "sorted_ap"])
    assert len(computed) == 2
    assert undated(again.to_json()) == undated(whole.to_json())
    computed.clear()
    tifffile.imwrite(folder / "good" / "image_0.tif", EMPTY)
    evaluate_dataset(folder / "truth", folder / "good", resume=log, metrics=["pq", "sorted_ap"])
    assert computed == ["image_0"]  # another content
    computed.clear()
    evaluate_dataset(folder / "truth", folder / "good", resume=log, metrics=["pq", "sorted_ap"], threshold=0.7)
    assert len(computed) == 6  # other settings


def test_binary_masks_can_be_split(tmp_path: Path) -> None:
    scene = cells((64, 64), 12, seed=0)
    for name in ("truth", "pred"):
        (tmp_path / name).mkdir()
        tifffile.imwrite(tmp_path / name / "a.tif", (scene.truth > 0).astype(np.uint8) * 255)
        tifffile.imwrite(tmp_path / name / "b.tif", scene.truth)
    assert "binary mask" in evaluate_dataset(tmp_path / "truth", tmp_path / "pred").failures[0].reason
    assert evaluate_dataset(tmp_path / "truth", tmp_path / "pred", split_components=True).pooled()["pq"] == 1


def test_wrong_arguments(folder: Path, results: Results) -> None:
    with pytest.raises(ValueError, match='missing must be one of "error", "empty", "skip"'):
        evaluate_dataset(folder / "truth", folder / "good", missing="ignore")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="metrics must be one of"):
        evaluate_dataset(folder / "truth", folder / "good", metrics=["nonsense"])
    with pytest.raises(ValueError, match="metrics must be a list of names"):
        evaluate_dataset(folder / "truth", folder / "good", metrics="pq")
    with pytest.raises(ValueError, match="threshold must be between 0 and 1"):
        evaluate_dataset(folder / "truth", folder / "good", threshold=3)
    with pytest.raises(ValueError, match="boundary must be a positive reach"):
        evaluate_dataset(folder / "truth", folder / "good", boundary=-2)
    with pytest.raises(ReadError, match="cannot be read as JSON"):
        evaluate_dataset(folder / "truth", folder / "good", classes="nowhere.json")
    with pytest.raises(ValueError, match="classes must be images where labels are split"):
        evaluate_dataset(folder / "truth", folder / "good", classes="auto", split_components=True)
    with pytest.raises(ValueError, match="resume needs a named penalty"):
        evaluate_dataset(folder / "truth", folder / "good", penalty=lambda n: n, resume=folder / "log")
    with pytest.raises(ValueError, match="jobs must be a whole number of at least 1"):
        evaluate_dataset(folder / "truth", folder / "good", jobs=0)
    with pytest.raises(ValueError, match="model must be one of good, poor"):
        results.pooled()
    with pytest.raises(ValueError, match="metric must be one of"):
        results.interval("nonsense", "good")
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        results.interval("pq", "good", level=2)


@pytest.fixture
def classed(tmp_path: Path) -> Path:
    """Truth and prediction with a JSON file and images of two classes: odd and even labels."""
    scene = cells((64, 64), 12, seed=0, fates={"split": 0.2}, ghosts=0)
    classes: dict[str, dict[str, str]] = {}
    for side, labels in (("truth", scene.truth), ("pred", scene.pred)):
        for folder in (side, f"{side}_class"):
            (tmp_path / folder).mkdir()
        np.save(tmp_path / side / "a.npy", labels.astype(np.uint64))
        tifffile.imwrite(tmp_path / f"{side}_class" / "a.tif", np.where(labels > 0, 1 + labels % 2, 0).astype(np.int32))
        classes[side] = {str(k): str(1 + k % 2) for k in range(1, int(labels.max()) + 1)}
    (tmp_path / "classes.json").write_text(json.dumps({"a": classes}))
    return tmp_path


def test_classes_from_json_and_from_images_are_the_same(classed: Path) -> None:
    folders = f"{classed}/truth_class,{classed}/pred_class"
    tables = [
        evaluate_dataset(classed / "truth", classed / "pred", classes=where).per_class()
        for where in (str(classed / "classes.json"), folders)
    ]
    assert tables[0] == tables[1]
    assert set(tables[0]) == {"1", "2"}


@pytest.mark.parametrize("settings", [{"boundary": 1}, {"reading": "released"}])
def test_classes_also_hold_for_bands_and_components(classed: Path, settings: dict) -> None:
    """One class is the image without the objects of the other."""
    from softpq import evaluate

    results = evaluate_dataset(classed / "truth", classed / "pred", classes=str(classed / "classes.json"), **settings)
    truth, pred = (np.load(classed / side / "a.npy") for side in ("truth", "pred"))
    alone = evaluate(*(np.where(side % 2 == 0, side, 0) for side in (truth, pred)), **settings)
    for metric, value in results.per_class()["1"].items():
        assert value == pytest.approx(alone[metric], nan_ok=True), metric


def test_resuming_sees_other_classes(classed: Path) -> None:
    where, log = classed / "classes.json", classed / "log"
    first = evaluate_dataset(classed / "truth", classed / "pred", classes=str(where), resume=log)
    where.write_text(where.read_text().replace('"1"', '"x"', 1))
    again = evaluate_dataset(classed / "truth", classed / "pred", classes=str(where), resume=log)
    assert first.per_class() != again.per_class()


def test_a_log_tells_the_arrays_of_one_file_apart(tmp_path: Path) -> None:
    import h5py

    scene = cells((60, 60), 12)
    with h5py.File(tmp_path / "two.h5", "w") as file:
        file["truth"], file["a"], file["b"] = scene.truth, scene.pred, scene.truth
    values = []
    for name in ("a", "b"):
        place = f"{tmp_path / 'two.h5'}:{name}"
        results = evaluate_dataset(f"{tmp_path / 'two.h5'}:truth", {"model": place}, resume=tmp_path / "log")
        values.append(results.pooled()["pq"])
    assert values[0] < values[1] == 1.0
