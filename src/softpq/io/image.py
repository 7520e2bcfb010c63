"""Images of a dataset, in files or in memory."""

from __future__ import annotations

import stat
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from softpq._checks import how_many
from softpq.errors import ReadError
from softpq.io.axes import Axes
from softpq.io.child import names_in_child, read_in_child
from softpq.io.format import Content, Format, NotHere, Place, ReadOptions, check_regular, explained
from softpq.io.formats import FORMATS, format_of, split_inner, stem_of
from softpq.io.picture import PICTURE

if TYPE_CHECKING:
    from softpq.io.stored import StoredArray


_BY_NAME = {known.name: known for known in (*FORMATS, PICTURE)}


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
        Name of the format; empty if nobody has looked at the file yet, or could.
    problem
        Why it could not; said when it is read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> path = pathlib.Path(tempfile.mkdtemp(), "labels.npy")
    >>> np.save(path, np.array([[0, 1, 2]]))
    >>> image = images_in(path)[0]
    >>> image.name, image.format
    ('labels', 'NPY')
    """

    name: str
    location: str
    index: int = 0
    format: str = ""
    problem: str = ""

    @cached_property
    def path(self) -> Path:
        """The file."""
        return split_inner(self.location)[0]

    @property
    def inner(self) -> str | None:
        """What is named inside of the file."""
        return split_inner(self.location)[1] if ":" in self.location else None

    @property
    def shown(self) -> str:
        """The name of the file."""
        return self.path.name

    @property
    def record(self) -> Format:
        """The format."""
        if self.problem:
            raise ReadError(self.problem)
        return _BY_NAME[self.format or self._seen]

    @cached_property
    def _seen(self) -> str:
        """Name of the format of a picture, at which nobody has looked yet."""
        images = images_in(self.location)
        if len(images) != 1:
            kind = images[0].format if images else "its format"
            raise ReadError(
                f"holds {how_many(len(images), 'image')}, but has the suffix of a picture; give it that of {kind}"
            )
        return images[0].format

    def may_hold(self, nbytes: int) -> bool:
        """Whether the file may hold so many bytes of pixels; those that leave out empty parts always may.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import numpy as np
        >>> path = pathlib.Path(tempfile.mkdtemp(), "labels.npy")
        >>> np.save(path, np.array([[0, 1, 2]]))
        >>> image = images_in(path)[0]
        >>> image.may_hold(24), image.may_hold(10**9)
        (True, False)
        """
        try:
            status = self.path.stat()
            if stat.S_ISDIR(status.st_mode) or self.path.suffix.lower() in (".h5", ".hdf5", ".hdf"):
                return True
            # what is small however well it is packed need not be opened
            return status.st_size * Format.packs > nbytes and status.st_size * self.record.packs > nbytes
        except (ReadError, OSError):
            return False  # reading it will say why

    def _place(self, options: ReadOptions, alone: bool) -> Place:
        check_regular(self.path)
        return Place(self.path, self.inner, self.index, options, alone)

    def read(self, options: ReadOptions | None = None) -> Content:
        """Read and decode the file; in another process if that could do harm.

        Raises
        ------
        ReadError
            With one line that says why, whatever went wrong.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import numpy as np
        >>> path = pathlib.Path(tempfile.mkdtemp(), "labels.npy")
        >>> np.save(path, np.array([[0, 1, 2]]))
        >>> images_in(path)[0].read().labels.tolist()
        [0, 1, 2]
        """
        options = options or ReadOptions()
        try:
            return self.read_here(options)
        except NotHere:
            return read_in_child(self, options)

    def read_here(self, options: ReadOptions, *, alone: bool = False) -> Content:
        """Read and decode the file in this process.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import numpy as np
        >>> path = pathlib.Path(tempfile.mkdtemp(), "labels.npy")
        >>> np.save(path, np.array([[0, 1, 2]]))
        >>> images_in(path)[0].read_here(ReadOptions()).labels.tolist()
        [0, 1, 2]
        """
        with explained(self.record):
            place = self._place(options, alone)
            found = self.record.read(place)
            if isinstance(found.labels, np.ndarray) and not found.labels.size:
                raise ReadError(f"holds no pixels: its shape is {found.labels.shape}")
            return replace(found, spread=bool(place.others))

    def names_here(self, options: ReadOptions) -> list[str]:
        """List the images of the file in this process, which may die over it; ``name`` is that of the file.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import numpy as np
        >>> path = pathlib.Path(tempfile.mkdtemp(), "labels.npy")
        >>> np.save(path, np.array([[0, 1, 2]]))
        >>> images_in(path)[0].names_here(ReadOptions())
        ['labels']
        """
        assert self.record.names is not None
        with explained(self.record):
            return self.record.names(replace(self._place(options, True), stem=self.name))

    @property
    def has_parts(self) -> bool:
        """Whether the format allows to read parts."""
        try:
            return self.record.open_parts is not None
        except (ReadError, OSError):
            return False

    @property
    def is_strict(self) -> bool:
        """Whether objects of the format match above the threshold only."""
        try:
            return self.record.strict
        except (ReadError, OSError):
            return False

    def open_parts(self, options: ReadOptions | None = None) -> StoredArray:
        """Open the array without reading it; errors name the file.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import numpy as np
        >>> path = pathlib.Path(tempfile.mkdtemp(), "labels.npy")
        >>> np.save(path, np.array([[0, 1, 2]]))
        >>> images_in(path)[0].open_parts().shape
        (3,)
        """
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
        """Open the array in this process.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import numpy as np
        >>> path = pathlib.Path(tempfile.mkdtemp(), "labels.npy")
        >>> np.save(path, np.array([[0, 1, 2]]))
        >>> images_in(path)[0].open_parts_here(ReadOptions()).shape
        (3,)
        """
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


def images_in(location: str | Path, options: ReadOptions | None = None, *, plain: bool = False) -> list[LabelImage]:
    """List the images of one file: most have one; movies, tables and stacks of PanNuke have several.

    ``plain`` if it is known to be a file at an absolute place, and no folder, pipe or the like.

    See Also
    --------
    softpq.evaluate_dataset : Scores folders.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> path = pathlib.Path(tempfile.mkdtemp(), "labels.npy")
    >>> np.save(path, np.array([[0, 1, 2]]))
    >>> [image.name for image in images_in(path)]
    ['labels']
    """
    path, inner = (Path(location), None) if plain else split_inner(location)
    known = format_of(path, plain=plain)
    here = str(path) if plain else absolute(location)
    asked = options.axes if options is not None else None
    if known.names is None and not (asked is not None and "T" in asked and known.open_parts is not None):
        return [LabelImage(stem_of(path), here, 0, known.name)]
    place = Place(path, inner, options=options or ReadOptions(), stem=stem_of(path))
    try:
        with explained(known):
            names = _moments(here, known, place) if known.names is None else known.names(place)
    except NotHere:
        names = names_in_child(LabelImage(place.stem, here, 0, known.name), place.options)
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


def read_picture(path: Path) -> Content:
    """Read the pixels of a raw image, of any kind, and what its channels are called.

    Raises
    ------
    ReadError
        If they cannot be read.
    """
    found = LabelImage(path.stem, absolute(path), 0, PICTURE.name).read()
    assert isinstance(found.labels, np.ndarray)
    return found
