"""NumPy's own files. Nothing in them is executed."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy_format

from softpq.errors import ReadError
from softpq.io.axes import Axes
from softpq.io.format import Content, Format, Place
from softpq.io.stored import StoredArray

if TYPE_CHECKING:
    from numpy.typing import NDArray

Header = tuple[tuple[int, ...], bool, np.dtype[Any]]


def header_of(file: IO[bytes]) -> Header:
    """Read shape, order and type."""
    version = npy_format.read_magic(file)
    reader = npy_format.read_array_header_1_0 if version == (1, 0) else npy_format.read_array_header_2_0
    shape, fortran, dtype = reader(file)
    return shape, fortran, dtype


@lru_cache(maxsize=16)
def _header_at(path: Path, changed: int, length: int) -> Header:
    with path.open("rb") as file:
        return header_of(file)


def header_at(path: Path) -> Header:
    """Read shape, order and type of a file; several formats look at them."""
    status = path.stat()
    return _header_at(path, status.st_mtime_ns, status.st_size)


def mapped(path: Path) -> NDArray[Any]:
    """Map the file into memory; it must be as long as its header says."""
    with path.open("rb") as file:
        shape, _, dtype = header_of(file)
        expected = int(np.prod(shape, dtype=object)) * dtype.itemsize
        present = path.stat().st_size - file.tell()
    if 0 in shape:
        raise ReadError(f"holds no pixels: its shape is {shape}")
    if present < expected:
        raise ReadError(f"cannot be read as NPY: it is cut short, {present} of {expected} bytes")
    array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    return array


def _axes(shape: tuple[int, ...], place: Place) -> Axes:
    return Axes.unstated(shape).asked(place.options.axes)


def names(place: Place) -> list[str]:
    """List the moments, if somebody says that an axis is time."""
    return _axes(header_at(place.path)[0], place).names(place.stem)


def read(place: Place) -> Content:
    """Read an array, without axes of length 1."""
    array = mapped(place.path)
    part = np.asarray(array[_axes(array.shape, place).part(place.index, place.options.channel)])
    place.check_size(part.nbytes)
    return Content(part.squeeze())


def open_parts(place: Place) -> StoredArray:
    """Map the file into memory."""
    array = mapped(place.path)
    stored = StoredArray(lambda block: array[block], array.shape, array.dtype, None, place.path.name)
    return stored.part(_axes(array.shape, place).part(place.index, place.options.channel))


FORMAT = Format("NPY", (".npy",), read, (b"\x93NUMPY",), names=names, open_parts=open_parts)
