"""From files to labels. One file a format; FORMATS says which module reads which suffix.

>>> sorted(FORMATS)[:4]
['.csv', '.geojson', '.h5', '.hdf']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_BYTES = 16 << 30
"""A file whose pixels would need more memory than this is refused before it is decoded."""

FORMATS: Mapping[str, str] = MappingProxyType(
    {
        ".tif": "tiff", ".tiff": "tiff", ".png": "png", ".npy": "npy", ".npz": "npy",
        ".nii": "nifti", ".nii.gz": "nifti", ".nrrd": "nrrd", ".h5": "hdf5", ".hdf5": "hdf5", ".hdf": "hdf5",
        ".zarr": "zarr", ".csv": "rle_csv", ".geojson": "geojson", ".json": "geojson",
    }
)  # fmt: skip
"""Suffix -> module in softpq.io."""

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"II*\0", "tiff"), (b"MM\0*", "tiff"), (b"II+\0", "tiff"), (b"MM\0+", "tiff"), (b"\x89PNG", "png"),
    (b"\x93NUMPY", "npy"), (b"PK\3\4", "npy"), (b"\x89HDF", "hdf5"), (b"NRRD", "nrrd"),
)  # fmt: skip


class ReadError(Exception):
    """A file that cannot be used; the message is one line and says why."""


class Shapeless(Protocol):
    """Objects that are not pixels yet (polygons, runs): they need the shape of the image they are on."""

    def extent(self) -> tuple[int, ...]:
        """The smallest image that holds everything."""
        ...

    def raster(self, shape: tuple[int, ...]) -> NDArray[Any]:
        """Label image of that shape."""
        ...


@dataclass(frozen=True)
class LabelImage:
    """One image of a source: a name, and how to read it.

    ``classes`` maps labels to classes, if the file knows them. ``stored`` opens the array without reading it, where the
    format allows to read parts. ``where`` is the file and the place in it, for opening the image again elsewhere.
    """

    name: str
    path: Path
    read: Callable[[], NDArray[Any] | Shapeless]
    classes: Callable[[], Mapping[int, str]] | None = None
    stored: Callable[[], Any] | None = None
    where: tuple[str, int] | None = None


def split_inner(location: str | Path) -> tuple[Path, str | None]:
    """Split ``file.h5:dataset`` into the file and what is inside.

    Examples
    --------
    >>> split_inner("volume.h5:labels/truth")[1]
    'labels/truth'
    """
    text = str(location)
    for suffix in (".h5", ".hdf5", ".hdf", ".npz", ".zarr"):
        head, found, inner = text.partition(f"{suffix}:")
        if found:
            return Path(head + suffix), inner
    return Path(text), None


def suffix_of(path: Path) -> str:
    """Return the suffix that FORMATS knows, or the last one."""
    name = path.name.lower()
    return next((s for s in sorted(FORMATS, key=len, reverse=True) if name.endswith(s)), path.suffix.lower())


def format_of(path: Path) -> str:
    """Return the module that reads a file: content decides where the suffix lies.

    Raises
    ------
    ReadError
        If neither is known.
    """
    by_suffix = FORMATS.get(suffix_of(path))
    if path.is_dir():
        if any((path / name).exists() for name in (".zarray", ".zgroup", "zarr.json")):
            return "zarr"
        raise ReadError("is a folder, not an image")
    with path.open("rb") as file:
        head = file.read(8)
    if not head:
        raise ReadError("is empty")
    by_content = next((module for magic, module in _MAGIC if head.startswith(magic)), None)
    if by_content is None and head.startswith(b"\x1f\x8b") and suffix_of(path) == ".nii.gz":
        by_content = "nifti"
    found = by_content or by_suffix
    if found is None:
        raise ReadError(f"has a format that is not known; known are {', '.join(sorted(FORMATS))}")
    return found


def images_in(location: str | Path) -> list[LabelImage]:
    """List the images of one file: most have one, tables and stacks of PanNuke several."""
    path, inner = split_inner(location)
    module = import_module(f"softpq.io.{format_of(path)}")
    listed: list[LabelImage] = module.images(path, inner)
    here = absolute(location)
    return [replace(image, where=(here, place)) for place, image in enumerate(listed)]


def absolute(location: str | Path) -> str:
    """Return a location that means the same in processes with another working directory."""
    path, inner = split_inner(location)
    return f"{path.absolute()}{'' if inner is None else f':{inner}'}"


def again(where: tuple[str, int], name: str) -> LabelImage:
    """Open an image where it was found, perhaps in another process."""
    location, place = where
    return replace(images_in(location)[place], name=name)


def read_labels(location: str | Path, shape: tuple[int, ...] | None = None) -> NDArray[Any]:
    """Read the label image of a file.

    Parameters
    ----------
    location
        A path; ``file.h5:dataset`` for what is inside of a container.
    shape
        For polygons and runs without a size: the image they are on.
    """
    images = images_in(location)
    if len(images) != 1:
        raise ReadError(f"holds {len(images)} images; one was expected")
    found = images[0].read()
    return found if isinstance(found, np.ndarray) else found.raster(shape or found.extent())


def needs(package: str, suffix: str, extra: str) -> Any:
    """Import what an extra brings, or say how to get it."""
    try:
        return import_module(package)
    except ImportError as error:
        raise ReadError(f"Reading {suffix} needs an extra: pip install 'softpq[{extra}]'.") from error


def check_size(nbytes: int) -> None:
    """Refuse what would not fit into memory."""
    if nbytes > MAX_BYTES:
        raise ReadError(f"claims {nbytes / 1e9:,.1f} GB of pixels; the limit is {MAX_BYTES / 1e9:,.0f} GB")


def stem_of(path: Path) -> str:
    """Return the file name without the suffixes FORMATS knows."""
    suffix = suffix_of(path)
    known = suffix in FORMATS and path.name.lower().endswith(suffix)
    return printable(path.name[: -len(suffix)] if known else path.name)


def printable(text: str) -> str:
    """Return a text in which bytes that are no characters, which file names may hold, are spelled out."""
    return text.encode("utf-8", "backslashreplace").decode()
