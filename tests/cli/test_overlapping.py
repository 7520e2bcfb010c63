"""Objects that overlap, on the terminal."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from coco_scenes import rle, written
from commands import call
from overlapping_pages import crossing

from softpq import evaluate_dataset
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


def test_coco_files_make_a_report_of_what_overlaps(tmp_path: Path) -> None:
    truth, models = crossing(2)
    codes = {"egg": 1, "worm": 2}
    annotations, results = [], []
    for k, (name, masks) in enumerate(truth.items()):
        for one, kind in zip(masks.to_stack(), masks.classes, strict=True):
            entry = {"image_id": k + 1, "category_id": codes[str(kind)], "segmentation": rle(one)}
            annotations.append({**entry, "id": len(annotations) + 1, "iscrowd": 0})
        pred = models["hasty"][name]
        for one, kind, score in zip(pred.to_stack(), pred.classes, pred.scores, strict=True):
            results.append({"image_id": k + 1, "category_id": codes[str(kind)], "segmentation": rle(one),
                            "score": float(score)})  # fmt: skip
    images = [{"id": k + 1, "height": 96, "width": 110, "file_name": f"{name}.png"} for k, name in enumerate(truth)]
    categories = [{"id": code, "name": kind} for kind, code in codes.items()]
    whole = {"images": images, "annotations": annotations, "categories": categories}
    (tmp_path / "truth.json").write_text(json.dumps(whole))
    (tmp_path / "results.json").write_text(json.dumps(results))
    done = call("evaluate", tmp_path / "truth.json", tmp_path / "results.json", "--html", tmp_path / "r.html")
    assert done.exit_code == 0, done.output
    head = json.loads(re.search(r'id="head-data">(.*?)</script>', (tmp_path / "r.html").read_text())[1])
    assert head["overlap"]
    assert head["classNames"] == ["egg", "worm"]
    python = evaluate_dataset(truth, models["hasty"]).pooled()["softpq"]
    assert head["summary"]["results"]["softpq"]["pooled"][0] == pytest.approx(python, abs=1e-6)
    assert len(head["pictures"]) == 2
    assert {stored["dtype"] for stored in head["pictures"][0]["preds"].values()} == {"runs"}
