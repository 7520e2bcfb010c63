"""TIFF: plain, stacks, compressed, BigTIFF, ImageJ, OME."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, Format, check_size
from softpq.io.formats.tiff_pages import Pages, needs_own_decoder
from softpq.io.stored import StoredArray

if TYPE_CHECKING:
    from numpy.typing import NDArray


def read(path: Path, inner: str | None, index: int) -> Content:
    """Read the first series, without axes of length 1."""
    import tifffile

    with _codecs_explained(), tifffile.TiffFile(path) as tiff:
        series = _first_series(tiff)
        check_size(series.nbytes)
        array: NDArray[Any] = Pages(tiff, series).whole() if needs_own_decoder(series) else series.asarray()
        return Content(array.squeeze(), spacing=_spacing(tiff))


def open_parts(path: Path, inner: str | None) -> StoredArray:
    """Open the first series, at full resolution; only the tiles or strips that are asked for are decoded."""
    import tifffile

    tiff = tifffile.TiffFile(path)
    try:
        return _parts_of(tiff, path)
    except Exception:
        tiff.close()
        raise


def _first_series(tiff: Any) -> Any:
    if not tiff.series:
        raise ReadError("cannot be read as TIFF: it holds no image")
    series = tiff.series[0]
    if series.keyframe.photometric == 2 and series.keyframe.samplesperpixel >= 3:
        raise ReadError("is a colour image, not labels")
    return series


def _parts_of(tiff: Any, path: Path) -> StoredArray:
    series = _first_series(tiff)
    if getattr(series, "is_multifile", False):
        raise ReadError("is spread over several files, and can only be read as a whole")
    if series.dataoffset is not None:  # one piece, not compressed; ImageJ's large stacks have only one page
        dtype = series.dtype.newbyteorder(tiff.byteorder)
        mapped = np.memmap(path, dtype, "r", series.dataoffset, series.shape)
        return StoredArray(lambda block: mapped[block], series.shape, dtype, None, path.name, close=tiff.close)
    pages = Pages(tiff, series)
    return StoredArray(pages.read, pages.shape, series.dtype, pages.chunks, path.name, close=tiff.close)


@contextmanager
def _codecs_explained() -> Iterator[None]:
    """Rare compressions need a library of codecs."""
    try:
        yield
    except (ValueError, KeyError, ImportError) as error:
        if "imagecodecs" not in str(error) and not isinstance(error, ImportError):
            raise
        raise ReadError("is compressed in a way that needs an extra: pip install 'softpq[codecs]'.") from error


def _spacing(tiff: Any) -> tuple[float, ...] | None:
    """The size of a pixel, from the resolution and what ImageJ says of the depth."""
    tags = tiff.pages.first.tags
    if "XResolution" not in tags or "YResolution" not in tags:
        return None
    pixels = [tags[name].value for name in ("YResolution", "XResolution")]
    if any(0 in pair for pair in pixels):
        return None
    depth = (tiff.imagej_metadata or {}).get("spacing")
    plane = tuple(below / above for above, below in pixels)
    return (float(depth), *plane) if depth else plane


FORMAT = Format("TIFF", (".tif", ".tiff"), read, (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"), open_parts=open_parts)
