"""TIFF: plain, stacks, compressed, BigTIFF, ImageJ, OME. tifffile reads directories; usual pixels are unpacked here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, Format, Place
from softpq.io.formats.tiff_header import check_directories
from softpq.io.formats.tiff_pages import WITHOUT_LIBRARY, Pages, is_usual
from softpq.io.stored import StoredArray

if TYPE_CHECKING:
    from numpy.typing import NDArray


def read(place: Place) -> Content:
    """Read the first series, without axes of length 1."""
    with _opened(place) as tiff:
        series = _first_series(tiff, place)
        place.check_size(series.nbytes)
        return Content(_pixels(tiff, series, place).squeeze(), spacing=_spacing(tiff))


def _pixels(tiff: Any, series: Any, place: Place) -> NDArray[Any]:
    if series.dataoffset is None and not series.is_multifile and is_usual(series):
        return Pages(tiff, series).whole()
    if series.dataoffset is None:
        if series.keyframe.compression not in WITHOUT_LIBRARY and find_spec("imagecodecs") is None:
            raise ReadError(_NEEDS_CODECS)
        place.must_be_alone()
    pixels: NDArray[Any] = series.asarray()
    return pixels


def open_parts(place: Place) -> StoredArray:
    """Open the first series, at full resolution; only the tiles or strips that are asked for are decoded."""
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
    if series.dataoffset is not None:  # one piece, not compressed; ImageJ's large stacks have only one page
        dtype = series.dtype.newbyteorder(tiff.byteorder)
        mapped = np.memmap(path, dtype, "r", series.dataoffset, series.shape)
        return StoredArray(lambda block: mapped[block], series.shape, dtype, None, path.name, close=tiff.close)
    pages = Pages(tiff, series)
    if not pages.usual:
        place.must_be_alone()
    return StoredArray(pages.read, pages.shape, series.dtype, pages.chunks, path.name, close=tiff.close)


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
    if series.keyframe.photometric == 2 and series.keyframe.samplesperpixel >= 3:
        raise ReadError("is a colour image, not labels")
    return series


def _check_companions(metadata: str, place: Place) -> None:
    """Files that hold other planes of the image must be there; without them, those planes would be empty."""
    for name in dict.fromkeys(re.findall(r'<(?:\w+:)?UUID [^>]*FileName="([^"]+)"', metadata)):
        if name != place.path.name and len(name) < 1000:
            place.beside(name)
    if re.search(r"<(?:\w+:)?BinaryOnly\b", metadata):
        raise ReadError("is a part of an image whose description is in another file; give that one")


def _spacing(tiff: Any) -> tuple[float, ...] | None:
    """The size of a pixel, from the resolution and what ImageJ says of the depth."""
    tags = tiff.pages.first.tags
    if "XResolution" not in tags or "YResolution" not in tags:
        return None
    pixels = [tags[name].value for name in ("YResolution", "XResolution")]
    if any(not isinstance(pair, tuple) or len(pair) != 2 or 0 in pair for pair in pixels):
        return None
    depth = (tiff.imagej_metadata or {}).get("spacing")
    plane = tuple(below / above for above, below in pixels)
    return (float(depth), *plane) if depth else plane


FORMAT = Format("TIFF", (".tif", ".tiff"), read, (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"), open_parts=open_parts)
