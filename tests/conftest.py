"""Where the shared reference data is, and what a test that needs it does without."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

SHARED = Path(__file__).resolve().parents[2] / "shared"

settings.register_profile("repeatable", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("repeatable")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if SHARED.is_dir():
        return
    skip = pytest.mark.skip(reason="needs the reference data of the project, which is not here")
    for item in items:
        if item.get_closest_marker("shared"):
            item.add_marker(skip)


@cache
def shared_json(name: str) -> Any:
    return json.loads((SHARED / name).read_text()) if SHARED.is_dir() else None


@cache
def read_shared_labels(name: str) -> np.ndarray:
    """Read a label image of the reference data with plain tools, not with the package's own readers."""
    path = SHARED / "data" / name
    if path.name.endswith(".nii.gz"):
        return _read_nifti(path)
    if path.suffix == ".tif":
        import tifffile

        return tifffile.imread(path)
    from PIL import Image

    with Image.open(path) as image:
        return np.array(image)


def _read_nifti(path: Path) -> np.ndarray:
    import gzip

    raw = gzip.decompress(path.read_bytes())
    shape = np.frombuffer(raw, "<i2", 8, 40)[1:4]
    code = int(np.frombuffer(raw, "<i2", 1, 70)[0])
    offset = int(np.frombuffer(raw, "<f4", 1, 108)[0])
    dtype = {2: "<u1", 4: "<i2", 8: "<i4", 16: "<f4", 64: "<f8", 512: "<u2", 768: "<u4"}[code]
    return np.frombuffer(raw, dtype, int(shape.prod()), offset).reshape(tuple(shape), order="F")
