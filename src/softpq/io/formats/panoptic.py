"""COCO panoptic: a JSON file, and a folder of PNGs beside it with its name, or ``file.json:folder``."""

from __future__ import annotations

from pathlib import Path

from softpq.io.format import Content, Format, Place
from softpq.io.json_keys import holds, opening
from softpq.io.panoptic import read_panoptic, read_segments


def is_panoptic(path: Path) -> bool:
    """Whether a JSON file tells segments of images."""
    return opening(path) == "{" and holds(path, "segments_info")


def names(place: Place) -> list[str]:
    """List the images by the names of their PNGs."""
    return [image.name for image in read_panoptic(place.path).images]


def read(place: Place) -> Content:
    """Read the segments of one image, and what is void there."""
    folder = None if place.inner is None else place.path.parent / place.inner
    masks, void = read_segments(read_panoptic(place.path), place.index, folder, place.options)
    return Content(masks, stated=True, void=void if void.any() else None)


FORMAT = Format(
    "COCO panoptic", (".json",), read, claims=is_panoptic, names=names, has_inside=True, in_folders=False, strict=True
)
