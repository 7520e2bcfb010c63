"""What is known of a format, how files are read, and what reading gives."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from softpq._checks import shown_size
from softpq.errors import MissingExtra, ReadError
from softpq.io.geometry import Geometry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from softpq.io.stored import StoredArray
    from softpq.table.masks import Masks
    from softpq.table.told import Told


class Shapeless(Protocol):
    """Objects that are not pixels yet (polygons, runs): they need the shape of the image they are on."""

    def extent(self) -> tuple[int, ...] | None:
        """The smallest image that holds everything; None if that is not known."""
        ...

    def masks(self, shape: tuple[int, ...]) -> Masks:
        """The objects on an image of that shape; they may overlap."""
        ...


@dataclass(frozen=True)
class Content:
    """What reading an image gives.

    Attributes
    ----------
    labels
        An array; masks, where objects overlap; or objects that are not drawn yet.
    classes
        Label -> class, where the file knows it.
    geometry
        How it lies in space, as far as the file states it.
    notes
        What should be said of it.
    stated
        Whether the file, or somebody, says what its axes are; else a short one may hold channels.
    spread
        Whether other files were read, too, which the file names.
    void
        Pixels that count nowhere, where the file states them.
    suspect
        What the file seems to be, if it is hardly a label image, and what to do about it.
    channels
        Names of the channels of a raw image, where the file knows them.
    told
        Which classes the truth tells, and how far, where the file states it.

    Examples
    --------
    >>> import numpy as np
    >>> Content(np.array([[0, 1, 2]]), classes={1: "cell", 2: "debris"}).classes[2]
    'debris'
    """

    labels: NDArray[Any] | Masks | Shapeless
    classes: Mapping[int, str] | None = None
    geometry: Geometry | None = None
    notes: tuple[str, ...] = ()
    stated: bool = False
    spread: bool = False
    void: NDArray[np.bool_] | None = None
    suspect: str = ""
    channels: tuple[str, ...] = ()
    told: Told | None = None

    def squeezed(self) -> Content:
        """The same without axes of length 1.

        Examples
        --------
        >>> import numpy as np
        >>> Content(np.zeros((1, 3, 4), int)).squeezed().labels.shape
        (3, 4)
        """
        labels: Any = self.labels
        kept = [k for k, size in enumerate(labels.shape) if size != 1]
        geometry = None if self.geometry is None else self.geometry.kept(kept)
        return replace(self, labels=labels.squeeze(), geometry=geometry)


@lru_cache(maxsize=1)
def machine_memory() -> int:
    """Bytes of memory that this machine has; 8 GB where it does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 << 30


