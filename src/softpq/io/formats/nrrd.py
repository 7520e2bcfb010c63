"""NRRD: a header of text, and pixels behind it or in a file of their own; no more are unpacked than the header says."""

from __future__ import annotations

import bz2
import gzip
import re
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.axes import Axes
from softpq.io.format import Content, Format, Place
from softpq.io.geometry import RIGHT_FRONT_UP, Geometry

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
        geometry = _geometry(header, len(shape))
        if detached is None:
            return _image(_pixels(file, header, dtype, shape), header, geometry, place)
    if "%" in detached or detached.startswith("LIST"):
        raise ReadError("has its pixels in several files; save it as one")
    with place.beside(detached).open("rb") as data:
        return _image(_pixels(data, header, dtype, shape), header, geometry, place)


def _image(labels: NDArray[Any], header: dict[str, str], geometry: Geometry | None, place: Place) -> Content:
    """Without axes that are not of space: one channel of them, if there are several."""
    axes = _axes(header, labels.shape, place)
    stated = len(header.get("kinds", "").split()) == labels.ndim
    part = labels[axes.part(place.index, place.options.channel)]
    return Content(part, geometry=geometry, stated=stated).squeezed()


def _axes(header: dict[str, str], shape: tuple[int, ...], place: Place) -> Axes:
    """What the axes are, slowest first, if the header says it of all of them."""
    kinds = header.get("kinds", "").split()[::-1]
    if len(kinds) != len(shape):
        return Axes.unstated(shape).asked(place.options.axes)
    letters = "".join("T" if kind == "time" else "Z" if kind in _OF_SPACE else "C" for kind in kinds)
    return Axes(letters, shape).asked(place.options.axes)


def names(place: Place) -> list[str]:
    """List the moments."""
    with place.path.open("rb") as file:
        header = header_of(file)
    shape = tuple(int(size) for size in header["sizes"].split())[::-1]
    return _axes(header, shape, place).names(place.stem)


_OF_SPACE = ("domain", "space", "???", "none")
"""Kinds of axes that are not channels."""

_TO_RIGHT_FRONT_UP = {
    "right-anterior-superior": (1, 1, 1), "ras": (1, 1, 1), "left-anterior-superior": (-1, 1, 1), "las": (-1, 1, 1),
    "left-posterior-superior": (-1, -1, 1), "lps": (-1, -1, 1),
}  # fmt: skip
"""Names of spaces -> what turns them into ours."""


def _geometry(header: dict[str, str], n_axes: int) -> Geometry | None:
    """Directions and origin, if the space is named; else the size of a pixel; slowest axis first."""
    name = header.get("space", "").lower()
    space = _TO_RIGHT_FRONT_UP.get(name, (1, 1, 1))
    name = RIGHT_FRONT_UP if name in _TO_RIGHT_FRONT_UP else name
    vectors = re.findall(r"none|\([^)]*\)", header.get("space directions", ""))[::-1]
    if name and len(vectors) == n_axes:
        steps = [(0.0, 0.0, 0.0) if one == "none" else _vector(one) for one in vectors]
        origin = np.array(_vector(header.get("space origin", "(0,0,0)"))) * space
        kept = [k for k, one in enumerate(vectors) if one != "none"]
        found = Geometry.of_steps(np.array([steps[k] for k in kept]) * space, origin, name)
        spacing: list[float] = [1.0] * n_axes
        of_axes: list[tuple[float, ...]] = [(0.0, 0.0, 0.0)] * n_axes
        for k, size, step in zip(kept, found.spacing, found.steps or (), strict=True):
            spacing[k], of_axes[k] = size, step
        return Geometry(tuple(spacing), tuple(of_axes), found.origin, name)
    sizes = header.get("spacings", "").split()[::-1]
    if len(sizes) != n_axes or any(size.lower() == "nan" for size in sizes):
        return None
    return Geometry(tuple(float(size) for size in sizes))


def _vector(text: str) -> tuple[float, ...]:
    values = tuple(float(value) for value in text.strip("()").split(","))
    if len(values) != 3:
        raise ReadError(f"states a vector of {len(values)} numbers where three are expected")
    return values


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


FORMAT = Format("NRRD", (".nrrd", ".nhdr"), read, (b"NRRD",), names=names)
