"""COCO's files: what is wrong with them is said in one line that names file, image and object."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from coco_scenes import rle, written
from commands import call

import softpq

MASK = np.zeros((6, 8), bool)
MASK[1:4, 2:6] = True
TRUTH: dict[str, Any] = {
    "images": [{"id": 5, "height": 6, "width": 8, "file_name": "a.jpg"}, {"id": 7, "height": 6, "width": 8}],
    "categories": [{"id": 1, "name": "worm"}, {"id": 2, "name": "egg"}],
    "annotations": [
        {"id": 11, "image_id": 5, "category_id": 1, "segmentation": rle(MASK), "iscrowd": 0, "area": 12.0},
        {"id": 12, "image_id": 7, "category_id": 2, "segmentation": [[2, 1, 6, 1, 6, 4, 2, 4]], "iscrowd": 0},
    ],
}
RESULTS: list[dict[str, Any]] = [
    {"image_id": 5, "category_id": 1, "segmentation": rle(MASK), "score": 0.9},
    {"image_id": 7, "category_id": 2, "segmentation": rle(MASK), "score": 0.5},
]


def scored(folder: Path, truth: Any = None, results: Any = None, **options: Any) -> Any:
    paths = written(folder, TRUTH if truth is None else truth, RESULTS if results is None else results)
    return softpq.average_precision(*paths, **options)


def test_the_scene_is_perfect(tmp_path: Path) -> None:
    found = scored(tmp_path)
    assert found["AP"] == pytest.approx(1)
    assert set(found["classes"]) == {"worm", "egg"}
    assert found["notes"] == ()


def test_boxes_are_scored_where_some_have_a_mask_and_some_a_box(tmp_path: Path) -> None:
    truth, results = copy.deepcopy(TRUTH), copy.deepcopy(RESULTS)
    results[0] = {"image_id": 5, "category_id": 1, "bbox": [2, 1, 4, 3], "score": 0.9}
    assert scored(tmp_path, truth, results, boxes=True)["AP"] == pytest.approx(1)


def test_no_results_are_fine(tmp_path: Path) -> None:
    assert scored(tmp_path, results=[])["AP"] == 0


def test_nothing_at_all_is_undefined(tmp_path: Path) -> None:
    assert np.isnan(scored(tmp_path, {**TRUTH, "annotations": []}, [])["AP"])


def of_truth(change: Callable[[dict], Any]) -> Callable[[], tuple[Any, Any]]:
    def made() -> tuple[Any, Any]:
        truth = copy.deepcopy(TRUTH)
        change(truth)
        return truth, RESULTS

    return made


def of_results(change: Callable[[list], Any]) -> Callable[[], tuple[Any, Any]]:
    def made() -> tuple[Any, Any]:
        results = copy.deepcopy(RESULTS)
        change(results)
        return TRUTH, results

    return made


WRONG = {
    "repeated annotation": (
        of_truth(lambda t: t["annotations"][1].update(id=11)),
        "truth.json annotation ids must differ from each other; got 11 twice",
    ),
    "repeated image": (of_truth(lambda t: t["images"][1].update(id=5)), "image ids must differ"),
    "repeated category": (of_truth(lambda t: t["categories"][1].update(id=1)), "category ids must differ"),
    "unknown image": (
        of_truth(lambda t: t["annotations"][0].update(image_id=6)),
        "truth.json annotation 11 (image 6) is of image 6, which the file does not have",
    ),
    "unknown category": (of_truth(lambda t: t["annotations"][0].update(category_id=9)), "is of category 9"),
    "id as text": (of_truth(lambda t: t["images"][0].update(id="5")), "must have a whole number as id; got '5'"),
    "no height": (of_truth(lambda t: t["images"][0].pop("height")), "image 5 must have a whole number as height"),
    "no pixels": (of_truth(lambda t: t["images"][0].update(height=0)), "a height of at least 1; got 0"),
    "many pixels": (
        of_truth(lambda t: t["images"][0].update(height=10**6, width=10**6)),
        "annotation 11 (image 5) lies on 1000000 x 1000000 pixels",
    ),
    "other size": (
        of_truth(lambda t: t["images"][0].update(height=7)),
        "annotation 11 (image 5) must have the size of its image, 7 x 8; got [6, 8]",
    ),
    "crowd": (of_truth(lambda t: t["annotations"][0].update(iscrowd=2)), "an iscrowd of 0 or 1; got 2"),
    "area": (of_truth(lambda t: t["annotations"][0].update(area="12")), "must have a number as area; got '12'"),
    "even": (
        of_truth(lambda t: t["annotations"][1].update(segmentation=[[1, 1, 2]])),
        "annotation 12 (image 7) has a polygon with an x without a y",
    ),
    "two corners": (
        of_truth(lambda t: t["annotations"][1].update(segmentation=[[1, 1, 2, 2]])),
        "fewer than three corners",
    ),
    "infinite": (
        of_truth(lambda t: t["annotations"][1].update(segmentation=[[1, 1, 2, float("inf"), 3, 3]])),
        "a corner that is not a number, or too far away",
    ),
    "texts": (
        of_truth(lambda t: t["annotations"][1].update(segmentation=[["1", "1", "2", "2", "3", "3"]])),
        "annotation 12 (image 7) has a polygon that is not numbers",
    ),
    "no images": (of_truth(lambda t: t.pop("images")), "it has no list of images"),
    "an annotation is a number": (of_truth(lambda t: t["annotations"].append(3)), "must be an object with id; got int"),
    "no score": (
        of_results(lambda r: r[1].pop("score")),
        "results.json result 1 (image 7) must have a number as score; got None",
    ),
    "score NaN": (of_results(lambda r: r[1].update(score=float("nan"))), "must have a number as score; got nan"),
    "score text": (of_results(lambda r: r[1].update(score="0.5")), "must have a number as score; got '0.5'"),
    "unknown result": (
        of_results(lambda r: r[1].update(image_id=8)),
        "results.json result 1 is of image 8, which the truth does not have",
    ),
    "another data set": (
        of_results(lambda r: [one.update(image_id=80) for one in r]),
        "results.json has no image in common with the truth",
    ),
    "unknown class": (of_results(lambda r: r[0].update(category_id=3)), "is of category 3, which the truth does not"),
    "boxes only": (
        of_results(lambda r: [one.pop("segmentation") for one in r] + [one.update(bbox=[1, 1, 2, 2]) for one in r]),
        "result 0 (image 5) has a box and no mask; boxes alone are scored by softpq.average_precision with boxes=True",
    ),
    "wrong box": (of_results(lambda r: r[0].update(bbox=[1, 2, 3])), "must have four numbers x, y, width, height"),
    "short": (
        of_results(lambda r: r[0]["segmentation"].update(counts="1")),
        "result 0 (image 5) has run-lengths that sum to less than its pixels",
    ),
    "foreign": (of_results(lambda r: r[0]["segmentation"].update(counts="é1")), "a character outside of the code"),
    "claims": (
        of_results(lambda r: r[0]["segmentation"].update(counts=[10**12])),
        "run-lengths that sum to more than its pixels",
    ),
    "negative": (
        of_results(lambda r: r[1]["segmentation"].update(counts=[5, -1, 44])),
        "results.json result 1 (image 7) has a negative run-length",
    ),
    "cut short": (
        of_results(lambda r: r[1]["segmentation"].update(counts="`")),
        "results.json result 1 (image 7) has run-lengths that are cut short",
    ),
    "claims an image": (
        of_results(lambda r: r[1].update(segmentation={"size": [10**6, 10**6], "counts": [10**12]})),
        "results.json result 1 (image 7) must have the size of its image, 6 x 8; got [1000000, 1000000]",
    ),
    "corner NaN": (
        of_truth(lambda t: t["annotations"][1].update(segmentation=[[1, 1, 2, float("nan"), 3, 3]])),
        "truth.json annotation 12 (image 7) has a corner that is not a number",
    ),
    "far outside": (
        of_truth(lambda t: t["annotations"][1].update(segmentation=[[1e8, 1, 2e8, 1, 3e8, 3]])),
        "truth.json annotation 12 (image 7) has a corner that is not a number, or too far away",
    ),
    "neither box nor mask": (
        of_truth(lambda t: t["annotations"][1].update(segmentation=[])),
        "truth.json annotation 12 (image 7) must have a segmentation; it has none",
    ),
    "huge id": (of_truth(lambda t: t["annotations"][0].update(id=10**25)), "truth.json annotation at position 0"),
    "an object": (lambda: (TRUTH, TRUTH), "results.json must be a list of results"),
    "a list": (lambda: (RESULTS, RESULTS), "truth.json must be a COCO file with images and annotations"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_named_in_python_and_on_the_command_line(what: str, tmp_path: Path) -> None:
    made, message = WRONG[what]
    paths = written(tmp_path, *made())
    with pytest.raises(softpq.ReadError, match=re.escape(message)) as error:
        softpq.average_precision(*paths)
    assert "\n" not in str(error.value)
    called = call("coco", *paths)
    assert called.exit_code == 2
    assert message.split(";")[0] in " ".join(called.stderr.split())


@pytest.mark.parametrize("what", [what for what in WRONG if what not in ("an object", "a list", "no images")])
def test_evaluate_and_the_doctor_name_the_same(what: str, tmp_path: Path) -> None:
    made, message = WRONG[what]
    paths = written(tmp_path, *made())
    for door in ("evaluate", "doctor"):
        called = call(door, *paths)
        assert called.exit_code in (1, 2)
        said = " ".join((called.stderr + called.stdout).split())
        if (door, what) != ("doctor", "boxes only") and (door, what) != ("doctor", "neither box nor mask"):
            assert message.split(";")[0] in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "begins with neither"),
        ("hello", "begins with neither"),
        (json.dumps(TRUTH)[:-40], "cut off"),
        (json.dumps(TRUTH) + "]", "something follows its end"),
        ("[" * 100_000, "too deep"),
        ('{"images": ' + "[" * 100_000, "too deep"),
        ('{"images" 3}', "a key is expected"),
        ('{"images": [1 2]}', "must be an object"),
        ("{'images': []}", "is not JSON"),
        (b"\xff\xfe", "no text in UTF-8"),
    ],
)
def test_what_is_no_json_is_said(text: str | bytes, message: str, tmp_path: Path) -> None:
    paths = written(tmp_path, TRUTH, RESULTS)
    paths[0].write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(softpq.ReadError, match=message):
        softpq.average_precision(*paths)


def test_files_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(softpq.ReadError, match=r"no\.json No such file"):
        softpq.average_precision(tmp_path / "no.json", tmp_path / "no.json")


def test_polygons_in_results_are_read_and_noted(tmp_path: Path) -> None:
    results = [{**one, "segmentation": [[2, 1, 6, 1, 6, 4, 2, 4]]} for one in RESULTS]
    found = scored(tmp_path, results=results)
    assert found["AP"] == pytest.approx(1)
    assert "polygons" in found["notes"][0]


def test_an_annotation_with_id_0_counts_like_any_other(tmp_path: Path) -> None:
    truth = copy.deepcopy(TRUTH)
    truth["annotations"][0]["id"] = 0
    found = scored(tmp_path, truth)
    assert found["AP"] == pytest.approx(1)
    assert "id 0" in found["notes"][0]


def test_what_the_limit_leaves_out_is_said_with_the_value_without_it(tmp_path: Path) -> None:
    """150 objects, all found perfectly, give .663 in pycocotools 2.0.11, and here with a note."""
    masks = np.zeros((150, 10, 300), bool)
    for k in range(150):
        masks[k, :, 2 * k] = True
    truth = {
        "images": [{"id": 1, "height": 10, "width": 300}],
        "categories": [{"id": 1, "name": "line"}],
        "annotations": [
            {"id": k + 1, "image_id": 1, "category_id": 1, "segmentation": rle(mask)} for k, mask in enumerate(masks)
        ],
    }
    results = [{"image_id": 1, "category_id": 1, "segmentation": rle(mask), "score": 0.5} for mask in masks]
    found = scored(tmp_path, truth, results)
    assert found["AP"] == pytest.approx(0.663, abs=5e-4)
    assert "50 predictions" in found["notes"][0]
    assert "without a limit AP is 1.0000" in found["notes"][0]
    assert scored(tmp_path, truth, results, max_dets=150)["AP"] == pytest.approx(1)


def test_the_same_answer_through_files_masks_and_the_command_line(tmp_path: Path) -> None:
    paths = written(tmp_path, TRUTH, RESULTS)
    of_files = softpq.average_precision(*paths)
    truth = [softpq.Masks.from_list([MASK], classes=[name]) for name in ("worm", "egg")]
    results = [masks.with_(scores=[score]) for masks, score in zip(truth, (0.9, 0.5), strict=True)]
    of_masks = softpq.average_precision(truth, results)
    called = call("coco", *paths, "--classes", "--json", tmp_path / "out.json")
    assert called.exit_code == 0, called.output
    of_command = json.loads((tmp_path / "out.json").read_text())
    for name, value in of_files.numbers.items():
        shown = np.nan if of_command[name] is None else of_command[name]
        assert shown == value or np.isnan(value)
        assert np.array_equal(of_masks[name], value, equal_nan=True)
    assert of_command["classes"]["egg"]["AP"] == pytest.approx(1)
    assert of_command["softpq"]["all"]["softpq"] == 1
    assert "SoftPQ" in called.stdout
    assert called.stdout.count("Average") == 12
