"""Items of COCO's files, checked one by one as they come; errors name them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.coco_records import CocoClasses, CocoImages, CocoObjects
from softpq.io.format import printable
from softpq.io.json_fields import number_of, whole

FARTHEST = 1e9
"""Pixels from the origin that a box may lie away, and be large."""


class ImageRows:
    """Images, as they come."""

    def __init__(self) -> None:
        self.rows: dict[int, tuple[str, int, int]] = {}
        self.absent: list[frozenset[int]] = []
        self.unfinished: list[frozenset[int]] = []

    def add(self, item: Any) -> None:
        """Take one; raise if it is wrong."""
        number = _id_of(item, len(self.rows), "image", self.rows)
        name = item.get("file_name") or item.get("coco_url") or ""
        height, width = (whole(item, key, f"image {number}", least=1) for key in ("height", "width"))
        self.rows[number] = (printable(str(name)), height, width)
        if "neg_category_ids" in item:
            self.absent.append(_ids_in(item, "neg_category_ids", number))
            self.unfinished.append(_ids_in(item, "not_exhaustive_category_ids", number))

    def finished(self) -> CocoImages:
        """Return all of them."""
        if self.absent and len(self.absent) != len(self.rows):
            raise ReadError("must have neg_category_ids for all of its images or for none; some lack them")
        order = sorted(range(len(self.rows)), key=list(self.rows).__getitem__)
        rows = list(self.rows.items())
        names = [rows[k][1][0] for k in order]
        heights, widths = (np.array([rows[k][1][axis] for k in order], np.int64) for axis in (1, 2))
        absent, unfinished = ([found[k] for k in order] if found else [] for found in (self.absent, self.unfinished))
        return CocoImages([rows[k][0] for k in order], names, heights, widths, absent, unfinished)


def _ids_in(item: dict[str, Any], key: str, image: int) -> frozenset[int]:
    found = item.get(key, [])
    if not isinstance(found, list) or not all(type(one) is int for one in found):
        raise ReadError(f"image {image} must have a list of ids as {key}; got {printable(repr(found)[:40])}")
    return frozenset(found)


class ClassRows:
    """Categories, as they come."""

    def __init__(self) -> None:
        self.rows: dict[int, tuple[str, str]] = {}

    def add(self, item: Any) -> None:
        """Take one; raise if it is wrong."""
        number = _id_of(item, len(self.rows), "category", self.rows)
        self.rows[number] = (printable(str(item.get("name", number))), str(item.get("frequency", "")))

    def finished(self) -> CocoClasses:
        """Return all of them."""
        ids = sorted(self.rows)
        names = [self.rows[one][0] for one in ids]
        if len(set(names)) != len(names):  # two categories may have one name, and are two
            names = [f"{name} ({one})" if names.count(name) > 1 else name for name, one in zip(names, ids, strict=True)]
        return CocoClasses(ids, names, [self.rows[one][1] for one in ids])


class Rows:
    """Annotations or results, as they come."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.ids: list[int] = []
        self.seen: set[int] = set()
        self.numbers: list[tuple[int, int, float, bool, float]] = []
        self.boxes: list[Sequence[float]] = []
        self.segmentations: list[Any] = []
        self.with_ignore = 0

    def add(self, item: Any) -> None:
        """Take one; raise if it is wrong."""
        name = f"{self.what} {len(self.numbers)}"
        if self.what == "annotation":
            number = _id_of(item, len(self.ids), self.what, self.seen)
            self.ids.append(number)
            self.seen.add(number)
            name = f"annotation {number}"
        image, category = (whole(item, key, name) for key in ("image_id", "category_id"))
        name = f"{name} (image {image})"
        score = number_of(item, "score", name) if self.what == "result" else math.nan
        crowd = item.get("iscrowd", 0)
        if crowd not in (0, 1):
            raise ReadError(f"{name} must have an iscrowd of 0 or 1; got {crowd!r}")
        area = number_of(item, "area", name) if item.get("area") is not None else math.nan
        self.numbers.append((image, category, score, bool(crowd), area))
        self.boxes.append(_box(item.get("bbox"), name))
        self.segmentations.append(_compact(item.get("segmentation")))
        self.with_ignore += "ignore" in item and "iscrowd" in item and bool(item["ignore"]) != bool(crowd)

    def finished(self) -> CocoObjects:
        """Return all of them."""
        columns = list(zip(*self.numbers, strict=True)) or [()] * 5
        odd = f"{self.with_ignore} annotations have an ignore that is not their iscrowd; iscrowd counts"
        return CocoObjects(
            np.array(self.ids, np.int64),
            np.array(columns[0], np.int64),
            np.array(columns[1], np.int64),
            np.array(columns[2], np.float64),
            np.array(columns[3], bool),
            np.array(columns[4], np.float64),
            np.array(self.boxes, np.float64).reshape(-1, 4),
            self.segmentations,
            (odd,) if self.with_ignore else (),
        )


def _id_of(item: Any, position: int, what: str, seen: Any) -> int:
    number = whole(item, "id", f"{what} at position {position}")
    if number in seen:
        raise ReadError(f"{what} ids must differ from each other; got {number} twice")
    return number


def _box(box: Any, name: str) -> Sequence[float]:
    if box is None or box == []:
        return (math.nan,) * 4
    good = isinstance(box, list) and len(box) == 4 and all(map(_is_near, box))
    if not good:
        raise ReadError(f"{name} must have four numbers x, y, width, height as bbox; got {printable(repr(box)[:60])}")
    return box  # type: ignore[no-any-return]  # checked


def _is_near(value: Any) -> bool:
    """Whether it is a number of pixels, and not beyond all images."""
    return isinstance(value, int | float) and abs(value) <= FARTHEST  # not for NaN


def _compact(segmentation: Any) -> Any:
    """The same in less memory: polygons as arrays. What is no polygon stays, and is named when it is drawn."""
    if not isinstance(segmentation, list):
        return segmentation
    try:
        return [np.array(ring, np.float64) if _numbers_only(ring) else ring for ring in segmentation] or None
    except (ValueError, TypeError, OverflowError):
        return segmentation


def _numbers_only(ring: Any) -> bool:
    return isinstance(ring, list) and not any(isinstance(value, str | bool | list) for value in ring)
