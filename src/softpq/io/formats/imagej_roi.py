"""ImageJ's ROI Manager: a zip of ``.roi`` files, one object each, drawn by pixel centre as ImageJ does."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, Format, Place
from softpq.io.formats.geojson import Polygons

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST, LARGEST = 1_000_000, 1 << 26
_POLYGON, _RECTANGLE, _OVAL, _FREEHAND, _TRACED = 0, 1, 2, 7, 8
_SUBPIXEL = 128
_HEADER = 64


def read(place: Place) -> Content:
    """Read all objects, in the order of the archive."""
    with zipfile.ZipFile(place.path) as archive:
        members = _rois(archive)
        place.check_size(20 * sum(info.file_size for info in members))
        if len(members) > MOST or any(info.file_size > LARGEST for info in members):
            raise ReadError("cannot be read as ROIs of ImageJ: it holds too many, or too large ones")
        rings = [_ring(archive.read(info), info.filename) for info in members]
    return Content(Polygons([[ring] for ring in rings], place.options.limit))


def _rois(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Without what macOS adds."""
    return [
        info
        for info in archive.infolist()
        if info.filename.lower().endswith(".roi") and not Path(info.filename).name.startswith("._")
    ]


def _ring(data: bytes, name: str) -> NDArray[np.float64]:
    if data[:4] != b"Iout" or len(data) < _HEADER:
        raise ReadError(f"cannot be read as ROIs of ImageJ: {Path(name).name} is none")
    kind = data[6]
    top, left, bottom, right, count = struct.unpack_from(">hhhhH", data, 8)
    (options,) = struct.unpack_from(">H", data, 50)
    (composite,) = struct.unpack_from(">i", data, 36)
    if kind == _RECTANGLE and not composite:
        return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float64)
    if kind not in (_POLYGON, _FREEHAND, _TRACED) or composite:
        raise ReadError(f"holds {Path(name).name}, which is no polygon; convert it with Edit > Selection > Create Mask")
    return _corners(data, count, left, top, options, name)


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
