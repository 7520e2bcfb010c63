"""Files of the natural-image world: real ones agree with golden tables and with other exports of the same objects."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from reference import SHARED, read_shared_labels, shared_json

from softpq import Masks, Overlap
from softpq.io import images_in
from softpq.io.coco import read_truth
from softpq.io.pairing import pair_up
from softpq.io.sources import open_source

FOLDER = SHARED / "data" / "overlapping"
GOLDEN = (shared_json("data/overlapping/golden.json") or {"sets": {}})["sets"]

pytestmark = pytest.mark.skipif(not GOLDEN, reason="needs the shared reference data")


def drawn(content: Any, shape: tuple[int, int] | None = None) -> Masks:
    return content.labels if isinstance(content.labels, Masks) else content.labels.masks(shape)


def union(masks: Masks) -> np.ndarray:
    """Pixels under any mask, flat."""
    steps = np.zeros(int(np.prod(masks.shape)) + 1, np.int32)
    np.add.at(steps, masks.starts, 1)
    np.add.at(steps, masks.stops, -1)
    return np.cumsum(steps[:-1]) > 0


def check_table(truth: Masks, pred: Masks, expected: dict[str, Any]) -> None:
    """Areas, shared and covered pixels; positions are those of the files."""
    assert truth.areas.tolist() == expected["truth_areas"]
    assert pred.areas.tolist() == expected["pred_areas"]
    plain = [masks.with_(ids=None, crowd=None, classes=None) for masks in (truth, pred)]
    table = Overlap.from_masks(*plain)
    pairs = zip(
        table.truth_ids[table.pair_truth] - 1, table.pred_ids[table.pair_pred] - 1, table.pair_pixels, strict=True
    )
    assert sorted([int(v) for v in pair] for pair in pairs) == sorted(expected["pairs"])
    covered = [union(masks) for masks in (truth, pred)]
    assert [int(side.sum()) for side in covered] == [expected["truth_union"], expected["pred_union"]]
    assert int((covered[0] & covered[1]).sum()) == expected["both"]


@pytest.mark.parametrize("name", [name for name in GOLDEN if name != "sav"])
def test_coco_files_give_the_masks_of_pycocotools(name: str) -> None:
    truth, pred = (open_source(FOLDER / name / f"{side}.json") for side in ("truth", "results"))
    ids = dict(zip(truth, read_truth(FOLDER / name / "truth.json").images.ids, strict=True))
    pairs = pair_up(truth, pred).pairs
    assert len(pairs) >= len(GOLDEN[name]["tables"]) > 0
    for pair in pairs:
        if str(ids[pair.name]) in GOLDEN[name]["tables"]:
            sides = [drawn(side.read()) for side in (pair.truth, pair.pred)]
            check_table(*sides, GOLDEN[name]["tables"][str(ids[pair.name])])
            assert len(sides[1]) == 0 or sides[1].scores is not None


def test_frames_of_sav_give_the_masks_of_pycocotools() -> None:
    truth, pred = (images_in(FOLDER / "sav" / f"{side}.json") for side in ("manual", "auto"))
    tables = GOLDEN["sav"]["tables"]
    assert len(truth) == len(pred) == 121
    for number in list(tables)[:: 1 + len(tables) // 20]:
        expected = tables[number]
        sides = [drawn(side[int(number)].read()) for side in (truth, pred)]
        check_table(*sides, expected)


def iou(one: np.ndarray, other: np.ndarray) -> float:
    return float((one & other).sum() / (one | other).sum())


@pytest.mark.parametrize("photo", ["2011_000003", "2011_000006", "2011_000025"])
def test_labelme_agrees_with_its_own_exports(photo: str) -> None:
    masks = drawn(images_in(FOLDER / "labelme" / f"{photo}.json")[0].read())
    exported = images_in(FOLDER / "labelme" / "coco_annotations.json")
    of_coco = drawn(next(image for image in exported if image.name == photo).read())
    assert sorted(masks.classes.tolist()) == sorted(of_coco.classes.tolist())
    objects = read_shared_labels(f"overlapping/labelme/{photo}_SegmentationObject.png")
    for mask, name in zip(masks.to_stack(), masks.classes, strict=True):
        others = [other for other, kind in zip(of_coco.to_stack(), of_coco.classes, strict=True) if kind == name]
        assert max(iou(mask, other) for other in others) >= 0.99
        numbers = [number for number in np.unique(objects) if number not in (0, 255)]
        assert max(iou(mask, objects == number) for number in numbers) >= 0.9


def test_every_shape_of_labelme_is_read_or_counted() -> None:
    found = images_in(FOLDER / "labelme" / "primitives.json")[0].read()
    masks = drawn(found)
    assert masks.classes.tolist() == ["rectangle", "circle", "rectangle", "polygon", "octagon"]
    assert masks.areas[0] == 100 * 100
    assert masks.areas[1] == pytest.approx(np.pi * (30**2 + 41**2), rel=0.01)
    assert found.notes == ("3 lines and points are left out",)


def test_what_labelme_ignores_is_void() -> None:
    found = images_in(FOLDER / "labelme" / "2011_000003.json")[0].read()
    assert found.void.sum() > 100
    assert "__ignore__" not in drawn(found).classes


def test_via_and_coco_have_the_same_outlines() -> None:
    via = images_in(FOLDER / "balloons" / "via_region_data.json")
    of_coco = {image.name: image for image in images_in(FOLDER / "balloons" / "truth.json")}
    truth = json.loads((FOLDER / "balloons" / "truth.json").read_text())
    outlines = [ring for one in truth["annotations"] for ring in one["segmentation"]]
    rings = [part for image in via for one in image.read().labels.objects for part in one.parts]
    assert len(rings) == len(outlines) == 50
    known = {tuple(np.round(np.array(ring), 6)) for ring in outlines}
    assert {tuple(np.round(ring.ravel(), 6)) for ring in rings} == known
    ious = []
    for image in via:
        other = drawn(of_coco[image.name].read())
        mine = image.read().labels.masks(other.shape)
        both = Overlap.from_masks(mine, other.with_(ids=None))
        ious += [iou for a, b, iou in zip(both.pair_truth, both.pair_pred, both.pair_iou, strict=True) if a == b]
    assert len(ious) == 50
    assert min(ious) == pytest.approx(0.92, abs=5e-3)  # two rules of drawing
    assert np.median(ious) == pytest.approx(0.997, abs=5e-4)


def test_cityscapes_has_objects_groups_and_void() -> None:
    name = "frankfurt_000000_000294_gtFine"
    masks = drawn(images_in(FOLDER / "cityscapes" / f"{name}_instanceIds.png")[0].read())
    labels = read_shared_labels(f"overlapping/cityscapes/{name}_instanceIds.png")
    kinds = read_shared_labels(f"overlapping/cityscapes/{name}_labelIds.png")
    assert (masks.ids >= 1000).sum() == len([v for v in np.unique(labels) if v >= 1000 and v // 1000 not in (29, 30)])
    cars = masks.select(masks.classes == "car")
    assert cars.to_stack().any(axis=0).sum() == (kinds == 26).sum()
    assert not masks.crowd[masks.ids >= 1000].any()
    assert not set(masks.ids.tolist()) & {0, 1, 2, 3, 4, 5, 6}


def test_panoptic_files_are_read_image_by_image() -> None:
    images = images_in(FOLDER / "panoptic_scenes" / "void_and_one_crowd" / "truth.json")
    found = images[0].read()
    assert drawn(found).crowd.any() or len(images) > 1
    assert set(drawn(found).classes) <= {"cell", "worm", "grain", "ground", "water"}
