"""GeoJSON polygons as QuPath exports them, drawn by pixel centre."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, Format, Place
from softpq.table.masks import Masks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ring = NDArray[np.float64]

OBJECT_TYPES = ("cell", "detection", "tile")
"""QuPath's kinds of features that are objects; annotations and points are not."""


@dataclass(frozen=True)
class Polygons:
    """The outlines of objects, each a list of rings of (x, y)."""

    objects: list[list[Ring]]
    limit: int = 1 << 34

    def extent(self) -> tuple[int, ...]:
        """Height and width from the origin to the farthest corner."""
        corners = [ring.max(axis=0) for rings in self.objects for ring in rings]
        if not corners:
            return (1, 1)
        width, height = (math.ceil(v) for v in np.max(corners, axis=0))
        return max(height, 1), max(width, 1)

    def masks(self, shape: tuple[int, ...]) -> Masks:
        """Draw the polygons: a pixel belongs to an object if its centre is inside."""
        if len(shape) != 2:
            raise ReadError(f"holds outlines on a plane; the other side has shape {tuple(shape)}")
        if 4 * shape[0] * shape[1] > self.limit:
            raise ReadError(f"lies on {shape[0]} x {shape[1]} pixels, which need more memory than allowed")
        try:
            return Masks.from_polygons(self.objects, shape)
        except ValueError as error:
            raise ReadError(f"has an outline that cannot be drawn: {error}") from error


def read(place: Place) -> Content:
    """Read the outlines of all objects."""
    place.check_size(20 * place.path.stat().st_size)
    try:
        found = json.loads(place.path.read_text(encoding="utf-8"))
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
    return Content(Polygons(outlines, place.options.limit))


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
