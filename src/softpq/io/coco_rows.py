"""Items of COCO's files, checked one by one as they come; errors name them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softpq._checks import how_many
from softpq.errors import ReadError
from softpq.io.coco_records import CocoClasses, CocoImages, CocoObjects
from softpq.io.format import printable
from softpq.io.ids import Id, id_in, number_of_id, order_of_id, shown_id
from softpq.io.json_fields import number_of, whole
from softpq.table.mask_checks import LONGEST

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
        name = f"image at position {len(self.rows)}"
        number = _differing(number_of_id(id_in(item, "id", name)), "image", self.rows)
        name = item.get("file_name") or item.get("coco_url") or ""
        said = f"image {shown_id(number)}"
        height, width = (whole(item, key, said, least=1, most=LONGEST) for key in ("height", "width"))
        self.rows[number] = (printable(str(name)), height, width)
        if "neg_category_ids" in item:
            self.absent.append(_ids_in(item, "neg_category_ids", shown_id(number)))
            self.unfinished.append(_ids_in(item, "not_exhaustive_category_ids", shown_id(number)))

    def finished(self) -> CocoImages:
        """Return all of them."""
        if self.absent and len(self.absent) != len(self.rows):
            raise ReadError("must have neg_category_ids for all of its images or for none; some lack them")
        rows = list(self.rows.items())
        order = sorted(range(len(rows)), key=lambda k: order_of_id(shown_id(rows[k][0])))
        names = [rows[k][1][0] for k in order]
        heights, widths = (np.array([rows[k][1][axis] for k in order], np.int64) for axis in (1, 2))
        absent, unfinished = ([found[k] for k in order] if found else [] for found in (self.absent, self.unfinished))
        return CocoImages([rows[k][0] for k in order], names, heights, widths, absent, unfinished)


def _ids_in(item: dict[str, Any], key: str, image: Id) -> frozenset[int]:
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
    """Annotations or results, as they come: looked at many at a time, and one by one where something is odd."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.ids: list[int] = []
        self.seen: set[int] = set()
        self.columns: list[Columns] = []
        self.segmentations: list[Any] = []
        self.with_ignore = 0
        self._waiting: list[Any] = []

    def add(self, item: Any) -> None:
        """Take one; raise, soon, if it is wrong."""
        self._waiting.append(item)
        if len(self._waiting) >= TOGETHER:
            self._take()

    def _take(self) -> None:
        items, self._waiting = self._waiting, []
        found = usual_columns(items, self.what)
        if found is not None and self.what == "annotation":
            numbers = [item["id"] for item in items]
            found = found if self.seen.isdisjoint(numbers) and len(set(numbers)) == len(numbers) else None
            self.ids += numbers if found is not None else []
            self.seen.update(numbers if found is not None else ())
        if found is None:
            rows = [self._row(item, len(self.segmentations) + k) for k, item in enumerate(items)]
            found = columns_of(rows)
        self.columns.append(found)
        self.segmentations += [_compact(item.get("segmentation")) for item in items]
        self.with_ignore += sum(_ignores_otherwise(item) for item in items if "ignore" in item)

    def _row(self, item: Any, position: int) -> Row:
        """Check one; raise if it is wrong."""
        name = f"{self.what} {position}"
        if self.what == "annotation":
            number = _id_of(item, len(self.ids), self.what, self.seen)
            self.ids.append(number)
            self.seen.add(number)
            name = f"annotation {number}"
        image, category = number_of_id(id_in(item, "image_id", name)), whole(item, "category_id", name)
        name = f"{name} (image {shown_id(image)})"
        scored = self.what == "result" or item.get("score") is not None  # some tools write results as they write truth
        score = number_of(item, "score", name) if scored else math.nan
        crowd = item.get("iscrowd", 0)
        if crowd not in (0, 1):
            raise ReadError(f"{name} must have an iscrowd of 0 or 1; got {crowd!r}")
        area = number_of(item, "area", name) if item.get("area") is not None else math.nan
        return image, category, score, bool(crowd), area, _box(item.get("bbox"), name)

    def finished(self) -> CocoObjects:
        """Return all of them."""
        self._take()
        image, category, score, crowd, area, box = (np.concatenate(one) for one in zip(*self.columns, strict=True))
        odd = f"{how_many(self.with_ignore, 'annotation')} with an ignore that is not the iscrowd; iscrowd counts, "
        odd += "as for pycocotools (lvis looks at ignore)"
        return CocoObjects(
            np.array(self.ids, np.int64), image, category, score, crowd, area, box, self.segmentations,
            (odd,) if self.with_ignore else (),
        )  # fmt: skip


