"""PanNuke's stacks: images x height x width x channels, one channel per class, instance ids in each."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from softpq.io.format import Content, Format, Place
from softpq.io.formats.npy import header_at, mapped
from softpq.table.mask_pictures import as_labels_if_plain
from softpq.table.masks import Masks

CLASSES = ("neoplastic", "inflammatory", "connective", "dead", "epithelial")


def is_stack(path: Path) -> bool:
    """Whether an NPY file has four axes, the last of them classes."""
    shape = header_at(path).shape
    return len(shape) == 4 and shape[-1] in (5, 6)


def names(place: Place) -> list[str]:
    """List the images of the stack."""
    stem = place.path.name.removesuffix(".npy")
    return [f"{stem}_{k:04d}" for k in range(mapped(place.path).shape[0])]


def read(place: Place) -> Content:
    """Read one image; the sixth channel, background, is not read."""
    channels = mapped(place.path)[place.index]
    place.check_size(2 * channels.nbytes)
    layers = [np.ascontiguousarray(channels[..., k]) for k in range(len(CLASSES))]
    masks = Masks.from_layers(layers)
    names = np.repeat(CLASSES, [np.count_nonzero(np.unique(layer)) for layer in layers])
    classes = {number: str(name) for number, name in enumerate(names, start=1)}
    return Content(as_labels_if_plain(masks), classes)


FORMAT = Format("PanNuke", (".npy",), read, (b"\x93NUMPY",), is_stack, names=names)
