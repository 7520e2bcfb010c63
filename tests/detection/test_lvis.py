"""LVIS: what the truth does not tell is neither right nor wrong, in SoftPQ and PQ as in average precision."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from coco_scenes import rle, written
from commands import call
from reference import SHARED

import softpq

LVIS = SHARED / "data" / "overlapping" / "lvis"


def row(begin: int, end: int) -> dict[str, Any]:
    mask = np.zeros((2, 20), bool)
    mask[:, begin:end] = True
    return rle(mask)


def files(folder: Path, results: list[tuple[int, int, int, float]]) -> tuple[Path, Path]:
    """Cats, told in full; dogs, of which some are not told; no bird; nobody looked for fish."""
    image = {
        "id": 1, "height": 2, "width": 20, "coco_url": "a/1.jpg",
        "neg_category_ids": [3], "not_exhaustive_category_ids": [2],
    }  # fmt: skip
    truth = {
        "images": [image],
        "categories": [
            {"id": k + 1, "name": name, "frequency": "f"} for k, name in enumerate(["cat", "dog", "bird", "fish"])
        ],
        "annotations": [
            {"id": k, "image_id": 1, "category_id": k, "segmentation": row(5 * k - 5, 5 * k), "area": 10}
            for k in (1, 2)
        ],
    }
    found = [
        {"image_id": 1, "category_id": kind, "segmentation": row(begin, end), "score": score}
        for kind, begin, end, score in results
    ]
    return written(folder, truth, found)


def counts_through(door: str, paths: tuple[Path, Path], folder: Path, *options: str) -> tuple[int, int, int]:
    """Matches, and what is left over."""
    out = folder / "out.json"
    called = call(door, *paths, "--json", out, *options)
    assert called.exit_code == 0, called.output
    if door == "evaluate":
        rows = [image.counts for image in softpq.Results.from_json(out).images]
    else:
        rows = list(json.loads(out.read_text())["softpq"]["classes"].values())
    tp, fp, fn = (sum(one[key] for one in rows) for key in ("tp", "fp", "fn"))
    return tp, fp, fn


@pytest.mark.parametrize("door", ["evaluate", "coco"])
@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ([(1, 0, 5, 0.9), (2, 5, 10, 0.9)], (2, 0, 0)),
        ([(1, 0, 5, 0.9), (1, 15, 20, 0.9), (2, 5, 10, 0.9)], (2, 1, 0)),  # cats are told in full
        ([(1, 0, 5, 0.9), (2, 5, 10, 0.9), (2, 15, 20, 0.9)], (2, 0, 0)),  # another dog that nobody told
        ([(1, 0, 5, 0.9), (2, 5, 10, 0.9), (2, 5, 9, 0.8)], (2, 0, 0)),  # matches no dog, as the dog has its match
        ([(1, 0, 5, 0.9), (2, 5, 10, 0.9), (3, 15, 20, 0.9)], (2, 1, 0)),  # there is no bird
        ([(1, 0, 5, 0.9), (2, 5, 10, 0.9), (4, 15, 20, 0.9)], (2, 0, 0)),  # nobody looked for fish
    ],
)
def test_only_what_the_truth_tells_counts(
    door: str, results: list[tuple[int, int, int, float]], expected: tuple[int, int, int], tmp_path: Path
) -> None:
    assert counts_through(door, files(tmp_path, results), tmp_path) == expected


@pytest.mark.parametrize("door", ["evaluate", "coco"])
def test_scores_are_looked_at_before_matches(door: str, tmp_path: Path) -> None:
    """The better outline has the smaller score: without it, the other one matches and stays."""
    paths = files(tmp_path, [(1, 0, 5, 0.9), (2, 5, 10, 0.3), (2, 5, 9, 0.9)])
    assert counts_through(door, paths, tmp_path, "--score-threshold", "0.5") == (2, 0, 0)


def test_a_note_says_how_many_count_nowhere(tmp_path: Path) -> None:
    results = softpq.evaluate_dataset(*files(tmp_path, [(2, 15, 20, 0.9), (4, 15, 20, 0.9)]))
    assert any("2 objects not judged" in note for note in results.images[0].notes)


@pytest.mark.skipif(not LVIS.exists(), reason="needs the shared reference data")
def test_both_doors_agree_on_a_real_file(tmp_path: Path) -> None:
    paths = LVIS / "truth.json", LVIS / "results.json"
    results = softpq.evaluate_dataset(*paths, metrics=["softpq", "pq"])
    counts = [sum(image.counts[key] for image in results.images) for key in ("tp", "fp", "fn")]
    assert tuple(counts) == counts_through("coco", paths, tmp_path)
    called = json.loads((tmp_path / "out.json").read_text())["softpq"]["pooled"]
    (model,) = results.models
    pooled = results.pooled(model)
    assert [pooled["softpq"], pooled["pq"]] == pytest.approx([called["softpq"], called["pq"]], abs=1e-12)


@pytest.mark.parametrize("key", ["neg_category_ids", "not_exhaustive_category_ids"])
@pytest.mark.parametrize("ids", [3, [[3]], ["3"], [True], {"3": 1}, None])
def test_ids_of_classes_that_are_no_list_of_ids_are_named(key: str, ids: Any, tmp_path: Path) -> None:
    paths = files(tmp_path, [(1, 0, 5, 0.9)])
    truth = json.loads(paths[0].read_text())
    truth["images"][0][key] = ids
    paths[0].write_text(json.dumps(truth))
    called = call("coco", *paths)
    assert called.exit_code == 2
    assert f"image 1 must have a list of ids as {key}" in called.stderr


def test_numbers_beyond_all_floats_are_named(tmp_path: Path) -> None:
    paths = files(tmp_path, [(1, 0, 5, 0.9)])
    results = json.loads(paths[1].read_text())
    results[0]["score"] = 10**400
    paths[1].write_text(json.dumps(results))
    called = call("coco", *paths)
    assert called.exit_code == 2
    assert "must have a number as score" in called.stderr


def test_scores_by_class_are_those_of_each_door(tmp_path: Path) -> None:
    """A result that nobody judges stands before those that are: objects keep their numbers."""
    paths = files(tmp_path, [(4, 15, 20, 0.9), (1, 0, 5, 0.8), (2, 5, 10, 0.7)])
    results = softpq.evaluate_dataset(*paths, classes="auto", keep_objects=True)
    found = {name: scores["pq"].value for name, scores in results.images[0].classes.items()}
    assert (found["cat"], found["dog"]) == (1, 1)
    assert results.confused() == {"cat": {"cat": 1}, "dog": {"dog": 1}}
    done = call("coco", *map(str, paths), "--classes")
    assert done.exit_code == 0


def test_ignore_without_iscrowd_and_objects_without_area_are_said(tmp_path: Path) -> None:
    truth, results = files(tmp_path, [(1, 0, 5, 0.8), (2, 0, 0, 0.7)])
    content = json.loads(truth.read_text())
    content["annotations"][0]["ignore"] = 1
    truth.write_text(json.dumps(content))
    notes = " ".join(softpq.average_precision(truth, results).notes)
    assert "1 annotation with an ignore that is not the iscrowd" in notes
    assert "1 object without area: here they count like any other; lvis leaves them out" in notes
