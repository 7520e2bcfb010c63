"""VGG Image Annotator (VIA): one JSON file for all images, without their sizes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, Format, Place, printable
from softpq.io.json_fields import number_of
from softpq.io.json_keys import holds
from softpq.io.outlines import Outline, Outlines, ellipse, rectangle, ring_of

CENTRE = 0.5
"""VIA names pixels: (3, 5) is a pixel, and its centre is half a pixel further."""

CLASS_KEYS = ("class", "label", "name", "type", "category")
"""Attributes of a region that say what it is."""


def is_via(path: Path) -> bool:
    """Whether a JSON file has VIA's metadata, or regions with shapes."""
    return (
        holds(path, "_via_img_metadata")
        or holds(path, "regions", "shape_attributes")
        or holds(path, "regions", "filename")
    )


def names(place: Place) -> list[str]:
    """List the images by the names of their files."""
    return list(_of(place))


def read(place: Place) -> Content:
    """Read the outlines of one image."""
    objects, left_out = list(_of(place).values())[place.index]
    notes = (f"{left_out} points and lines are left out",) if left_out else ()
    return Content(Outlines(objects), notes=notes, stated=True)


def _of(place: Place) -> dict[str, tuple[list[Outline], int]]:
    place.check_size(20 * place.path.stat().st_size)
    status = place.path.stat()
    return _parsed(place.path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=2)
def _parsed(path: Path, changed: int, length: int) -> dict[str, tuple[list[Outline], int]]:
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ReadError("is not JSON: it is cut off, broken or too deep") from error
    images = found.get("_via_img_metadata", found) if isinstance(found, dict) else found
    entries = list(images.values()) if isinstance(images, dict) else images
    listed: dict[str, tuple[list[Outline], int]] = {}
    for entry in entries:
        if not isinstance(entry, dict) or not isinstance(entry.get("filename"), str):
            raise ReadError("must tell images with their filename, as VIA does; one has none")
        name = printable(PurePosixPath(entry["filename"].replace("\\", "/")).stem)
        if name in listed:
            raise ReadError(f"must tell every image once; got {name} twice")
        listed[name] = _regions(entry.get("regions") or [], name)
    return listed


def _regions(regions: Any, image: str) -> tuple[list[Outline], int]:
    """Objects of one image, and how many regions are none."""
    rows = list(regions.values()) if isinstance(regions, dict) else regions
    if not isinstance(rows, list):
        raise ReadError(f"image {image} must have a list of regions; got {type(rows).__name__}")
    found = [_region(row, f"region {k} of image {image}") for k, row in enumerate(rows)]
    kept = [one for one in found if one is not None]
    return kept, len(found) - len(kept)


def _region(row: Any, name: str) -> Outline | None:
    shape = row.get("shape_attributes") if isinstance(row, dict) else None
    if not isinstance(shape, dict):
        raise ReadError(f"{name} must have shape_attributes; it has none")
    form = shape.get("name")
    if form in ("point", "polyline"):
        return None
    return Outline([_ring(form, shape, name) + CENTRE], _kind(row.get("region_attributes")))


def _ring(form: Any, shape: dict[str, Any], name: str) -> Any:
    if form == "polygon":
        xs, ys = shape.get("all_points_x"), shape.get("all_points_y")
        if not isinstance(xs, list) or not isinstance(ys, list) or len(xs) != len(ys):
            raise ReadError(f"{name} must have as many all_points_x as all_points_y; it has not")
        return ring_of([list(pair) for pair in zip(xs, ys, strict=True)], name)
    if form == "rect":
        x, y, width, height = _numbers(shape, name, ("x", "y"), ("width", "height"))
        return ring_of(rectangle(x, y, width, height), name)
    if form == "circle":
        x, y, radius = _numbers(shape, name, ("cx", "cy"), ("r",))
        return ring_of(ellipse((x, y), (radius, radius)), name)
    if form == "ellipse":
        x, y, rx, ry = _numbers(shape, name, ("cx", "cy"), ("rx", "ry"))
        turned = number_of(shape, "theta", name) if "theta" in shape else 0.0
        return ring_of(ellipse((x, y), (rx, ry), turned if abs(turned) <= 2 * math.pi else np.deg2rad(turned)), name)
    raise ReadError(f"{name} is a {printable(str(form)[:30])}, which is not known")


def _numbers(shape: dict[str, Any], name: str, places: tuple[str, ...], sizes: tuple[str, ...]) -> list[float]:
    """Where a form is, and how large, which is not negative."""
    found = [number_of(shape, key, name) for key in (*places, *sizes)]
    if wrong := next((key for key, size in zip(sizes, found[len(places) :], strict=True) if size < 0), ""):
        raise ReadError(f"{name} must have a {wrong} of at least 0; got {shape[wrong]}")
    return found


def _kind(attributes: Any) -> str:
    """The class that the attributes of a region tell; the only attribute, or one that is called so."""
    if not isinstance(attributes, Mapping):
        return ""
    texts = {str(key).lower(): value for key, value in attributes.items() if isinstance(value, str) and value}
    named = [texts[key] for key in CLASS_KEYS if key in texts] or (list(texts.values()) if len(texts) == 1 else [])
    return printable(named[0]) if named else ""


FORMAT = Format("VIA", (".json",), read, claims=is_via, names=names, in_folders=False)
