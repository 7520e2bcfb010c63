"""NumPy's own files. Nothing in them is executed."""

from __future__ import annotations

from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy_format

from softpq.errors import ReadError
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


def read(place: Place) -> Content:
    """Read an array, without axes of length 1."""
    array = mapped(place.path)
    place.check_size(array.nbytes)
    return Content(array.squeeze())


def open_parts(place: Place) -> StoredArray:
    """Map the file into memory."""
    array = mapped(place.path)
    return StoredArray(lambda block: array[block], array.shape, array.dtype, None, place.path.name)


FORMAT = Format("NPY", (".npy",), read, (b"\x93NUMPY",), open_parts=open_parts)
