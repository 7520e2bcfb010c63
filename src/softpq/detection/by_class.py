"""SoftPQ and PQ class by class, and their means over classes: all, things, stuff."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.detection.objects import Objects, Scene
from softpq.metrics import METRICS
from softpq.settings import Settings
from softpq.table.class_pairs import classes_of_matches
from softpq.table.masks import Masks
from softpq.table.matching import match
from softpq.table.overlap import Overlap
from softpq.table.told import matched_only

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softpq.metrics.score import Score

NAMES = ("softpq", "pq", "sq", "rq")
COUNTS = ("tp", "fp", "fn", "iou_sum")


@dataclass(frozen=True)
class View:
    """What one image holds of one class: both sides, pixels that count nowhere, and whether truth may lack objects."""

    kind: str
    truth: Masks
    pred: Masks
    ignore: NDArray[np.bool_] | None = None
    unfinished: bool = False

    def overlap(self, *, strict: bool) -> Overlap:
        """Count both sides; where truth may lack objects, predictions that match none are left out."""
        pred = self.pred.select(matched_only(self.truth, self.pred, strict=strict)) if self.unfinished else self.pred
        return Overlap.from_masks(self.truth, pred, ignore=self.ignore, strict=strict)


@dataclass(frozen=True)
class ByClass:
    """Scores of each class over all images.

    Attributes
    ----------
    scores
        Class -> metric -> Score, which adds.
    is_thing
        Class -> whether it is of things, where that is known.
    """

    scores: Mapping[str, Mapping[str, Score]]
    is_thing: Mapping[str, bool] = field(default_factory=dict)

    def of_class(self, name: str) -> dict[str, float]:
        """Values and counts of one class."""
        scores = self.scores[name]
        parts = scores["pq"].parts
        counts = {"tp": parts["tp"], "fp": parts["n_pred"] - parts["tp"], "fn": parts["n_truth"] - parts["tp"]}
        values = {metric: score.value for metric, score in scores.items()}
        return {**values, **{key: int(value) for key, value in counts.items()}, "iou_sum": float(parts["iou_sum"])}

    def mean(self, things: bool | None = None) -> dict[str, float]:
        """Mean over classes with at least one object on either side; of things or stuff only, if asked for."""
        rows = [
            row
            for name in self.scores
            if things is None or self.is_thing.get(name) == things
            for row in [self.of_class(name)]
            if row["tp"] + row["fp"] + row["fn"]
        ]
        values = {name: float(np.mean([row[name] for row in rows])) if rows else math.nan for name in NAMES}
        return {**values, "n": len(rows)}

    def pooled(self) -> dict[str, float]:
        """Values over the objects of all classes."""
        summed: dict[str, Score] = {}
        for scores in self.scores.values():
            for name, score in scores.items():
                summed[name] = summed[name] + score if name in summed else score
        return {name: score.value for name, score in summed.items()}

    def as_dict(self) -> dict[str, Any]:
        """Everything by name, for JSON."""
        found: dict[str, Any] = {"all": self.mean(), "pooled": self.pooled()}
        if self.is_thing:
            found |= {"things": self.mean(True), "stuff": self.mean(False)}
        return {**found, "classes": {name: self.of_class(name) for name in self.scores}}


def scored_by_class(
    views: Iterable[View],
    *,
    settings: Settings | None = None,
    threshold: float = 0.5,
    strict: bool = False,
    is_thing: Mapping[str, bool] | None = None,
) -> ByClass:
    """Score every class on every image, and add up.

    Parameters
    ----------
    views
        Images by classes.
    settings
        Of SoftPQ.
    threshold, strict
        Of PQ; ``strict`` matches above the threshold, as PQ was published.
    is_thing
        Class -> whether it is of things.
    """
    softpq = settings or Settings()
    options: dict[str, Any] = {
        "iou_low": softpq.iou_low, "iou_high": softpq.iou_high, "penalty": softpq.penalty,
        "priority": softpq.priority, "reading": softpq.reading, "threshold": threshold, "strict": strict,
    }  # fmt: skip
    found: dict[str, dict[str, Score]] = {}
    for view in views:
        overlap = view.overlap(strict=strict)
        of_class = found.setdefault(view.kind, {})
        for name in NAMES:
            score = METRICS[name].score(overlap, options)
            of_class[name] = of_class[name] + score if name in of_class else score
    known = is_thing or {}
    return ByClass(
        {name: found[name] for name in sorted(found)}, {name: known[name] for name in known if name in found}
    )


def confused_classes(
    pairs: Iterable[tuple[Masks, Masks]], *, threshold: float = 0.5, strict: bool = False
) -> dict[str, dict[str, int]]:
    """Match objects of all classes together, and count matches by class: truth -> prediction -> how many.

    Parameters
    ----------
    pairs
        Both sides of each image; all masks know their classes.
    threshold, strict
        Of matches.

    Examples
    --------
    >>> truth = Masks.from_labels([[1, 2]], classes=["worm", "egg"])
    >>> confused_classes([(truth, truth.with_(classes=["worm", "worm"]))])
    {'egg': {'worm': 1}, 'worm': {'worm': 1}}
    """
    found: Counter[tuple[str, str]] = Counter()
    for truth, pred in pairs:
        matching = match(Overlap.from_masks(truth, pred, class_agnostic=True), threshold, strict=strict)
        found.update(classes_of_matches(matching, (_by_number(truth), _by_number(pred))))
    table: dict[str, dict[str, int]] = {}
    for (one, other), count in sorted(found.items()):
        table.setdefault(one, {})[other] = count
    return table


def _by_number(masks: Masks) -> dict[int, str]:
    classes = [""] * len(masks) if masks.classes is None else masks.classes.tolist()
    return dict(zip(masks.numbers.tolist(), classes, strict=True))


def images_of(
    scene: Scene, kept: Callable[[Objects], NDArray[np.bool_]] | None = None
) -> Iterator[tuple[Masks, Masks]]:
    """Both sides of each image that has objects, with their classes."""
    keep = np.ones(len(scene.pred), bool) if kept is None else kept(scene.pred)
    names = np.array(scene.classes, str)
    sides = [
        _Split(replace(side, kind=np.zeros_like(side.kind)), keeps, 1, names[side.kind] if len(side) else None)
        for side, keeps in ((scene.truth, np.ones(len(scene.truth), bool)), (scene.pred, keep))
    ]
    for image in np.unique(np.concatenate([side.groups for side in sides])).tolist():
        yield sides[0].masks(image, scene, image), sides[1].masks(image, scene, image)


def views_of(scene: Scene, kept: Callable[[Objects], NDArray[np.bool_]] | None = None) -> Iterator[View]:
    """Split the objects of files by image and class; of predictions those that are kept."""
    kinds = max(len(scene.classes), 1)
    keep = np.ones(len(scene.pred), bool) if kept is None else kept(scene.pred)
    sides = [_Split(scene.truth, np.ones(len(scene.truth), bool), kinds), _Split(scene.pred, keep, kinds)]
    for group in np.unique(np.concatenate([side.groups for side in sides])):
        image, kind = divmod(int(group), kinds)
        unfinished = bool(scene.unfinished) and kind in scene.unfinished[image]
        truth, pred = (side.masks(group, scene, image) for side in sides)
        yield View(scene.classes[kind], truth, pred, unfinished=unfinished)


class _Split:
    """The objects of one side in groups."""

    def __init__(
        self, side: Objects, keep: NDArray[np.bool_], kinds: int, names: NDArray[np.str_] | None = None
    ) -> None:
        self.names = names
        group = side.image * kinds + side.kind
        kept = np.flatnonzero(keep)
        self.side, self.order = side, kept[np.argsort(group[kept], kind="stable")]
        self.groups = group[self.order]

    def masks(self, group: int, scene: Scene, image: int) -> Masks:
        begin, end = np.searchsorted(self.groups, [group, group + 1])
        at = self.order[begin:end]
        classes = None if self.names is None else self.names[at]
        shape = scene.shape_of(image, self.side)
        found = Masks(shape, *self.side.runs.of(at), crowd=self.side.crowd[at], classes=classes)
        return found.transposed() if self.side.runs.down else found
