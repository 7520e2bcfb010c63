"""Images of a dataset, in files or in memory."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from softpq.errors import ReadError
from softpq.io.axes import Axes
from softpq.io.child import read_in_child
from softpq.io.format import Content, Format, NotHere, Place, ReadOptions, check_regular, explained
from softpq.io.formats import FORMATS, format_of, split_inner, stem_of
from softpq.io.picture import PICTURE
from softpq.table.mask_pictures import as_labels_if_plain
from softpq.table.masks import Masks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softpq.io.stored import StoredArray


class Image(Protocol):
    """An image of a dataset: in a file, or in memory."""

    @property
    def name(self) -> str:
        """Of the image."""
        ...

    @property
    def shown(self) -> str:
        """What it is called in messages: the name of the file."""
        ...

    def read(self, options: ReadOptions | None = None) -> Content:
        """Return what it holds."""
        ...


@dataclass(frozen=True)
class LabelImage:
    """One image of a file: a plain value, which means the same in another process.

    Attributes
    ----------
    name
        By which it is paired.
    location
        The file, and ``:inside`` of it.
    index
        Which image of the file.
    format
        Name of the format; empty if the file could not be looked at.
    problem
        Why it could not; said when it is read.
    """

    name: str
    location: str
    index: int = 0
    format: str = ""
    problem: str = ""

    @property
    def path(self) -> Path:
        """The file."""
        return split_inner(self.location)[0]

    @property
    def shown(self) -> str:
        """The name of the file."""
        return self.path.name

    @property
    def record(self) -> Format:
        """The format."""
        if self.problem:
            raise ReadError(self.problem)
        return next(known for known in (*FORMATS, PICTURE) if known.name == self.format)

    def _place(self, options: ReadOptions, alone: bool) -> Place:
        path, inner = split_inner(self.location)
        check_regular(path)
        return Place(path, inner, self.index, options, alone)

    def read(self, options: ReadOptions | None = None) -> Content:
        """Read and decode the file; in another process if that could do harm.

        Raises
        ------
        ReadError
            With one line that says why, whatever went wrong.
        """
        options = options or ReadOptions()
        try:
            return self.read_here(options)
        except NotHere:
            return read_in_child(self, options)

    def read_here(self, options: ReadOptions, *, alone: bool = False) -> Content:
        """Read and decode the file in this process."""
        with explained(self.record):
            place = self._place(options, alone)
            found = self.record.read(place)
            if isinstance(found.labels, np.ndarray) and not found.labels.size:
                raise ReadError(f"holds no pixels: its shape is {found.labels.shape}")
            return replace(found, spread=bool(place.others))

    @property
    def has_parts(self) -> bool:
        """Whether the format allows to read parts."""
        return not self.problem and self.record.open_parts is not None

    def open_parts(self, options: ReadOptions | None = None) -> StoredArray:
        """Open the array without reading it; errors name the file."""
        options = options or ReadOptions()
        try:
            try:
                array = self.open_parts_here(options)
            except NotHere:
                read_in_child(self, options, look=True)
                array = self.open_parts_here(options, alone=True)
            if len(array.shape) == 3 and array.shape[-1] in (3, 4) and array.dtype == np.uint8:
                raise ReadError("may be a colour image; it must be read as a whole to tell")
        except (ReadError, OSError) as error:
            raise ReadError(f"{self.shown} {error}") from error
        return array

    def open_parts_here(self, options: ReadOptions, *, alone: bool = False) -> StoredArray:
        """Open the array in this process."""
        if self.record.open_parts is None:
            raise ReadError("cannot be read in parts; Zarr, HDF5, TIFF and NPY can")
        with explained(self.record):
            place = self._place(options, alone)
            array = self.record.open_parts(place)
            array.spread = bool(place.others)
            return array


@dataclass(frozen=True)
class LoadedImage:
    """An image that is in memory already."""

    name: str
    array: Any = field(repr=False)

    @property
    def shown(self) -> str:
        """Its name."""
        return self.name

    def read(self, options: ReadOptions | None = None) -> Content:
        """Return the array."""
        return Content(self.array)


def images_in(location: str | Path, options: ReadOptions | None = None) -> list[LabelImage]:
    """List the images of one file: most have one; movies, tables and stacks of PanNuke have several."""
    path, inner = split_inner(location)
    known = format_of(path)
    here = absolute(location)
    asked = options.axes if options is not None else None
    if known.names is None and not (asked is not None and "T" in asked and known.open_parts is not None):
        return [LabelImage(stem_of(path), here, 0, known.name)]
    with explained(known):
        place = Place(path, inner, options=options or ReadOptions(), stem=stem_of(path))
        names = _moments(here, known, place) if known.names is None else known.names(place)
    return [LabelImage(name, here, place, known.name) for place, name in enumerate(names)]


def _moments(here: str, known: Format, place: Place) -> list[str]:
    """Names of the moments of a file that does not state them."""
    whole = replace(place.options, axes=None, channel=None)
    shape = LabelImage("", here, 0, known.name).open_parts(whole).shape
    return Axes.unstated(shape).asked(place.options.axes).names(place.stem)


def absolute(location: str | Path) -> str:
    """Return a location that means the same in processes with another working directory."""
    path, inner = split_inner(location)
    return f"{path if path.is_absolute() else path.absolute()}{'' if inner is None else f':{inner}'}"


def read_picture(path: Path) -> NDArray[Any]:
    """Read the pixels of a raw image, of any kind.

    Raises
    ------
    ReadError
        If they cannot be read.
    """
    found = LabelImage(path.stem, absolute(path), 0, PICTURE.name).read().labels
    assert isinstance(found, np.ndarray)
    return found


def read_labels(
    location: str | Path,
    shape: tuple[int, ...] | None = None,
    *,
    axes: str | None = None,
    channel: int | None = None,
) -> NDArray[Any]:
    """Read the label image of a file.

    Parameters
    ----------
    location
        A path; ``file.h5:dataset`` for what is inside of a container.
    shape
        For polygons and runs without a size: the image they are on.
    axes, channel
        What the axes of the file are, such as ``"ZYX"``, and which of several channels holds the labels.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".npy") as file:
    ...     np.save(file.name, [[0, 1], [2, 2]])
    ...     read_labels(file.name).tolist()
    [[0, 1], [2, 2]]
    """
    found = _only_image(location, shape, ReadOptions(axes=axes, channel=channel))
    if isinstance(found, Masks):
        raise ReadError("holds objects that overlap, which no label image can hold; use softpq.io.read_masks")
    return found


def read_masks(location: str | Path, shape: tuple[int, ...] | None = None) -> Masks:
    """Read the objects of a file that holds one image; they may overlap.

    Parameters
    ----------
    location, shape
        As for :func:`read_labels`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".npy") as file:
    ...     np.save(file.name, [[0, 1], [2, 2]])
    ...     read_masks(file.name)
    Masks(2 of shape (2, 2), with ids)
    """
    found = _only_image(location, shape, ReadOptions())
    return found if isinstance(found, Masks) else Masks.from_labels(found)


def _only_image(location: str | Path, shape: tuple[int, ...] | None, options: ReadOptions) -> NDArray[Any] | Masks:
    if not split_inner(location)[0].exists():
        raise ReadError(f"{location} does not exist")
    images = images_in(location, options)
    if len(images) != 1:
        raise ReadError(f"holds {len(images)} images; one was expected")
    found = images[0].read(options).labels
    if isinstance(found, np.ndarray | Masks):
        return found
    size = shape or found.extent()
    if size is None:
        raise ReadError("does not say how large the image is; pass its shape")
    return as_labels_if_plain(found.masks(size))


def open_stored(location: str | Path, *, axes: str | None = None, channel: int | None = None) -> StoredArray:
    """Open an array without reading it.

    Parameters
    ----------
    location
        Path of a Zarr, OME-Zarr, HDF5, TIFF or NPY file; ``file.h5:dataset`` for what is inside.
    axes, channel
        What the axes of the file are, such as ``"ZYX"``, and which of several channels holds the labels.
    """
    options = ReadOptions(axes=axes, channel=channel)
    try:
        images = images_in(location, options)
    except FileNotFoundError as error:
        raise ReadError(f"{location} does not exist") from error
    except ReadError as error:
        raise ReadError(f"{location} {error}") from error
    if len(images) != 1:
        raise ReadError(f"{location} holds {len(images)} images; one was expected")
    return images[0].open_parts(options)
