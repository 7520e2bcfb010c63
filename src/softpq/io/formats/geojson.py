"""GeoJSON polygons as QuPath exports them, drawn by pixel centre."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, Format, Place
from softpq.io.formats.drawing import check_crossings, check_plane
from softpq.io.formats.json_text import head_of, parsed
from softpq.io.words import reduced
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

    def outside(self, shape: tuple[int, ...]) -> int:
        """How many objects lie beyond the image, as a whole."""
        height, width = shape[:2]
        corners = [np.concatenate(rings) for rings in self.objects if rings]
        lows, highs = ([corner(one, axis=0) for one in corners] for corner in (np.min, np.max))
        return sum(bool(x >= width or y >= height or right <= 0 or bottom <= 0)
                   for (x, y), (right, bottom) in zip(lows, highs, strict=True))  # fmt: skip

    def masks(self, shape: tuple[int, ...]) -> Masks:
        """Draw the polygons: a pixel belongs to an object if its centre is inside."""
        check_plane(shape, None)
        check_crossings(self.objects, shape, self.limit)
        try:
            return Masks.from_polygons(self.objects, shape)
        except ValueError as error:
            raise ReadError(f"has an outline that cannot be drawn: {error}") from error


def read(place: Place) -> Content:
    """Read the outlines of all objects, and their classes where they have one."""
    try:
        found = parsed(place)
        features = found.get("features", [found]) if isinstance(found, dict) else found
        kinds = {feature["properties"].get("objectType") for feature in features}
        wanted = set(OBJECT_TYPES) & kinds or kinds
        objects = [feature for feature in features if feature["properties"].get("objectType") in wanted]
        part = _part(place, objects)
        outlines = [
            (rings, _class_of(feature["properties"]))
            for feature in objects
            if (geometry := feature.get(part)) and (rings := _rings(geometry))
        ]
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise ReadError("cannot be read as GeoJSON: it is not a list of features with polygons") from error
    if features and not outlines:
        raise ReadError(f"holds {len(features)} features, and none of them is a polygon")
    classes = {label: name for label, (_, name) in enumerate(outlines, start=1)}
    polygons = Polygons([rings for rings, _ in outlines], place.options.limit)
    notes = (
        () if place.inner or part == NUCLEI or not any(feature.get(NUCLEI) for feature in objects) else (BOTH_PARTS,)
    )
    return Content(polygons, classes if any(classes.values()) else None, notes=notes)


CELLS, NUCLEI = "geometry", "nucleusGeometry"
"""Where QuPath keeps the outline of a cell, and of its nucleus."""

BOTH_PARTS = "its cells have nuclei, which are left out; 'FILE.geojson:nuclei' takes those"


def _part(place: Place, objects: list[dict[str, Any]]) -> str:
    """Which outlines are meant: of cells, unless somebody, or the name of the file, says nuclei and there are some."""
    if place.inner not in (None, "cells", "nuclei"):
        raise ReadError(f"holds cells and nuclei, not {place.inner}")
    by_name = reduced(place.path.name.partition(".")[0]).compartment
    nuclei = place.inner == "nuclei" or (place.inner is None and by_name == "nuclei")
    return NUCLEI if nuclei and any(feature.get(NUCLEI) for feature in objects) else CELLS


def _class_of(properties: dict[str, Any]) -> str:
    """As QuPath writes it: a name, or the name of a record; older versions write names of derived classes in a list."""
    found = properties.get("classification")
    if isinstance(found, dict):
        found = found.get("name") or ": ".join(str(name) for name in found.get("names", ()))
    return str(found or "")


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


def is_geojson(path: Path) -> bool:
    """Whether the suffix says so, or the beginning."""
    named = path.name.lower().endswith((".geojson", ".geojson.gz"))
    return named or bool(re.search(r'"type"\s*:\s*"Feature(Collection)?"', head_of(path)))


FORMAT = Format("GeoJSON", (".geojson", ".json", ".geojson.gz", ".json.gz"), read, claims=is_geojson, has_inside=True)
