"""GeoJSON polygons as QuPath exports them, drawn by pixel centre."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, Format, check_size

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ring = NDArray[np.float64]

OBJECT_TYPES = ("cell", "detection", "tile")
"""QuPath's kinds of features that are objects; annotations and points are not."""


@dataclass(frozen=True)
class Polygons:
    """The outlines of objects, each a list of rings of (x, y). The first object wins where two overlap."""

    objects: list[list[Ring]]

    def extent(self) -> tuple[int, ...]:
        """Height and width from the origin to the farthest corner."""
        corners = [ring.max(axis=0) for rings in self.objects for ring in rings]
        if not corners:
            return (1, 1)
        width, height = (math.ceil(v) for v in np.max(corners, axis=0))
        return max(height, 1), max(width, 1)

    def raster(self, shape: tuple[int, ...]) -> NDArray[Any]:
        """Draw the polygons: a pixel belongs to an object if its centre is inside."""
        if len(shape) != 2:
            raise ReadError(f"holds outlines on a plane; the other side has shape {tuple(shape)}")
        check_size(4 * shape[0] * shape[1])
        labels = np.zeros(shape, np.uint32)
        for label, rings in enumerate(self.objects, start=1):
            _fill(labels, rings, label)
        return labels


def _fill(labels: NDArray[np.uint32], rings: list[Ring], label: int) -> None:
    """Even-odd rule over all rings, so that holes stay open."""
    corners = np.concatenate(rings)
    x0, y0 = np.maximum(np.floor(corners.min(axis=0)).astype(int), 0)
    x1, y1 = (min(math.ceil(v), n) for v, n in zip(corners.max(axis=0), labels.shape[::-1], strict=True))
    if x0 >= x1 or y0 >= y1:
        return
    x, y = np.arange(x0, x1) + 0.5, np.arange(y0, y1) + 0.5
    inside = np.zeros((len(y), len(x)), bool)
    for ring in rings:
        for (ax, ay), (bx, by) in zip(ring, np.roll(ring, -1, axis=0), strict=True):
            if ay == by:
                continue
            rows = (y >= min(ay, by)) & (y < max(ay, by))
            crossing = ax + (y[rows] - ay) * (bx - ax) / (by - ay)
            inside[rows] ^= x[None, :] > crossing[:, None]
    view = labels[y0:y1, x0:x1]
    view[inside & (view == 0)] = label


def read(path: Path, inner: str | None, index: int) -> Content:
    """Read the outlines of all objects."""
    check_size(20 * path.stat().st_size)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        features = found["features"] if isinstance(found, dict) else found
        kinds = {feature["properties"].get("objectType") for feature in features}
        wanted = set(OBJECT_TYPES) & kinds or kinds
        outlines = [
            rings
            for feature in features
            if feature["properties"].get("objectType") in wanted and feature["geometry"]
            for rings in [_rings(feature["geometry"])]
            if rings
        ]
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise ReadError("cannot be read as GeoJSON: it is not a list of features with polygons") from error
    return Content(Polygons(outlines))


def _rings(geometry: dict[str, Any]) -> list[Ring]:
    if geometry["type"] == "Polygon":
        polygons = [geometry["coordinates"]]
    elif geometry["type"] == "MultiPolygon":
        polygons = geometry["coordinates"]
    else:
        return []
    rings = [np.array(ring, np.float64)[:, :2] for polygon in polygons for ring in polygon if len(ring) > 2]
    if not all(np.isfinite(ring).all() for ring in rings):
        raise ValueError("a corner is not a number")
    return rings


FORMAT = Format("GeoJSON", (".geojson", ".json"), read)
