"""NIfTI, with nibabel."""

from __future__ import annotations

import numpy as np

from softpq.errors import needs
from softpq.io.format import Content, Format, Place


def read(place: Place) -> Content:
    """Read the volume as stored: x, y, z."""
    nibabel = needs("nibabel", "nifti", "Reading .nii")
    image = nibabel.load(place.path)
    scaled = image.dataobj.slope != 1 or image.dataobj.inter != 0
    place.check_size(int(np.prod(image.shape, dtype=object)) * (8 if scaled else image.get_data_dtype().itemsize))
    spacing = tuple(float(size) for size in image.header.get_zooms()[:3])
    return Content(np.asanyarray(image.dataobj), spacing=spacing)


FORMAT = Format("NIfTI", (".nii", ".nii.gz"), read, extra="nifti")
