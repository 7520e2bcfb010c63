"""COCO results: a JSON list of masks with scores; images are known by their ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from softpq.errors import ReadError
from softpq.io.coco import read_results
from softpq.io.coco_records import CocoObjects
from softpq.io.format import Content, Format, Place
from softpq.io.formats.coco import masks_of
from softpq.io.json_keys import holds, opening
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
        sizes = [
            mask["size"] for k in self.at if isinstance(mask := self.objects.segmentations[k], dict) and "size" in mask
        ]
        try:
            return (int(sizes[0][0]), int(sizes[0][1])) if sizes else None
        except (TypeError, ValueError, IndexError) as error:
            raise ReadError(f"{self.objects.named(int(self.at[0]))} must have a size of two numbers") from error

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
    """Whether a JSON file is a list of results, or an empty list."""
    return opening(path) == "[" and (holds(path, "image_id", "score") or path.stat().st_size < 16)


def image_ids(objects: CocoObjects) -> list[int]:
    """Images that have results, ascending."""
    found: list[int] = np.unique(objects.image_ids).tolist()
    return found


def names(place: Place) -> list[str]:
    """List the images by their ids; without results there is one that has none."""
    return [str(one) for one in image_ids(read_results(place.path))] or [place.stem]


def results_of(objects: CocoObjects, image_id: int, kinds: Mapping[int, str] | None = None) -> ResultsOfImage:
    """Return the results of one image."""
    return ResultsOfImage(objects, objects.rows_of(image_id), kinds)


def read(place: Place) -> Content:
    """Read the results of one image."""
    objects = read_results(place.path)
    found = image_ids(objects)
    return Content(results_of(objects, found[place.index] if found else 0), stated=True)


FORMAT = Format("COCO results", (".json",), read, claims=is_results, names=names, in_folders=False)
