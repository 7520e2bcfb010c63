"""JSON as several formats use it: its beginning, and all of it, packed or not."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

from softpq.errors import ReadError
from softpq.io.format import Place

GZIP = b"\x1f\x8b"
HEAD = 1 << 14


def head_of(path: Path) -> str:
    """The beginning of a text."""
    try:
        with path.open("rb") as file:
            packed = file.read(2) == GZIP
        with gzip.open(path) if packed else path.open("rb") as file:
            return bytes(file.read(HEAD)).decode("utf-8", "replace")
    except (OSError, EOFError, zlib.error):
        return ""


def parsed(place: Place) -> Any:
    """The value of a file; it may take twenty times its size.

    Raises
    ------
    ReadError
        If it is too large.
    ValueError
        If it is no JSON.
    """
    place.check_size(20 * place.path.stat().st_size)
    data = place.path.read_bytes()
    if data.startswith(GZIP):
        unpack = zlib.decompressobj(wbits=31)
        data = unpack.decompress(data, max(1, place.options.limit // 20))
        if unpack.unconsumed_tail:
            raise ReadError('unpacks to more than allowed; pass more, such as memory="8GB", if that is right')
    return json.loads(data.decode("utf-8-sig"))
