"""COCO and LVIS truth: one JSON file for all images."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.coco import read_truth
from softpq.io.coco_records import CocoObjects, CocoTruth
from softpq.io.format import Content, Format, Place
from softpq.io.json_keys import holds, opening
from softpq.table.masks import Masks
from softpq.table.segmentations import WrongMask, runs_of
from softpq.table.told import Told

if TYPE_CHECKING:
    from numpy.typing import NDArray


def is_truth(path: Path) -> bool:
    """Whether a JSON file has images and annotations."""
    return opening(path) == "{" and holds(path, "images", "annotations")


def names(place: Place) -> list[str]:
    """List the images by the names of their files, or by their ids."""
    return read_truth(place.path).images.shown


def read(place: Place) -> Content:
    """Read the masks of one image."""
    truth = read_truth(place.path)
    shape = (int(truth.images.heights[place.index]), int(truth.images.widths[place.index]))
    at = truth.objects.rows_of(truth.images.ids[place.index])
    masks = masks_of(truth.objects, at, shape)
    numbers = truth.objects.ids[at]
    kinds, scores = classes_of(truth), truth.objects.scores
    return Content(
        masks.with_(
            scores=scores[at] if len(scores) and not np.isnan(scores).any() else None,
            crowd=truth.objects.crowd[at],
            ids=numbers if (numbers > 0).all() else None,  # 0 is background in tables
            classes=np.array([kinds[one] for one in truth.objects.class_ids[at].tolist()], str),
        ),
        stated=True,
        told=_told(truth, place.index, kinds) if truth.is_lvis else None,
    )


def _told(truth: CocoTruth, index: int, kinds: Mapping[int, str]) -> Told:
    """Which classes were looked for on an image, and which are not told in full."""
    listed = truth.images.absent[index], truth.images.unfinished[index]
    return Told(*(frozenset(kinds[one] for one in some if one in kinds) for some in listed))


def masks_of(objects: CocoObjects, at: NDArray[np.int64], shape: tuple[int, int]) -> Masks:
    """Return the masks of some annotations or results, drawn by COCO's rule.

    Raises
    ------
    ReadError
        Which names the first that cannot be used.
    """
    objects.check_masks(at)
    found: list[Any] = [objects.segmentations[k] for k in at]
    sides = (np.full(len(at), side, np.int64) for side in shape)
    try:
        return Masks(shape[::-1], *runs_of(found, *sides)).transposed()  # they go down the columns
    except WrongMask as error:
        raise ReadError(f"{objects.named(int(at[error.position]))} {error.reason}") from error


def classes_of(truth: CocoTruth) -> dict[int, str]:
    """Category id -> name."""
    return dict(zip(truth.classes.ids, truth.classes.names, strict=True))


FORMAT = Format("COCO", (".json",), read, claims=is_truth, names=names, in_folders=False)
