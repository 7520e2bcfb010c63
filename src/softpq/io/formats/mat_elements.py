"""The elements of a MATLAB 5 file: a tag, and bytes that may be packed. Only numbers are read; nothing is executed."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError

if TYPE_CHECKING:
    from numpy.typing import NDArray

HEADER = 128
_MATRIX, _COMPRESSED = 14, 15
_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_NUMERIC = range(6, 16)
"""Classes of arrays that hold numbers."""

_COMPLEX = 0x0800
MOST_ARRAYS = 10_000


@dataclass(frozen=True)
class Variable:
    """An array of numbers: its name, its shape, and where its bytes are."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    data: memoryview

    def array(self) -> NDArray[Any]:
        """The numbers, in the order of MATLAB."""
        if len(self.data) != math.prod(self.shape) * self.dtype.itemsize:
            raise ReadError(
                f"cannot be read as MATLAB: {self.name} has {len(self.data)} bytes for a shape of {self.shape}"
            )
        plain = np.frombuffer(self.data, self.dtype).reshape(self.shape, order="F")
        return np.ascontiguousarray(plain.astype(self.dtype.newbyteorder("=")))


def variables(data: bytes, limit: int) -> Iterator[Variable]:
    """The arrays of numbers of a file; what is packed may unpack to ``limit`` bytes in all."""
    order = {b"IM": "<", b"MI": ">"}.get(data[126:128])
    if order is None:
        raise ReadError("cannot be read as MATLAB: it does not say how its numbers are stored")
    left = limit
    for count, (kind, body) in enumerate(_elements(memoryview(data)[HEADER:], order, padded=False)):
        if count > MOST_ARRAYS:
            raise ReadError("cannot be read as MATLAB: it does not come to an end")
        if kind == _COMPRESSED:
            unpacked = _unpacked(body, left)
            left -= len(unpacked)
            kind, body = next(_elements(memoryview(unpacked), order), (0, memoryview(b"")))
        if kind == _MATRIX and (found := _variable(body, order)) is not None:
            yield found


def _unpacked(body: memoryview, limit: int) -> bytes:
    unpack = zlib.decompressobj()
    found = unpack.decompress(body, max(1, limit))
    if unpack.unconsumed_tail:
        more = 'pass more, such as memory="8GB", if that is right'
        raise ReadError(f"claims more than the {limit} bytes that are allowed; {more}")
    return found


def _elements(data: memoryview, order: str, *, padded: bool = True) -> Iterator[tuple[int, memoryview]]:
    at = 0
    while at + 8 <= len(data):
        kind, length = struct.unpack_from(f"{order}II", data, at)
        if kind >> 16:  # a small one: four bytes at most, beside its tag
            yield kind & 0xFFFF, data[at + 4 : at + 4 + min(4, kind >> 16)]
            at += 8
            continue
        if at + 8 + length > len(data):
            raise ReadError("cannot be read as MATLAB: it is cut short")
        yield kind, data[at + 8 : at + 8 + length]
        at += 8 + (-(-length // 8) * 8 if padded or kind != _COMPRESSED else length)


def _variable(body: memoryview, order: str) -> Variable | None:
    """An array, if it holds real numbers; cells, texts and structures are passed over."""
    parts = list(_first(_elements(body, order), 4))
    if len(parts) < 4 or len(parts[0][1]) < 8:
        return None
    (flags,) = struct.unpack_from(f"{order}I", parts[0][1])
    if flags & 0xFF not in _NUMERIC or flags & _COMPLEX or parts[3][0] not in _TYPES:
        return None
    shape = tuple(int(size) for size in np.frombuffer(parts[1][1], f"{order}i4"))
    if not 1 <= len(shape) <= 8 or min(shape) < 0:
        raise ReadError("cannot be read as MATLAB: an array has no shape")
    name = bytes(parts[2][1]).decode("ascii", "replace")
    return Variable(name, shape, np.dtype(f"{order}{_TYPES[parts[3][0]]}"), parts[3][1])


def _first(items: Iterator[Any], count: int) -> Iterator[Any]:
    for _, item in zip(range(count), items, strict=False):
        yield item
