"""How much a page may hold: pictures as text, smaller ones of them, and whether there is room for more."""

from __future__ import annotations

import base64
import hashlib
import io
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq._checks import parse_size
from softpq.table.mask_pictures import cover_of
from softpq.table.masks import Masks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softpq.io.geometry import Geometry

THUMBNAIL = 44
"""Pixels across, at most."""


class Room:
    """Counts the bytes of what is put in.

    Examples
    --------
    >>> room = Room(10)
    >>> room.takes({"name": "a", "raw": [["123456"]]}), room.takes({"raw": ["123456"]}), room.takes({"raw": ["1"]})
    (True, False, True)
    """

    def __init__(self, most: int | None = None) -> None:
        self.most, self.used = most, 0

    @classmethod
    def of(cls, size: str | int | None, name: str = "max_size") -> Room:
        """So much room, such as ``"30MB"``."""
        return cls(None if size is None else parse_size(size, name))

    @property
    def said(self) -> str:
        """How much there may be."""
        return f"{(self.most or 0) / 1e6:g} MB"

    def takes(self, what: Any) -> bool:
        """Whether there is room for it; it is then in."""
        size = _length(what)
        if self.most is not None and self.used + size > self.most:
            return False
        self.used += size
        return True


def _length(what: Any) -> int:
    """Characters of all texts in it."""
    if isinstance(what, str):
        return len(what)
    inside = what.values() if isinstance(what, dict) else what if isinstance(what, list | tuple) else ()
    return sum(_length(one) for one in inside)


def averaged(volume: NDArray[Any], step: int) -> NDArray[Any]:
    """Slices with fewer pixels, each the mean of those it stands for; what is left over at the ends is averaged, too.

    Examples
    --------
    >>> averaged(np.array([[[0, 2, 9], [4, 6, 9]]], np.uint8), 2).tolist()
    [[[3, 9]]]
    """
    if step == 1 or volume.dtype == bool:
        return volume[:, ::step, ::step]
    rows, columns = (np.arange(0, size, step) for size in volume.shape[1:])
    sums = np.add.reduceat(np.add.reduceat(volume.astype(np.uint32), rows, 1), columns, 2)
    counts = [np.diff(np.append(starts, size)) for starts, size in zip((rows, columns), volume.shape[1:], strict=True)]
    means: NDArray[Any] = (sums // (counts[0][:, None] * counts[1])).astype(volume.dtype)
    return means


LARGEST_COVERED = 1 << 28
"""Pixels of an image whose objects are drawn as a thumbnail."""


def covered(labels: Any) -> list[NDArray[np.uint8]]:
    """Objects in light on a dark ground, with no more pixels than a thumbnail can use; nothing for slides."""
    if math.prod(labels.shape) > LARGEST_COVERED:
        return []
    plane = cover_of(labels) if isinstance(labels, Masks) else np.asarray(labels)
    while plane.ndim > 2:
        plane = plane.max(0)
    step = max(1, max(plane.shape, default=1) // (16 * THUMBNAIL))
    few = plane[tuple(slice(None, None, step) for _ in plane.shape)]
    return [np.where(few > 0, np.uint8(190), np.uint8(25))]


def thumbnail_of(planes: Sequence[NDArray[Any]]) -> str:
    """A small picture of one or three planes as text; empty without any."""
    from PIL import Image

    if not planes:
        return ""
    flat = [np.asarray(plane) for plane in planes]
    while flat[0].ndim > 2:
        flat = [plane.max(0) for plane in flat]
    if flat[0].ndim < 2:
        return ""
    step = max(1, max(flat[0].shape) // THUMBNAIL)
    small = [averaged(plane[np.newaxis].astype(np.uint8), step)[0] for plane in flat]
    picture = Image.fromarray(small[0] if len(small) < 3 else np.stack(small, -1))
    picture.thumbnail((THUMBNAIL, THUMBNAIL))
    return _as_text(picture, "JPEG")


def as_data_url(plane: NDArray[np.uint8]) -> str:
    """A grey picture as text."""
    from PIL import Image

    return _as_text(Image.fromarray(np.ascontiguousarray(plane)), "PNG" if plane.size <= 4096 else "JPEG")


def _as_text(picture: Any, kind: str) -> str:
    file = io.BytesIO()
    picture.save(file, kind, quality=88)
    return f"data:image/{kind.lower()};base64,{base64.b64encode(file.getvalue()).decode()}"


def in_turn(groups: dict[str, list[str]]) -> list[tuple[str, str]]:
    """The first of each group, then the second of each: group and name.

    Examples
    --------
    >>> in_turn({"a": ["1", "2"], "b": ["3"]})
    [('a', '1'), ('b', '3'), ('a', '2')]
    """
    ranked = [(place, group, name) for group, names in groups.items() for place, name in enumerate(names)]
    return [(group, name) for _, group, name in sorted(ranked, key=lambda one: one[0])]


def sizes_of(
    full: tuple[int, ...], shown: tuple[int, ...], geometry: Geometry | None, asked: Sequence[float] | None
) -> tuple[list[float] | None, str]:
    """The size of a voxel of the volume that is shown (slices, rows, columns), and its unit; None where nobody says.

    Examples
    --------
    >>> sizes_of((90, 80, 7), (7, 90, 80), None, (0.5, 0.5, 2.0))
    ([2.0, 0.5, 0.5], 'units')
    """
    stated, unit = (None, "") if geometry is None else (geometry.spacing, geometry.unit)
    spacing, unit = (stated, unit) if asked is None else (asked, "units")
    if (
        spacing is None
        or len(spacing) != len(full)
        or len(full) > 3
        or not all(0 < size < math.inf for size in spacing)
    ):
        return None, ""
    sizes = [1.0] * (3 - len(full)) + [float(size) for size in spacing]
    as_it_is = (1,) * (3 - len(full)) + full
    return sizes if shown == as_it_is else [sizes[2], sizes[0], sizes[1]], unit


def order_of(name: str) -> bytes:
    """A random order of images that is the same every time."""
    return hashlib.blake2b(name.encode(), digest_size=8).digest()
