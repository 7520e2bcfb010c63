"""Objects that overlap, on the terminal."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from coco_scenes import rle, written
from commands import call

from softpq.cli.ranking import _BRING
from softpq.explain.layered_repairs import OVERLAPPING_REPAIRS
from softpq.explain.repairs import REPAIRS


def test_every_repair_has_a_name_in_a_sentence() -> None:
    assert {*REPAIRS, *OVERLAPPING_REPAIRS} <= set(_BRING)


def test_copies_are_counted_and_what_removing_them_brings_is_said(tmp_path: Path) -> None:
    images, annotations, results = [], [], []
    for image in (1, 2):
        images.append({"id": image, "height": 20, "width": 20})
        mask = np.zeros((20, 20), bool)
        mask[image : image + 9, 3:12] = True
        own = {"image_id": image, "category_id": 1, "segmentation": rle(mask)}
        annotations.append({**own, "id": image, "iscrowd": 0, "area": 81, "bbox": [3, image, 9, 9]})
        results += [{**own, "score": 0.9 - 0.1 * copy} for copy in range(4)]
    truth = {"images": images, "categories": [{"id": 1, "name": "worm"}], "annotations": annotations}
    done = call("evaluate", *written(tmp_path, truth, results))
    text = " ".join(done.stdout.split())
    assert done.exit_code == 0, done.output
    assert "2 of 2 objects matched, 6 duplicates; removing duplicates would bring +.600" in text
    assert "and 1 more: pred: 81 pixels have several objects." in text
