"""The same question through files, masks and the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from coco_scenes import scene, written
from commands import call
from reference import SHARED, shared_json

import softpq
from softpq.detection import run_store
from softpq.detection.by_class import scored_by_class, views_of
from softpq.detection.objects import scene_of_files
from softpq.io import images_in
from softpq.io.coco import read_truth

GOLDEN = (shared_json("data/overlapping/golden.json") or {"sets": {}})["sets"]
FOLDER = SHARED / "data" / "overlapping"


@pytest.mark.parametrize("seed", range(6))
def test_softpq_of_a_data_set_is_the_same_through_every_door(seed: int, tmp_path: Path) -> None:
    paths = written(tmp_path, *scene(seed))
    results = softpq.evaluate_dataset(*paths, metrics=["softpq", "pq"], check=False)
    by_class = scored_by_class(views_of(scene_of_files(*paths, boxes=False)))
    called = call("coco", *paths, "--json", tmp_path / "out.json")
    assert called.exit_code == 0, called.output
    of_command = json.loads((tmp_path / "out.json").read_text())["softpq"]
    for name in ("softpq", "pq"):
        pooled = sum(image.scores[name] for image in results.images).value
        assert by_class.pooled()[name] == pytest.approx(pooled, abs=1e-12)
        assert of_command["pooled"][name] == pytest.approx(pooled, abs=1e-12)


def test_images_without_results_have_none(tmp_path: Path) -> None:
    truth, results = scene(3)
    kept = [one for one in results if one["image_id"] != truth["images"][0]["id"]]
    found = softpq.evaluate_dataset(*written(tmp_path, truth, kept), metrics=["pq"], check=False)
    assert len(found.images) == len(truth["images"])
    assert not found.failures
    assert not softpq.evaluate_dataset(*written(tmp_path, truth, []), metrics=["pq"], check=False).failures


def test_evaluate_refuses_results_of_unknown_images(tmp_path: Path) -> None:
    truth, results = scene(3)
    paths = written(tmp_path, truth, [{**results[0], "image_id": 999}, *results])
    called = call("evaluate", *paths)
    assert called.exit_code == 2
    assert "results.json result 0 is of image 999, which the truth does not have" in " ".join(called.stderr.split())


def test_score_thresholds_leave_results_out(tmp_path: Path) -> None:
    truth, results = scene(4)
    all_paths = written(tmp_path, truth, results)
    limited = softpq.evaluate_dataset(*all_paths, metrics=["pq"], check=False, score_threshold=0.5)
    some = [one for one in results if one["score"] >= 0.5]
    (tmp_path / "some").mkdir()
    fewer = softpq.evaluate_dataset(*written(tmp_path / "some", truth, some), metrics=["pq"], check=False)
    assert [float(image.scores["pq"]) for image in limited.images] == pytest.approx(
        [float(image.scores["pq"]) for image in fewer.images], nan_ok=True
    )


@pytest.mark.skipif(not GOLDEN, reason="needs the shared reference data")
@pytest.mark.parametrize("name", ["balloons", "scratches", "buildings", "lvis"])
def test_images_have_the_reference_values(name: str) -> None:
    """PQ at IoU >= 0.5 and SoftPQ of all objects together, by an exact program."""
    files = [FOLDER / name / f"{side}.json" for side in ("truth", "results")]
    expected = next(value for key, value in GOLDEN[name].items() if key.startswith("reference"))
    found = softpq.evaluate_dataset(*files, metrics=["pq", "softpq"], check=False, class_agnostic=True)
    ids = dict(zip([image.name for image in images_in(files[0])], read_truth(files[0]).images.ids, strict=True))
    seen = 0
    for image in found.images:
        values = expected.get(str(ids[image.name]))
        if values is None or values["pq"]["pq"] is None:
            continue
        seen += 1
        assert float(image.scores["pq"]) == pytest.approx(values["pq"]["pq"], abs=1e-9)
        assert min(abs(float(image.scores["softpq"]) - value) for value in values["softpq"]["text"]) < 1e-9
    assert seen


ASKED: list[dict[str, object]] = [
    {}, {"boundary": 0.02}, {"boundary": 2}, {"boxes": True}, {"class_agnostic": True}, {"max_dets": 2},
    {"score_threshold": 0.4},
]  # fmt: skip


@pytest.mark.parametrize("at_once", [1, 400, 5000])
@pytest.mark.parametrize("seed", range(4))
def test_masks_drawn_some_at_a_time_give_what_all_at_once_give(
    at_once: int, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = written(tmp_path, *scene(seed))
    whole = [softpq.average_precision(*paths, **asked) for asked in ASKED]  # type: ignore[arg-type]
    softly = scored_by_class(views_of(scene_of_files(*paths, boxes=False))).pooled()
    monkeypatch.setattr(run_store, "AT_ONCE", at_once)
    drawn = scene_of_files(*paths, boxes=False)
    assert at_once > 1 or isinstance(drawn.pred.runs, run_store.Drawn)
    assert scored_by_class(views_of(drawn)).pooled() == softly
    for asked, expected in zip(ASKED, whole, strict=True):
        found = softpq.average_precision(*paths, **asked)  # type: ignore[arg-type]
        assert repr(dict(found)) == repr(dict(expected)), asked  # NaN is NaN, all else is equal
