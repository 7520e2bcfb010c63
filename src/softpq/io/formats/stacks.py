"""Arrays of many images: of CoNIC (images, height, width, 2), of LyNSeC (height, width, 5), and of TissueNet."""

from __future__ import annotations

import math
import threading
import zipfile
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.axes import MOST_FRAMES
from softpq.io.format import Content, Format, Place
from softpq.io.formats.mat import most_frequent
from softpq.io.formats.npy import header_at, header_of, mapped

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_CLASSES = 20
TISSUENET = ("cells", "nuclei")
"""What the channels of TissueNet's ``y`` hold."""


def _ids_and_classes(ids: NDArray[Any], classes: NDArray[Any]) -> bool:
    """Whether one plane holds objects and the other their classes: on the same pixels, and each object has one."""
    if not np.array_equal(ids != 0, classes != 0) or not ids.any():
        return False
    pairs = np.unique(np.stack([ids[ids != 0], classes[ids != 0]]), axis=1)
    kinds = len(np.unique(pairs[1]))
    return kinds <= MOST_CLASSES and pairs.shape[1] == len(np.unique(pairs[0])) and pairs.shape[1] > kinds


def is_conic(path: Path) -> bool:
    """Whether an NPY file holds pairs of ids and classes of many images."""
    shape, _, dtype, *_ = header_at(path)
    if len(shape) != 4 or shape[-1] != 2 or dtype.kind not in "iu" or min(shape) < 1:
        return False
    images = mapped(path)
    full = next((image for image in images[:50] if image.any()), None)
    return full is not None and _ids_and_classes(np.asarray(full[..., 0]), np.asarray(full[..., 1]))


def _conic_names(place: Place) -> list[str]:
    return [f"{place.path.name.removesuffix('.npy')}_{k:04d}" for k in range(header_at(place.path)[0][0])]


def _read_conic(place: Place) -> Content:
    image = np.asarray(mapped(place.path)[place.index])
    place.check_size(2 * image.nbytes)
    return Content(image[..., 0], most_frequent(image[..., 0], image[..., 1]))


CONIC = Format("CoNIC", (".npy",), _read_conic, (b"\x93NUMPY",), is_conic, names=_conic_names)


def is_lynsec(path: Path) -> bool:
    """Whether an NPY file holds a picture, ids and classes."""
    shape, _, dtype, *_ = header_at(path)
    if len(shape) != 3 or shape[-1] != 5 or dtype.kind not in "iuf" or min(shape[:2]) < 8:
        return False
    planes = mapped(path)
    return _ids_and_classes(np.asarray(planes[..., 3]), np.asarray(planes[..., 4]))


def _read_lynsec(place: Place) -> Content:
    planes = mapped(place.path)
    place.check_size(planes.nbytes)
    ids = np.asarray(planes[..., 3])
    return Content(ids, most_frequent(ids, np.asarray(planes[..., 4])))


LYNSEC = Format("LyNSeC", (".npy",), _read_lynsec, (b"\x93NUMPY",), is_lynsec)


def _y_of(path: Path) -> tuple[int, ...] | None:
    """The shape of ``y``, if an archive has one of many images."""
    try:
        with zipfile.ZipFile(path) as archive:
            if "y.npy" not in archive.namelist():
                return None
            with archive.open("y.npy") as file:
                shape, _, dtype = header_of(file)
            if math.prod(shape) * dtype.itemsize > archive.getinfo("y.npy").file_size or shape[:1] > (MOST_FRAMES,):
                return None
    except (zipfile.BadZipFile, ValueError):
        return None
    return shape if len(shape) == 4 and shape[-1] in (1, 2) and 0 not in shape else None


def _tissuenet_names(place: Place) -> list[str]:
    shape = _y_of(place.path)
    assert shape is not None
    kinds = [f"_{TISSUENET[channel]}" if shape[-1] > 1 else "" for channel in _channels(place, shape)]
    return [f"{place.path.name.removesuffix('.npz')}_{k:04d}{kind}" for k in range(shape[0]) for kind in kinds]


def _channels(place: Place, shape: tuple[int, ...]) -> list[int]:
    """Those that are asked for; all by default."""
    asked = place.options.channel
    if asked is not None and not 0 <= asked < shape[-1]:
        known = ", ".join(f"{k} ({name})" for k, name in enumerate(TISSUENET[: shape[-1]]))
        raise ReadError(f"has no channel {asked}; there are {known}")
    return list(range(shape[-1])) if asked is None else [asked]


def _read_tissuenet(place: Place) -> Content:
    """Read one image."""
    status = place.path.stat()
    images = _stream(place.path, status.st_mtime_ns, status.st_size)
    if images.dtype.kind not in "iuf" or images.fortran:
        raise ReadError(f"holds y of {images.dtype}, not labels")
    place.check_size(2 * images.nbytes)
    channels = _channels(place, images.shape)
    image, which = divmod(place.index, len(channels))
    return Content(images.read(image)[..., channels[which]].copy())


@lru_cache(maxsize=2)
def _stream(path: Path, changed: int, length: int) -> _Stream:
    return _Stream(path)


class _Stream:
    """Images of an archive, unpacked one after the other: one pass, as long as they are asked for about in turn.

    The last ones are kept, as threads overtake each other, and both sides of a pair may lie in one file.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, threading.Lock()
        self._open()
        self.nbytes = self.dtype.itemsize * int(np.prod(self.shape[1:], dtype=object))
        self._kept: dict[int, NDArray[Any]] = {}

    def _open(self) -> None:
        with zipfile.ZipFile(self._path) as archive:
            self._file = archive.open("y.npy")  # which stays open, as long as images are asked for
        self.shape, self.fortran, self.dtype = header_of(self._file)
        self._next: int | None = 0

    def read(self, image: int) -> NDArray[Any]:
        """Unpack one image."""
        with self._lock:
            if image not in self._kept:
                self._keep(image, self._unpacked(image))
            return self._kept[image]

    def _unpacked(self, image: int) -> NDArray[Any]:
        if self._next is None or image < self._next:
            self._file.close()
            self._open()
        assert self._next is not None
        ahead, self._next = image - self._next, None  # nobody knows where the file is, if this is interrupted
        for _ in range(ahead):
            self._file.seek(self.nbytes, 1)
        data = self._file.read(self.nbytes)
        if len(data) < self.nbytes:
            raise ReadError("cannot be read as NPZ: it is cut short")
        self._next = image + 1
        return np.frombuffer(data, self.dtype).reshape(self.shape[1:])

    def _keep(self, image: int, pixels: NDArray[Any]) -> None:
        while self._kept and (len(self._kept) + 1) * self.nbytes > MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[image] = pixels


MOST_KEPT = 1 << 26
"""Bytes of images that are kept; the last one always is."""


TISSUE = Format(
    "TissueNet", (".npz",), _read_tissuenet, (b"PK\3\4",), lambda path: _y_of(path) is not None, names=_tissuenet_names
)
