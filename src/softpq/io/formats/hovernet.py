"""HoVer-Net's and CellViT's JSON: contours of nuclei through the centres of their outermost pixels, and their types."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, Format, Place
from softpq.io.formats.drawing import check_plane, gathered, runs_in_box, runs_of_rings
from softpq.io.formats.geojson import Polygons
from softpq.io.formats.json_text import head_of, parsed
from softpq.table.mask_pictures import cover_of
from softpq.table.masks import Masks

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Contours(Polygons):
    """Outlines through the centres of pixels, as OpenCV finds them: the pixels on the outline belong to the object."""

    def extent(self) -> tuple[int, ...]:
        """Height and width from the origin to the farthest pixel."""
        height, width = super().extent()
        return height + 1, width + 1

    def masks(self, shape: tuple[int, ...]) -> Masks:
        """Fill the contours, and take the pixels they go through."""
        check_plane(shape, None)
        return gathered([_runs(rings[0].astype(np.int64), shape) for rings in self.objects], shape)


MOST_PIXELS = 1 << 26
"""Of the box around an object."""


def _runs(ring: NDArray[np.int64], shape: tuple[int, ...]) -> Any:
    """Draw one contour in its box, and what of that lies on the image."""
    left, top = (max(0, int(first)) for first in ring.min(axis=0))
    right, bottom = (
        min(int(last) + 1, size) for last, size in zip(ring.max(axis=0), (shape[1], shape[0]), strict=True)
    )
    width, height = max(0, right - left), max(0, bottom - top)
    if width * height > MOST_PIXELS:
        raise ReadError("has an outline that cannot be drawn: it is too large")
    local = (ring - (left, top)).astype(np.float64)
    box = np.zeros((height, width), bool)
    if len(ring) > 2 and box.size:
        box = cover_of(gathered([runs_of_rings([local + 0.5], (height, width))], (height, width)))
    x, y = _on_outline(local)
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    box[y[inside], x[inside]] = True
    return runs_in_box(box, top, left, shape)


def _on_outline(ring: NDArray[np.float64]) -> NDArray[np.int64]:
    """The pixels between corners; steps are along an axis or a diagonal, where others are rounded."""
    ends = np.roll(ring, -1, axis=0)
    steps = np.abs(ends - ring).max(axis=1).astype(np.int64) + 1
    if steps.sum() > MOST_PIXELS:
        raise ReadError("has an outline that cannot be drawn: it is too long")
    part = np.concatenate([np.arange(count) / max(count - 1, 1) for count in steps])
    start, way = (np.repeat(one, steps, axis=0) for one in (ring, ends - ring))
    return np.floor(start + part[:, None] * way + 0.5).astype(np.int64).T


def read(place: Place) -> Content:
    """Read the contours of all nuclei."""
    try:
        found = parsed(place)
        nuclei = found["nuc"] if isinstance(found["nuc"], dict) else dict(enumerate(found["nuc"]))
        rings = [np.array(one["contour"], np.float64).reshape(-1, 2) for one in nuclei.values()]
        kinds = [one.get("type") for one in nuclei.values()]
        if not all(_are_pixels(ring) for ring in rings):
            raise ValueError("a corner is no pixel")
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise ReadError("cannot be read as HoVer-Net's JSON: it is no list of nuclei with contours") from error
    classes = {label: "" if kind is None else str(kind) for label, kind in enumerate(kinds, start=1)}
    return Content(
        Contours([[ring] for ring in rings], place.options.limit), classes if any(classes.values()) else None
    )


def _are_pixels(ring: NDArray[np.float64]) -> bool:
    """Whether all corners are whole numbers, not too far away."""
    return bool(
        len(ring) and np.isfinite(ring).all() and (np.abs(ring) < 1 << 31).all() and (ring == np.floor(ring)).all()
    )


def is_hovernet(path: Path) -> bool:
    """Whether it begins like one."""
    return bool(re.search(r'"nuc"\s*:\s*[\[{]', head_of(path)))


FORMAT = Format("HoVer-Net's JSON", (".json",), read, claims=is_hovernet)
