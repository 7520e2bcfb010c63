"""NumPy's own files. Nothing in them is executed."""

from __future__ import annotations

import io
import math
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import IO, TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.lib import format as npy_format

from softpq.errors import ReadError
from softpq.io.axes import Axes
from softpq.io.format import Content, Format, Place
from softpq.io.stored import StoredArray

if TYPE_CHECKING:
    from numpy.typing import NDArray


_PARSING = Lock()
"""Headers are Python literals, and the parser of Python 3.11 fails now and then where several threads use it."""


class Header(NamedTuple):
    """Shape, order and type of an array, where it begins, and how long the file is."""

    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype[Any]
    start: int
    length: int

    def check(self) -> None:
        """Raise unless the array is all there, and made of plain numbers."""
        expected, present = math.prod(self.shape) * self.dtype.itemsize, self.length - self.start
        if self.dtype.hasobject:
            raise ReadError("cannot be read as NPY: it holds Python objects, which are never loaded")
        if 0 in self.shape:
            raise ReadError(f"holds no pixels: its shape is {self.shape}")
        if present < expected:
            raise ReadError(f"cannot be read as NPY: it is cut short, {present} of {expected} bytes")

    @property
    def order(self) -> Literal["F", "C"]:
        """Of the axes in memory."""
        return "F" if self.fortran else "C"


def header_of(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Read shape, order and type."""
    version = npy_format.read_magic(file)
    reader = npy_format.read_array_header_1_0 if version == (1, 0) else npy_format.read_array_header_2_0
    with _PARSING:
        shape, fortran, dtype = reader(file)
    return shape, fortran, dtype


@lru_cache(maxsize=16)
def _header_at(path: Path, changed: int, length: int) -> Header:
    with path.open("rb", buffering=0) as file:
        head = file.read(_MOSTLY)
        text = int.from_bytes(head[8:10], "little")
        if head[6:8] == b"\x01\x00" and 10 + text <= len(head):  # folders are full of files that begin alike
            return Header(*_parsed(head[: 10 + text]), 10 + text, length)
        file.seek(0)
        with io.BufferedReader(file) as whole:
            return Header(*header_of(whole), whole.tell(), length)


_MOSTLY = 128
"""Bytes of a header; NumPy fills it up to a multiple of 64."""


@lru_cache(maxsize=256)
def _parsed(head: bytes) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    return header_of(io.BytesIO(head))


def header_at(path: Path) -> Header:
    """Read the header of a file; several formats look at it."""
    status = path.stat()
    return _header_at(path, status.st_mtime_ns, status.st_size)


def mapped(path: Path) -> NDArray[Any]:
    """Map the file into memory; it must be as long as its header says."""
    header = header_at(path)
    header.check()
    return np.memmap(path, header.dtype, "r", header.start, header.shape, header.order)


def _axes(shape: tuple[int, ...], place: Place) -> Axes:
    return Axes.unstated(shape).asked(place.options.axes)


def names(place: Place) -> list[str]:
    """List the moments, if somebody says that an axis is time."""
    return _axes(header_at(place.path)[0], place).names(place.stem)


def read(place: Place) -> Content:
    """Read an array, without axes of length 1."""
    header = header_at(place.path)
    part = _axes(header.shape, place).part(place.index, place.options.channel)
    if part == tuple(slice(0, size) for size in header.shape):
        return Content(_whole(place, header).squeeze())
    array = np.asarray(mapped(place.path)[part])
    place.check_size(array.nbytes)
    return Content(array.squeeze())


def _whole(place: Place, header: Header) -> NDArray[Any]:
    header.check()
    place.check_size(math.prod(header.shape) * header.dtype.itemsize)
    flat = np.fromfile(place.path, header.dtype, math.prod(header.shape), offset=header.start)
    return flat.reshape(header.shape, order=header.order)


def open_parts(place: Place) -> StoredArray:
    """Map the file into memory."""
    array = mapped(place.path)
    stored = StoredArray(lambda block: array[block], array.shape, array.dtype, None, place.path.name)
    return stored.part(_axes(array.shape, place).part(place.index, place.options.channel))


FORMAT = Format("NPY", (".npy",), read, (b"\x93NUMPY",), names=names, open_parts=open_parts, packs=1)
