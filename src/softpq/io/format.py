"""What is known of a format, and what reading a file gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from softpq.errors import MissingExtra, ReadError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softpq.io.stored import StoredArray

MAX_BYTES = 16 << 30
"""A file whose pixels would need more memory than this is refused before it is decoded."""


class Shapeless(Protocol):
    """Objects that are not pixels yet (polygons, runs): they need the shape of the image they are on."""

    def extent(self) -> tuple[int, ...] | None:
        """The smallest image that holds everything; None if that is not known."""
        ...

    def raster(self, shape: tuple[int, ...]) -> NDArray[Any]:
        """Label image of that shape."""
        ...


@dataclass(frozen=True)
class Content:
    """What reading an image gives.

    Attributes
    ----------
    labels
        An array, or objects that are not drawn yet.
    classes
        Label -> class, where the file knows it.
    spacing
        Size of a pixel along each axis, where the file states it.
    notes
        What should be said of it.
    """

    labels: NDArray[Any] | Shapeless
    classes: Mapping[int, str] | None = None
    spacing: tuple[float, ...] | None = None
    notes: tuple[str, ...] = ()


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
        From file, place inside of it and number of the image to the content.
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
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Path, str | None, int], Content]
    magic: tuple[bytes, ...] = ()
    claims: Callable[[Path], bool] | None = None
    extra: str | None = None
    names: Callable[[Path, str | None], list[str]] | None = None
    open_parts: Callable[[Path, str | None], StoredArray] | None = None
    has_inside: bool = False
    in_folders: bool = True


@contextmanager
def explained(record: Format) -> Iterator[None]:
    """Turn whatever a reader raises into one line: libraries raise many kinds on broken files."""
    try:
        yield
    except ReadError:
        raise
    except MissingExtra as error:
        raise ReadError(str(error)) from error
    except Exception as error:
        lines = str(error).splitlines() or [type(error).__name__]
        raise ReadError(f"cannot be read as {record.name}: {lines[0][:160]}") from error


def check_size(nbytes: int) -> None:
    """Refuse what would not fit into memory."""
    if nbytes > MAX_BYTES:
        raise ReadError(f"claims {nbytes / 1e9:,.1f} GB of pixels; the limit is {MAX_BYTES / 1e9:,.0f} GB")


def printable(text: str) -> str:
    """Return a text in which bytes that are no characters, which file names may hold, are spelled out."""
    return text.encode("utf-8", "backslashreplace").decode()
