"""NIfTI, with nibabel: stored as x, y, z and time; given as z, y, x, and every moment is an image."""

from __future__ import annotations

import gzip
import math
import struct
from typing import Any

import numpy as np

from softpq.errors import ReadError, needs
from softpq.io.axes import Axes
from softpq.io.format import Content, Format, Place
from softpq.io.geometry import Geometry


def _shape(place: Place) -> tuple[int, ...]:
    """Of the array, from the head of the file alone."""
    with place.path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        head = (gzip.GzipFile(fileobj=file) if packed else file).read(80)
    for order in "<>":
        if head[:4] == struct.pack(f"{order}i", 348):
            sizes = struct.unpack_from(f"{order}8h", head, 40)
            return tuple(sizes[1 : 1 + sizes[0]])
        if head[:4] == struct.pack(f"{order}i", 540):
            sizes = struct.unpack_from(f"{order}8q", head, 16)
            return tuple(sizes[1 : 1 + sizes[0]])
    raise ReadError("cannot be read as NIfTI: it does not begin like one")


def _axes(shape: tuple[int, ...], place: Place) -> Axes:
    """Slowest first: the fourth axis is time, those beyond are channels."""
    letters = "TZYX"[-len(shape) :].rjust(len(shape), "C")
    return Axes(letters, shape[::-1]).asked(place.options.axes)


def names(place: Place) -> list[str]:
    """List the moments."""
    needs("nibabel", "nifti", "Reading .nii")
    return _axes(_shape(place), place).names(place.stem)


def read(place: Place) -> Content:
    """Read one moment."""
    image = needs("nibabel", "nifti", "Reading .nii").load(place.path)
    part = _axes(tuple(int(size) for size in image.shape), place).part(place.index, place.options.channel)
    scaled = image.dataobj.slope != 1 or image.dataobj.inter != 0
    pixels = int(np.prod([one.stop - one.start for one in part], dtype=object))
    place.check_size(pixels * (8 if scaled else image.get_data_dtype().itemsize))
    if place.path.suffix.lower() == ".nii":  # it says so after it has taken the memory
        expected = image.dataobj.offset + image.get_data_dtype().itemsize * math.prod(map(int, image.shape))
        if (present := place.path.stat().st_size) < expected:
            raise ReadError(f"cannot be read as NIfTI: it is cut short, {present} of {expected} bytes")
    whole = all(one.stop - one.start == size for one, size in zip(part, image.shape[::-1], strict=True))
    labels = np.asanyarray(image.dataobj if whole else image.dataobj[part[::-1]]).T
    return Content(labels, geometry=_geometry(image, labels.ndim), stated=True).squeezed()


def _geometry(image: Any, n_axes: int) -> Geometry:
    """The affine of the header, if it states one; else the size of a pixel; slowest axis first."""
    spacing = tuple(float(size) for size in image.header.get_zooms())
    unit = {1: "m", 2: "mm", 3: "µm"}.get(int(image.header["xyzt_units"]) & 7, "")
    if image.header["sform_code"] == 0 and image.header["qform_code"] == 0:
        return Geometry(spacing[:n_axes][::-1], unit=unit)
    of_space = min(3, n_axes)
    found = Geometry.of_steps(image.affine[:3, :of_space].T[::-1], image.affine[:3, 3])
    more = n_axes - of_space  # time and channels, of length 1: they are dropped
    steps = ((0.0,) * 3,) * more + (found.steps or ())
    return Geometry((1.0,) * more + found.spacing, steps, found.origin, unit=unit)


FORMAT = Format("NIfTI", (".nii", ".nii.gz"), read, extra="nifti", names=names)
