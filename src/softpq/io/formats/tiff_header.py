"""The directories of a TIFF, looked through before a library walks along them: they may lead in circles, or nowhere."""

from __future__ import annotations

import logging
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import IO

from softpq.errors import ReadError

logging.getLogger("tifffile").addHandler(logging.NullHandler())  # what is wrong with a file, we say

MOST_PAGES = 1_000_000
MOST_TAGS = 4096

_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8}
"""Type of a tag -> bytes of a value."""


def check_directories(path: Path) -> None:
    """Follow the chain of directories to its end.

    Raises
    ------
    ReadError
        If it leads out of the file, in a circle, or to tags whose values are not there.
    """
    with _cut_short(path):
        _follow(path, path.stat().st_size)


@contextmanager
def _cut_short(path: Path) -> Iterator[None]:
    """Say so where a number should be, and the file ends."""
    try:
        yield
    except struct.error as error:
        raise ReadError(f"cannot be read as TIFF: it is cut short, after {path.stat().st_size} bytes") from error


def _follow(path: Path, length: int) -> None:
    with path.open("rb") as file:
        head = file.read(16)
        order = {b"II": "<", b"MM": ">"}.get(head[:2])
        if order is None or len(head) < 8:
            raise ReadError("cannot be read as TIFF: it does not begin like one")
        big = struct.unpack(f"{order}H", head[2:4])[0] == 43
        walk = _Walk(file, length, order, big)
        offset = struct.unpack(f"{order}Q", head[8:16])[0] if big else struct.unpack(f"{order}I", head[4:8])[0]
        seen: set[int] = set()
        while offset:
            if offset in seen or len(seen) >= MOST_PAGES:
                raise ReadError("cannot be read as TIFF: its pages follow each other without end")
            seen.add(offset)
            offset = walk.next_after(offset)


DESCRIPTION = 270
LONGEST = 1 << 26


def description_of(path: Path) -> str:
    """The text in the first directory, where programs say what the axes are; empty if there is none."""
    with _cut_short(path), path.open("rb", buffering=0) as file:
        head = file.read(_FIRST)
        order = {b"II": "<", b"MM": ">"}.get(head[:2], "<")
        big = head[2:4] == struct.pack(f"{order}H", 43)
        walk = _Walk(_Front(file, head), 0, order, big)
        offset = struct.unpack(f"{order}Q", head[8:16])[0] if big else struct.unpack(f"{order}I", head[4:8])[0]
        return walk.text(offset, DESCRIPTION)


_FIRST = 4096
"""Bytes that are read at once: in most files the first directory lies there, and its text."""


class _Front:
    """A file of which the beginning is read already."""

    def __init__(self, file: FileIO, head: bytes) -> None:
        self.file, self.head, self.at = file, head, 0

    def seek(self, offset: int) -> None:
        """Go there."""
        self.at = offset

    def read(self, count: int) -> bytes:
        """Read on."""
        found = self.head[self.at : self.at + count]
        if len(found) < count:
            self.file.seek(self.at)
            found = self.file.read(count)
        self.at += len(found)
        return found


class _Walk:
    def __init__(self, file: IO[bytes] | _Front, length: int, order: str, big: bool) -> None:
        self.file, self.length, self.order, self.big = file, length, order, big
        self.count_size, self.entry_size, self.offset_size = (8, 20, 8) if big else (2, 12, 4)
        self.entry = struct.Struct(f"{order}HHQQ" if big else f"{order}HHII")
        self.number = {2: struct.Struct(f"{order}H"), 4: struct.Struct(f"{order}I"), 8: struct.Struct(f"{order}Q")}

    def text(self, offset: int, wanted: int) -> str:
        """The value of a tag that holds text."""
        self.file.seek(offset)
        (count,) = self.number[self.count_size].unpack(self.file.read(self.count_size))
        body = self.file.read(min(count, MOST_TAGS) * self.entry_size)
        for k in range(len(body) // self.entry_size):
            code, _, length, value = self.entry.unpack_from(body, k * self.entry_size)
            if code == wanted and self.offset_size < length < LONGEST:
                self.file.seek(value)
                return self.file.read(length).decode("utf-8", "replace")
        return ""

    def next_after(self, offset: int) -> int:
        """Check one directory; return where the next one is, 0 at the end."""
        self.file.seek(offset)
        raw = self.file.read(self.count_size)
        if len(raw) < self.count_size:
            raise ReadError("cannot be read as TIFF: it is cut short, a page lies beyond its end")
        (count,) = self.number[self.count_size].unpack(raw)
        if not 0 < count <= MOST_TAGS:
            raise ReadError(f"cannot be read as TIFF: a page has {count} tags")
        body = self.file.read(count * self.entry_size + self.offset_size)
        if len(body) < count * self.entry_size + self.offset_size:
            raise ReadError("cannot be read as TIFF: it is cut short, in the tags of a page")
        for k in range(count):
            self._check_tag(*self.entry.unpack_from(body, k * self.entry_size))
        (following,) = self.number[self.offset_size].unpack_from(body, count * self.entry_size)
        return int(following)

    def _check_tag(self, code: int, kind: int, count: int, value: int) -> None:
        nbytes = _SIZES.get(kind, 1) * count
        if nbytes > self.offset_size and value + nbytes > self.length:
            raise ReadError(f"cannot be read as TIFF: it is cut short, the values of tag {code} are not there")
