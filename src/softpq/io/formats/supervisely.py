"""Supervisely's annotations of an image: bitmaps (a small packed PNG, and where it lies) and polygons."""

from __future__ import annotations

import base64
import io
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, Format, Place
from softpq.io.formats.drawing import check_plane, gathered, runs_in_box, runs_of_rings
from softpq.io.formats.json_text import head_of, parsed
from softpq.table.masks import Masks

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_BYTES = 1 << 26
"""Of a packed bitmap, and of its pixels."""


@dataclass(frozen=True)
class Figures:
    """The objects of an image of a known size."""

    size: tuple[int, int]
    items: tuple[dict[str, Any], ...]
    limit: int = 1 << 34

    def extent(self) -> tuple[int, ...]:
        """The size of the image."""
        return self.size

    def masks(self, shape: tuple[int, ...]) -> Masks:
        """Draw the objects, polygons by pixel centre."""
        check_plane(shape, self.size)
        try:
            drawn = [
                _in_box(item["bitmap"], shape) if "bitmap" in item else runs_of_rings(_rings(item["points"]), shape)
                for item in self.items
            ]
        except (KeyError, TypeError, ValueError, OverflowError, zlib.error, OSError, SyntaxError) as error:
            raise ReadError("cannot be read as Supervisely's JSON: an object is broken") from error
        return gathered(drawn, shape)


def _rings(points: dict[str, Any]) -> list[NDArray[np.float64]]:
    rings = [np.array(ring, np.float64).reshape(-1, 2) for ring in (points["exterior"], *points.get("interior", ()))]
    if not all(np.isfinite(ring).all() for ring in rings):
        raise ValueError
    return [ring for ring in rings if len(ring) > 2]


def _in_box(bitmap: dict[str, Any], shape: tuple[int, ...]) -> Any:
    mask = _unpacked(str(bitmap["data"]))
    left, top = (int(value) for value in bitmap["origin"])
    if left < 0 or top < 0 or top + mask.shape[0] > shape[0] or left + mask.shape[1] > shape[1]:
        raise ReadError("cannot be read as Supervisely's JSON: a bitmap lies outside of its image")
    return runs_in_box(mask, top, left, shape)


def _unpacked(text: str) -> NDArray[np.bool_]:
    """The pixels of a PNG that are not transparent, or not 0 where nothing is."""
    from PIL.PngImagePlugin import PngImageFile

    unpack = zlib.decompressobj()
    data = unpack.decompress(base64.b64decode(text, validate=True), MOST_BYTES)
    with PngImageFile(io.BytesIO(data)) as image:
        if unpack.unconsumed_tail or image.width * image.height > MOST_BYTES:
            raise ReadError("cannot be read as Supervisely's JSON: a bitmap is too large")
        pixels = np.asarray(image.getchannel("A") if "A" in image.getbands() else image)
    found: NDArray[np.bool_] = pixels != 0
    if found.ndim != 2:
        raise ValueError
    return found


def read(place: Place) -> Content:
    """Read the objects."""
    try:
        found = parsed(place)
        size = (int(found["size"]["height"]), int(found["size"]["width"]))
        items = [one for one in found["objects"] if "bitmap" in one or one.get("geometryType") == "polygon"]
        classes = {label: str(one.get("classTitle", "")) for label, one in enumerate(items, start=1)}
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise ReadError("cannot be read as Supervisely's JSON: it is no image with objects") from error
    if min(size) < 1:
        raise ReadError("cannot be read as Supervisely's JSON: the image has no size")
    return Content(Figures(size, tuple(items), place.options.limit), classes)


def is_supervisely(path: Path) -> bool:
    """Whether it begins like one."""
    head = head_of(path)
    return bool(re.search(r'"size"\s*:\s*\{', head) and re.search(r'"objects"\s*:\s*\[', head))


FORMAT = Format("Supervisely's JSON", (".json",), read, claims=is_supervisely)
