"""The size of a pixel, where a file states it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from softpq.io import suffix_of

if TYPE_CHECKING:
    from pathlib import Path


def stated_spacing(path: Path) -> tuple[float, ...] | None:
    """Return the pixel size that a TIFF or NIfTI file states, or None."""
    try:
        if suffix_of(path) in (".nii", ".nii.gz"):
            header: Any = import_module("nibabel").load(path).header
            return tuple(float(size) for size in header.get_zooms()[:3])
        if suffix_of(path) in (".tif", ".tiff"):
            return _of_tiff(path)
    except Exception:  # whatever is wrong with the file was said when it was read
        return None
    return None


def _of_tiff(path: Path) -> tuple[float, ...] | None:
    import tifffile

    with tifffile.TiffFile(path) as tiff:
        tags = tiff.pages.first.tags
        if "XResolution" not in tags or "YResolution" not in tags:
            return None
        pixels = [tags[name].value for name in ("YResolution", "XResolution")]
        if any(0 in pair for pair in pixels):
            return None
        depth = (tiff.imagej_metadata or {}).get("spacing")
        plane = tuple(below / above for above, below in pixels)
        return (float(depth), *plane) if depth else plane
