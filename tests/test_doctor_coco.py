"""What the doctor says of COCO files."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from coco_scenes import rle, written
from commands import call

MASK = np.zeros((12, 16), bool)
MASK[2:8, 4:12] = True
TRUTH: dict[str, Any] = {
    "images": [{"id": 5, "height": 12, "width": 16}],
    "categories": [{"id": 1, "name": "worm"}],
    "annotations": [
        {"id": 1, "image_id": 5, "category_id": 1, "segmentation": rle(MASK), "area": 48, "bbox": [4, 2, 8, 6]}
    ],
}
RESULTS: list[dict[str, Any]] = [{"image_id": 5, "category_id": 1, "segmentation": rle(MASK), "score": 0.9}]


def said(folder: Path, truth: Any, results: Any) -> str:
    called = call("doctor", *written(folder, truth, results))
    assert called.exit_code in (0, 1), called.output
    return " ".join(called.output.split())


def test_nothing_is_odd_in_a_good_pair(tmp_path: Path) -> None:
    assert said(tmp_path, TRUTH, RESULTS).startswith("Nothing seems wrong.")


EMPTY = rle(np.zeros_like(MASK))
ODD: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "id 0": (lambda t, r: t["annotations"][0].update(id=0), "an annotation with id 0"),
    "repeated": (lambda t, r: t["annotations"].append(t["annotations"][0]), "annotation ids must differ"),
    "many": (lambda t, r: r.extend(r * 150), "1 image with more than 100 results of a class; average"),
    "empty": (lambda t, r: r[0].update(segmentation=EMPTY), "results.json: 1 of 1 masks are empty"),
    "box": (lambda t, r: t["annotations"][0].update(bbox=[0, 0, 5, 5]), "1 of 1 masks reach beyond their box"),
    "area": (lambda t, r: t["annotations"][0].update(area=480), "state an area that is not that of their mask"),
    "ignore": (lambda t, r: t["annotations"][0].update(ignore=1, iscrowd=0), "an ignore that is not the iscrowd"),
    "category": (lambda t, r: t["categories"].append({"id": 2, "name": "egg"}), "1 of 2 categories have no truth: egg"),
    "unknown": (lambda t, r: r.append({**r[0], "image_id": 6}), "is of image 6, which the truth does not have"),
    "no mask": (lambda t, r: t["annotations"][0].update(segmentation=[]), "have no mask"),
}  # fmt: skip


@pytest.mark.parametrize("what", ODD)
def test_what_is_odd_is_said(what: str, tmp_path: Path) -> None:
    change, message = ODD[what]
    truth, results = copy.deepcopy(TRUTH), copy.deepcopy(RESULTS)
    change(truth, results)
    assert message in said(tmp_path, truth, results)