@dataclass(frozen=True)
class ReadOptions:
    """How files are read.

    Attributes
    ----------
    limit
        Bytes that one file may unpack to; half of the machine's memory by default.
    anywhere
        Whether a file may name others outside of its own folder (external storage, companions), which are then read.
    require_chunks
        Whether chunks of a Zarr array that are not stored are a failure.
    axes
        What the axes of files are, such as ``"ZYX"`` or ``"TYX"``; as the files say by default.
    channel
        Which of several channels holds the labels.
    """

    limit: int = field(default_factory=lambda: machine_memory() // 2)
    anywhere: bool = False
    require_chunks: bool = False
    axes: str | None = None
    channel: int | None = None


class NotHere(Exception):
    """Reading a file could end this process, hang it, or fill its memory: another one should do it."""


@dataclass(frozen=True)
class Place:
    """What is to be read, and how: a file, what is inside of it, which of its images, and whether we are alone.

    ``stem`` is the name of the file, where images are listed; ``others`` are the files that it names, once they are
    asked for.
    """

    path: Path
    inner: str | None = None
    index: int = 0
    options: ReadOptions = field(default_factory=ReadOptions)
    alone: bool = False
    stem: str = ""
    others: list[Path] = field(default_factory=list)

    def must_be_alone(self) -> None:
        """Go on only in a process that may die."""
        if not self.alone:
            raise NotHere

    def check_size(self, nbytes: int) -> None:
        """Refuse what would need too much memory, before it is asked for."""
        if nbytes > self.options.limit:
            raise ReadError(
                f"claims {shown_size(nbytes)} of pixels, and {shown_size(self.options.limit)} are allowed; "
                'pass more, such as memory="64GB", if that is right'
            )

    def beside(self, name: str) -> Path:
        """The path of another file that this one names; it must lie in the same folder, and be there.

        Raises
        ------
        ReadError
            If it does not.
        """
        folder = self.path.resolve().parent
        other = (folder / name).resolve()
        if not self.options.anywhere and folder not in other.parents:
            raise ReadError(f"names a file outside of its folder, {printable(name)}; allow_outside=True reads it")
        if not other.is_file():
            raise ReadError(f"names a file that is not there, {printable(name)}")
        self.others.append(other)
        return other


@dataclass(frozen=True)
class Format:
    """What is known of a format.

    Attributes
    ----------
    name
        In messages: "cannot be read as TIFF".
    suffixes
        Of its files.
    read
        From a place to its content; calls ``place.must_be_alone()`` where decoders cannot promise to behave.
    magic
        How its files begin: content decides where the suffix lies.
    claims
        Whether a file with such a suffix or beginning is of this format, where several share them.
    extra
        Of softpq that is needed.
    names
        Names of the images of a file that may hold several; by default there is one, named after the file.
    open_parts
        Opens the array without reading it, where parts of it can be read.
    has_inside
        Whether ``file.h5:dataset`` names what is inside.
    in_folders
        Whether such files are label images when they lie in a folder; tables and settings are not.
    strict
        Whether objects match above the threshold, as PQ was published for such files, unless told otherwise.
    packs
        No image takes more than so many times the size of its file; small files are not worth opening twice.

    Examples
    --------
    >>> from softpq.io import FORMATS
    >>> [known.extra for known in FORMATS if ".nii" in known.suffixes]
    ['nifti']
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Place], Content]
    magic: tuple[bytes, ...] = ()
    claims: Callable[[Path], bool] | None = None
    extra: str | None = None
    names: Callable[[Place], list[str]] | None = None
    open_parts: Callable[[Place], StoredArray] | None = None
    has_inside: bool = False
    in_folders: bool = True
    strict: bool = False
    packs: int = 20_000


@contextmanager
def explained(record: Format) -> Iterator[None]:
    """Turn whatever a reader raises into one line: libraries raise many kinds on broken files."""
    try:
        yield
    except NotHere:
        raise
    except ReadError as error:
        if (said := printable(str(error))) != str(error):
            raise type(error)(said) from error
        raise
    except MissingExtra as error:
        raise ReadError(str(error)) from error
    except (MemoryError, RecursionError) as error:
        raise ReadError(f"cannot be read as {record.name}: it is too large or too deep") from error
    except Exception as error:
        lines = str(error).splitlines() or [type(error).__name__]
        raise ReadError(f"cannot be read as {record.name}: {printable(lines[0][:160])}") from error


def check_regular(path: Path) -> None:
    """Refuse pipes, devices and the like, which never end; links may lead to any file.

    Raises
    ------
    ReadError
        If it is neither a file nor a folder.
    """
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise ReadError("is no regular file")


def printable(text: str) -> str:
    r"""Return a text that can be shown anywhere: what is no character, or controls a terminal, is spelled out.

    Examples
    --------
    >>> print(printable("a\x1b[31m.tif"))
    a\x1b[31m.tif
    """
    if text.isascii() and text.isprintable():
        return text
    plain = text.encode("utf-8", "backslashreplace").decode()
    return "".join(sign if _is_harmless(sign) else sign.encode("unicode_escape").decode() for sign in plain)


def composed(name: str) -> str:
    r"""A name as most systems write it: some give a letter and its sign as two characters.

    Examples
    --------
    >>> composed("u\u0308") == "\u00fc"
    True
    """
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def _is_harmless(sign: str) -> bool:
    """Not a control sign, nor one that turns the direction of a line; joiners belong to scripts and emoji."""
    return unicodedata.category(sign) not in ("Cc", "Cf", "Cs", "Zl", "Zp") or sign in "\u200c\u200d"
