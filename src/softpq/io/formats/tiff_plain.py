"""TIFF as most label images are: one page of whole numbers in strips, nothing said of axes. Read here, in one go.

tifffile is made for all kinds of TIFF, and takes twice as long to find out which it is as the pixels of a small image
take. What is in any way odd is left to it, damage as well, so that it is said in one place.
"""

from __future__ import annotations

import json
import struct
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content
from softpq.io.formats.tiff_pages import DEFLATE, LZW, PLAIN, unpacked
from softpq.io.geometry import Geometry, unit_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softpq.io.format import Place

LARGEST = 1 << 26
"""Bytes of a file that is read as a whole."""

SUBFILE, WIDTH, HEIGHT, BITS, COMPRESSION, PHOTOMETRIC, FILL_ORDER, DESCRIPTION = 254, 256, 257, 258, 259, 262, 266, 270
OFFSETS, SAMPLES, ROWS, LENGTHS, X_RESOLUTION, Y_RESOLUTION, PREDICTOR, FORMAT = 273, 277, 278, 279, 282, 283, 317, 339

_KNOWN = {
    SUBFILE, WIDTH, HEIGHT, BITS, COMPRESSION, PHOTOMETRIC, FILL_ORDER, DESCRIPTION, OFFSETS, SAMPLES, ROWS, LENGTHS,
    X_RESOLUTION, Y_RESOLUTION, PREDICTOR, FORMAT,
}  # fmt: skip
"""Tags that are understood."""

_IDLE = {269, 274, 280, 281, 284, 296, 305, 306, 315, 316, 320, 33432}
"""Tags that change nothing: who made the file and when, least and largest values, colours."""

_MOST = 1 << 16
"""Values of a tag."""

_MUST_BE = {SUBFILE: (0,), PHOTOMETRIC: (0, 1, 3), FILL_ORDER: (1,), SAMPLES: (1,), PREDICTOR: (1, 2), FORMAT: (1, 2)}
_KINDS = {1: "B", 2: "s", 3: "H", 4: "I", 5: "II"}

Tags = dict[int, tuple[Any, ...]]


def read_plain(place: Place) -> Content | None:
    """Read the file, if it is as most are; None if it is to be read with care."""
    options = place.options
    if options.axes is not None or options.channel is not None:
        return None
    if place.path.stat().st_size > min(LARGEST, options.limit):
        return None
    data = place.path.read_bytes()
    with suppress(struct.error, LookupError, TypeError):
        tags = _tags(data)
        if tags is not None and _is_plain(tags):
            return _content(data, tags, place)
    return None


def _content(data: bytes, tags: Tags, place: Place) -> Content | None:
    dtype = np.dtype(f"{'<>'[data[:1] == b'M']}{' ui'[tags.get(FORMAT, (1,))[0]]}{tags[BITS][0] // 8}")
    place.check_size(tags[HEIGHT][0] * tags[WIDTH][0] * dtype.itemsize)
    with suppress(ReadError, zlib.error):
        labels = _pixels(data, tags, dtype)
        return None if labels is None else Content(labels, geometry=_geometry(tags)).squeezed()
    return None


def _tags(data: bytes) -> Tags | None:
    """The tags of the only page; None where there are others, or more pages."""
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(data[:4])
    if order is None:
        return None
    (start,) = struct.unpack_from(f"{order}I", data, 4)
    (count,) = struct.unpack_from(f"{order}H", data, start)
    entries = list(struct.iter_unpack(f"{order}HHI4s", data[start + 2 : start + 2 + 12 * count]))
    (following,) = struct.unpack_from(f"{order}I", data, start + 2 + 12 * count)
    if following or len(entries) < count or any(entry[0] not in _KNOWN | _IDLE for entry in entries):
        return None
    return {code: _values(data, order, kind, length, value) for code, kind, length, value in entries if code in _KNOWN}


def _values(data: bytes, order: str, kind: int, count: int, value: bytes) -> tuple[Any, ...]:
    letters = _KINDS[kind]
    if count > _MOST:
        raise LookupError
    values = struct.Struct(f"{order}{count}{letters}" if len(letters) == 1 else f"{order}{letters * min(count, 2)}")
    if values.size <= 4:
        return values.unpack(value[: values.size])
    return values.unpack_from(data, *struct.unpack(f"{order}I", value))


def _is_plain(tags: Tags) -> bool:
    shape = [tags[HEIGHT][0], tags[WIDTH][0]]
    said = tags.get(DESCRIPTION, (b"",))[0].rstrip(b"\0")
    return (
        PHOTOMETRIC in tags
        and all(tags[code][0] in allowed for code, allowed in _MUST_BE.items() if code in tags)
        and tags.get(COMPRESSION, (1,))[0] in PLAIN + LZW + DEFLATE
        and tags[BITS] in ((8,), (16,), (32,), (64,))
        and (not said or said == json.dumps({"shape": shape}).encode())
        and min(shape) > 0
    )


def _pixels(data: bytes, tags: Tags, dtype: np.dtype[Any]) -> NDArray[Any] | None:
    """The strips, one below the other; None if they are not all there."""
    (height,), (width,) = tags[HEIGHT], tags[WIDTH]
    rows = min(tags.get(ROWS, (height,))[0], height)
    offsets, lengths = tags[OFFSETS], tags[LENGTHS]
    if rows < 1 or not len(offsets) == len(lengths) == -(-height // rows):
        return None
    labels = np.empty((height, width), dtype.newbyteorder("="))
    compression, predictor = tags.get(COMPRESSION, (1,))[0], tags.get(PREDICTOR, (1,))[0]
    for k, (offset, length) in enumerate(zip(offsets, lengths, strict=True)):
        strip = data[offset : offset + length]
        shape = (min(rows, height - k * rows), width)
        if not length or len(strip) < length:
            return None
        labels[k * rows : k * rows + rows] = unpacked(strip, compression, predictor, shape, dtype)
    return labels


def _geometry(tags: Tags) -> Geometry | None:
    """The size of a pixel, from the resolution."""
    if X_RESOLUTION not in tags or Y_RESOLUTION not in tags:
        return None
    pixels = [tags[code] for code in (Y_RESOLUTION, X_RESOLUTION)]
    if any(len(pair) != 2 or 0 in pair for pair in pixels):
        return None
    return Geometry(tuple(below / above for above, below in pixels), unit=unit_of(""))
