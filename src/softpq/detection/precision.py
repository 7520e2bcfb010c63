"""average_precision: what COCO and LVIS report, from files or from masks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq._checks import how_many
from softpq.detection.curves import (
    LARGEST,
    Ask,
    Curves,
    Found,
    curves_of,
    found_in,
    limited_to_images,
    taken,
    told_of,
    within_limit,
    without_classes,
)
from softpq.detection.objects import Scene, scene_of_contents, scene_of_files, scene_of_masks
from softpq.table.masks import Masks

if TYPE_CHECKING:
    from numpy.typing import NDArray

COCO_LIMIT, LVIS_LIMIT = 100, 300
AREAS = (32.0**2, 96.0**2)


@dataclass(frozen=True, repr=False)
class AveragePrecision(Mapping[str, Any]):
    """Average precision and recall by name, with ``classes`` and ``notes``; undefined values are NaN.

    Attributes
    ----------
    numbers
        ``AP``, ``AP50``, ``AP75``, ``APs``, ``APm``, ``APl``, ``AR1``, ``AR10``, ``AR100``, ``ARs``, ``ARm``, ``ARl``;
        of LVIS also ``APr``, ``APc``, ``APf``, and ``AR300`` in place of the first three ``AR``.
    classes
        The same values of each class.
    notes
        What should be known of them: where pycocotools would give another number.
    max_dets
        How many predictions of a class (LVIS: of all) count per image; ``AR100`` is at this number.
    """

    numbers: Mapping[str, float]
    classes: Mapping[str, Mapping[str, float]]
    notes: tuple[str, ...]
    max_dets: int

    def __getitem__(self, name: str) -> Any:
        return {**self.numbers, "classes": self.classes, "notes": self.notes}[name]

    def __iter__(self) -> Iterator[str]:
        return iter((*self.numbers, "classes", "notes"))

    def __len__(self) -> int:
        return len(self.numbers) + 2

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value:.4f}" for name, value in self.numbers.items())
        return f"AveragePrecision({shown}; {how_many(len(self.classes), 'class')}, {how_many(len(self.notes), 'note')})"


def average_precision(
    truth: str | Path | Mapping[str, Any] | Sequence[Masks],
    results: str | Path | Sequence[Mapping[str, Any]] | Sequence[Masks],
    *,
    max_dets: int | None = None,
    areas: Sequence[float] = AREAS,
    class_agnostic: bool = False,
    boxes: bool = False,
    boundary: float | None = None,
    score_threshold: float | None = None,
) -> AveragePrecision:
    """Average precision and recall as COCO defines them, equal to pycocotools; as LVIS does for its files.

    Parameters
    ----------
    truth
        A COCO or LVIS file, or what it holds, loaded already; or the masks of each image.
    results
        A COCO file of results, or the list that it holds; or the masks of each image, with scores.
    max_dets
        How many predictions of a class count per image, those of largest score; 100 by default. Of LVIS files, how
        many of all classes together; 300 by default.
    areas
        Where small objects end and large ones begin, in pixels.
    class_agnostic
        Take all objects together.
    boxes
        Compare boxes instead of masks.
    boundary
        Take the smaller IoU of masks and of boundary bands of this reach: pixels, or, below 1, a fraction of the
        diagonal (0.02 in the paper on boundary IoU).
    score_threshold
        Leave out predictions with a smaller score.

    See Also
    --------
    softpq.score_curve : A metric at every threshold of the score.
    softpq.panoptic_scores : PQ by class of panoptic files.

    Examples
    --------
    >>> truth = Masks.from_labels([[1, 1, 0, 2]])
    >>> pred = Masks.from_labels([[1, 1, 0, 0]], scores=[0.9])
    >>> round(average_precision([truth], [pred])["AP50"], 4)
    0.505
    """
    _check(max_dets, areas, boxes, boundary, score_threshold)
    scene = _scene(truth, results, boxes, class_agnostic=class_agnostic)
    if score_threshold is not None:
        scene = _above(scene, score_threshold)
    lvis = scene.is_lvis and not class_agnostic
    limit = max_dets if max_dets is not None else LVIS_LIMIT if lvis else COCO_LIMIT
    if class_agnostic:
        scene = without_classes(scene)
    small, large = areas
    ranges = ((0, LARGEST), (0, small), (small, large), (large, LARGEST))
    ask = Ask(None if lvis else limit, ranges, boxes, boundary)
    values, classes, cut = _values(scene, ask, limit, lvis)
    return AveragePrecision(values, classes, (*scene.notes, *_said(scene, ask, limit, cut, lvis)), limit)


def _check(
    max_dets: int | None, areas: Sequence[float], boxes: bool, boundary: float | None, score_threshold: float | None
) -> None:
    if max_dets is not None and (not isinstance(max_dets, Integral) or max_dets < 1):
        raise ValueError(f"max_dets must be a whole number from 1 on; got {max_dets}.")
    if not isinstance(areas, Sequence | np.ndarray) or len(areas) != 2 or not 0 <= areas[0] <= areas[1] < LARGEST:
        raise ValueError(f"areas must be two rising numbers of pixels; got {areas!r}.")
    if boxes and boundary is not None:
        raise ValueError("boundary must be left out where boxes are compared: boxes have no bands.")
    if score_threshold is not None and math.isnan(score_threshold):
        raise ValueError("score_threshold must be a number; got nan.")


def _scene(truth: Any, results: Any, boxes: bool, *, class_agnostic: bool) -> Scene:
    if all(isinstance(side, str | Path) for side in (truth, results)):
        return scene_of_files(Path(truth), Path(results), boxes=boxes)
    if isinstance(truth, Mapping) and isinstance(results, Sequence):
        return scene_of_contents(truth, results, boxes=boxes)
    if not all(_are_masks(side) for side in (truth, results)):
        raise TypeError(
            "truth and results must be two COCO files, or what they hold (a dictionary, and a list of results), or two "
            f"lists of Masks, one per image; got {type(truth).__name__} and {type(results).__name__}."
        )
    return scene_of_masks(truth, results, boxes=boxes, class_agnostic=class_agnostic)


def _are_masks(side: Any) -> bool:
    return isinstance(side, Sequence) and all(isinstance(one, Masks) for one in side)


def _above(scene: Scene, score: float) -> Scene:
    return replace(scene, pred=taken(scene.pred, np.flatnonzero(scene.pred.scores >= score)))


def _values(
    scene: Scene, ask: Ask, limit: int, lvis: bool
) -> tuple[dict[str, float], dict[str, dict[str, float]], int]:
    """Values of all classes together, and of each; and how many predictions were beyond the limit."""
    found = found_in(limited_to_images(scene, limit) if lvis else scene, ask)
    cut = len(scene.pred) - len(within_limit(scene, limit)) if lvis else found.cut
    curves = _Named(found, ask, limit, lvis)
    values = curves.values(slice(None))
    if lvis:
        values = _with_frequencies(values, curves, scene.frequencies)
    with_truth = set(scene.truth.kind.tolist())
    classes = {name: curves.values(slice(k, k + 1)) for k, name in enumerate(scene.classes) if k in with_truth}
    return values, classes, cut


class _Named:
    """The curves that the names stand for."""

    def __init__(self, found: Found, ask: Ask, limit: int, lvis: bool) -> None:
        self.lvis = lvis
        self.at_limit = [curves_of(found, area, None) for area in range(len(ask.ranges))]
        self.few = {} if lvis else {k: curves_of(found, 0, min(k, limit)) for k in (1, 10)}

    def values(self, kinds: slice | NDArray[np.int64]) -> dict[str, float]:
        everything = self.at_limit[0].precision[kinds]
        found = {"AP": _mean(everything), "AP50": _mean(everything[:, 0]), "AP75": _mean(everything[:, 5])}
        for sign, curves in zip("sml", self.at_limit[1:], strict=True):
            found[f"AP{sign}"] = _mean(curves.precision[kinds])
        for number, few in self.few.items():
            found[f"AR{number}"] = _mean(few.recall[kinds])
        found["AR300" if self.lvis else "AR100"] = _mean(self.at_limit[0].recall[kinds])
        for sign, curves in zip("sml", self.at_limit[1:], strict=True):
            found[f"AR{sign}"] = _mean(curves.recall[kinds])
        return found

    @property
    def all(self) -> Curves:
        return self.at_limit[0]


def _with_frequencies(values: dict[str, float], curves: _Named, frequencies: list[str]) -> dict[str, float]:
    """The same with AP of rare, common and frequent classes after APl."""
    found = {}
    for name, value in values.items():
        found[name] = value
        if name == "APl":
            for sign in "rcf":
                kinds = np.array([k for k, one in enumerate(frequencies) if one == sign], np.int64)
                found[f"AP{sign}"] = _mean(curves.all.precision[kinds])
    return found


def _mean(values: NDArray[np.float64]) -> float:
    defined = values[~np.isnan(values)]
    return float(np.mean(defined)) if defined.size else math.nan


def _said_of_empty(scene: Scene) -> list[str]:
    """LVIS: lvis leaves out what has no area."""
    empty = sum(int(np.count_nonzero(side.areas == 0)) for side in (scene.truth, scene.pred))
    return (
        [f"{how_many(empty, 'object')} without area: here they count like any other; lvis leaves them out"]
        if empty
        else []
    )


def _said(scene: Scene, ask: Ask, limit: int, cut: int, lvis: bool) -> list[str]:
    """What the limit did, and which predictions count nowhere."""
    notes = []
    if cut:
        unlimited = found_in(limited_to_images(scene) if lvis else scene, replace(ask, max_dets=None))
        value = _mean(curves_of(unlimited, 0, None).precision)
        beyond = f"beyond the first {limit} of their {'' if lvis else 'class and '}image"
        said = f"{how_many(cut, 'prediction')} {beyond} left out; without a limit AP is {value:.4f}"
        notes.append(f"max_dets={limit}: {said}")
    if lvis:
        untold = int(np.count_nonzero(~told_of(scene)))
        said = f"{how_many(untold, 'prediction')} not judged: nobody looked for their classes on their images"
        notes += [said] if untold else []
        return notes + _said_of_empty(scene)
    if limit != COCO_LIMIT:
        notes.append(f"AR100 is at max_dets={limit}")
    empty = sorted(set(scene.pred.kind.tolist()) - set(scene.truth.kind.tolist()))
    if empty:
        shown = ", ".join(scene.classes[k] for k in empty[:5]) + (", ..." if len(empty) > 5 else "")
        notes.append(f"classes with predictions and without truth have no average precision: {shown}")
    return notes
