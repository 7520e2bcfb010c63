"""What average precision is computed from: the objects of all images, one row each, from files or from masks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq import _core
from softpq.detection.run_store import NO_RUNS, Held, RunStore, some_at_a_time, stored
from softpq.errors import ReadError
from softpq.io.coco import check_results, items_in, plain_item, read_results, read_truth, results_in, truth_in
from softpq.io.coco_records import CocoObjects, CocoTruth
from softpq.table.labels import band_reach, cores
from softpq.table.mask_sources import chosen
from softpq.table.masks import Masks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Runs = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True)
class Objects:
    """One side.

    Attributes
    ----------
    image, kind
        Position of the image and of the class of each.
    scores, crowd
        Of predictions; of truth.
    areas
        What decides the range of areas.
    runs
        Of masks, each on its own image; empty where boxes count.
    boxes
        x, y, width, height; empty where masks count.
    """

    image: NDArray[np.int64]
    kind: NDArray[np.int64]
    scores: NDArray[np.float64]
    crowd: NDArray[np.bool_]
    areas: NDArray[np.float64]
    runs: RunStore
    boxes: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.image)


@dataclass(frozen=True)
class Scene:
    """Both sides, what their images and classes are, and what should be said of them."""

    truth: Objects
    pred: Objects
    heights: NDArray[np.int64]
    widths: NDArray[np.int64]
    classes: list[str]
    frequencies: list[str]
    absent: list[frozenset[int]]
    unfinished: list[frozenset[int]]
    notes: tuple[str, ...] = ()

    @property
    def is_lvis(self) -> bool:
        """Whether images say which classes are absent."""
        return bool(self.absent)

    def shape_of(self, image: int, side: Objects) -> tuple[int, int]:
        """Of the image on which the runs of a side lie: of a transposed one, if they go down the columns."""
        shape = (int(self.heights[image]), int(self.widths[image]))
        return shape[::-1] if side.runs.down else shape

    def bands(self, side: Objects, at: NDArray[np.int64], runs: Runs, boundary: float) -> Runs:
        """Boundary bands of these masks, image by image, each by itself; ``runs`` are theirs."""
        parts: list[Runs] = []
        ends = [*(np.flatnonzero(np.diff(side.image[at])) + 1).tolist(), len(at)]
        begin = 0
        for end in ends if len(at) else ():
            image = int(side.image[at[begin]])
            shape = self.shape_of(image, side)
            mine = chosen(*runs, np.arange(begin, end))
            parts.append(_core.mask_bands(mine, list(shape), band_reach(boundary, None, shape), cores()))
            begin = end
        return _joined(parts)


def _joined(parts: Sequence[Runs]) -> Runs:
    counts = np.concatenate([np.zeros(1, np.int64), *(np.diff(part[0]) for part in parts)])
    starts, stops = (np.concatenate([np.zeros(0, np.int64), *(part[k] for part in parts)]) for k in (1, 2))
    return np.cumsum(counts), starts, stops


# ---------------------------------------------------------------- files


def scene_of_files(truth_path: Path, results_path: Path, *, boxes: bool) -> Scene:
    """Read truth and results.

    Raises
    ------
    ReadError
        With the name of the file that cannot be used.
    """
    truth = _named(truth_path, lambda: read_truth(truth_path))
    results = _named(results_path, lambda: read_results(results_path))
    return _scene(truth, results, truth_path, results_path, boxes=boxes)


def scene_of_contents(truth: Mapping[str, Any], results: Sequence[Any], *, boxes: bool) -> Scene:
    """Make the same of what such files hold, loaded already.

    Raises
    ------
    ReadError
        If they hold something else.
    """
    names = Path("truth"), Path("results")
    found = _named(names[0], lambda: truth_in(items_in(truth)))
    return _scene(found, _named(names[1], lambda: results_in(map(plain_item, results))), *names, boxes=boxes)


def _scene(truth: CocoTruth, results: CocoObjects, truth_path: Path, results_path: Path, *, boxes: bool) -> Scene:
    _named(results_path, lambda: check_results(results, truth))
    sides = [
        _named(path, lambda found=found: _objects(found, truth, boxes))
        for path, found in ((truth_path, truth.objects), (results_path, results))
    ]
    stated = truth.objects.areas
    first = replace(sides[0], areas=np.where(np.isnan(stated), sides[0].areas, stated))
    images, numbers = truth.images, {one: k for k, one in enumerate(truth.classes.ids)}
    absent, unfinished = (
        [frozenset(numbers[one] for one in of_image if one in numbers) for of_image in found]
        for found in (images.absent, images.unfinished)
    )
    return Scene(
        first, sides[1], images.heights, images.widths, truth.classes.names, truth.classes.frequencies, absent,
        unfinished, _differences(truth.objects, results, boxes),
    )  # fmt: skip


def _named(path: Path, work: Any) -> Any:
    try:
        return work()
    except (ReadError, OSError) as error:
        raise ReadError(f"{path.name or path} {getattr(error, 'strerror', None) or error}") from error


def _differences(truth: CocoObjects, results: CocoObjects, boxes: bool) -> tuple[str, ...]:
    """Where pycocotools would give another number."""
    notes = list(truth.odd)
    if (truth.ids == 0).any():
        notes.append("the annotation with id 0 counts like any other; pycocotools counts it as never found")
    if not boxes and len(results) and not np.isnan(results.boxes[0]).any():
        notes.append(
            "results have a bbox: here areas of masks decide which predictions are small, medium or large; "
            "pycocotools takes areas of boxes"
        )
    if boxes and len(results) and np.isnan(results.boxes).all():
        notes.append(
            "results have no bbox: here areas of their boxes decide which predictions are small, medium or large; "
            "pycocotools takes areas of masks"
        )
    if not boxes and any(isinstance(mask, list) for mask in results.segmentations):
        notes.append("results with polygons are read; pycocotools stops with an error")
    return tuple(notes)


def _objects(found: CocoObjects, truth: CocoTruth, boxes: bool) -> Objects:
    image = truth.images.places(found.image_ids)
    kind = np.searchsorted(np.array(truth.classes.ids, np.int64), found.class_ids)
    heights, widths = truth.images.heights[image], truth.images.widths[image]
    if not boxes:
        runs = stored(found, np.arange(len(found)), heights, widths)
        areas = np.zeros(len(found))
        for part in some_at_a_time(runs.weights):
            areas[part] = areas_of(runs.of(np.arange(part.start, part.stop)))
        return Objects(image, kind, found.scores, found.crowd, areas, runs, np.zeros((0, 4)))
    corners = found.boxes.copy()
    at = np.flatnonzero(np.isnan(corners[:, 0]))
    runs = stored(found, at, heights[at], widths[at])
    for part in some_at_a_time(runs.weights):
        mine = runs.of(np.arange(part.start, part.stop))
        corners[at[part]] = boxes_of(mine, heights[at[part]], down=True)
    return Objects(image, kind, found.scores, found.crowd, corners[:, 2] * corners[:, 3], NO_RUNS, corners)


def areas_of(runs: Runs) -> NDArray[np.int64]:
    """Pixels of each mask."""
    before = np.concatenate([[0], np.cumsum(runs[2] - runs[1])])
    return np.diff(before[runs[0]])


def boxes_of(runs: Runs, lengths: NDArray[np.int64], *, down: bool = False) -> NDArray[np.float64]:
    """x, y, width, height of each mask; zeros of an empty one. Runs go along lines, or down columns, so long."""
    counts = np.diff(runs[0])
    width = np.repeat(lengths, counts)
    rows, last = runs[1] // width, (runs[2] - 1) // width
    several = last > rows  # such a run reaches both borders
    left, right = np.where(several, 0, runs[1] % width), np.where(several, width, (runs[2] - 1) % width + 1)
    found = np.zeros((len(lengths), 4))
    full = counts > 0
    begins = runs[0][:-1][full]
    if len(begins):
        x0, y0 = np.minimum.reduceat(left, begins), rows[begins]
        x1, y1 = np.maximum.reduceat(right, begins), np.maximum.reduceat(last, begins) + 1
        found[full] = np.stack([x0, y0, x1 - x0, y1 - y0], axis=1)
    return found[:, [1, 0, 3, 2]] if down else found


# ---------------------------------------------------------------- masks in memory


def scene_of_masks(
    truth: Sequence[Masks], pred: Sequence[Masks], *, boxes: bool, class_agnostic: bool = False
) -> Scene:
    """Make the same of masks in memory: truth and predictions of each image, in this order."""
    if len(truth) != len(pred):
        raise ValueError(f"truth and results must be of as many images; got {len(truth)} and {len(pred)}.")
    for k, (one, other) in enumerate(zip(truth, pred, strict=True)):
        _check_pair(one, other, k, class_agnostic=class_agnostic)
    names = sorted({name for masks in (*truth, *pred) for name in _names(masks)})
    heights, widths = (np.array([masks.shape[axis] for masks in truth], np.int64) for axis in (-2, -1))
    first, second = (_stacked(masks, names, widths, boxes) for masks in (truth, pred))
    return Scene(first, second, heights, widths, names, [], [], [])


def _check_pair(one: Masks, other: Masks, k: int, *, class_agnostic: bool) -> None:
    if len(one.shape) != 2 or one.shape != other.shape:
        raise ValueError(f"image {k} must have two sides of height and width; got {one.shape} and {other.shape}.")
    if len(other) and other.scores is None:
        raise ValueError(
            f"results must have scores; image {k} has none. Make them with Masks.from_rle(..., scores=...)."
        )
    if len(one) and len(other) and (one.classes is None) != (other.classes is None) and not class_agnostic:
        raise ValueError(f"image {k} must have classes on both sides or on none. Or pass class_agnostic=True.")


def _names(masks: Masks) -> list[str]:
    return ["object"] * min(len(masks), 1) if masks.classes is None else [str(name) for name in masks.classes]


def _stacked(sides: Sequence[Masks], names: list[str], widths: NDArray[np.int64], boxes: bool) -> Objects:
    counts = [len(masks) for masks in sides]
    image = np.repeat(np.arange(len(sides)), counts)
    runs = _joined([(masks.offsets, masks.starts, masks.stops) for masks in sides])
    labels = [np.full(len(masks), "object") if masks.classes is None else masks.classes for masks in sides]
    kind = np.searchsorted(np.array(names or [""]), np.concatenate([np.zeros(0, str), *labels]))
    scores = np.concatenate([np.zeros(0), *(np.zeros(len(m)) if m.scores is None else m.scores for m in sides)])
    crowd = np.concatenate(
        [np.zeros(0, bool), *(np.zeros(len(m), bool) if m.crowd is None else m.crowd for m in sides)]
    )
    corners = boxes_of(runs, widths[image]) if boxes else np.zeros((0, 4))
    areas = corners[:, 2] * corners[:, 3] if boxes else areas_of(runs).astype(float)
    return Objects(image, kind, scores, crowd, areas, Held(runs), corners)
