"""ImageJ's ROI Manager: a zip of ``.roi`` files, one area each, drawn by pixel centre as ImageJ does."""

from __future__ import annotations

import math
import struct
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, Format, Place
from softpq.io.formats.geojson import Polygons
from softpq.io.outlines import rectangle

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST, LARGEST = 1_000_000, 1 << 26
_POLYGON, _RECTANGLE, _OVAL, _FREEHAND, _TRACED = 0, 1, 2, 7, 8
_MOVE, _LINE, _CLOSE = 0, 1, 4
_SUBPIXEL, _WITH_FRACTIONS = 128, 223
_HEADER, _LARGEST_OVAL = 64, 1 << 16


def read(place: Place) -> Content:
    """Read all objects, in the order of the archive."""
    with zipfile.ZipFile(place.path) as archive:
        members = _rois(archive)
        place.check_size(20 * sum(info.file_size for info in members))
        if len(members) > MOST or any(info.file_size > LARGEST for info in members):
            raise ReadError("cannot be read as ROIs of ImageJ: it holds too many, or too large ones")
        objects, nbytes = [], 0
        for info in members:
            objects.append(_rings(archive.read(info), info.filename))
            nbytes += 2 * sum(ring.nbytes for ring in objects[-1])
            place.check_size(nbytes)
    return Content(Polygons(objects, place.options.limit))


def _rois(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Without what macOS adds."""
    return [
        info
        for info in archive.infolist()
        if info.filename.lower().endswith(".roi") and not Path(info.filename).name.startswith("._")
    ]


def _rings(data: bytes, name: str) -> list[NDArray[np.float64]]:
    """The outline of an area, and its holes."""
    if data[:4] != b"Iout" or len(data) < _HEADER:
        raise ReadError(f"cannot be read as ROIs of ImageJ: {Path(name).name} is none")
    kind = data[6]
    top, left, bottom, right, count = struct.unpack_from(">hhhhH", data, 8)
    (options,) = struct.unpack_from(">H", data, 50)
    (composite,) = struct.unpack_from(">i", data, 36)
    if composite > 0:
        return _path(data, composite, name)
    if kind in (_RECTANGLE, _OVAL):
        box = _box(data, options, (left, top, right - left, bottom - top))
        return [rectangle(*box) if kind == _RECTANGLE else _oval(*box)]
    if kind not in (_POLYGON, _FREEHAND, _TRACED):
        raise ReadError(f"holds {Path(name).name}, which is a line or a point and no area; leave it out of the set")
    return [_corners(data, count, left, top, options, name)]


def _box(data: bytes, options: int, whole: tuple[int, int, int, int]) -> tuple[float, ...]:
    """Left, top, width and height: whole pixels, or fractions."""
    (version,) = struct.unpack_from(">h", data, 4)
    if not options & _SUBPIXEL or version < _WITH_FRACTIONS:
        return whole
    found = struct.unpack_from(">ffff", data, 18)
    return found if np.isfinite(found).all() and min(found[2:]) > 0 else whole


def _oval(left: float, top: float, width: float, height: float) -> NDArray[np.float64]:
    """Corners of the pixels whose centres are inside of an ellipse, or on it: what ImageJ fills, line by line."""
    if max(width, height) > _LARGEST_OVAL:
        raise ReadError("cannot be read as ROIs of ImageJ: it holds too many, or too large ones")
    lines = np.arange(math.floor(top), math.ceil(top + height))
    middle = left + width / 2
    far = 1 - ((lines + 0.5 - top - height / 2) / (height / 2)) ** 2
    lines, reach = lines[far >= 0], width / 2 * np.sqrt(far[far >= 0])
    first, last = np.ceil(middle - reach - 0.5), np.floor(middle + reach - 0.5) + 1
    lines, first, last = (side[last > first] for side in (lines, first, last))
    down = np.stack([np.repeat(last, 2), np.stack([lines, lines + 1], 1).ravel()], 1)
    up = np.stack([np.repeat(first, 2), np.stack([lines, lines + 1], 1).ravel()], 1)[::-1]
    return np.concatenate([down, up]).astype(np.float64)


def _path(data: bytes, count: int, name: str) -> list[NDArray[np.float64]]:
    """The rings of an area of several parts: moves, lines, and ends."""
    values = np.frombuffer(data, ">f4", min(count, (len(data) - _HEADER) // 4), _HEADER).astype(np.float64)
    rings: list[list[tuple[float, float]]] = []
    at = 0
    while at < len(values):
        step = int(values[at]) if np.isfinite(values[at]) else -1
        if step == _CLOSE:
            at += 1
            continue
        if step not in (_MOVE, _LINE) or at + 2 >= len(values) or (step == _LINE and not rings):
            raise ReadError(f"holds {Path(name).name}, whose outline is curved or broken; convert it to a polygon")
        rings += [[]] if step == _MOVE else []
        rings[-1].append((float(values[at + 1]), float(values[at + 2])))
        at += 3
    found = [np.array(ring) for ring in rings if len(ring) > 2]
    if not found or not all(np.isfinite(ring).all() for ring in found):
        raise ReadError(f"cannot be read as ROIs of ImageJ: {Path(name).name} has no area")
    return found


def _corners(data: bytes, count: int, left: int, top: int, options: int, name: str) -> NDArray[np.float64]:
    """Whole pixels from the corner of the box, or fractions from the origin."""
    wide = bool(options & _SUBPIXEL)
    start, size = (_HEADER + 4 * count, 8 * count) if wide else (_HEADER, 4 * count)
    if len(data) < start + size or count < 3:
        raise ReadError(f"cannot be read as ROIs of ImageJ: {Path(name).name} is cut short, or has {count} corners")
    numbers = np.frombuffer(data, ">f4" if wide else ">i2", 2 * count, start).astype(np.float64)
    ring = np.stack([numbers[:count], numbers[count:]], axis=1)
    if not np.isfinite(ring).all():
        raise ReadError(f"cannot be read as ROIs of ImageJ: {Path(name).name} has corners that are no numbers")
    return ring if wide else ring + np.array([left, top], np.float64)


def is_roi_set(path: Path) -> bool:
    """Whether an archive holds ROIs, or nothing: Cellpose writes such where it finds no object."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            return bool(_rois(archive)) or (not names and path.suffix.lower() == ".zip")
    except zipfile.BadZipFile:
        return False


FORMAT = Format("ROIs of ImageJ", (".zip",), read, (b"PK\3\4", b"PK\5\6"), is_roi_set)
