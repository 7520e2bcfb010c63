"""PanNuke's stacks: images x height x width x channels, one channel per class, instance ids in each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.io.format import Content, Format, Place
from softpq.io.formats.npy import header_at, mapped

if TYPE_CHECKING:
    from numpy.typing import NDArray

CLASSES = ("neoplastic", "inflammatory", "connective", "dead", "epithelial")


def is_stack(path: Path) -> bool:
    """Whether an NPY file has four axes, the last of them classes."""
    shape, _, _ = header_at(path)
    return len(shape) == 4 and shape[-1] in (5, 6)


def names(place: Place) -> list[str]:
    """List the images of the stack."""
    stem = place.path.name.removesuffix(".npy")
    return [f"{stem}_{k:04d}" for k in range(mapped(place.path).shape[0])]


def read(place: Place) -> Content:
    """Read one image; the sixth channel, background, is not read."""
    channels = mapped(place.path)[place.index]
    place.check_size(2 * channels.nbytes)
    return Content(*_flattened(channels))


def _flattened(channels: NDArray[Any]) -> tuple[NDArray[np.uint32], dict[int, str]]:
    """One label image with new labels 1, 2, ..., and the class of each; the first channel wins where two overlap."""
    labels = np.zeros(channels.shape[:2], np.uint32)
    classes: dict[int, str] = {}
    for channel, name in enumerate(CLASSES):
        ids, place = np.unique(channels[..., channel], return_inverse=True)
        place = place.reshape(labels.shape)
        numbers = np.where(ids == 0, 0, len(classes) + np.cumsum(ids != 0)).astype(np.uint32)
        classes |= {int(number): name for number in numbers[ids != 0]}
        labels = np.where(labels == 0, numbers[place], labels)
    return labels, classes


FORMAT = Format("PanNuke", (".npy",), read, (b"\x93NUMPY",), is_stack, names=names)
