"""The pages of a TIFF, tile by tile or strip by strip."""

from __future__ import annotations

import math
import threading
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq import _core
from softpq.errors import ReadError
from softpq.io.stored import Block

if TYPE_CHECKING:
    from numpy.typing import NDArray

PLAIN, LZW, DEFLATE = (1,), (5,), (8, 32946)
"""Compressions that are unpacked here, no more bytes of them than there should be."""

WITHOUT_LIBRARY = (*PLAIN, *LZW, *DEFLATE, 32773, 34925)
"""Those, and what tifffile unpacks without a library of codecs."""


def is_usual(series: Any) -> bool:
    """Whether the pixels are plain numbers, stored or compressed as they mostly are."""
    page = series.keyframe
    return (
        page.compression in PLAIN + LZW + DEFLATE
        and page.fillorder == 1
        and page.predictor in (1, 2)
        and page.samplesperpixel == 1
        and page.imagedepth == 1
        and page.bitspersample == 8 * series.dtype.itemsize
        and (series.dtype.kind in "iu" or (series.dtype.kind == "f" and page.predictor == 1))
        and tuple(series.shape[-2:]) == (page.imagelength, page.imagewidth)
    )


@cache
def _fast_inflate() -> Callable[..., Any] | None:
    """What unpacks zlib faster than Python's own library, if it is there."""
    try:
        return import_module("imagecodecs").deflate_decode  # type: ignore[no-any-return]
    except (ImportError, AttributeError):
        return None


def _inflated(data: bytes, room: int) -> bytes:
    """Unpack zlib; what does not fit is left."""
    fast = _fast_inflate()
    if fast is not None:
        with suppress(Exception):  # also where there is more than fits, as in padded strips
            return fast(data, out=room)  # type: ignore[no-any-return]  # bytes
    return zlib.decompressobj().decompress(data, room)


def unpacked(
    data: bytes, compression: int, predictor: int, shape: tuple[int, int], dtype: np.dtype[Any], where: str = ""
) -> NDArray[Any]:
    """The pixels of a tile or strip, in the order of bytes of this machine; no more of them than it has room for."""
    room = math.prod(shape) * dtype.itemsize
    if compression in LZW:
        data = _core.lzw_decode(data, room)
    elif compression in DEFLATE:
        data = _inflated(data, room)
    if len(data) < room:
        raise ReadError(f"cannot be read as TIFF: it is cut short{where}, {len(data)} of {room} bytes")
    tile = np.frombuffer(data, dtype, math.prod(shape)).reshape(shape).astype(dtype.newbyteorder("="), copy=False)
    return np.cumsum(tile, axis=1, dtype=tile.dtype) if predictor == 2 else tile


class Pages:
    """The pages of a series as one array: all axes but the last two are spread over pages."""

    def __init__(self, tiff: Any, series: Any) -> None:
        page = series.keyframe
        self.series, self.file, self.byteorder = series, tiff.filehandle, tiff.byteorder
        self.height, self.width = int(page.imagelength), int(page.imagewidth)
        if page.imagedepth != 1 or page.samplesperpixel != 1:
            raise ReadError("has samples or tiles of another kind, and can only be read as a whole")
        self.shape = tuple(int(size) for size in series.shape)
        if self.shape[-2:] != (self.height, self.width):
            raise ReadError(f"has pages of {self.height} x {self.width} pixels in an image of {self.shape}")
        self.tile = (int(page.chunks[-2]), int(page.chunks[-1]))
        self.chunks = (1,) * (len(self.shape) - 2) + self.tile
        self.usual = is_usual(series)
        self.lock = threading.Lock()
        self.remembered = lru_cache(maxsize=64)(self.decoded)  # neighbours ask for the same strips

    def whole(self) -> NDArray[Any]:
        """Return the array."""
        result = np.empty((math.prod(self.shape[:-2]), *self.shape[-2:]), self.series.dtype)
        everything = slice(0, self.height), slice(0, self.width)
        for page, plane in enumerate(result):
            self._fill(plane, page, *everything, self.decoded)
        return result.reshape(self.shape)

    def read(self, block: Block) -> NDArray[Any]:
        """Return a part of the array."""
        outer, (rows, columns) = block[:-2], block[-2:]
        counts = [part.stop - part.start for part in block]
        result = np.empty((math.prod(counts[:-2]), *counts[-2:]), self.series.dtype)
        starts = [range(part.start, part.stop) for part in outer]
        for k, at in enumerate(np.ndindex(*counts[:-2])):
            index = [axis[i] for axis, i in zip(starts, at, strict=True)]
            page = int(np.ravel_multi_index(index, self.shape[:-2])) if index else 0
            self._fill(result[k], page, rows, columns, self.remembered)
        return result.reshape(counts)

    def _fill(
        self, plane: NDArray[Any], page: int, rows: slice, columns: slice, decode: Callable[[int, int], NDArray[Any]]
    ) -> None:
        tall, wide = self.tile
        across = -(-self.width // wide)
        for row in range(rows.start // tall, -(-rows.stop // tall)):
            for column in range(columns.start // wide, -(-columns.stop // wide)):
                tile = decode(page, row * across + column)
                top, left = row * tall, column * wide
                height, width = min(tall, self.height - top), min(wide, self.width - left)
                y, x = _common(rows, top, height), _common(columns, left, width)
                there = plane[
                    y.start - rows.start : y.stop - rows.start, x.start - columns.start : x.stop - columns.start
                ]
                there[...] = tile[y.start - top : y.stop - top, x.start - left : x.stop - left]

    def decoded(self, page_number: int, index: int) -> NDArray[Any]:
        """Read and unpack one tile or strip."""
        with self.lock:  # finding a page reads the file, too
            page = self.series.pages[page_number]
            if page is None:
                return np.zeros(self.tile, self.series.dtype)
            page = page.aspage() if hasattr(page, "aspage") else page
            if index >= len(page.databytecounts):
                raise ReadError(f"cannot be read as TIFF: page {page_number} has no tile {index}")
            nbytes = page.databytecounts[index]
            if not nbytes:
                return np.full(self.tile, page.nodata, self.series.dtype)
            self.file.seek(page.dataoffsets[index])
            data = self.file.read(nbytes)
        if len(data) != nbytes:
            raise ReadError(f"cannot be read as TIFF: it is cut short in tile {index} of page {page_number}")
        if self.usual:
            return self._unpacked(data, index, page)
        tile, _, _ = page.decode(data, index)
        return np.asarray(tile).reshape(np.shape(tile)[-3:-1] if np.ndim(tile) > 2 else np.shape(tile))

    def _unpacked(self, data: bytes, index: int, page: Any) -> NDArray[Any]:
        """A tile, or a strip, of which the last may be shorter."""
        rows, columns = self.tile
        if not page.is_tiled:
            rows = min(rows, self.height - rows * (index % -(-self.height // rows)))
        dtype = self.series.dtype.newbyteorder(self.byteorder)
        return unpacked(data, page.compression, page.predictor, (rows, columns), dtype, f" in tile {index}")


def _common(wanted: slice, start: int, size: int) -> slice:
    return slice(max(wanted.start, start), min(wanted.stop, start + size))
