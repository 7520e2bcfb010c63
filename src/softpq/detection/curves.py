"""From objects to precision at recalls: matching in groups, then one list per class by falling score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq import _core
from softpq.detection.objects import Objects, Scene
from softpq.detection.run_store import some_at_a_time

if TYPE_CHECKING:
    from numpy.typing import NDArray

IOUS = np.linspace(0.5, 0.95, 10)
RECALLS = np.linspace(0.0, 1.0, 101)
LARGEST = 1e10


@dataclass(frozen=True)
class Ask:
    """What is asked for: how many predictions count, which sizes, what is compared."""

    max_dets: int | None
    ranges: tuple[tuple[float, float], ...]
    boxes: bool = False
    boundary: float | None = None


@dataclass(frozen=True)
class Found:
    """Predictions that count, in groups, with what became of them.

    Attributes
    ----------
    pred
        Positions of predictions, group by group, by falling score in each.
    rank
        Place in its group.
    matched, ignored
        Ranges x thresholds x predictions.
    truth_ignored
        Ranges x truth objects.
    cut
        Predictions beyond the limit.
    """

    scene: Scene
    pred: NDArray[np.int64]
    rank: NDArray[np.int64]
    matched: NDArray[np.bool_]
    ignored: NDArray[np.bool_]
    truth_ignored: NDArray[np.bool_]
    cut: int


def without_classes(scene: Scene) -> Scene:
    """The same with one class for all, in the order of classes, as pycocotools has it."""
    sides = []
    for side in (scene.truth, scene.pred):
        order = np.lexsort((np.arange(len(side)), side.kind))
        sides.append(taken(side, order))
    return replace(
        scene,
        truth=replace(sides[0], kind=np.zeros_like(sides[0].kind)),
        pred=replace(sides[1], kind=np.zeros_like(sides[1].kind)),
        classes=["all"] if scene.classes else [],
        frequencies=[], absent=[], unfinished=[],
    )  # fmt: skip


def taken(side: Objects, order: NDArray[np.int64]) -> Objects:
    """Return some of the objects, in this order."""
    has_boxes = len(side.boxes) > 0
    runs = side.runs if has_boxes else side.runs.taken(order)
    boxes = side.boxes[order] if has_boxes else side.boxes
    return Objects(
        side.image[order], side.kind[order], side.scores[order], side.crowd[order], side.areas[order], runs, boxes
    )


def limited_to_images(scene: Scene, most: int | None = None) -> Scene:
    """LVIS: so many predictions per image over all classes, of those that are present or named absent."""
    kept = within_limit(scene, most)
    return replace(scene, pred=taken(scene.pred, kept[told_of(scene)[kept]]))


def within_limit(scene: Scene, most: int | None) -> NDArray[np.int64]:
    """Positions of so many predictions of each image, those of largest score; all of them without a limit."""
    side = scene.pred
    order = np.lexsort((np.arange(len(side)), -side.scores, side.image))
    return np.sort(order if most is None else order[_ranks(side.image[order]) < most])


def told_of(scene: Scene) -> NDArray[np.bool_]:
    """Which predictions are of classes that are present on their image, or named absent there."""
    present = set(zip(scene.truth.image.tolist(), scene.truth.kind.tolist(), strict=True))
    pairs = zip(scene.pred.image.tolist(), scene.pred.kind.tolist(), strict=True)
    return np.array([pair in present or pair[1] in scene.absent[pair[0]] for pair in pairs], bool)


def _ranks(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """Place of each in its group; groups follow each other."""
    begins = np.flatnonzero(np.diff(groups, prepend=-1))
    lengths = np.diff(begins, append=len(groups))
    return np.arange(len(groups)) - np.repeat(begins, lengths)


def found_in(scene: Scene, ask: Ask) -> Found:
    """Match in every group, an image and a class, at all thresholds and for all ranges of areas."""
    truth, pred, classes = scene.truth, scene.pred, max(len(scene.classes), 1)
    truth_group, pred_group = (side.image * classes + side.kind for side in (truth, pred))
    in_truth = np.argsort(truth_group, kind="stable")
    in_pred = np.lexsort((np.arange(len(pred)), -pred.scores, pred_group))
    rank = _ranks(pred_group[in_pred])
    kept = np.ones(len(rank), bool) if ask.max_dets is None else rank < ask.max_dets
    in_pred, rank = in_pred[kept], rank[kept]
    groups = np.unique(np.concatenate([truth_group, pred_group[in_pred]]))
    ends = [
        np.searchsorted(of[at], groups, "right").astype(np.int64)
        for of, at in ((truth_group, in_truth), (pred_group, in_pred))
    ]
    truth_ignored = np.array([truth.crowd | _outside(truth.areas, one) for one in ask.ranges])
    unless_matched = np.array([_outside(pred.areas, one) | _untold(scene) for one in ask.ranges])
    members = _Members(
        in_truth, ends[0], in_pred, ends[1], truth.crowd[in_truth].astype(np.uint8),
        truth_ignored[:, in_truth].astype(np.uint8), unless_matched[:, in_pred].astype(np.uint8),
    )  # fmt: skip
    matched, ignored = _matched(scene, ask, members)
    cut = int(np.count_nonzero(~kept))
    return Found(
        scene,
        in_pred,
        rank,
        matched,
        ignored,
        truth_ignored,
        cut,
    )


@dataclass(frozen=True)
class _Members:
    """What is matched: positions of truth and of predictions, group by group, and what holds for them."""

    truth: NDArray[np.int64]
    truth_ends: NDArray[np.int64]
    pred: NDArray[np.int64]
    pred_ends: NDArray[np.int64]
    crowd: NDArray[np.uint8]
    truth_ignored: NDArray[np.uint8]
    unless_matched: NDArray[np.uint8]

    def of_groups(self, groups: slice) -> _Members:
        """Those of some groups."""
        (t0, t1), (p0, p1) = (
            (int(ends[groups.start - 1]) if groups.start else 0, int(ends[groups.stop - 1]))
            for ends in (self.truth_ends, self.pred_ends)
        )
        return _Members(
            self.truth[t0:t1], self.truth_ends[groups] - t0, self.pred[p0:p1], self.pred_ends[groups] - p0,
            self.crowd[t0:t1], self.truth_ignored[:, t0:t1], self.unless_matched[:, p0:p1],
        )  # fmt: skip

    def matched(self, by: Callable[..., Any], *compared: Any, truth: Any, pred: Any) -> tuple[Any, Any]:
        """Call the native code; ``truth`` and ``pred`` are where they are among what is compared."""
        flags = (np.ascontiguousarray(one) for one in (self.truth_ignored, self.unless_matched))
        found = by(*compared, truth, self.truth_ends, pred, self.pred_ends, self.crowd, *flags, IOUS)
        shape = (len(self.unless_matched), len(IOUS), len(self.pred))
        return found[0].reshape(shape).astype(bool), found[1].reshape(shape).astype(bool)


def _matched(scene: Scene, ask: Ask, members: _Members) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which predictions match, and which are ignored; masks of some images at a time."""
    sides = (scene.truth, scene.pred)
    if ask.boxes:
        boxes = (side.boxes.ravel() for side in sides)
        return members.matched(_core.match_boxes, *boxes, truth=members.truth, pred=members.pred)
    weights = _grouped(scene.truth.runs.weights[members.truth], members.truth_ends) + _grouped(
        scene.pred.runs.weights[members.pred], members.pred_ends
    )
    parts = []
    for groups in some_at_a_time(weights):
        mine = members.of_groups(groups)
        places = (mine.truth, mine.pred)
        runs = [side.runs.of(at) for side, at in zip(sides, places, strict=True)]
        bands = [
            None if ask.boundary is None else scene.bands(side, at, own, ask.boundary)
            for side, at, own in zip(sides, places, runs, strict=True)
        ]
        local = {"truth": np.arange(len(mine.truth)), "pred": np.arange(len(mine.pred))}
        parts.append(mine.matched(_core.match_masks, *runs, *bands, **local))
    nothing = np.zeros((len(ask.ranges), len(IOUS), 0), bool)
    first, second = (np.concatenate([nothing, *(part[k] for part in parts)], axis=2) for k in (0, 1))
    return first, second


