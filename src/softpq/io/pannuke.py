"""PanNuke's stacks: images x height x width x channels, one channel per class, instance ids in each."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.io import LabelImage, stem_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

CLASSES = ("neoplastic", "inflammatory", "connective", "dead", "epithelial")


def images(path: Path, inner: str | None) -> list[LabelImage]:
    """List the images of the stack; the sixth channel, background, is not read."""
    from softpq.io.npy import read

    stack = read(path)
    return [_image(path, stack, k) for k in range(stack.shape[0])]


def _image(path: Path, stack: NDArray[Any], k: int) -> LabelImage:
    def labels() -> NDArray[Any]:
        return _flattened(stack[k])[0]

    def classes() -> Mapping[int, str]:
        return _flattened(stack[k])[1]

    return LabelImage(f"{stem_of(path)}_{k:04d}", path, labels, classes)


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
