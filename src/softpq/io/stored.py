"""Arrays that stay in their files: opened for reading parts of them, never as a whole."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.io import LabelImage, ReadError, images_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

Block = tuple[slice, ...]


class StoredArray:
    """An array in a file: shape, type and chunks are known, blocks are read when they are asked for.

    Axes of length 1 are left out, as they are where files are read as a whole.
    """

    def __init__(
        self,
        read: Callable[[Block], NDArray[Any]],
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        chunks: tuple[int, ...] | None,
        name: str,
        missing: Callable[[], tuple[int, int, Any]] | None = None,
        close: Callable[[], Any] | None = None,
    ) -> None:
        if close is not None:
            weakref.finalize(self, close)
        self._read = read
        self._kept = [axis for axis, size in enumerate(shape) if size != 1]
        self._n_axes = len(shape)
        self.shape = tuple(shape[axis] for axis in self._kept) or (1,)
        self.dtype = np.dtype(dtype)
        self.chunks = None if chunks is None else tuple(chunks[axis] for axis in self._kept) or (1,)
        self.name = name
        self._missing = missing

    @property
    def nbytes(self) -> int:
        """Of the pixels, once they are decoded."""
        return math.prod(self.shape) * self.dtype.itemsize

    def __getitem__(self, block: Block) -> NDArray[Any]:
        whole = [slice(0, 1)] * self._n_axes
        for axis, part in zip(self._kept, block, strict=False):
            whole[axis] = part
        try:
            found = np.asarray(self._read(tuple(whole)))
        except ReadError:
            raise
        except Exception as error:  # decoders raise many kinds
            place = ", ".join(f"{part.start}:{part.stop}" for part in block)
            reason = " ".join((str(error) or type(error).__name__).split())[:160]
            raise ReadError(f"{self.name} cannot be read at [{place}]: {reason}") from error
        return found.reshape([part.stop - part.start for part in block] if self._kept else (1,))

    def missing_chunks(self) -> tuple[int, int, Any]:
        """How many chunks are not stored, of how many, and the value they stand for."""
        return (0, 0, 0) if self._missing is None else self._missing()


def open_stored(location: str | Path) -> StoredArray:
    """Open an array without reading it.

    Parameters
    ----------
    location
        Path of a Zarr, OME-Zarr, HDF5, TIFF or NPY file; ``file.h5:dataset`` for what is inside.
    """
    try:
        images = images_in(location)
    except FileNotFoundError as error:
        raise ReadError(f"{location} does not exist") from error
    except ReadError as error:
        raise ReadError(f"{location} {error}") from error
    if len(images) != 1 or images[0].stored is None:
        raise ReadError(f"{location} cannot be read in parts; Zarr, HDF5, TIFF and NPY can")
    return opened(images[0])


def opened(image: LabelImage) -> StoredArray:
    """Open the array of an image; errors name the file."""
    assert image.stored is not None
    try:
        array: StoredArray = image.stored()
    except (ReadError, OSError) as error:
        raise ReadError(f"{image.path.name} {error}") from error
    if len(array.shape) == 3 and array.shape[-1] in (3, 4) and array.dtype == np.uint8:
        raise ReadError(f"{image.path.name} may be a colour image; it must be read as a whole to tell")
    return array