def _grouped(values: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sum of each group."""
    return np.diff(np.concatenate([[0], np.cumsum(values)])[ends], prepend=0)


def _outside(areas: NDArray[np.float64], limits: tuple[float, float]) -> NDArray[np.bool_]:
    return (areas < limits[0]) | (areas > limits[1])


def _untold(scene: Scene) -> NDArray[np.bool_]:
    """LVIS: predictions of classes that were not annotated in full on their image."""
    pairs = zip(scene.pred.image.tolist(), scene.pred.kind.tolist(), strict=True)
    if not scene.unfinished:
        return np.zeros(len(scene.pred), bool)
    return np.array([kind in scene.unfinished[image] for image, kind in pairs], bool)


@dataclass(frozen=True)
class Curves:
    """Precision (classes x thresholds x recalls) and recall (classes x thresholds); NaN without truth."""

    precision: NDArray[np.float64]
    recall: NDArray[np.float64]


def curves_of(found: Found, area: int, max_dets: int | None) -> Curves:
    """Precision and recall of each class in one range of areas, with so many predictions per image."""
    scene, kinds = found.scene, len(found.scene.classes)
    precision = np.full((kinds, len(IOUS), len(RECALLS)), np.nan)
    recall = np.full((kinds, len(IOUS)), np.nan)
    objects = np.bincount(scene.truth.kind[~found.truth_ignored[area]], minlength=kinds)
    kept = np.flatnonzero(found.rank < (max_dets if max_dets is not None else len(found.rank) + 1))
    kind = scene.pred.kind[found.pred[kept]]
    order = kept[np.lexsort((kept, -scene.pred.scores[found.pred[kept]], kind))]  # kept ascends: images, then ranks
    ends = np.searchsorted(np.sort(kind), np.arange(kinds + 1))
    for k in np.flatnonzero(objects):
        mine = order[ends[k] : ends[k + 1]]
        matched, counts = found.matched[area][:, mine], ~found.ignored[area][:, mine]
        right, wrong = (np.cumsum(hit & counts, axis=1).astype(float) for hit in (matched, ~matched))
        precision[k], recall[k] = _read(right, wrong, int(objects[k]))
    return Curves(precision, recall)


def _read(
    right: NDArray[np.float64], wrong: NDArray[np.float64], objects: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Precision, made falling from the right, read at the recalls; and the largest recall."""
    found = np.zeros((len(right), len(RECALLS)))
    if not right.shape[1]:
        return found, np.zeros(len(right))
    reached = right / objects
    falling = np.maximum.accumulate((right / (wrong + right + np.spacing(1)))[:, ::-1], axis=1)[:, ::-1]
    for level in range(len(right)):
        at = np.searchsorted(reached[level], RECALLS, side="left")
        inside = at < right.shape[1]
        found[level, inside] = falling[level, at[inside]]
    return found, reached[:, -1]
