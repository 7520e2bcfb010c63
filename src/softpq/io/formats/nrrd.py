"""NRRD, with pynrrd."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from softpq.errors import needs
from softpq.io.format import Content, Format, check_size


def read(path: Path, inner: str | None, index: int) -> Content:
    """Read the volume in C order."""
    nrrd = needs("nrrd", "nrrd", "Reading .nrrd")
    header = nrrd.read_header(str(path))
    check_size(int(np.prod(header["sizes"], dtype=object)))
    return Content(nrrd.read(str(path), index_order="C")[0])


FORMAT = Format("NRRD", (".nrrd",), read, (b"NRRD",), extra="nrrd")
