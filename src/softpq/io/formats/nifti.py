"""NIfTI, with nibabel."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from softpq.errors import needs
from softpq.io.format import Content, Format, check_size


def read(path: Path, inner: str | None, index: int) -> Content:
    """Read the volume as stored: x, y, z."""
    nibabel = needs("nibabel", "nifti", "Reading .nii")
    image = nibabel.load(path)
    check_size(int(np.prod(image.shape, dtype=object)) * image.get_data_dtype().itemsize)
    spacing = tuple(float(size) for size in image.header.get_zooms()[:3])
    return Content(np.asanyarray(image.dataobj), spacing=spacing)


FORMAT = Format("NIfTI", (".nii", ".nii.gz"), read, extra="nifti")
