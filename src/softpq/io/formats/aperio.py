"""Aperio's XML, as MoNuSeg and MoNuSAC have it: regions with vertices, and a class for each annotation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, Format, Place
from softpq.io.formats.geojson import Polygons
from softpq.io.formats.xml_text import begins_with, tree_of

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from numpy.typing import NDArray


def read(place: Place) -> Content:
    """Read all regions, by pixel centre."""
    rings, kinds = [], []
    for annotation in tree_of(place, "Aperio's XML").iter("Annotation"):
        named = annotation.find("Attributes/Attribute")
        kind = "" if named is None else named.get("Name", "")
        for region in annotation.iter("Region"):
            if region.get("NegativeROA", "0") != "1" and (ring := _ring(region)) is not None:
                rings.append(ring)
                kinds.append("" if kind == "Description" else kind)
    classes = dict(enumerate(kinds, start=1)) if any(kinds) else None
    return Content(Polygons([[ring] for ring in rings], place.options.limit), classes)


def _ring(region: Element) -> NDArray[np.float64] | None:
    """The corners; regions of one or two, which people leave by mistake, have no inside."""
    try:
        ring = np.array([[one.get("X"), one.get("Y")] for one in region.iter("Vertex")], np.float64).reshape(-1, 2)
    except (TypeError, ValueError) as error:
        raise ReadError("cannot be read as Aperio's XML: a vertex is no point") from error
    if not np.isfinite(ring).all():
        raise ReadError("cannot be read as Aperio's XML: a vertex is no point")
    return ring if len(ring) > 2 else None


def is_aperio(path: Path) -> bool:
    """Whether it begins like one."""
    return begins_with(path, "<Annotations", "<Annotation")


FORMAT = Format("Aperio's XML", (".xml",), read, claims=is_aperio)
