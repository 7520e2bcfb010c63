"""COCO's code of masks, written by slow and obvious programs; and polygons that pycocotools drew."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

POLYGONS = json.loads((Path(__file__).parent / "coco_polygons.json").read_text())["polygons"]


def counted(mask: np.ndarray) -> np.ndarray:
    """Run-lengths down the columns, beginning with what is outside; slow and obvious."""
    counts, inside, length = [], False, 0
    for pixel in mask.T.ravel():
        if pixel != inside:
            counts.append(length)
            inside, length = bool(pixel), 0
        length += 1
    return np.array([*counts, length], np.int64)


def as_text(counts: np.ndarray) -> bytes:
    """COCO's code, five bits a character, as its page describes it."""
    text = bytearray()
    for k, count in enumerate(counts.tolist()):
        value, more = count - (int(counts[k - 2]) if k > 2 else 0), True
        while more:
            bits, value = value & 31, value >> 5
            more = value != (-1 if bits & 16 else 0)
            text.append(48 + bits + 32 * more)
    return bytes(text)
