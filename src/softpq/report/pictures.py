"""The images that the page shows: which, and how they are embedded."""

from __future__ import annotations

import math
import threading
from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq._files import Location
from softpq.dataset.image_result import ImageResult
from softpq.dataset.results import Results
from softpq.dataset.scoring import Scorer
from softpq.io.geometry import Geometry
from softpq.io.loading import Loaded
from softpq.report.raw import Raw, RawImages
from softpq.report.room import Room, as_data_url, averaged, covered, in_turn, order_of, sizes_of, thumbnail_of
from softpq.report.runs import stored_masks
from softpq.table.masks import Masks
from softpq.table.overlap import Overlap
from softpq.table.tables import as_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_PIXELS = 4_000_000
"""Larger images are shown with every second, third ... pixel; volumes may have four times as many voxels."""

MAX_CHANNELS = 6

MAX_FINE = 25_000_000
"""Pixels of the raw image that is looked at closely, where its labels are shown with fewer."""


@dataclass
class Drawn:
    """The labels of one image as the page draws them: places in the tables, as text; ``preds`` by model."""

    full_shape: tuple[int, ...]
    truth: tuple[str, str]
    preds: dict[str, tuple[str, str]] = field(default_factory=dict)
    geometry: Geometry | None = None
    thumbnail: str = ""

    @property
    def step(self) -> int:
        """Every so many pixels are shown."""
        return _step(self.full_shape)


def draw(loaded: Loaded, overlap: Overlap, model: str, known: Drawn | None = None) -> Drawn:
    """Make of one image, or of one more model of an image, what the page draws."""
    shape = tuple(loaded.truth.shape)
    drawn = known or Drawn(shape, _stored(loaded.truth, overlap.truth_ids, _step(shape)))
    drawn.geometry = loaded.geometry
    drawn.thumbnail = drawn.thumbnail or thumbnail_of(covered(loaded.truth))
    drawn.preds[model] = _stored(loaded.pred, overlap.pred_ids, _step(shape))
    return drawn


def _step(shape: tuple[int, ...]) -> int:
    volume = _as_volume(np.empty(shape, bool)).shape
    return math.ceil(math.sqrt(math.prod(shape) / (MAX_PIXELS * (4 if volume[0] > 1 else 1)))) or 1


def _stored(labels: NDArray[Any] | Masks, ids: NDArray[np.uint64], step: int) -> tuple[str, str]:
    """Type and text of the places of all pixels; of masks, which may overlap, of the runs of each."""
    if isinstance(labels, Masks):
        return stored_masks(labels, ids, step, _as_volume)
    dtype = "u2" if len(ids) < 2**16 else "u4"
    return dtype, as_text(np.ascontiguousarray(_reduced(_as_volume(places(labels, ids)), step), f"<{dtype}").tobytes())


class Kept:
    """Keeps the pictures that a report may show, while images are scored and in memory.

    The worst of all are always among the worst so far; and of a random order, the first of all are among the first so
    far. So what is kept is bounded, whatever the number of images.

    Parameters
    ----------
    max_images
        That the report embeds.
    """

    def __init__(self, max_images: int) -> None:
        self._most = max_images
        self._lock = threading.Lock()
        self._worst: list[tuple[float, str]] = []
        self._first: list[tuple[bytes, str]] = []
        self._drawn: dict[str, Drawn] = {}

    def observe(self, result: ImageResult, loaded: Loaded, overlap: Overlap) -> None:
        """Look at an image that was just scored."""
        with self._lock:
            self._rank(result)
            wanted = self._wanted()
            self._drawn = {name: drawn for name, drawn in self._drawn.items() if name in wanted}
            known = self._drawn.get(result.name)
        if result.name not in wanted:
            return
        drawn = draw(loaded, overlap, result.model, known)
        with self._lock:
            self._drawn.setdefault(result.name, drawn).preds.update(drawn.preds)

    def _rank(self, result: ImageResult) -> None:
        value = softpq_of(result)
        if not math.isnan(value):
            before = next((entry for entry in self._worst if entry[1] == result.name), None)
            if before is None or value < before[0]:
                self._worst = [entry for entry in self._worst if entry is not before]
                insort(self._worst, (value, result.name))
                del self._worst[self._most :]
        entry = (order_of(result.name), result.name)
        if entry not in self._first:
            insort(self._first, entry)
            del self._first[self._most :]

    def _wanted(self) -> set[str]:
        return {name for _, name in self._worst} | {name for _, name in self._first}

    def get(self, name: str) -> Drawn | None:
        """What was kept of an image."""
        return self._drawn.get(name)


def softpq_of(image: ImageResult) -> float:
    """SoftPQ of an image, NaN where it was not asked for."""
    return image.scores["softpq"].value if "softpq" in image.scores else math.nan


