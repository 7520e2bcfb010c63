"""Average precision of made-up scenes, side by side with pycocotools."""

from __future__ import annotations

import contextlib
import io
import math
from pathlib import Path
from typing import Any

import pytest
from coco_scenes import scene, written

import softpq

NAMES = ("AP", "AP50", "AP75", "APs", "APm", "APl", "AR1", "AR10", "AR100", "ARs", "ARm", "ARl")

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # inside of pycocotools


def of_pycocotools(truth: Path, results: list[dict], kind: str = "segm", **parameters: Any) -> list[float]:
    coco, cocoeval = (pytest.importorskip(f"pycocotools.{name}") for name in ("coco", "cocoeval"))
    with contextlib.redirect_stdout(io.StringIO()):
        loaded = coco.COCO(str(truth))
        found = cocoeval.COCOeval(loaded, loaded.loadRes(results), kind)
        for name, value in parameters.items():
            setattr(found.params, name, value)
        found.evaluate(), found.accumulate(), found.summarize()
    precision = found.eval["precision"][:, :, :, 0, -1]  # what is printed is -1 where maxDets does not end with 100
    overall = precision[precision > -1].mean() if (precision > -1).any() else -1
    return [math.nan if value == -1 else float(value) for value in (overall, *found.stats[1:])]


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize(
    ("parameters", "options"),
    [
        ({}, {}),
        ({"maxDets": [1, 10, 1000]}, {"max_dets": 1000}),
        ({"useCats": 0}, {"class_agnostic": True}),
        ({"maxDets": [1, 2, 2]}, {"max_dets": 2}),
        ({"areaRng": [[0, 1e10], [0, 60], [60, 200], [200, 1e10]]}, {"areas": (60, 200)}),
    ],
)
def test_masks_score_as_in_pycocotools(seed: int, parameters: dict, options: dict, tmp_path: Path) -> None:
    truth, results = scene(seed)
    paths = written(tmp_path, truth, results)
    if not results:
        return
    expected = of_pycocotools(paths[0], results, **parameters)
    found = softpq.average_precision(*paths, **options)
    skipped = {"AR10"} if options.get("max_dets") == 2 else set()
    for name, value in zip(NAMES, expected, strict=True):
        assert name in skipped or found[name] == pytest.approx(value, abs=1e-12, nan_ok=True), name


@pytest.mark.parametrize("seed", range(25))
def test_boxes_score_as_in_pycocotools(seed: int, tmp_path: Path) -> None:
    truth, results = scene(seed, most=12)
    paths = written(tmp_path, truth, results)
    expected = of_pycocotools(paths[0], results, "bbox")
    found = softpq.average_precision(*paths, boxes=True)
    assert [found[name] for name in NAMES] == pytest.approx(expected, abs=1e-12, nan_ok=True)
