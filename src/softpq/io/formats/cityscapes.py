"""Cityscapes: *_instanceIds.png, 16 bit; an object is 1000 times its class and a number."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, Format, Place
from softpq.io.formats import png
from softpq.table.masks import Masks

NEGATIVE = 2**16 - 1
"""What 16 bits make of -1, the class of number plates."""

VOID = frozenset({0, 1, 2, 3, 4, 5, 6, 9, 10, 14, 15, 16, 18, 29, 30, NEGATIVE})
"""Classes that are not scored: their pixels count nowhere."""

THINGS = {
    24: "person", 25: "rider", 26: "car", 27: "truck", 28: "bus", 31: "train", 32: "motorcycle", 33: "bicycle",
}  # fmt: skip
STUFF = {
    7: "road", 8: "sidewalk", 11: "building", 12: "wall", 13: "fence", 17: "pole", 19: "traffic light",
    20: "traffic sign", 21: "vegetation", 22: "terrain", 23: "sky",
}  # fmt: skip


def is_instances(path: Path) -> bool:
    """Whether the name says so."""
    return path.name.endswith("_instanceIds.png")


def read(place: Place) -> Content:
    """Read objects with their classes, and void; a thing class without a number is a group, as crowd; stuff is none."""
    labels = png.read(place).labels
    assert isinstance(labels, np.ndarray)
    if labels.ndim != 2 or labels.dtype.itemsize < 2:
        raise ReadError("must be a PNG of 16 bits with one channel, as Cityscapes has it; it is not")
    values = np.unique(labels)
    kinds = np.where((values >= 1000) & (values != NEGATIVE), values // 1000, values).astype(int)
    void = np.isin(kinds, list(VOID))
    unknown = [
        int(v) for v, kind, out in zip(values, kinds, void, strict=True) if not out and kind not in THINGS | STUFF
    ]
    if unknown:
        raise ReadError(f"has id {unknown[0]}, which no class of Cityscapes has")
    out = np.isin(labels, values[void])
    stuff = np.isin(labels, values[np.isin(kinds, list(STUFF))])
    masks = Masks.from_labels(np.where(out | stuff, 0, labels))
    assert masks.ids is not None
    numbers = masks.ids.tolist()
    names = [THINGS[one // 1000 if one >= 1000 else one] for one in numbers]
    found = masks.with_(classes=np.array(names, str), crowd=[one < 1000 for one in numbers])
    notes = ("road, sky and other stuff are no objects",) if stuff.any() else ()
    return Content(found, stated=True, void=out if out.any() else None, notes=notes)


FORMAT = Format("Cityscapes", (".png",), read, (b"\x89PNG",), claims=is_instances)
