"""COCO panoptic: a JSON file, and a folder of PNGs beside it with its name, or ``file.json:folder``."""

from __future__ import annotations

from pathlib import Path

from softpq.io.format import Content, Format, Place
from softpq.io.json_keys import holds, opening
from softpq.io.panoptic import PanopticFile, read_panoptic, read_segments, with_categories


def is_panoptic(path: Path) -> bool:
    """Whether a JSON file tells segments of images; of no image, if the folder of PNGs lies beside it."""
    if opening(path) != "{":
        return False
    nothing = holds(path, "annotations") and not holds(path, "segmentation") and not holds(path, "bbox")
    return holds(path, "segments_info") or (nothing and path.with_suffix("").is_dir())


def names(place: Place) -> list[str]:
    """List the images by the names of their PNGs."""
    return [image.name for image in read_panoptic(place.path).images]


def read(place: Place) -> Content:
    """Read the segments of one image, and what is void there."""
    return segments_in(place)


def segments_in(place: Place, truth: PanopticFile | None = None) -> Content:
    """The same, with the categories of the truth where the file has none."""
    folder = None if place.inner is None else place.path.parent / place.inner
    file = read_panoptic(place.path)
    if truth is not None:
        file = with_categories(file, truth)
    masks, void = read_segments(file, place.index, folder, place.options)
    return Content(masks, stated=True, void=void if void.any() else None)


FORMAT = Format(
    "COCO panoptic", (".json",), read, claims=is_panoptic, names=names, has_inside=True, in_folders=False, strict=True
)
