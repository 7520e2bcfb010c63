"""Panoptic files: numbers of panopticapi and boundary-iou-api on made-up scenes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import call
from PIL import Image
from reference import SHARED, shared_json

import softpq
from softpq import Overlap
from softpq.detection.panoptic import _views
from softpq.io.panoptic import read_panoptic

FOLDER = SHARED / "data" / "overlapping" / "panoptic_scenes"
GOLDEN = shared_json("data/overlapping/panoptic_scenes/golden.json") or {}
SCENES = [name for name in GOLDEN if name != "note"]

pytestmark = pytest.mark.skipif(not GOLDEN, reason="needs the shared reference data")


def names_of(scene: str) -> dict[str, str]:
    return {str(k): name for k, name in read_panoptic(FOLDER / scene / "truth.json").names.items()}


@pytest.mark.parametrize("scene", SCENES)
def test_counts_and_sums_are_those_of_panopticapi(scene: str) -> None:
    found = softpq.panoptic_scores(FOLDER / scene / "truth.json", FOLDER / scene / "pred.json")
    names = names_of(scene)
    for category, expected in GOLDEN[scene]["panopticapi"]["per class"].items():
        row = found.of_class(names[category])
        assert (row["tp"], row["fn"]) == (expected["tp"], expected["fn"])
        assert row["iou_sum"] == pytest.approx(expected["iou_sum"], abs=1e-9)
        if scene != "two_crowds_of_one_class":
            assert row["fp"] == expected["fp"]
            assert [row[key] for key in ("pq", "sq", "rq")] == pytest.approx(
                [expected[key] for key in ("pq", "sq", "rq")], abs=1e-9
            )
        else:  # panopticapi remembers one crowd of a class, and forgives less
            assert row["fp"] <= expected["fp"]


@pytest.mark.parametrize("scene", [name for name in SCENES if name != "two_crowds_of_one_class"])
@pytest.mark.parametrize(("group", "things"), [("All", None), ("Things", True), ("Stuff", False)])
def test_means_over_classes_are_those_of_panopticapi(scene: str, group: str, things: bool | None) -> None:
    found = softpq.panoptic_scores(FOLDER / scene / "truth.json", FOLDER / scene / "pred.json").mean(things)
    expected = GOLDEN[scene]["panopticapi"][group]
    assert [found[key] for key in expected] == pytest.approx(list(expected.values()), abs=1e-9)
    assert found["softpq"] >= found["pq"] - 1e-12


@pytest.mark.parametrize("scene", SCENES)
def test_the_smaller_iou_of_mask_and_band_gives_the_published_boundary_quality(scene: str) -> None:
    files = [read_panoptic(FOLDER / scene / f"{side}.json") for side in ("truth", "pred")]
    found: dict[str, list[float]] = {}
    for view in _views(files[0], files[1], [None, None]):
        tables = [
            Overlap.from_masks(view.truth, view.pred, ignore=view.ignore, strict=True, boundary=reach)
            for reach in (None, 0.02)
        ]
        of_mask, of_band = (
            dict(zip(zip(t.truth_ids[t.pair_truth], t.pred_ids[t.pair_pred], strict=True), t.pair_iou, strict=True))
            for t in tables
        )
        good = [min(iou, of_band.get(pair, 0)) for pair, iou in of_mask.items()]
        good = [iou for iou in good if iou > 0.5]
        row = found.setdefault(view.kind, [0, 0, 0, 0])
        for k, value in enumerate((len(good), tables[0].n_pred, tables[0].n_truth, sum(good))):
            row[k] += value
    names = names_of(scene)
    for category, expected in GOLDEN[scene]["boundary PQ [boundary-iou-api, 0.02]"]["per class"].items():
        tp, preds, truths, total = found[names[category]]
        assert (tp, truths - tp) == (expected["tp"], expected["fn"])
        assert total == pytest.approx(expected["iou_sum"], abs=1e-9)
        if scene != "two_crowds_of_one_class":
            assert preds - tp == expected["fp"]


def change(folder: Path, side: str, work: Any) -> tuple[Path, Path]:
    shutil.copytree(FOLDER / "no_crowd", folder / "scene")
    path = folder / "scene" / f"{side}.json"
    path.chmod(0o644)
    (folder / "scene").chmod(0o755)
    content = json.loads(path.read_text())
    work(content)
    path.write_text(json.dumps(content))
    return folder / "scene" / "truth.json", folder / "scene" / "pred.json"


@pytest.mark.parametrize(
    ("side", "work", "message"),
    [
        ("truth", lambda c: c["annotations"][0]["segments_info"].pop(), "image 0 has a segment"),
        (
            "pred",
            lambda c: c["annotations"][0]["segments_info"].append({"id": 77, "category_id": 1}),
            "image 0 has a segment 77 in the JSON that its PNG does not have",
        ),
        ("pred", lambda c: c["annotations"][0]["segments_info"][0].update(category_id=99), "is of category 99"),
        ("pred", lambda c: c["annotations"][0].update(file_name="../truth/000.png"), "outside of its folder"),
        ("pred", lambda c: c["annotations"][0].update(file_name="no.png"), "has no PNG"),
        ("pred", lambda c: c["annotations"].pop(), "has no image"),
        ("pred", lambda c: c["annotations"][0].update(image_id=99), "has image 99"),
        ("pred", lambda c: c["annotations"][0].update(image_id=1), "image 1 twice"),
    ],
)
def test_what_does_not_fit_is_named(side: str, work: Any, message: str, tmp_path: Path) -> None:
    truth, pred = change(tmp_path, side, work)
    with pytest.raises(softpq.ReadError, match=message) as error:
        softpq.panoptic_scores(truth, pred)
    assert str(error.value).startswith(f"{side}.json ")


def test_the_command_prints_groups_and_classes(tmp_path: Path) -> None:
    folder = FOLDER / "no_crowd"
    called = call("coco", folder / "truth.json", folder / "pred.json", "--classes", "--json", tmp_path / "out.json")
    assert called.exit_code == 0, called.output
    assert "things (3 classes)" in called.stdout
    assert "worm" in called.stdout
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["stuff"]["pq"] == pytest.approx(GOLDEN["no_crowd"]["panopticapi"]["Stuff"]["pq"], abs=1e-9)
    refused = call("coco", folder / "truth.json", folder / "pred.json", "--boxes")
    assert refused.exit_code == 2
    assert "--boxes must be left out" in refused.stderr


def test_evaluate_gives_the_same_counts_class_by_class() -> None:
    folder = FOLDER / "void_and_one_crowd"
    results = softpq.evaluate_dataset(folder / "truth.json", folder / "pred.json", classes="auto", metrics=["pq"])
    names = names_of("void_and_one_crowd")
    for category, expected in GOLDEN["void_and_one_crowd"]["panopticapi"]["per class"].items():
        scores = [image.classes[names[category]]["pq"] for image in results.images if names[category] in image.classes]
        assert sum(scores).value == pytest.approx(expected["pq"], abs=1e-9)


def halved(folder: Path) -> tuple[Path, Path]:
    """One object of four pixels, of which the prediction has two: an IoU of exactly one half."""
    for side, width in (("truth", 4), ("pred", 2)):
        (folder / side).mkdir()
        pixels = np.zeros((2, 6, 3), np.uint8)
        pixels[0, :width, 0] = 7
        pixels[1, :, 1] = 1  # ground everywhere else
        pixels[0, width:, 1] = 1
        Image.fromarray(pixels).save(folder / side / "a.png")
        segments = [{"id": 7, "category_id": 1}, {"id": 256, "category_id": 2}]
        content = {
            "annotations": [{"image_id": 1, "file_name": "a.png", "segments_info": segments}],
            "categories": [{"id": 1, "name": "cell"}, {"id": 2, "name": "ground", "isthing": 0}],
        }
        (folder / f"{side}.json").write_text(json.dumps(content))
    return folder / "truth.json", folder / "pred.json"


def test_evaluate_matches_panoptic_files_above_one_half_and_says_so(tmp_path: Path) -> None:
    truth, pred = halved(tmp_path)
    published = softpq.evaluate_dataset(truth, pred)
    assert published.plan.strict
    assert published.images[0].counts["tp"] == 1  # the ground
    assert any("above the threshold" in note for note in published.notes)
    asked = softpq.evaluate_dataset(truth, pred, strict=False)
    assert asked.images[0].counts["tp"] == 2
    assert not any("above the threshold" in note for note in asked.notes)


def test_the_command_line_matches_panoptic_files_as_python_does(tmp_path: Path) -> None:
    truth, pred = halved(tmp_path)
    for options, tp in (((), 1), (("--strict",), 1), (("--no-strict",), 2)):
        called = call("evaluate", truth, pred, "--json", tmp_path / "out.json", *options)
        assert called.exit_code == 0, called.output
        assert softpq.Results.from_json(tmp_path / "out.json").images[0].counts["tp"] == tp


def renamed(folder: Path, work: Any = lambda content: None) -> tuple[Path, Path]:
    """Two scenes whose predicted PNGs are called by number, the other way round."""

    def rename(content: dict[str, Any]) -> None:
        for place in ((folder / "scene"), (folder / "scene" / "pred")):
            place.chmod(0o755)
        for k, one in enumerate(content["annotations"]):
            last = len(content["annotations"]) - k
            (folder / "scene" / "pred" / one["file_name"]).rename(folder / "scene" / "pred" / f"out_{last}.png")
            one["file_name"] = f"out_{last}.png"
        work(content)

    return change(folder, "pred", rename)


def test_panoptic_images_are_paired_by_their_ids_whatever_their_files_are_called(tmp_path: Path) -> None:
    plain = softpq.evaluate_dataset(FOLDER / "no_crowd" / "truth.json", FOLDER / "no_crowd" / "pred.json")
    truth, pred = renamed(tmp_path)
    found = softpq.evaluate_dataset(truth, pred)
    assert [image.counts for image in found.images] == [image.counts for image in plain.images]
    assert (
        softpq.panoptic_scores(truth, pred).mean()
        == softpq.panoptic_scores(FOLDER / "no_crowd" / "truth.json", pred).mean()
    )


def test_a_panoptic_image_without_a_prediction_is_missing(tmp_path: Path) -> None:
    truth, pred = renamed(tmp_path, lambda content: content["annotations"].pop())
    found = softpq.evaluate_dataset(truth, pred, missing="empty")
    assert [image.counts["tp"] > 0 for image in found.images] == [True] * (len(found.images) - 1) + [False]


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (lambda c: c["annotations"][0].update(image_id=99), "pred.json has image 99"),
        (lambda c: [one.update(image_id=one["image_id"] + 99) for one in c["annotations"]], "another data set"),
        (
            lambda c: [one.update(name=one["name"] + "s") for one in c["categories"]],
            "must have categories of the truth",
        ),
    ],
)
def test_panoptic_files_that_do_not_fit_are_refused_by_evaluate(work: Any, message: str, tmp_path: Path) -> None:
    truth, pred = renamed(tmp_path, work)
    with pytest.raises(softpq.ReadError, match=message):
        softpq.evaluate_dataset(truth, pred)
