"""All formats, one file each; which one a file has is decided by its content, then by its suffix."""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from pathlib import Path

from softpq.errors import ReadError
from softpq.io.format import Format, check_regular, composed, explained, printable
from softpq.io.formats import (
    aperio,
    bmp,
    cellpose_outlines,
    cellpose_seg,
    cityscapes,
    coco,
    coco_results,
    cvat,
    geojson,
    hdf5,
    hovernet,
    imagej_roi,
    labelme,
    mat,
    nifti,
    npy,
    npz,
    nrrd,
    pannuke,
    panoptic,
    png,
    rle_csv,
    sam,
    stacks,
    supervisely,
    tiff,
    via,
    yolo,
    zarr,
)
from softpq.io.json_items import items_of

FORMATS: tuple[Format, ...] = (
    tiff.FORMAT, cityscapes.FORMAT, png.FORMAT, bmp.FORMAT, cellpose_seg.FORMAT, pannuke.FORMAT, stacks.CONIC,
    stacks.LYNSEC, npy.FORMAT, imagej_roi.FORMAT, stacks.TISSUE, npz.FORMAT, nifti.FORMAT, nrrd.FORMAT, mat.FORMAT,
    hdf5.FORMAT, zarr.FORMAT, rle_csv.FORMAT, sam.FORMAT, panoptic.FORMAT, coco.FORMAT, coco_results.FORMAT,
    labelme.FORMAT, via.FORMAT, cellpose_outlines.FORMAT, yolo.FORMAT, hovernet.FORMAT, supervisely.FORMAT,
    geojson.FORMAT, aperio.FORMAT, cvat.FORMAT,
)  # fmt: skip
"""Of formats that share a suffix, the special ones stand before the general one."""

SUFFIXES = tuple(dict.fromkeys(suffix for known in FORMATS for suffix in known.suffixes))
"""All suffixes that are known."""

_KNOWN = frozenset(SUFFIXES)
_BY_SUFFIX = {suffix: tuple(known for known in FORMATS if suffix in known.suffixes) for suffix in SUFFIXES}
_BY_MAGIC = tuple((magic, known) for known in FORMATS for magic in known.magic)

_INSIDE = tuple(suffix for known in FORMATS if known.has_inside for suffix in known.suffixes)


def split_inner(location: str | Path) -> tuple[Path, str | None]:
    """Split ``file.h5:dataset`` into the file and what is inside.

    Examples
    --------
    >>> split_inner("volume.h5:labels/truth")[1]
    'labels/truth'
    """
    text = str(location)
    if ":" not in text:
        return Path(text), None
    for suffix in _INSIDE:
        head, found, inner = text.partition(f"{suffix}:")
        if found:
            return Path(head + suffix), inner
    return Path(text), None


def suffix_of(path: Path) -> str:
    """Return the suffix that is known, or the last one."""
    return suffix_of_name(path.name)


def suffix_of_name(name: str) -> str:
    """Return the suffix of a file name that is known, or the last one.

    Examples
    --------
    >>> suffix_of_name("a.NII.gz"), suffix_of_name("a.tar.gz"), suffix_of_name("a")
    ('.nii.gz', '.gz', '')
    """
    front, dot, last = name.lower().rpartition(".")
    before, second, inner = front.rpartition(".")
    if second and before and f".{inner}.{last}" in _KNOWN:
        return f".{inner}.{last}"
    return f".{last}" if dot and front and last else ""


def stem_of(path: Path) -> str:
    """Return the file name without the suffix, if that is known."""
    suffix = suffix_of(path)
    return composed(printable(path.name[: -len(suffix)] if suffix in _KNOWN else path.name))


def format_of(path: Path, *, plain: bool = False) -> Format:
    """Return the format of a file; ``plain`` if it is known to be no folder, pipe or the like.

    Raises
    ------
    ReadError
        If it is not known.
    """
    if not plain:
        check_regular(path)
        if path.is_dir():
            if zarr.is_store(path):
                return zarr.FORMAT
            raise ReadError("is a folder, not an image")
    with path.open("rb", buffering=0) as file:
        head = file.read(8)
    suffix = suffix_of(path)
    if not head and suffix not in yolo.FORMAT.suffixes:  # there it means that there are no objects
        raise ReadError("is empty")
    for known in _begun_so(head) or _BY_SUFFIX.get(suffix, ()):
        with explained(known):
            if known.claims is None or known.claims(path):
                return known
    if suffix == ".json":
        deque(items_of(path), maxlen=0)  # which says what is wrong with it
    raise ReadError(f"has a format that is not known; known are {', '.join(sorted(SUFFIXES))}")


@lru_cache(maxsize=256)
def _begun_so(head: bytes) -> tuple[Format, ...]:
    """Formats whose files begin like this."""
    return tuple(known for magic, known in _BY_MAGIC if head.startswith(magic))
