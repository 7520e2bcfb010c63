"""What COCO's files hold, as columns: truth (images, categories, annotations) and results."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import printable
from softpq.io.json_fields import number_of, whole
from softpq.io.json_items import START, items_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class CocoImages:
    """The images of a file; of LVIS, also which categories are absent, and which are not told in full."""

    ids: list[int]
    names: list[str]
    heights: NDArray[np.int64]
    widths: NDArray[np.int64]
    absent: list[frozenset[int]] = field(default_factory=list)
    unfinished: list[frozenset[int]] = field(default_factory=list)

    @property
    def shown(self) -> list[str]:
        """Names of the files without their endings where all have one of their own, else ids."""
        stems = [PurePosixPath(name.replace("\\", "/")).stem for name in self.names]
        return stems if all(stems) and len(set(stems)) == len(stems) else [str(one) for one in self.ids]


@dataclass(frozen=True)
class CocoClasses:
    """The categories of a file; of LVIS, also how frequent they are: r, c or f."""

    ids: list[int]
    names: list[str]
    frequencies: list[str]


@dataclass(frozen=True)
class CocoObjects:
    """Annotations or results, one row each.

    Attributes
    ----------
    ids, image_ids, class_ids
        As the file has them; results have no ids.
    scores
        Of results.
    crowd
        Of annotations.
    areas
        As the file states them; NaN where it does not.
    boxes
        x, y, width, height; NaN where there are none.
    segmentations
        Run-lengths or polygons; None where there are none.
    """

    ids: NDArray[np.int64]
    image_ids: NDArray[np.int64]
    class_ids: NDArray[np.int64]
    scores: NDArray[np.float64]
    crowd: NDArray[np.bool_]
    areas: NDArray[np.float64]
    boxes: NDArray[np.float64]
    segmentations: list[Any]
    odd: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.image_ids)

    def rows_of(self, image_id: int) -> NDArray[np.int64]:
        """Positions of what is on an image, in the order of the file."""
        order, ids = self._by_image
        return order[np.searchsorted(ids, image_id) : np.searchsorted(ids, image_id, "right")]

    @cached_property
    def _by_image(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        order = np.argsort(self.image_ids, kind="stable")
        return order, self.image_ids[order]

    def named(self, position: int) -> str:
        """How messages call one of them."""
        image = self.image_ids[position]
        if len(self.ids):
            return f"annotation {self.ids[position]} (image {image})"
        return f"result {position} (image {image})"


@dataclass(frozen=True)
class CocoTruth:
    """A file of truth."""

    images: CocoImages
    classes: CocoClasses
    objects: CocoObjects

    @property
    def is_lvis(self) -> bool:
        """Whether images say which categories are absent."""
        return bool(self.images.absent)


def read_truth(path: Path) -> CocoTruth:
    """Read a file of truth; it is read once as long as it does not change."""
    status = path.stat()
    return _truth(path, status.st_mtime_ns, status.st_size)


def read_results(path: Path) -> CocoObjects:
    """Read a file of results; it is read once as long as it does not change."""
    status = path.stat()
    return _results(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=2)
def _truth(path: Path, changed: int, length: int) -> CocoTruth:
    images, classes, rows = _ImageRows(), _ClassRows(), _Rows("annotation")
    takers: dict[str, Callable[[Any], None]] = {
        "images": images.add, "categories": classes.add, "annotations": rows.add,
    }  # fmt: skip
    seen = set()
    for key, item in items_of(path):
        if item is START:
            seen.add(key)
        elif key in takers:
            takers[key](item)
    if missing := [key for key in ("images", "annotations") if key not in seen]:
        raise ReadError(f"must be a COCO file with images and annotations; it has no list of {missing[0]}")
    truth = CocoTruth(images.finished(), classes.finished(), rows.finished())
    _check_known(truth.objects, truth)
    return truth


@lru_cache(maxsize=2)
def _results(path: Path, changed: int, length: int) -> CocoObjects:
    rows = _Rows("result")
    for key, item in items_of(path):
        if key:
            raise ReadError("must be a list of results, each with image_id, category_id and score; it is an object")
        if item is not START:
            rows.add(item)
    return rows.finished()


def _check_known(objects: CocoObjects, truth: CocoTruth) -> None:
    """Raise where annotations name images or categories that the file does not have."""
    for ids, known, what in (
        (objects.image_ids, truth.images.ids, "image"), (objects.class_ids, truth.classes.ids, "category"),
    ):  # fmt: skip
        unknown = ~np.isin(ids, np.array(known, np.int64))
        if unknown.any():
            k = int(np.argmax(unknown))
            raise ReadError(f"{objects.named(k)} is of {what} {ids[k]}, which the file does not have")


def check_results(objects: CocoObjects, truth: CocoTruth) -> None:
    """Raise where results are of images or categories that the truth does not have.

    Raises
    ------
    ReadError
        Which names the first.
    """
    known = np.isin(objects.image_ids, np.array(truth.images.ids, np.int64))
    if len(objects) and not known.any():
        raise ReadError("has no image in common with the truth: it must be of another data set")
    if not known.all():
        k = int(np.argmin(known))
        lost = len(np.unique(objects.image_ids[~known]))
        raise ReadError(
            f"result {k} is of image {objects.image_ids[k]}, which the truth does not have ({lost} such images)"
        )
    of_class = np.isin(objects.class_ids, np.array(truth.classes.ids, np.int64))
    if not of_class.all():
        k = int(np.argmin(of_class))
        raise ReadError(f"{objects.named(k)} is of category {objects.class_ids[k]}, which the truth does not have")


class _ImageRows:
    def __init__(self) -> None:
        self.rows: dict[int, tuple[str, int, int]] = {}
        self.absent: list[frozenset[int]] = []
        self.unfinished: list[frozenset[int]] = []

    def add(self, item: Any) -> None:
        number = _id_of(item, len(self.rows), "image", self.rows)
        name = item.get("file_name") or item.get("coco_url") or ""
        height, width = (whole(item, key, f"image {number}", least=1) for key in ("height", "width"))
        self.rows[number] = (printable(str(name)), height, width)
        if "neg_category_ids" in item:
            self.absent.append(frozenset(item["neg_category_ids"]))
            self.unfinished.append(frozenset(item.get("not_exhaustive_category_ids", ())))

    def finished(self) -> CocoImages:
        if self.absent and len(self.absent) != len(self.rows):
            raise ReadError("must have neg_category_ids for all of its images or for none; some lack them")
        order = sorted(range(len(self.rows)), key=list(self.rows).__getitem__)
        rows = list(self.rows.items())
        names = [rows[k][1][0] for k in order]
        heights, widths = (np.array([rows[k][1][axis] for k in order], np.int64) for axis in (1, 2))
        absent, unfinished = ([found[k] for k in order] if found else [] for found in (self.absent, self.unfinished))
        return CocoImages([rows[k][0] for k in order], names, heights, widths, absent, unfinished)


class _ClassRows:
    def __init__(self) -> None:
        self.rows: dict[int, tuple[str, str]] = {}

    def add(self, item: Any) -> None:
        number = _id_of(item, len(self.rows), "category", self.rows)
        self.rows[number] = (printable(str(item.get("name", number))), str(item.get("frequency", "")))

    def finished(self) -> CocoClasses:
        ids = sorted(self.rows)
        names = [self.rows[one][0] for one in ids]
        if len(set(names)) != len(names):  # two categories may have one name, and are two
            names = [f"{name} ({one})" if names.count(name) > 1 else name for name, one in zip(names, ids, strict=True)]
        return CocoClasses(ids, names, [self.rows[one][1] for one in ids])


class _Rows:
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
    good = isinstance(box, list) and len(box) == 4 and all(isinstance(v, int | float) and math.isfinite(v) for v in box)
    if not good:
        raise ReadError(f"{name} must have four numbers x, y, width, height as bbox; got {printable(repr(box)[:60])}")
    return box  # type: ignore[no-any-return]  # checked


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
