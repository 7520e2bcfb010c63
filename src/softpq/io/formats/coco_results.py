"""COCO results: a JSON list of masks with scores; images are known by their ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.coco import read_results
from softpq.io.coco_records import CocoObjects
from softpq.io.format import Content, Format, Place
from softpq.io.formats.coco import masks_of
from softpq.io.ids import ids_in_order, shown_id
from softpq.io.json_keys import holds, is_empty_list, opening
from softpq.table.masks import Masks

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class ResultsOfImage:
    """The results of one image; ``names`` of categories are known to the truth."""

    objects: CocoObjects
    at: NDArray[np.int64]
    names: Mapping[int, str] | None = None

    def extent(self) -> tuple[int, ...] | None:
        """The size that run-lengths state; polygons do not."""
        for k in self.at.tolist():
            mask = self.objects.segmentations[k]
            if isinstance(mask, dict):
                return self._size(mask.get("size"), k)
        return None

    def _size(self, size: Any, k: int) -> tuple[int, int]:
        good = (
            isinstance(size, list) and len(size) == 2 and all(type(side) is int and 0 < side < 2**31 for side in size)
        )
        if not good:
            raise ReadError(f"{self.objects.named(k)} must have two whole numbers as size; got {str(size)[:40]}")
        return size[0], size[1]

    def masks(self, shape: tuple[int, ...]) -> Masks:
        """Draw them."""
        if len(shape) != 2:
            raise ReadError(f"holds masks on a plane; the other side has shape {tuple(shape)}")
        kinds = self.objects.class_ids[self.at].tolist()
        names = self.names or {}
        found = masks_of(self.objects, self.at, (int(shape[0]), int(shape[1])))
        return found.with_(
            scores=self.objects.scores[self.at], classes=np.array([names.get(one, str(one)) for one in kinds], str)
        )


def is_results(path: Path) -> bool:
    """Whether a JSON file is a list of results, by itself or as the annotations of an object, or an empty list."""
    if opening(path) == "{":
        return holds(path, "annotations", "image_id", "score") and not holds(path, "images")
    return opening(path) == "[" and (holds(path, "image_id", "category_id") or is_empty_list(path))


def image_ids(objects: CocoObjects) -> list[int]:
    """Images that have results, ascending."""
    return ids_in_order(set(objects.image_ids.tolist()))


def names(place: Place) -> list[str]:
    """List the images by their ids; without results there is one that has none."""
    return [str(shown_id(one)) for one in image_ids(read_results(place.path))] or [place.stem]


def results_of(objects: CocoObjects, image_id: int, kinds: Mapping[int, str] | None = None) -> ResultsOfImage:
    """Return the results of one image."""
    return ResultsOfImage(objects, objects.rows_of(image_id), kinds)


def read(place: Place) -> Content:
    """Read the results of one image."""
    objects = read_results(place.path)
    found = image_ids(objects)
    return Content(results_of(objects, found[place.index] if found else 0), stated=True)


FORMAT = Format("COCO results", (".json",), read, claims=is_results, names=names, in_folders=False)
