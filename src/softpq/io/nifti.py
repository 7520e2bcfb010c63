"""NIfTI, with nibabel."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.io import LabelImage, ReadError, check_size, needs, stem_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


def images(path: Path, inner: str | None) -> list[LabelImage]:
    """List the one image of the file."""
    return [LabelImage(stem_of(path), path, lambda: read(path))]


def read(path: Path) -> NDArray[Any]:
    """Read the volume as stored: x, y, z."""
    nibabel = needs("nibabel", ".nii", "nifti")
    try:
        image = nibabel.load(path)
        check_size(int(np.prod(image.shape, dtype=object)) * image.get_data_dtype().itemsize)
        array: NDArray[Any] = np.asanyarray(image.dataobj)
    except ReadError:
        raise
    except Exception as error:  # nibabel raises many kinds on broken files
        raise ReadError(f"cannot be read as NIfTI: {str(error).splitlines()[0][:160]}") from error
    return array
