"""NRRD, with pynrrd."""

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
    """Read the volume in C order."""
    nrrd = needs("nrrd", ".nrrd", "nrrd")
    try:
        header = nrrd.read_header(str(path))
        check_size(int(np.prod(header["sizes"], dtype=object)))
        array: NDArray[Any] = nrrd.read(str(path), index_order="C")[0]
    except ReadError:
        raise
    except Exception as error:  # pynrrd raises many kinds on broken files
        raise ReadError(f"cannot be read as NRRD: {str(error).splitlines()[0][:160]}") from error
    return array
