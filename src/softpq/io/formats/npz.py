"""Archives of NumPy arrays: ``file.npz:name``, or the only one. Nothing in them is executed."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
from numpy.lib import format as npy_format

from softpq.errors import ReadError
from softpq.io.format import Content, Format, Place
from softpq.io.formats.npy import header_of

USUAL = ("masks", "labels", "mask", "label")
"""Names of arrays that are taken where there are several."""


def read(place: Place) -> Content:
    """Read one array."""
    with zipfile.ZipFile(place.path) as archive:
        members = {Path(info.filename).stem: info for info in archive.infolist() if info.filename.endswith(".npy")}
        name = place.inner or _only(sorted(members))
        if name not in members:
            raise ReadError(f"holds no array {name!r}; there are {', '.join(sorted(members))}")
        place.check_size(members[name].file_size)
        with archive.open(members[name]) as file:
            shape, _, dtype = header_of(file)
            place.check_size(int(np.prod(shape, dtype=object)) * dtype.itemsize)
        with archive.open(members[name]) as file:
            return Content(npy_format.read_array(file, allow_pickle=False))


def _only(names: list[str]) -> str:
    usual = next((name for name in USUAL if name in names), None)
    if usual is None and len(names) != 1:
        raise ReadError(f"holds several arrays, say which as file.npz:NAME; there are {', '.join(names)}")
    return usual or names[0]


FORMAT = Format("NPZ", (".npz",), read, (b"PK\3\4",), has_inside=True)
