"""NumPy files: arrays, archives, stacks of PanNuke, and what Cellpose saves. Nothing in them is executed."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy_format

from softpq.io import LabelImage, ReadError, check_size, stem_of
from softpq.io.stored import StoredArray

if TYPE_CHECKING:
    from numpy.typing import NDArray

Header = tuple[tuple[int, ...], bool, np.dtype[Any]]


def images(path: Path, inner: str | None) -> list[LabelImage]:
    """List the image of a file, the images of a PanNuke stack, or one array of an archive."""
    if zipfile.is_zipfile(path):
        return [LabelImage(stem_of(path), path, lambda: _read_archive(path, inner))]
    with path.open("rb") as file:
        shape, _, dtype = _header(file)
    if dtype.hasobject:
        from softpq.io import cellpose_seg

        return cellpose_seg.images(path, inner)
    if len(shape) == 4 and shape[-1] in (5, 6):
        from softpq.io import pannuke

        return pannuke.images(path, inner)
    return [LabelImage(stem_of(path), path, lambda: read(path), stored=lambda: open_parts(path))]


def open_parts(path: Path) -> StoredArray:
    """Map the file into memory."""
    array = _mapped(path)
    return StoredArray(lambda block: array[block], array.shape, array.dtype, None, path.name)


def _header(file: IO[bytes]) -> Header:
    try:
        version = npy_format.read_magic(file)
        reader = npy_format.read_array_header_1_0 if version == (1, 0) else npy_format.read_array_header_2_0
        shape, fortran, dtype = reader(file)
        return shape, fortran, dtype
    except ValueError as error:
        raise ReadError(f"cannot be read as NPY: {str(error).splitlines()[0][:120]}") from error


def read(path: Path) -> NDArray[Any]:
    """Read an array, without axes of length 1."""
    array = _mapped(path)
    check_size(array.nbytes)
    return array.squeeze()


def _mapped(path: Path) -> NDArray[Any]:
    """The file must be as long as its header says."""
    with path.open("rb") as file:
        shape, _, dtype = _header(file)
        expected = int(np.prod(shape, dtype=object)) * dtype.itemsize
        present = path.stat().st_size - file.tell()
    if present < expected:
        raise ReadError(f"cannot be read as NPY: it is cut short, {present} of {expected} bytes")
    array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    return array


def _read_archive(path: Path, inner: str | None) -> NDArray[Any]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = {Path(info.filename).stem: info for info in archive.infolist() if info.filename.endswith(".npy")}
            name = inner or _only(sorted(members))
            if name not in members:
                raise ReadError(f"holds no array {name!r}; there are {', '.join(sorted(members))}")
            check_size(members[name].file_size)
            with archive.open(members[name]) as file:
                shape, _, dtype = _header(file)
                check_size(int(np.prod(shape, dtype=object)) * dtype.itemsize)
            with archive.open(members[name]) as file:
                array: NDArray[Any] = npy_format.read_array(file, allow_pickle=False)
                return array
    except (ValueError, zipfile.BadZipFile, OSError, EOFError) as error:
        raise ReadError(f"cannot be read as NPZ: {str(error).splitlines()[0][:160]}") from error


def _only(names: list[str]) -> str:
    for usual in ("masks", "labels", "mask", "label"):
        if usual in names:
            return usual
    if len(names) != 1:
        raise ReadError(f"holds several arrays, say which as file.npz:NAME; there are {', '.join(names)}")
    return names[0]
