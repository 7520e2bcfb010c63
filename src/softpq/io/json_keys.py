"""Which of the JSON formats a file has: by how it begins, and by keys that it holds somewhere."""

from __future__ import annotations

import mmap
from functools import lru_cache
from pathlib import Path


def opening(path: Path) -> str:
    """Return the first character that is no space: ``{``, ``[`` or something else."""
    with path.open("rb") as file:
        return file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()[:1].decode("latin-1")


def holds(path: Path, *keys: str) -> bool:
    """Whether all of these keys stand in a file, anywhere; it is not parsed."""
    status = path.stat()
    return all(_holds(path, status.st_mtime_ns, status.st_size, key) for key in keys)


@lru_cache(maxsize=256)
def _holds(path: Path, changed: int, length: int, key: str) -> bool:
    if not length:
        return False
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(f'"{key}"'.encode()) >= 0


def is_empty_list(path: Path) -> bool:
    """Whether a file holds a list, and nothing in it."""
    if path.stat().st_size > _SHORT:
        return False
    return b"".join(path.read_bytes().removeprefix(b"\xef\xbb\xbf").split()) == b"[]"


_SHORT = 4096
"""Bytes of an empty list and the space around it."""
