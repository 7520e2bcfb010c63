"""LabelMe: one JSON file an image, with shapes."""

from __future__ import annotations

import base64
import binascii
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, Format, Place
from softpq.io.formats.beside import size_beside
from softpq.io.formats.drawing import check_plane, gathered, runs_in_box
from softpq.io.json_fields import whole
from softpq.io.json_keys import holds, opening
from softpq.io.outlines import ellipse, rectangle, ring_of, united
from softpq.table.mask_pictures import cover_of
from softpq.table.masks import Masks

if TYPE_CHECKING:
    from numpy.typing import NDArray

IGNORED, BACKGROUND = "__ignore__", "_background_"
LINES = ("line", "linestrip", "point", "points")
"""Shapes without an area."""


@dataclass(frozen=True)
class Shape:
    """One part of an object: a ring, or pixels with their upper left corner."""

    kind: str
    group: object
    ring: NDArray[np.float64] | None = None
    pixels: NDArray[np.bool_] | None = None
    corner: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Unsized:
    """The objects of a file that does not tell how large its image is; a picture beside it may."""

    shapes: tuple[Shape, ...]
    pictured: Callable[[], tuple[int, int] | None]

    def extent(self) -> tuple[int, ...] | None:
        """The size of the picture; nobody knows, if there is none."""
        return self.pictured()

    def masks(self, shape: tuple[int, ...]) -> Masks:
        """Draw them on the image of the other side."""
        check_plane(shape, None)
        return _drawn(self.shapes, (int(shape[0]), int(shape[1])))


def is_labelme(path: Path) -> bool:
    """Whether a JSON file has shapes, and the height of an image or its path: old versions do not tell its size."""
    return opening(path) == "{" and (holds(path, "shapes", "imageHeight") or holds(path, "shapes", "imagePath"))


def read(place: Place) -> Content:
    """Read the objects; an image inside of the file is not decoded."""
    place.check_size(4 * place.path.stat().st_size)
    try:
        found = json.loads(place.path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ReadError(
            f"is not JSON: {'it is too deep' if isinstance(error, RecursionError) else 'it is cut off or broken'}"
        ) from error
    if not isinstance(found, dict) or not isinstance(found.get("shapes"), list):
        raise ReadError("must have a list of shapes, as LabelMe has it; it has none")
    shapes = [_shape(item, k, place) for k, item in enumerate(found["shapes"])]
    left_out = sum(shape is None for shape in shapes)
    kept = [shape for shape in shapes if shape is not None and shape.kind != BACKGROUND]
    notes = (f"{left_out} lines and points are left out",) if left_out else ()
    ignored = [shape for shape in kept if shape.kind == IGNORED]
    objects = [shape for shape in kept if shape.kind != IGNORED]
    if not ignored and all(found.get(f"image{side}") is None for side in ("Height", "Width")):
        return Content(Unsized(tuple(objects), size_beside(place)), notes=notes, stated=True)
    height, width = (whole(found, f"image{side}", "the image", least=1) for side in ("Height", "Width"))
    masks = _drawn(objects, (height, width))
    if ignored:
        place.check_size(5 * height * width)
    void = cover_of(_drawn(ignored, (height, width))) if ignored else None
    return Content(masks, notes=notes, stated=True, void=void)


def _shape(item: Any, k: int, place: Place) -> Shape | None:
    if not isinstance(item, dict):
        raise ReadError(f"shape {k} must be an object; got {type(item).__name__}")
    kind, form, points = str(item.get("label", "")), item.get("shape_type") or "polygon", item.get("points")
    name = f"shape {k} ({kind})"
    group = item.get("group_id") if item.get("group_id") is not None else ("shape", k)
    if form in LINES:
        return None
    if form == "polygon":
        return Shape(kind, group, ring_of(points, name))
    if form == "oriented_rectangle":
        return Shape(kind, group, ring_of(points, name))
    ends = _two_points(points, name)
    if form == "rectangle":
        (x0, y0), (x1, y1) = ends
        return Shape(kind, group, rectangle(min(x0, x1), min(y0, y1), abs(x1 - x0), abs(y1 - y0)))
    if form == "circle":
        radius = float(np.hypot(*(ends[1] - ends[0])))
        return Shape(kind, group, ellipse(ends[0].tolist(), (radius, radius)))
    if form == "mask":
        return Shape(kind, group, None, _pixels(item.get("mask"), name, place), (round(ends[0][1]), round(ends[0][0])))
    raise ReadError(f"{name} is a {str(form)[:30]}, which is not known")


def _two_points(points: Any, name: str) -> NDArray[np.float64]:
    try:
        found = np.array(points, np.float64)
    except (ValueError, TypeError):
        found = np.zeros(0)
    if found.shape != (2, 2) or not np.isfinite(found).all() or np.abs(found).max() > 1e9:
        raise ReadError(f"{name} must have two points [x, y]; got something else")
    return found


def _pixels(text: Any, name: str, place: Place) -> NDArray[np.bool_]:
    """Pixels of a small PNG inside of the file."""
    from PIL.PngImagePlugin import PngImageFile

    try:
        data = base64.b64decode(text, validate=True)
        with PngImageFile(io.BytesIO(data)) as image:
            if image.width * image.height > 1100 * 8 * len(data):
                raise ReadError(f"{name} has a mask that claims {image.width} x {image.height} pixels")
            place.check_size(4 * image.width * image.height)
            return np.asarray(image.convert("L")) > 0
    except (binascii.Error, TypeError, ValueError, SyntaxError, OSError) as error:
        raise ReadError(f"{name} must have its mask as a PNG in base64; it cannot be read") from error


def _drawn(shapes: Sequence[Shape], size: tuple[int, int]) -> Masks:
    """Objects: shapes of one label and one group are joined."""
    order: dict[tuple[str, object], int] = {}
    owners = np.array([order.setdefault((one.kind, _hashable(one.group)), len(order)) for one in shapes], np.int64)
    by_owner = np.argsort(owners, kind="stable")
    parts = [_part(shapes[k], size) for k in by_owner]
    counts = np.concatenate([np.zeros(1, np.int64), *(np.diff(part.offsets) for part in parts)])
    starts, stops = (
        np.concatenate([np.zeros(0, np.int64), *(getattr(p, key) for p in parts)]) for key in ("starts", "stops")
    )
    joined = united(Masks(size, np.cumsum(counts), starts, stops), owners[by_owner], len(order))
    return joined.with_(classes=np.array([kind for kind, _ in order], str))


def _hashable(group: object) -> object:
    return group if isinstance(group, int | str | tuple) else repr(group)


def _part(shape: Shape, size: tuple[int, int]) -> Masks:
    if shape.ring is not None:
        return Masks.from_polygons([[shape.ring]], size)
    assert shape.pixels is not None
    top, left = shape.corner
    height, width = shape.pixels.shape
    y0, x0, y1, x1 = max(top, 0), max(left, 0), min(top + height, size[0]), min(left + width, size[1])
    seen = shape.pixels[y0 - top : max(y1, y0) - top, x0 - left : max(x1, x0) - left]
    return gathered([runs_in_box(seen, y0, x0, size)], size)


FORMAT = Format("LabelMe", (".json",), read, claims=is_labelme)
