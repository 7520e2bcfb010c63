"""NRRD: a header of text, and pixels behind it or in a file of their own; no more are unpacked than the header says."""

from __future__ import annotations

import bz2
import gzip
import re
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, Format, Place

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DECODERS: dict[str, Callable[[IO[bytes]], Any]] = {
    "raw": lambda file: file,
    "gzip": lambda file: gzip.GzipFile(fileobj=file),
    "gz": lambda file: gzip.GzipFile(fileobj=file),
    "bzip2": lambda file: bz2.BZ2File(file),
    "bz2": lambda file: bz2.BZ2File(file),
}
"""Encodings, and what unpacks them; text is not read."""

_LETTERS = {"char": "1", "short": "2", "int": "4", "long long": "8", "longlong": "8"}


def _type(name: str) -> str | None:
    """The type that a name means: ``uint8``, ``unsigned short int``, ``longlong``, ``float``, ...

    Examples
    --------
    >>> _type("unsigned short int"), _type("uint8_t"), _type("signed long long"), _type("block")
    ('u2', 'u1', 'i8', None)
    """
    if name in ("float", "double"):
        return {"float": "f4", "double": "f8"}[name]
    sized = re.fullmatch(r"(u?)int(8|16|32|64)(_t)?", name)
    if sized:
        return ("u" if sized[1] else "i") + str(int(sized[2]) // 8)
    named = re.fullmatch(r"(signed |unsigned |u)?(char|short|int|long long|longlong)( int)?", name)
    return None if named is None else ("u" if (named[1] or "").startswith("u") else "i") + _LETTERS[named[2]]


MOST_LINES = 10_000


def header_of(file: IO[bytes]) -> dict[str, str]:
    """Read the fields of the header; the file is then where the pixels begin, if they do."""
    if not file.readline(100).startswith(b"NRRD"):
        raise ReadError("cannot be read as NRRD: it does not begin like one")
    found: dict[str, str] = {}
    for _ in range(MOST_LINES):
        line = file.readline(1 << 16).decode("utf-8", "replace").strip()
        if not line:
            return found
        name, sign, value = line.partition(":")
        if sign and not line.startswith("#") and not value.startswith("="):
            found[name.strip().lower()] = value.strip()
    raise ReadError("cannot be read as NRRD: its header does not come to an end")


def read(place: Place) -> Content:
    """Read the volume in C order: slowest axis first."""
    with place.path.open("rb") as file:
        header = header_of(file)
        shape = tuple(int(size) for size in header["sizes"].split())[::-1]
        if not shape or min(shape) < 1:
            raise ReadError(f"holds no pixels: its shape is {shape}")
        letters = _type(header["type"])
        if letters is None:
            raise ReadError(f"holds {header['type']}, not labels")
        dtype = np.dtype((">" if header.get("endian") == "big" else "<") + letters)
        place.check_size(int(np.prod(shape, dtype=object)) * dtype.itemsize)
        detached = header.get("data file", header.get("datafile"))
        if detached is None:
            return Content(_pixels(file, header, dtype, shape))
    if "%" in detached or detached.startswith("LIST"):
        raise ReadError("has its pixels in several files; save it as one")
    with place.beside(detached).open("rb") as data:
        return Content(_pixels(data, header, dtype, shape))


def _pixels(file: IO[bytes], header: dict[str, str], dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    decoder = _DECODERS.get(header["encoding"].lower())
    skips = [header.get(name, "0") for name in ("line skip", "lineskip", "byte skip", "byteskip")]
    if decoder is None or skips != ["0"] * 4:
        raise ReadError(f"has the encoding {header['encoding']}, or skips bytes; raw, gzip and bzip2 are read")
    expected = int(np.prod(shape, dtype=object)) * dtype.itemsize
    data = decoder(file).read(expected)
    if len(data) != expected:
        raise ReadError(f"cannot be read as NRRD: it is cut short, {len(data)} of {expected} bytes")
    return np.frombuffer(data, dtype).reshape(shape).astype(dtype.newbyteorder("="), copy=False)


FORMAT = Format("NRRD", (".nrrd", ".nhdr"), read, (b"NRRD",))
