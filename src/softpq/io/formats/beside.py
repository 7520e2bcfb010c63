"""The picture that a text of outlines is of, which lies beside it: only what its header says of its size is read."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from softpq.io.format import Place

Size = tuple[int, int]

_SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp")
_MOST_SEGMENTS, _MOST_TAGS = 200, 512
"""Of a JPEG before its size, and of a TIFF: honest files have a few dozen."""


def size_beside(place: Place) -> Callable[[], Size | None]:
    """Return what looks for height and width of the picture with the name of a text, where nobody else knows them.

    It lies beside the text, or in ``images`` for ``labels``.
    """

    def look() -> Size | None:
        path = picture_of(place.path)
        size = None if path is None else _size(path)
        if size is not None:
            place.check_size(size[0] * size[1])
        return size

    return look


def picture_of(text: Path) -> Path | None:
    """The picture of a text, if there is one."""
    for path in _candidates(text):
        try:
            if path.is_file():
                return path
        except OSError:  # a name that is too long
            continue
    return None


def _candidates(path: Path) -> list[Path]:
    stems = [path.with_suffix("")]
    if "labels" in path.parts[:-1]:
        at = len(path.parts) - 1 - path.parts[::-1].index("labels")
        stems.append(Path(*path.parts[:at], "images", *path.parts[at + 1 :]).with_suffix(""))
    suffixes = [form(suffix) for suffix in _SUFFIXES for form in (str.lower, str.upper)]
    return [stem.with_name(stem.name + suffix) for stem in stems for suffix in suffixes]


def _size(path: Path) -> Size | None:
    try:
        with path.open("rb") as file:
            head = file.read(32)
            reader = next((read for magic, read in _READERS.items() if head.startswith(magic)), None)
            size = None if reader is None else reader(file, head)
    except (OSError, struct.error):
        return None
    return size if size is not None and min(size) > 0 else None


def _png(file: BinaryIO, head: bytes) -> Size:
    width, height = struct.unpack(">II", head[16:24])
    return height, width


def _bmp(file: BinaryIO, head: bytes) -> Size:
    width, height = struct.unpack("<ii", head[18:26])
    return abs(height), width


def _jpeg(file: BinaryIO, head: bytes) -> Size | None:
    """As the picture is shown: cameras that were turned say so."""
    at, turned = 2, False
    for _ in range(_MOST_SEGMENTS):
        file.seek(at)
        sign, kind, length = struct.unpack(">BBH", file.read(4))
        if sign != 0xFF:
            return None
        if 0xC0 <= kind <= 0xCF and kind not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">xHH", file.read(5))
            return (width, height) if turned else (height, width)
        if kind == 0xE1 and file.read(6) == b"Exif\0\0":
            start = at + 10
            turned = _tags(file, start, {0x0112}).get(0x0112, 1) in (5, 6, 7, 8)
        at += 2 + length
    return None


def _tiff(file: BinaryIO, head: bytes) -> Size | None:
    found = _tags(file, 0, {256, 257})
    return (found[257], found[256]) if len(found) == 2 else None


def _tags(file: BinaryIO, start: int, wanted: set[int]) -> dict[int, int]:
    """Whole numbers of the first directory of a TIFF; those of 64 bits are not looked at."""
    file.seek(start)
    head = file.read(8)
    order = "<" if head[:2] == b"II" else ">"
    if struct.unpack(f"{order}H", head[2:4]) != (42,):
        return {}
    at = start + int(struct.unpack(f"{order}I", head[4:8])[0])
    file.seek(at)
    count = min(struct.unpack(f"{order}H", file.read(2))[0], _MOST_TAGS)
    found = {}
    for _ in range(count):
        tag, kind, values, value = struct.unpack(f"{order}HHI4s", file.read(12))
        if tag in wanted and values == 1 and kind in (3, 4):
            found[tag] = int(struct.unpack(f"{order}{'H' if kind == 3 else 'I'}", value[: 2 if kind == 3 else 4])[0])
    return found


_READERS: dict[bytes, Callable[[BinaryIO, bytes], Size | None]] = {
    b"\x89PNG\r\n\x1a\n": _png, b"BM": _bmp, b"\xff\xd8\xff": _jpeg, b"II*\0": _tiff, b"MM\0*": _tiff,
}  # fmt: skip
