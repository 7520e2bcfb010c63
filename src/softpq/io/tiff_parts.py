"""Parts of a TIFF: only the tiles or strips that are asked for are decoded."""

from __future__ import annotations

import math
import threading
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.io import ReadError
from softpq.io.stored import Block, StoredArray

if TYPE_CHECKING:
    from numpy.typing import NDArray


def open_parts(path: Path) -> StoredArray:
    """Open the first series, at full resolution.

    Raises
    ------
    ReadError
        If it is no TIFF, or one of colours.
    """
    import tifffile

    try:
        tiff = tifffile.TiffFile(path)
    except Exception as error:  # tifffile raises many kinds on broken files
        raise ReadError(f"cannot be read as TIFF: {str(error).splitlines()[0][:160]}") from error
    try:
        return _parts_of(tiff, path)
    except Exception as error:
        tiff.close()
        if isinstance(error, ReadError):
            raise
        raise ReadError(f"cannot be read as TIFF: {str(error).splitlines()[0][:160]}") from error


def _parts_of(tiff: Any, path: Path) -> StoredArray:
    if not tiff.series:
        raise ReadError("cannot be read as TIFF: it holds no image")
    series = tiff.series[0]
    if series.keyframe.photometric == 2 and series.keyframe.samplesperpixel >= 3:
        raise ReadError("is a colour image, not labels")
    if getattr(series, "is_multifile", False):
        raise ReadError("is spread over several files, and can only be read as a whole")
    if series.dataoffset is not None:  # one piece, not compressed; ImageJ's large stacks have only one page
        dtype = series.dtype.newbyteorder(tiff.byteorder)
        mapped = np.memmap(path, dtype, "r", series.dataoffset, series.shape)
        return StoredArray(lambda block: mapped[block], series.shape, dtype, None, path.name, close=tiff.close)
    pages = Pages(tiff, series)
    return StoredArray(pages.read, pages.shape, series.dtype, pages.chunks, path.name, close=tiff.close)


class Pages:
    """The pages of a series as one array: all axes but the last two are spread over pages."""

    def __init__(self, tiff: Any, series: Any) -> None:
        page = series.keyframe
        self.series, self.file = series, tiff.filehandle
        self.height, self.width = int(page.imagelength), int(page.imagewidth)
        if page.imagedepth != 1 or page.samplesperpixel != 1:
            raise ReadError("has samples or tiles of another kind, and can only be read as a whole")
        self.shape = tuple(int(size) for size in series.shape)
        if self.shape[-2:] != (self.height, self.width):
            raise ReadError(f"has pages of {self.height} x {self.width} pixels in an image of {self.shape}")
        self.tile = (int(page.chunks[-2]), int(page.chunks[-1]))
        self.chunks = (1,) * (len(self.shape) - 2) + self.tile
        self.lock = threading.Lock()
        self.decoded = lru_cache(maxsize=64)(self._decode)  # neighbours ask for the same strips

    def read(self, block: Block) -> NDArray[Any]:
        """Return a part of the array."""
        outer, (rows, columns) = block[:-2], block[-2:]
        counts = [part.stop - part.start for part in block]
        result = np.empty((math.prod(counts[:-2]), *counts[-2:]), self.series.dtype)
        starts = [range(part.start, part.stop) for part in outer]
        for k, at in enumerate(np.ndindex(*counts[:-2])):
            index = [axis[i] for axis, i in zip(starts, at, strict=True)]
            page = int(np.ravel_multi_index(index, self.shape[:-2])) if index else 0
            self._fill(result[k], page, rows, columns)
        return result.reshape(counts)

    def _fill(self, plane: NDArray[Any], page: int, rows: slice, columns: slice) -> None:
        tall, wide = self.tile
        across = -(-self.width // wide)
        for row in range(rows.start // tall, -(-rows.stop // tall)):
            for column in range(columns.start // wide, -(-columns.stop // wide)):
                tile = self.decoded(page, row * across + column)
                top, left = row * tall, column * wide
                height, width = min(tall, self.height - top), min(wide, self.width - left)
                y, x = _common(rows, top, height), _common(columns, left, width)
                part = tile[y.start - top : y.stop - top, x.start - left : x.stop - left]
                plane[y.start - rows.start : y.stop - rows.start, x.start - columns.start : x.stop - columns.start] = (
                    part
                )

    def _decode(self, page_number: int, index: int) -> NDArray[Any]:
        with self.lock:  # finding a page reads the file, too
            page = self.series.pages[page_number]
            if page is None:
                return np.zeros(self.tile, self.series.dtype)
            page = page.aspage() if hasattr(page, "aspage") else page
            nbytes = page.databytecounts[index]
            if not nbytes:
                return np.full(self.tile, page.nodata, self.series.dtype)
            self.file.seek(page.dataoffsets[index])
            data = self.file.read(nbytes)
        if len(data) != nbytes:
            raise ReadError(f"cannot be read as TIFF: it is cut short in tile {index} of page {page_number}")
        tile, _, _ = page.decode(data, index)
        return np.asarray(tile).reshape(np.shape(tile)[-3:-1] if np.ndim(tile) > 2 else np.shape(tile))


def _common(wanted: slice, start: int, size: int) -> slice:
    return slice(max(wanted.start, start), min(wanted.stop, start + size))
