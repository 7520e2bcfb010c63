"""HoVer-Net's and CellViT's JSON: contours of nuclei through the centres of their outermost pixels, and their types."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, Format, Place
from softpq.io.formats.geojson import Polygons, fill
from softpq.io.formats.json_text import head_of, parsed

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Contours(Polygons):
    """Outlines through the centres of pixels, as OpenCV finds them: the pixels on the outline belong to the object."""

    def extent(self) -> tuple[int, ...]:
        """Height and width from the origin to the farthest pixel."""
        height, width = super().extent()
        return height + 1, width + 1

    def raster(self, shape: tuple[int, ...]) -> NDArray[Any]:
        """Fill the contours; of objects that overlap the first wins."""
        self.check(shape)
        flat = np.zeros(shape[0] * shape[1], np.uint32)
        for label, rings in enumerate(self.objects, start=1):
            fill(flat, shape, [ring + 0.5 for ring in rings], label)
            for ring in rings:
                _draw(flat, shape, ring, label)
        return flat.reshape(shape)


MOST_STEPS = 1 << 24
"""Pixels on the outline of an object."""


def _draw(flat: NDArray[np.uint32], shape: tuple[int, ...], ring: NDArray[np.float64], label: int) -> None:
    """The pixels between corners; steps are along an axis or a diagonal, where others are rounded."""
    ends = np.roll(ring, -1, axis=0)
    steps = np.abs(ends - ring).max(axis=1).astype(np.int64) + 1
    if steps.sum() > MOST_STEPS:
        raise ReadError("has an outline that cannot be drawn: it is too long")
    part = np.concatenate([np.arange(count) / max(count - 1, 1) for count in steps])
    start, way = (np.repeat(one, steps, axis=0) for one in (ring, ends - ring))
    x, y = np.floor(start + part[:, None] * way + 0.5).astype(np.int64).T
    inside = (x >= 0) & (y >= 0) & (x < shape[1]) & (y < shape[0])
    places = y[inside] * shape[1] + x[inside]
    flat[places[flat[places] == 0]] = label


def read(place: Place) -> Content:
    """Read the contours of all nuclei."""
    try:
        found = parsed(place)
        nuclei = found["nuc"] if isinstance(found["nuc"], dict) else dict(enumerate(found["nuc"]))
        rings = [np.array(one["contour"], np.float64).reshape(-1, 2) for one in nuclei.values()]
        kinds = [one.get("type") for one in nuclei.values()]
        if not all(np.isfinite(ring).all() and (ring == np.floor(ring)).all() and len(ring) for ring in rings):
            raise ValueError("a corner is no pixel")
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise ReadError("cannot be read as HoVer-Net's JSON: it is no list of nuclei with contours") from error
    classes = {label: "" if kind is None else str(kind) for label, kind in enumerate(kinds, start=1)}
    return Content(
        Contours([[ring] for ring in rings], place.options.limit), classes if any(classes.values()) else None
    )


def is_hovernet(path: Path) -> bool:
    """Whether it begins like one."""
    return bool(re.search(r'"nuc"\s*:\s*[\[{]', head_of(path)))


FORMAT = Format("HoVer-Net's JSON", (".json",), read, claims=is_hovernet)
