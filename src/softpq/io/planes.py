"""Truth that is drawn in single planes of volumes: ``man_seg_000_012.tif`` is plane 12 of ``mask000.tif``."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, ReadOptions
from softpq.io.image import Image
from softpq.io.ladder import REDUCED, Key, Match, Rule, key_of
from softpq.io.sources import Source

_PLANE = re.compile(r"(.*man_seg_?\d+)_(\d+)")
"""A frame, and a plane of it."""


@dataclass(frozen=True)
class PlaneOf:
    """A plane of a volume."""

    name: str
    volume: Image
    plane: int

    @property
    def shown(self) -> str:
        """The file of the volume."""
        return self.volume.shown

    def read(self, options: ReadOptions | None = None) -> Content:
        """Read the volume, and take the plane.

        Raises
        ------
        ReadError
            If it has none.
        """
        labels = self.volume.read(options).labels
        if not isinstance(labels, np.ndarray) or labels.ndim != 3 or self.plane >= len(labels):
            shape = getattr(labels, "shape", "something else")
            raise ReadError(f"must be a volume with a plane {self.plane}, counted from 0; got {shape}")
        return Content(labels[self.plane], notes=("a plane of a volume",), stated=True)


def with_planes(truth: Source, pred: Source) -> tuple[Source, Match] | None:
    """Take planes of volumes as predictions, if all names of the truth name a frame and a plane."""
    found = {name: _PLANE.fullmatch(name) for name in truth}
    if not truth or not all(found.values()):
        return None
    rule = Rule(5, REDUCED)
    volumes = {key_of(name, rule): image for name, image in pred.items()}
    images: dict[str, Image] = {}
    for name, one in found.items():
        assert one is not None
        volume = volumes.get(_frame(one[1], rule))
        if volume is not None:
            images[name] = PlaneOf(name, volume, int(one[2]))
    called = {name: str(key_of(name, rule)) for name in truth}
    match = Match("planes of volumes", {name: name for name in images}, called, ("man_seg",))
    return (Source(images, pred.place, left_out=pred.left_out), match) if images else None


def _frame(name: str, rule: Rule) -> Key:
    return key_of(name.replace("man_seg_", "man_seg"), rule)
