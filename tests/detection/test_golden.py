"""Average precision of real files, by pycocotools 2.0.11, lvis 0.5.3 and boundary-iou-api."""

from __future__ import annotations

import math

import pytest
from reference import SHARED, shared_json

import softpq
from softpq.detection.precision import AveragePrecision

FOLDER = SHARED / "data" / "overlapping"
GOLDEN = (shared_json("data/overlapping/golden.json") or {"sets": {}})["sets"]
SETTINGS = {
    "segm": {},
    "segm maxDets 1,10,1000": {"max_dets": 1000},
    "segm class-agnostic maxDets 1,10,1000": {"max_dets": 1000, "class_agnostic": True},
    "segm maxDets 1,10,1000 [faster-coco-eval]": {"max_dets": 1000},
    "bbox": {"boxes": True},
    "boundary [boundary-iou-api, 0.02]": {"boundary": 0.02},
}
CASES = [
    (name, setting)
    for name, values in GOLDEN.items()
    for setting in SETTINGS
    if setting in values.get("coco", {}) and name != "lvis"
]

pytestmark = pytest.mark.skipif(not GOLDEN, reason="needs the shared reference data")


def scored(name: str, **options: object) -> AveragePrecision:
    return softpq.average_precision(FOLDER / name / "truth.json", FOLDER / name / "results.json", **options)


@pytest.mark.parametrize(("name", "setting"), CASES)
def test_values_are_those_of_the_published_tools(name: str, setting: str) -> None:
    found = scored(name, **SETTINGS[setting])
    for key, expected in GOLDEN[name]["coco"][setting].items():
        value = -1 if math.isnan(found[key]) else found[key]
        assert value == pytest.approx(expected, abs=1e-12), key


@pytest.mark.parametrize("name", [name for name in GOLDEN if "coco" in GOLDEN[name] and name != "lvis"])
def test_classes_have_values_of_their_own(name: str) -> None:
    found = list(scored(name)["classes"].values())
    expected = list(GOLDEN[name]["coco"]["segm per class [AP, AP50]"].values())
    assert [[one["AP"], one["AP50"]] for one in found] == [pytest.approx(one, abs=1e-12) for one in expected]


def test_lvis_is_scored_by_its_own_rules() -> None:
    found = scored("lvis")
    for key, expected in GOLDEN["lvis"]["lvis segm [lvis 0.5.3]"].items():
        name = "AR300" if key == "AR@300" else key.removesuffix("@300")
        assert found[name] == pytest.approx(expected, abs=1e-12), key


def test_where_numbers_differ_from_pycocotools_the_result_says_so() -> None:
    notes = " ".join(scored("scratches")["notes"])
    assert "id 0" in notes
    assert "bbox" in notes
