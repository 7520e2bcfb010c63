"""JSON files with something strange somewhere: they are read, or refused in one line; nothing else happens."""

from __future__ import annotations

import copy
import json
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from coco_scenes import disc, rle, scene

import softpq
from softpq.doctor import examine
from softpq.io import images_in
from softpq.table.masks import Masks

SEED, FILES = int(os.environ.get("SOFTPQ_FUZZ_SEED", "0")), int(os.environ.get("SOFTPQ_FUZZ_FILES", "120"))
STRANGE: list[Any] = [
    None, True, False, 0, 1, -1, 3, 2.5, 1e308, float("nan"), float("inf"), 10**30, "", "5", "é", [], {}, [[]], [None],
    [[1, 2, 3]], {"size": [3, 3]}, {"counts": "1", "size": None}, {"id": 1}, [1, "a"],
    {"size": [2**40, 2**40], "counts": [1]},
]  # fmt: skip
MASK = disc(12, 15, 6, 7, 4)
LABELME = {
    "imageHeight": 12, "imageWidth": 15,
    "shapes": [
        {"label": "a", "points": [[1, 1], [9, 1], [9, 9]], "shape_type": "polygon", "group_id": None},
        {"label": "b", "points": [[1, 1], [9, 9]], "shape_type": "rectangle", "group_id": 2},
        {"label": "__ignore__", "points": [[5, 5], [7, 7]], "shape_type": "circle", "group_id": None},
    ],
}  # fmt: skip
VIA = {
    "a": {
        "filename": "a.jpg",
        "regions": [
            {
                "shape_attributes": {"name": "polygon", "all_points_x": [1, 5, 5], "all_points_y": [1, 1, 9]},
                "region_attributes": {"name": "x"},
            },
            {"shape_attributes": {"name": "ellipse", "cx": 5, "cy": 5, "rx": 2, "ry": 3, "theta": 1}},
        ],
    },
}  # fmt: skip
SAV = {"masklet": [[rle(MASK), rle(~MASK)]], "video_height": 12, "video_width": 15}
SA1B = {
    "image": {"height": 12, "width": 15},
    "annotations": [{"segmentation": rle(MASK), "predicted_iou": 0.5}],
}


def places(value: Any, path: tuple = ()) -> list[tuple]:
    """Where something stands in nested lists and objects."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, one in inside for place in places(one, (*path, key)))]


def changed(value: Any, random: np.random.Generator) -> Any:
    """The same with something strange in one to three places, or something missing."""
    value = copy.deepcopy(value)
    for _ in range(int(random.integers(1, 4))):
        all_places = [place for place in places(value) if place]
        *way, last = all_places[int(random.integers(len(all_places)))]
        holder = value
        for key in way:
            holder = holder[key]
        if random.random() < 0.2:
            del holder[last]
        else:
            holder[last] = copy.deepcopy(STRANGE[int(random.integers(len(STRANGE)))])
        if not value:
            break
    return value


def check(error: softpq.ReadError) -> None:
    """It must be one line."""
    assert "\n" not in str(error)
    assert len(str(error)) < 500


def read_all(path: Path) -> None:
    for image in images_in(path):
        labels = image.read().labels
        if not isinstance(labels, Masks | np.ndarray):
            labels.masks(labels.extent() or (12, 15))


@pytest.mark.parametrize("kind", ["labelme", "via", "sav", "sa1b", "truth", "results"])
def test_strange_files_are_read_or_refused(kind: str, tmp_path: Path) -> None:
    random = np.random.default_rng([SEED, 5])
    truth, results = scene(SEED + 1, images=2)
    whole = {"labelme": LABELME, "via": VIA, "sav": SAV, "sa1b": SA1B, "truth": truth, "results": results}[kind]
    path = tmp_path / "a.json"
    for _ in range(FILES):
        path.write_text(json.dumps(changed(whole, random)))
        try:
            read_all(path)
        except softpq.ReadError as error:
            check(error)
        os.utime(path, ns=(0, int(random.integers(2**60))))  # readers remember files that do not change


def test_strange_pairs_are_scored_or_refused(tmp_path: Path) -> None:
    random = np.random.default_rng([SEED, 6])
    truth, results = scene(SEED + 2, images=2)
    paths = tmp_path / "truth.json", tmp_path / "results.json"
    for number in range(FILES):
        sides = [truth, results]
        sides[number % 2] = changed(sides[number % 2], random)
        for path, content in zip(paths, sides, strict=True):
            path.write_text(json.dumps(content))
            os.utime(path, ns=(0, int(random.integers(2**60))))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for work in (softpq.average_precision, examine):
                try:
                    work(*paths)
                    if work is softpq.average_precision:
                        work(*paths, boxes=True)
                except softpq.ReadError as error:
                    check(error)
