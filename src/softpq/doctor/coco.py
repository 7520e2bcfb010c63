"""What is odd in a COCO file of truth and one of results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from softpq._checks import how_many
from softpq.detection.objects import areas_of, boxes_of
from softpq.detection.precision import COCO_LIMIT, LVIS_LIMIT
from softpq.detection.run_store import some_at_a_time, stored
from softpq.errors import ReadError
from softpq.io.coco import check_results, read_results, read_truth
from softpq.io.coco_records import CocoObjects, CocoTruth

if TYPE_CHECKING:
    from numpy.typing import NDArray

Note = tuple[str, str]

BEYOND = 2.0
"""Pixels that a mask may reach beyond its box: boxes are rounded."""

APART = 0.1
"""How much a stated area may differ from that of the mask: polygons have areas of their own."""


@dataclass(frozen=True)
class _Drawn:
    """One side: its objects, and areas and boxes of their masks."""

    name: str
    objects: CocoObjects
    areas: NDArray[np.int64]
    boxes: NDArray[np.float64]


def odd_in_coco(truth_path: Path, results_path: Path) -> list[Note]:
    """Return what is odd, each with what to do; what cannot be read at all is the only thing that is said."""
    path = truth_path
    try:
        truth = read_truth(path)
        first = _drawn(path, truth.objects, truth)
        path = results_path
        results = read_results(path)
        check_results(results, truth)
        second = _drawn(path, results, truth)
    except (ReadError, OSError) as error:
        return [(f"{path.name} {error}.", "It cannot be scored as it is.")]
    found = [*_of_truth(first, truth), *_of_results(second, truth)]
    return [*found, *(note for side in (first, second) for note in _of_masks(side))]


def _drawn(path: Path, objects: CocoObjects, truth: CocoTruth) -> _Drawn:
    """Draw all masks, some at a time."""
    known = np.flatnonzero(np.isin(objects.image_ids, truth.images.ids))
    with_mask = np.array([k for k in known if objects.segmentations[k] is not None], np.int64)
    image = truth.images.places(objects.image_ids[with_mask])
    heights, widths = truth.images.heights[image], truth.images.widths[image]
    masks = stored(objects, with_mask, heights, widths)
    areas, boxes = np.full(len(objects), -1, np.int64), np.full((len(objects), 4), np.nan)
    for part in some_at_a_time(masks.weights):
        runs, mine = masks.of(np.arange(part.start, part.stop)), with_mask[part]
        areas[mine], boxes[mine] = areas_of(runs), boxes_of(runs, heights[part], down=True)
    return _Drawn(path.name, objects, areas, boxes)


def _of_truth(side: _Drawn, truth: CocoTruth) -> Iterator[Note]:
    objects = side.objects
    if (objects.ids == 0).any():
        yield (
            f"{side.name} has an annotation with id 0, which pycocotools counts as never found.",
            "Here it counts; number annotations from 1 if others compute average precision.",
        )
    for odd in objects.odd:
        yield f"{side.name}: {odd}.", "Give what should be forgiven an iscrowd of 1."
    empty = [
        name for one, name in zip(truth.classes.ids, truth.classes.names, strict=True) if one not in objects.class_ids
    ]
    if empty:
        yield (
            f"{len(empty)} of {len(truth.classes.ids)} categories have no truth: {_some(empty)}.",
            "They have no average precision, and results of them count nowhere there.",
        )


def _of_results(side: _Drawn, truth: CocoTruth) -> Iterator[Note]:
    objects = side.objects
    limit, whose = (LVIS_LIMIT, "") if truth.is_lvis else (COCO_LIMIT, " of a class")
    keys = [objects.image_ids] if truth.is_lvis else [objects.image_ids, objects.class_ids]
    groups, counts = np.unique(np.stack(keys), axis=1, return_counts=True)
    many = counts > limit
    if many.any():
        cut = int((counts[many] - limit).sum())
        images = how_many(len(np.unique(groups[0][many])), "image")
        yield (
            f"{images} with more than {limit} results{whose}; average precision leaves {cut} out.",
            f"Pass more, such as max_dets={5 * limit}, to count them.",
        )
    without = len(truth.images.ids) - len(np.unique(objects.image_ids))
    if 2 * without > len(truth.images.ids):
        yield f"{without} of {len(truth.images.ids)} images have no results.", "Are these results of all images?"


def _of_masks(side: _Drawn) -> Iterator[Note]:
    objects, area, box, stated = side.objects, side.areas, side.boxes, side.objects.boxes
    checks = (
        (area == 0, "masks are empty", "They match nothing; mostly that is an accident."),
        (area < 0, "objects have no mask", "If they have boxes, those can be scored with boxes=True."),
        (
            (area > 0) & (_beyond(box, stated) > BEYOND),
            "masks reach beyond their box",
            "Do masks and boxes belong to the same objects and the same size of image?",
        ),
        (
            (area > 0) & (np.abs(objects.areas - area) > np.maximum(APART * area, 10)),
            "objects state an area that is not that of their mask",
            "What is small, medium or large follows the stated area, as in pycocotools.",
        ),
    )
    for wrong, what, advice in checks:
        if wrong.any():
            first = objects.named(int(np.argmax(wrong)))
            yield f"{side.name}: {int(wrong.sum())} of {len(objects)} {what}; the first is {first}.", advice


def _beyond(box: NDArray[np.float64], stated: NDArray[np.float64]) -> NDArray[np.float64]:
    """How many pixels a mask reaches beyond its box; 0 where it has none."""
    sides = [stated[:, :2] - box[:, :2], (box[:, :2] + box[:, 2:]) - (stated[:, :2] + stated[:, 2:])]
    found: NDArray[np.float64] = np.nan_to_num(np.concatenate(sides, axis=1), nan=0.0).max(axis=1, initial=0.0)
    return found


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
