"""CVAT's XML for images: polygons and masks of all images in one file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, Format, Place, printable
from softpq.io.formats.drawing import check_plane, gathered, runs_in_box, runs_of_rings
from softpq.io.formats.xml_text import begins_with, tree_of
from softpq.table.masks import Masks

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from numpy.typing import NDArray


@dataclass(frozen=True)
class Shapes:
    """The objects of an image of a known size: polygons, or masks in a box."""

    size: tuple[int, int]
    items: tuple[Element, ...]
    limit: int = 1 << 34

    def extent(self) -> tuple[int, ...]:
        """The size of the image."""
        return self.size

    def masks(self, shape: tuple[int, ...]) -> Masks:
        """Draw the objects, polygons by pixel centre."""
        check_plane(shape, self.size)
        drawn = [
            _in_box(item, shape) if item.tag == "mask" else runs_of_rings([_ring(item)], shape) for item in self.items
        ]
        return gathered(drawn, shape)


_BROKEN = "cannot be read as CVAT's XML: a shape is broken"


def _ring(item: Element) -> NDArray[np.float64]:
    try:
        ring = np.array([one.split(",") for one in item.get("points", "").split(";")], np.float64)
    except ValueError as error:
        raise ReadError(_BROKEN) from error
    if ring.ndim != 2 or ring.shape[1] != 2 or not np.isfinite(ring).all():
        raise ReadError(_BROKEN)
    return ring


def _in_box(item: Element, shape: tuple[int, ...]) -> Any:
    """Runs by rows in a box: outside, inside, outside, ..."""
    try:
        counts = np.array(item.get("rle", "").split(","), np.int64)
        left, top, width, height = (int(item.get(name, "")) for name in ("left", "top", "width", "height"))
    except (ValueError, OverflowError) as error:
        raise ReadError(_BROKEN) from error
    if min(left, top, width, height) < 0 or top + height > shape[0] or left + width > shape[1]:
        raise ReadError("cannot be read as CVAT's XML: a mask lies outside of its image")
    if (counts < 0).any() or (counts > width * height).any() or counts.sum() > width * height:
        raise ReadError(_BROKEN)
    inside = np.zeros(width * height, bool)
    runs = np.repeat(np.arange(len(counts)) % 2 == 1, counts)
    inside[: len(runs)] = runs
    return runs_in_box(inside.reshape(height, width), top, left, shape)


@lru_cache(maxsize=4)
def _parsed(path: Path, changed: int, length: int, limit: int) -> tuple[tuple[str, Element], ...]:
    from softpq.io.format import ReadOptions

    root = tree_of(Place(path, options=ReadOptions(limit)), "CVAT's XML")
    return tuple((printable(Path(one.get("name", "")).with_suffix("").as_posix()), one) for one in root.iter("image"))


def _images(place: Place) -> tuple[tuple[str, Element], ...]:
    status = place.path.stat()
    return _parsed(place.path, status.st_mtime_ns, status.st_size, place.options.limit)


def names(place: Place) -> list[str]:
    """List the images of the file."""
    return [name for name, _ in _images(place)]


def read(place: Place) -> Content:
    """Return the objects of one image."""
    _, image = _images(place)[place.index]
    try:
        size = (int(image.get("height", "")), int(image.get("width", "")))
        found = [one for one in image if one.tag in ("polygon", "mask")]
    except ValueError as error:
        raise ReadError("cannot be read as CVAT's XML: an image has no size") from error
    if min(size) < 1:
        raise ReadError("cannot be read as CVAT's XML: an image has no size")
    others = sorted({one.tag for one in image} - {"polygon", "mask", "tag"})
    notes = (f"{', '.join(others)} are no objects with pixels, and are left out",) if others else ()
    classes = {label: one.get("label", "") for label, one in enumerate(found, start=1)}
    return Content(Shapes(size, tuple(found), place.options.limit), classes, notes=notes)


def is_cvat(path: Path) -> bool:
    """Whether it begins like one."""
    return begins_with(path, "<annotations", "<image ")


FORMAT = Format("CVAT's XML", (".xml",), read, claims=is_cvat, names=names)
