"""The shared reference data, read with plain tools and not with the package's own readers."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

SHARED = Path(__file__).resolve().parents[2] / "shared"


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


PAIRS = (shared_json("data/golden.json") or {"pairs": {}})["pairs"]


def labels_of(pair: dict) -> tuple[np.ndarray, np.ndarray]:
    return read_shared_labels(pair["gt"]), read_shared_labels(pair["pred"])


CELLPOSE_WITHOUT_BACKGROUND = {f"volume3d_plantseg_sample_ovule/{kind}" for kind in ("balanced", "over", "under")}


def released_settings(key: str) -> dict:
    given = dict(item.split("=") for item in key.split(","))
    return {
        "iou_high": float(given["iou_high"]),
        "iou_low": float(given["iou_low"]),
        "penalty": given["method"],
        "priority": "under" if given["prioritize_underseg"] == "True" else "over",
        "reading": "released",
    }