TOGETHER = 4096
"""Items that are looked at together."""

Row = tuple[int, int, float, bool, float, Sequence[float]]
Columns = tuple[NDArray[Any], ...]
"""Of images, categories, scores, crowd flags, areas and boxes."""


def columns_of(rows: list[Row]) -> Columns:
    """Rows that were checked, as columns."""
    columns = list(zip(*rows, strict=True)) or [()] * 6
    kinds = (np.int64, np.int64, np.float64, bool, np.float64)
    found = (np.array(column, kind) for column, kind in zip(columns, kinds, strict=False))
    return (*found, np.array(columns[5], np.float64).reshape(-1, 4))


def usual_columns(items: list[Any], what: str) -> Columns | None:
    """The columns of items that are as they mostly are; None if somebody should look at each."""
    try:
        keys = ["image_id", "category_id", *(["id"] if what == "annotation" else [])]
        numbers = [[item[key] for item in items] for key in keys]
        scores = [item["score"] if what == "result" else item.get("score", math.nan) for item in items]
        areas = [math.nan if (area := item.get("area")) is None else area for item in items]
        crowds = [item.get("iscrowd", 0) for item in items]
        boxes = [item.get("bbox") or _NO_BOX for item in items]
        kinds = {*map(type, scores), *map(type, areas), *map(type, chain(*boxes))}
        if set(map(type, chain(*numbers))) != {int} or kinds - {int, float} or set(crowds) - {0, 1}:
            return None
        whole_numbers = [np.array(column, np.int64) for column in numbers]
        score, area, box = np.array(scores, float), np.array(areas, float), np.array(boxes, float).reshape(-1, 4)
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError):
        return None
    stated = [np.array([item.get(key) is not None for item in items], bool) for key in ("score", "area")]
    finite = all(np.isfinite(column[there]).all() for column, there in zip((score, area), stated, strict=True))
    without = np.array([one is _NO_BOX for one in boxes], bool)
    near = len(box) == len(items) and (np.abs(box[~without]) <= FARTHEST).all()
    return (*whole_numbers[:2], score, np.array(crowds, bool), area, box) if finite and near else None


_NO_BOX = (math.nan,) * 4


def _ignores_otherwise(item: dict[str, Any]) -> bool:
    return bool(item["ignore"]) != bool(item.get("iscrowd"))


def _id_of(item: Any, position: int, what: str, seen: Any) -> int:
    return _differing(whole(item, "id", f"{what} at position {position}"), what, seen)


def _differing(number: int, what: str, seen: Any) -> int:
    if number in seen:
        raise ReadError(f"{what} ids must differ from each other; got {shown_id(number)} twice")
    return number


def _box(box: Any, name: str) -> Sequence[float]:
    if isinstance(box, np.ndarray | tuple):
        box = np.asarray(box).tolist()
    if box is None or box == []:
        return _NO_BOX
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
        rings = [np.array(ring) for ring in segmentation if isinstance(ring, list)]
    except (ValueError, TypeError, OverflowError):
        return segmentation
    if len(rings) < len(segmentation) or any(ring.ndim != 1 or ring.dtype.kind not in "iuf" for ring in rings):
        return segmentation
    return [ring.astype(np.float64) for ring in rings] or None