class Pictures:
    """Chooses images (half the worst, half a sample) and turns them into what the page draws from."""

    def __init__(
        self,
        results: Results,
        raw: Location | NDArray[Any] | None,
        max_images: int,
        scorer: Scorer,
        kept: Kept | None = None,
        room: Room | None = None,
        channels: Sequence[str] | None = None,
    ) -> None:
        self.results, self.max_images, self.scorer = results, max_images, scorer
        self.room = room or Room()
        self.kept = kept or Kept(0)
        if raw is not None and not self._available:
            raise ValueError("images cannot be shown: the results have no label images, as those read from a file.")
        self.raw = None if raw is None else RawImages(raw, self._names, channels)
        self.reduced: list[str] = []
        self.left_out: list[str] = []
        self._full_shapes: dict[str, tuple[int, ...]] = {}

    @property
    def _names(self) -> list[str]:
        return list(dict.fromkeys(image.name for image in self.results.images))

    @cached_property
    def _available(self) -> list[str]:
        without = {image.name for image in self.results.images if image.pair is None}
        return [name for name in self._names if name not in without]

    @cached_property
    def worst(self) -> list[str]:
        """Names of images from the lowest score of any model up, as many as half of the pictures."""
        lowest: dict[str, float] = {}
        for image in self.results.images:
            value = softpq_of(image)
            if not math.isnan(value):
                lowest[image.name] = min(value, lowest.get(image.name, math.inf))
        listed = [
            name for name in sorted(lowest, key=lambda name: (lowest[name], name)) if name in set(self._available)
        ]
        return listed[: (self.max_images + 1) // 2]

    @cached_property
    def sample(self) -> list[str]:
        """Some of the others, the same ones every time."""
        taken, room = set(self.worst), self.max_images - len(self.worst)
        chosen = set(sorted((name for name in self._available if name not in taken), key=order_of)[:room])
        return [name for name in self._available if name in chosen]

    def note(self) -> str:
        """Say which images can be looked at."""
        total, shown = len(self._names), len(self.worst) + len(self.sample) - len(self.left_out)
        if not self.max_images:
            text = "No images are embedded."
        elif shown == total:
            text = "All images are embedded."
        elif not self._available:
            text = "No images are embedded: the results came without them, or they are too large."
        else:
            others = f" and a sample of {len(self.sample)} others" if self.sample else ""
            which = f"the {len(self.worst)} with the lowest SoftPQ{others}"
            as_many = f"as many of {which} as {self.room.said} hold" if self.left_out else which
            text = f"{shown:,} of {total:,} images are embedded: {as_many}. The tables of all images are here."
        if self.reduced:
            are = "large image is" if len(self.reduced) == 1 else "large images are"
            text += f" {len(self.reduced)} {are} shown with fewer pixels than there are."
        return text + (f" {self.raw.note()}" if self.raw is not None else "")

    def chosen(self) -> list[dict[str, Any]]:
        """Every chosen image with its labels as text, the most telling ones first, as long as there is room."""
        by_name: dict[str, list[ImageResult]] = {}
        for image in self.results.images:
            by_name.setdefault(image.name, []).append(image)
        found = []
        for why, name in in_turn({"lowest score": self.worst, "sample": self.sample}):
            picture = {"why": why, **self._embedded(name, by_name[name])}
            if self.room.takes(picture):
                found.append(picture)
            else:
                self.left_out.append(name)
        for picture in found:  # what is large, and has room, gets the raw image in full
            if picture["step"] > 1 and picture["shape"][0] == 1:
                picture["fine"] = self._fine(picture)
        return found

    def _embedded(self, name: str, images: list[ImageResult]) -> dict[str, Any]:
        drawn = self.kept.get(name)
        for image in images:
            if drawn is None or image.model not in drawn.preds:
                assert image.pair is not None
                assert image.tables is not None
                drawn = draw(self.scorer.load(image.pair), image.tables.objects, image.model, drawn)
        assert drawn is not None
        if drawn.step > 1:
            self.reduced.append(name)
            self._full_shapes[name] = drawn.full_shape
        raw = Raw() if self.raw is None else self.raw.of(name, drawn.full_shape)
        texts = [
            [as_data_url(plane) for plane in averaged(_as_volume(c), drawn.step)] for c in raw.planes[:MAX_CHANNELS]
        ]
        shape = _as_volume(np.empty(drawn.full_shape, bool)).shape
        sizes, unit = sizes_of(drawn.full_shape, shape, drawn.geometry, self.results.plan.spacing)
        return {
            "name": name,
            "shape": _reduced(np.empty(shape, bool), drawn.step).shape,
            "step": drawn.step,
            "truth": drawn.truth,
            "preds": {image.model: drawn.preds[image.model] for image in images},
            "raw": texts,
            "colour": raw.colour,
            "channels": list(raw.names)[:MAX_CHANNELS],
            "sizes": None if sizes is None else [sizes[0], sizes[1] * drawn.step, sizes[2] * drawn.step],
            "unit": unit,
            "thumbnail": thumbnail_of([_as_volume(c).max(0) for c in raw.planes[:3]]) or drawn.thumbnail,
        }

    def _fine(self, picture: dict[str, Any]) -> dict[str, Any] | None:
        """The raw image of a reduced one, with more pixels, if there is room."""
        full = self._full_shapes[picture["name"]]
        step = math.ceil(math.sqrt(math.prod(full) / MAX_FINE))
        if step >= picture["step"] or self.raw is None:
            return None
        planes = self.raw.of(picture["name"], full).planes[:MAX_CHANNELS]
        fine: dict[str, Any] = {"shape": [-(-size // step) for size in full[-2:]]}
        fine["raw"] = [as_data_url(averaged(_as_volume(plane), step)[0]) for plane in planes]
        return fine if planes and self.room.takes(fine) else None


def places(labels: NDArray[Any], ids: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Each pixel's object as its place in the table, from 1; 0 is background and what is not in the table.

    Examples
    --------
    >>> places(np.array([0, 5, 9, 7]), np.array([5, 9], np.uint64)).tolist()
    [0, 1, 2, 0]
    """
    if not len(ids):
        return np.zeros(labels.shape, np.uint32)
    found = np.zeros(labels.shape, np.uint32)
    flat, into = labels.reshape(-1), found.reshape(-1)
    for start in range(0, flat.size, AT_ONCE):
        wanted = flat[start : start + AT_ONCE].astype(np.uint64)
        at = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
        into[start : start + AT_ONCE] = np.where(ids[at] == wanted, at + 1, 0)
    return found


AT_ONCE = 1 << 20
"""Pixels that are looked up together: what is made on the way is several times as large."""


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
