"""The pages of a TIFF, tile by tile."""

from __future__ import annotations

import math
import threading
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq import _core
from softpq.errors import ReadError
from softpq.io.stored import Block

if TYPE_CHECKING:
    from numpy.typing import NDArray

LZW = 5


def needs_own_decoder(series: Any) -> bool:
    """Whether tifffile could not decode LZW: integers as they are usually written, and no library of codecs."""
    page = series.keyframe
    if page.compression != LZW or page.fillorder != 1 or page.predictor not in (1, 2):
        return False
    return series.dtype.kind in "iu" and page.samplesperpixel == 1 and find_spec("imagecodecs") is None


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
        self.byteorder, self.own_decoder = tiff.byteorder, needs_own_decoder(series)
        self.lock = threading.Lock()
        self.decoded = lru_cache(maxsize=64)(self._decode)  # neighbours ask for the same strips

    def whole(self) -> NDArray[Any]:
        """Return the array."""
        return self.read(tuple(slice(0, size) for size in self.shape))

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
        if self.own_decoder:
            return self._unpacked(data, index)
        tile, _, _ = page.decode(data, index)
        return np.asarray(tile).reshape(np.shape(tile)[-3:-1] if np.ndim(tile) > 2 else np.shape(tile))

    def _unpacked(self, data: bytes, index: int) -> NDArray[Any]:
        """A tile or strip that is compressed with LZW; the last strip is shorter."""
        rows, columns = self.tile
        if not self.series.keyframe.is_tiled:
            rows = min(rows, self.height - rows * (index % -(-self.height // rows)))
        dtype = self.series.dtype.newbyteorder(self.byteorder)
        raw = _core.lzw_decode(data, rows * columns * dtype.itemsize)
        tile = np.frombuffer(raw, dtype).reshape(rows, columns).astype(self.series.dtype)
        return np.cumsum(tile, axis=1, dtype=tile.dtype) if self.series.keyframe.predictor == 2 else tile


def _common(wanted: slice, start: int, size: int) -> slice:
    return slice(max(wanted.start, start), min(wanted.stop, start + size))
