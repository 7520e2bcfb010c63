"""The images that the page shows: which, and how they are embedded."""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.image_result import ImageResult
from softpq.report.raw import RawImages
from softpq.results import Results

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_PIXELS = 4_000_000
"""Larger images are shown with every second, third ... pixel; volumes may have four times as many voxels."""

MAX_CHANNELS = 6


class Pictures:
    """Chooses images (half the worst, half a sample) and turns them into what the page draws from."""

    def __init__(self, results: Results, raw: str | Path | NDArray[Any] | None, max_images: int) -> None:
        self.results = results
        self.max_images = max_images
        if raw is not None and not self._available:
            raise ValueError("images cannot be shown: the results have no label images, as those read from a file.")
        self.raw = None if raw is None else RawImages(raw, self._names)
        self.reduced: list[str] = []

    @property
    def _names(self) -> list[str]:
        return list(dict.fromkeys(image.name for image in self.results.images))

    @cached_property
    def _available(self) -> list[str]:
        without = {image.name for image in self.results.images if image.arrays is None}
        return [name for name in self._names if name not in without]

    @cached_property
    def worst(self) -> list[str]:
        """Names of images from the lowest score of any model up, as many as half of the pictures."""
        lowest: dict[str, float] = {}
        for image in self.results.images:
            value = image.scores["softpq"].value if "softpq" in image.scores else math.nan
            if not math.isnan(value):
                lowest[image.name] = min(value, lowest.get(image.name, math.inf))
        listed = [name for name in sorted(lowest, key=lambda name: lowest[name]) if name in set(self._available)]
        return listed[: (self.max_images + 1) // 2]

    @cached_property
    def sample(self) -> list[str]:
        """Some of the others, the same ones every time."""
        taken = set(self.worst)
        others = [name for name in self._available if name not in taken]
        room = self.max_images - len(self.worst)
        if len(others) <= room:
            return others
        chosen = np.random.default_rng(0).choice(len(others), room, replace=False)
        return [others[k] for k in sorted(chosen)]

    def note(self) -> str:
        """Say which images can be looked at."""
        total, shown = len(self._names), len(self.worst) + len(self.sample)
        if not self.max_images:
            text = "No images are embedded."
        elif shown == total:
            text = "All images are embedded."
        elif not self._available:
            text = "No images are embedded: the results came without them, or they are too large."
        else:
            text = (
                f"{shown} of {total} images are embedded: the {len(self.worst)} with the lowest SoftPQ and a sample of "
                f"{len(self.sample)} others. The tables of all images are here."
            )
        if self.reduced:
            text += f" {len(self.reduced)} large images are shown with fewer pixels than they have."
        return text + (f" {self.raw.note()}" if self.raw is not None else "")

    def chosen(self) -> Iterator[dict[str, Any]]:
        """Yield every chosen image with its labels as bytes."""
        by_name: dict[str, list[ImageResult]] = {}
        for image in self.results.images:
            by_name.setdefault(image.name, []).append(image)
        for why, names in (("lowest score", self.worst), ("sample", self.sample)):
            for name in names:
                yield {"why": why, **self._embedded(name, by_name[name])}

    def _embedded(self, name: str, images: list[ImageResult]) -> dict[str, Any]:
        truth: NDArray[Any] | None = None
        preds = {}
        for image in images:
            assert image.arrays is not None
            assert image.tables is not None
            truth, pred = image.arrays()
            preds[image.model] = places(pred, image.tables.objects.pred_ids)
            places_of_truth = places(truth, image.tables.objects.truth_ids)
        assert truth is not None
        shape = _as_volume(truth).shape
        step = math.ceil(math.sqrt(truth.size / (MAX_PIXELS * (4 if shape[0] > 1 else 1))))
        if step > 1:
            self.reduced.append(name)
        largest = max(int(p.max(initial=0)) for p in (places_of_truth, *preds.values()))
        dtype = "u2" if largest < 2**16 else "u4"

        def stored(labels: NDArray[Any]) -> bytes:
            return np.ascontiguousarray(_reduced(_as_volume(labels), step), f"<{dtype}").tobytes()

        return {
            "name": name,
            "shape": _reduced(_as_volume(truth), step).shape,
            "step": step,
            "dtype": dtype,
            "truth": stored(places_of_truth),
            "preds": {model: stored(pred) for model, pred in preds.items()},
            "raw": [] if self.raw is None else self._channels(name, truth.shape, step),
        }

    def _channels(self, name: str, shape: tuple[int, ...], step: int) -> list[list[str]]:
        assert self.raw is not None
        channels = self.raw.channels(name, shape)[:MAX_CHANNELS]
        return [[as_data_url(plane) for plane in _reduced(_as_volume(channel), step)] for channel in channels]


def places(labels: NDArray[Any], ids: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Each pixel's object as its place in the table, from 1; 0 is background and what is not in the table.

    Examples
    --------
    >>> places(np.array([0, 5, 9, 7]), np.array([5, 9], np.uint64)).tolist()
    [0, 1, 2, 0]
    """
    if not len(ids):
        return np.zeros(labels.shape, np.uint32)
    wanted = labels.astype(np.uint64)
    at = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    return np.where(ids[at] == wanted, at + 1, 0).astype(np.uint32)


def _as_volume(array: NDArray[Any]) -> NDArray[Any]:
    """Slices, rows, columns; axes before the last three are slices too.

    Where the last axis is by far the shortest, as in NIfTI files, it is the one of the slices.
    """
    while array.ndim < 3:
        array = array[np.newaxis]
    if array.ndim == 3 and array.shape[0] > 1 and 2 * array.shape[2] < min(array.shape[:2]):
        array = np.moveaxis(array, 2, 0)
    return array.reshape(-1, *array.shape[-2:])


def _reduced(volume: NDArray[Any], step: int) -> NDArray[Any]:
    return volume[:, ::step, ::step]


def as_data_url(plane: NDArray[np.uint8]) -> str:
    """A grey picture as text."""
    from PIL import Image

    file = io.BytesIO()
    kind = "PNG" if plane.size <= 4096 else "JPEG"
    Image.fromarray(np.ascontiguousarray(plane)).save(file, kind, quality=88)
    return f"data:image/{kind.lower()};base64,{base64.b64encode(file.getvalue()).decode()}"
