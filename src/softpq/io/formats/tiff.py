"""TIFF: plain, stacks, compressed, BigTIFF, ImageJ, OME. tifffile reads directories; usual pixels are unpacked here."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.axes import Axes
from softpq.io.format import Content, Format, Place
from softpq.io.formats.tiff_header import check_directories, description_of
from softpq.io.formats.tiff_pages import WITHOUT_LIBRARY, Pages, is_usual
from softpq.io.formats.tiff_plain import read_plain
from softpq.io.geometry import Geometry, unit_of
from softpq.io.stored import StoredArray

if TYPE_CHECKING:
    from numpy.typing import NDArray


def names(place: Place) -> list[str]:
    """List the moments, as the description of the file has them; most files have one."""
    if place.options.axes is None:
        return Axes("TYX", (_frames(description_of(place.path)), 1, 1)).names(place.stem)
    with _opened(place) as tiff:
        return _axes(_first_series(tiff, place), place).names(place.stem)


def _frames(description: str) -> int:
    """Moments that ImageJ, OME or tifffile state."""
    if description.startswith("ImageJ="):
        found = re.search(r"^frames=(\d+)", description, re.M)
        return max(1, int(found[1])) if found else 1
    if "<OME" in description[:2000] or ":OME" in description[:2000]:
        found = re.search(r'<(?:\w+:)?Pixels\b[^>]*\bSizeT="(\d+)"', description)
        return max(1, int(found[1])) if found else 1
    if description.startswith("{") and '"axes"' in description:
        stated = json.loads(description.rstrip("\0"))
        return Axes.stated(str(stated["axes"]), tuple(stated["shape"])).frames
    return 1


def _axes(series: Any, place: Place) -> Axes:
    letters = str(series.axes).replace("S", "Q")  # planes of a colour image that are stored one after the other
    return Axes.stated(letters, tuple(int(size) for size in series.shape)).asked(place.options.axes)


def _moment(axes: Axes, place: Place) -> int:
    """Which of the moments is meant; the description and the pages must agree on how many there are."""
    stated = axes.frames if place.options.axes is not None else _frames(description_of(place.path))
    if stated != axes.frames and (stated > 1 or place.index > 0):
        raise ReadError(f"cannot be read as TIFF: it states {stated} frames, and holds {axes.frames}")
    return place.index


def read(place: Place) -> Content:
    """Read one moment of the first series, without axes of length 1."""
    return read_plain(place) or _read_carefully(place)


def _read_carefully(place: Place) -> Content:
    with _opened(place) as tiff:
        series = _first_series(tiff, place)
        axes = _axes(series, place)
        part = axes.part(_moment(axes, place), place.options.channel)
        whole = all(one.stop - one.start == size for one, size in zip(part, axes.shape, strict=True))
        place.check_size(series.dtype.itemsize * math.prod(one.stop - one.start for one in part))
        labels = _pixels(tiff, series, place) if whole else _some_pixels(tiff, series, part, place)
        return Content(labels, geometry=_geometry(tiff, labels.ndim), stated="Z" in str(series.axes)).squeezed()


def _pixels(tiff: Any, series: Any, place: Place) -> NDArray[Any]:
    if series.dataoffset is None and not series.is_multifile and is_usual(series):
        return Pages(tiff, series).whole()
    if series.dataoffset is None:
        if series.keyframe.compression not in WITHOUT_LIBRARY and find_spec("imagecodecs") is None:
            raise ReadError(_NEEDS_CODECS)
        place.must_be_alone()
    else:
        _check_length(series, place.path)
    pixels: NDArray[Any] = series.asarray()
    return pixels


def _check_length(series: Any, path: Path) -> None:
    """Pixels that are stored in one piece must all be there."""
    present = path.stat().st_size - series.dataoffset
    if present < series.nbytes:
        raise ReadError(
            f"cannot be read as TIFF: it is cut short, {max(present, 0)} of {series.nbytes} bytes of pixels"
        )


def _some_pixels(tiff: Any, series: Any, part: tuple[slice, ...], place: Place) -> NDArray[Any]:
    """A moment, or a channel."""
    if series.is_multifile or not (series.dataoffset is not None or is_usual(series)):
        place.check_size(series.nbytes)
        return _pixels(tiff, series, place)[part]
    if series.dataoffset is not None:
        return np.array(_mapped(tiff, series, place.path)[part])
    return Pages(tiff, series).read(part)


def _mapped(tiff: Any, series: Any, path: Path) -> NDArray[Any]:
    _check_length(series, path)
    dtype = series.dtype.newbyteorder(tiff.byteorder)
    return np.memmap(path, dtype, "r", series.dataoffset, series.shape)


def open_parts(place: Place) -> StoredArray:
    """Open one moment of the first series, at full resolution; only the tiles that are asked for are decoded."""
    import tifffile

    check_directories(place.path)
    tiff = tifffile.TiffFile(place.path)
    try:
        return _parts_of(tiff, place)
    except BaseException:
        tiff.close()
        raise


def _parts_of(tiff: Any, place: Place) -> StoredArray:
    series, path = _first_series(tiff, place), place.path
    if series.is_multifile:
        raise ReadError("is spread over several files, and can only be read as a whole")
    axes = _axes(series, place)
    part = axes.part(_moment(axes, place), place.options.channel)
    if series.dataoffset is not None:  # one piece, not compressed; ImageJ's large stacks have only one page
        mapped = _mapped(tiff, series, path)
        stored = StoredArray(lambda block: mapped[block], series.shape, mapped.dtype, None, path.name, close=tiff.close)
        return stored.part(part)
    pages = Pages(tiff, series)
    if not pages.usual:
        place.must_be_alone()
    return StoredArray(pages.read, pages.shape, series.dtype, pages.chunks, path.name, close=tiff.close).part(part)


@contextmanager
def _opened(place: Place) -> Iterator[Any]:
    """The file; rare compressions need a library of codecs."""
    import tifffile

    check_directories(place.path)
    try:
        with tifffile.TiffFile(place.path) as tiff:
            yield tiff
    except (ValueError, KeyError, ImportError) as error:
        if "imagecodecs" not in str(error) and not isinstance(error, ImportError):
            raise
        raise ReadError(_NEEDS_CODECS) from error


_NEEDS_CODECS = "is compressed in a way that needs an extra: pip install 'softpq[codecs]'."


def _first_series(tiff: Any, place: Place) -> Any:
    if tiff.is_ome:
        _check_companions(tiff.ome_metadata or "", place)
    if not tiff.series:
        raise ReadError("cannot be read as TIFF: it holds no image")
    series = tiff.series[0]
    page = series.keyframe
    if page.photometric == RGB and page.samplesperpixel >= 3 and page.planarconfig == INTERLEAVED:
        raise ReadError("is a colour image, not labels")
    return series


def _check_companions(metadata: str, place: Place) -> None:
    """Files that hold other planes of the image must be there; without them, those planes would be empty."""
    for name in dict.fromkeys(re.findall(r'<(?:\w+:)?UUID [^>]*FileName="([^"]+)"', metadata)):
        if name != place.path.name and len(name) < 1000:
            place.beside(name)
    if re.search(r"<(?:\w+:)?BinaryOnly\b", metadata):
        raise ReadError("is a part of an image whose description is in another file; give that one")


RGB, INTERLEAVED = 2, 1
"""Values of tags: how colours are meant, and how they are stored."""


def _geometry(tiff: Any, n_axes: int) -> Geometry | None:
    """The size of a pixel, from the resolution and what ImageJ says of the depth."""
    if tiff.is_ome and (stated := _physical_size(tiff.ome_metadata or "", n_axes)) is not None:
        return stated
    tags = tiff.pages.first.tags
    if "XResolution" not in tags or "YResolution" not in tags:
        return None
    pixels = [tags[name].value for name in ("YResolution", "XResolution")]
    if any(not isinstance(pair, tuple) or len(pair) != 2 or 0 in pair for pair in pixels):
        return None
    depth = (tiff.imagej_metadata or {}).get("spacing")
    plane = tuple(below / above for above, below in pixels)
    spacing = (float(depth), *plane) if depth else plane
    unit = unit_of((tiff.imagej_metadata or {}).get("unit", ""))
    return Geometry(((1.0,) * n_axes + spacing)[-n_axes:], unit=unit)


def _physical_size(metadata: str, n_axes: int) -> Geometry | None:
    """What OME states of the pixels of the first image."""
    pixels = re.search(r"<(?:\w+:)?Pixels\b[^>]*>", metadata)
    stated = dict(re.findall(r'\bPhysicalSize([XYZ](?:Unit)?)="([^"]*)"', pixels[0])) if pixels else {}
    try:
        sizes = tuple(float(stated[axis]) for axis in "ZYX" if axis in stated)
    except ValueError:
        return None
    units = {unit_of(stated.get(f"{axis}Unit", "µm")) for axis in "XYZ" if axis in stated}
    if not {"X", "Y"} <= stated.keys() or len(units) != 1 or min(sizes) <= 0:
        return None
    return Geometry(((1.0,) * n_axes + sizes)[-n_axes:], unit=units.pop())


MAGIC = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
FORMAT = Format("TIFF", (".tif", ".tiff"), read, MAGIC, names=names, open_parts=open_parts)
