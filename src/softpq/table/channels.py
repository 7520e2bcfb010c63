"""A short axis that holds channels and no slices; and what is said of images that are no labels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

MOST_CLASSES = 30
"""So many labels, each in many pieces, may be classes; more may be intensities."""


@dataclass(frozen=True)
class Suspicion:
    """What an image seems to be, what to do about it, and whether there is hardly a doubt."""

    what: str
    advice: str
    certain: bool

    def __str__(self) -> str:
        return f"{self.what}. {self.advice}"


SEGMENT = "Turn it into labels first, as the tool that made it does (a threshold, a watershed)."
_CHANNELS = 'Choose one, such as channel=0, or say axes="ZYX" if they are slices of a volume.'


def channels_in(labels: Any) -> Suspicion | None:
    """A short first or last axis that holds channels and no slices: colours, planes in each other, or classes."""
    for axis in (2, 0):
        if not 2 <= labels.shape[axis] <= 6 or min(np.delete(labels.shape, axis)) <= 6:
            continue
        planes = [_thinned(plane) for plane in np.moveaxis(_seen(labels, axis), axis, 0)]
        if axis == 2 and len(planes) in (3, 4) and labels.dtype == np.uint8 and all(map(_is_photograph, planes[:3])):
            return Suspicion("looks like a colour image", SEGMENT, certain=True)
        for kind in _relations(planes):
            what = f"looks like {labels.shape[axis]} channels along axis {axis}: {kind}"
            return Suspicion(what, _CHANNELS, certain=True)
    return None


def _seen(labels: Any, axis: int) -> NDArray[Any]:
    """All of it, or, of what is not in memory, the middle of every plane."""
    if isinstance(labels, np.ndarray):
        return labels
    starts = [0 if k == axis else max(0, size // 2 - 256) for k, size in enumerate(labels.shape)]
    ends = [size if k == axis else min(size, size // 2 + 256) for k, size in enumerate(labels.shape)]
    return np.asarray(labels[tuple(slice(a, b) for a, b in zip(starts, ends, strict=True))])


def _is_photograph(plane: NDArray[Any]) -> bool:
    """Whether many of the 256 values are in use, and change from pixel to pixel."""
    return len(np.unique(plane)) > 100 and float(np.mean(plane[:, 1:] != plane[:, :-1])) > 0.3


def _thinned(plane: NDArray[Any]) -> NDArray[Any]:
    """Not more than about a quarter of a million of its pixels."""
    step = max(1, round(math.sqrt(plane.size / (1 << 18))))
    return plane[::step, ::step]


def _relations(planes: list[NDArray[Any]]) -> Iterator[str]:
    for inner in planes:
        for outer in planes:
            if inner is outer or not inner.any():
                continue
            inside = inner != 0
            if (outer[inside] != 0).mean() < 0.99 or (inner[inside] == outer[inside]).mean() > 0.5:
                continue
            pairs = np.unique(np.stack([inner[inside], outer[inside]]), axis=1)
            inner_labels, outer_labels = (len(np.unique(side)) for side in pairs)
            if pairs.shape[1] > 1.1 * inner_labels or inner_labels < 5:
                continue  # objects of one plane lie in several of the other: slices of touching cells
            if outer_labels <= MOST_CLASSES and 4 * outer_labels <= inner_labels:
                yield "one plane holds objects, another their classes"
            elif inside.sum() < 0.9 * (outer != 0).sum():
                yield "objects of one plane lie inside of those of another"
