"""Masks from what COCO writes: run-lengths and polygons, in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from coco_masks import POLYGONS, as_text, counted

from softpq import Masks
from softpq.table.segmentations import WrongMask, runs_of

SCENE = np.array([[0, 1, 1], [1, 1, 0]], bool)


@pytest.mark.parametrize("counts", [counted(SCENE).tolist(), as_text(counted(SCENE)), as_text(counted(SCENE)).decode()])
def test_text_bytes_and_numbers_are_one_mask(counts: Any) -> None:
    masks = Masks.from_rle([{"size": [2, 3], "counts": counts}], scores=[0.5])
    assert np.array_equal(masks.to_stack()[0], SCENE)
    assert masks.scores is not None


def test_no_masks_need_a_shape() -> None:
    assert len(Masks.from_rle([], shape=(4, 5))) == 0
    with pytest.raises(ValueError, match="shape must be given"):
        Masks.from_rle([])


@pytest.mark.parametrize("case", POLYGONS[:9], ids=lambda case: case["what"])
def test_polygons_and_run_lengths_of_one_mask_are_equal(case: dict) -> None:
    rle = {"size": case["size"], "counts": case["counts"]}
    drawn = Masks.from_polygons([case["rings"]], case["size"], polygons="coco")
    assert drawn == Masks.from_rle([rle])
    height, width = (np.full(3, side) for side in case["size"])
    offsets, starts, _ = runs_of([rle, case["rings"], rle], height, width)
    assert len(set(np.diff(offsets).tolist())) == 1
    assert starts.tolist() == drawn.transposed().starts.tolist() * 3


@pytest.mark.parametrize(
    ("mask", "reason"),
    [
        ({"size": [2, 3], "counts": [1, 2]}, "sum to less"),
        ({"size": [3, 2], "counts": [6]}, "must have the size of its image, 2 x 3"),
        ({"counts": [6]}, "must have the size of its image"),
        ({"size": [2, 3], "counts": ["6"]}, "not whole numbers"),
        ({"size": [2, 3], "counts": [1.5, 4.5]}, "not whole numbers"),
        ({"size": [2, 3], "counts": [float("nan")]}, "not whole numbers"),
        ({"size": [2, 3], "counts": [10**30]}, "not whole numbers"),
        ({"size": [2, 3], "counts": "06é"}, "outside of the code"),
        ([[1, 1, 2, 2]], "fewer than three corners: 2"),
        ([[1, 1, 2, 2, 3]], "an x without a y"),
        ([["1", "1", "2", "2", "3", "3"]], "not numbers"),
        ([[1, 1, 2, 2, float("inf"), 3]], "not a number, or too far away"),
        (7, "it is neither"),
        ({"size": [2, 3]}, "it is neither"),
    ],
)
def test_what_is_no_mask_is_named_with_its_reason(mask: Any, reason: str) -> None:
    with pytest.raises(WrongMask, match=reason) as error:
        runs_of([{"size": [2, 3], "counts": [6]}, mask], np.array([2, 2]), np.array([3, 3]))
    assert error.value.position == 1


def test_a_claim_of_many_pixels_is_refused_before_anything_is_done() -> None:
    with pytest.raises(WrongMask, match="at most"):
        Masks.from_rle([{"size": [10**6, 10**6], "counts": [10**12]}])


def test_a_million_corners_are_drawn() -> None:
    angle = np.linspace(0, 2 * np.pi, 1_000_000)
    ring = np.stack([50 + 40 * np.cos(angle), 50 + 40 * np.sin(angle)], axis=1).ravel()
    assert abs(int(Masks.from_polygons([[ring]], (100, 100), polygons="coco").areas[0]) - np.pi * 1600) < 30
