"""From masks to the table: counted as runs against runs."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import reduce
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq import _core
from softpq.table.atoms import Covered, Layers
from softpq.table.labels import as_ignore, as_labels, not_negative
from softpq.table.mask_pictures import cover_of
from softpq.table.masks import Masks
from softpq.table.overlap import Overlap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Counts = NDArray[np.int64]
    Runs = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def as_masks(given: Any, name: str, ignore: Any = None) -> Masks:
    """Return masks, of a label image if they are none; labels may be negative where pixels are ignored."""
    if isinstance(given, Masks):
        return given
    labels = as_labels(given, name)
    if labels.ndim not in (2, 3):
        raise ValueError(f"{name} must have two or three dimensions beside Masks; got shape {labels.shape}.")
    if labels.dtype == np.uint64 and labels.size and int(labels.max()) >= 2**63:
        raise ValueError(f"{name} must hold labels below 2**63 beside Masks; found {labels.max()}.")
    return Masks.from_labels(not_negative(labels, name, _ignored_pixels(ignore, labels)))


def _ignored_pixels(ignore: Any, labels: NDArray[Any]) -> NDArray[np.uint8] | None:
    """Ignored pixels as an array, where labels may be negative."""
    if isinstance(ignore, Masks):
        return cover_of(ignore).view(np.uint8) if ignore.shape == labels.shape else None
    if isinstance(ignore, np.ndarray) and ignore.ndim:
        known = ignore.shape == labels.shape and ignore.dtype == bool
        return ignore.view(np.uint8) if known else None
    return None if ignore is None else as_ignore(ignore, labels)


def has_masks(*sides: Any) -> bool:
    """Whether one of the sides is masks."""
    return any(isinstance(side, Masks) for side in sides)


def know_classes(*sides: Any) -> bool:
    """Whether all sides are masks that know their classes, and there are some."""
    return all(isinstance(side, Masks) and side.classes is not None for side in sides)


def overlap_of(truth: Any, pred: Any, **options: Any) -> Overlap:
    """Count two sides, each a label image or masks; options as for :meth:`Overlap.from_masks`."""
    if has_masks(truth, pred):
        return Overlap.from_masks(truth, pred, **options)
    options.pop("class_agnostic", None)
    return Overlap.from_labels(truth, pred, **options)


def above_score(pred: Any, score_threshold: float | None) -> Any:
    """Return the predictions with at least this score; all of them if there is no threshold.

    Examples
    --------
    >>> above_score(Masks.from_labels([[1, 2]], scores=[0.9, 0.4]), 0.5)
    Masks(1 of shape (1, 2), with scores, ids)
    """
    if score_threshold is None or is_nothing(pred):
        return pred
    if not isinstance(pred, Masks) or pred.scores is None:
        raise ValueError("score_threshold must be left out where predictions have no scores; got a threshold.")
    if not isinstance(score_threshold, Real) or score_threshold != score_threshold:
        raise ValueError(f"score_threshold must be a number; got {score_threshold!r}.")
    return pred.with_(ids=pred.numbers).select(pred.scores >= score_threshold)  # those that stay keep their numbers


def is_nothing(side: Any) -> bool:
    """Whether there is no object: then it has all scores and classes that anybody asks for."""
    return not len(side) if isinstance(side, Masks) else isinstance(side, np.ndarray) and not side.any()


def check_same_image(truth: Masks, pred: Masks) -> None:
    """Raise an error that names both shapes unless they are equal."""
    if truth.shape != pred.shape:
        raise ValueError(f"truth and pred must have the same shape; got {truth.shape} and {pred.shape}.")


def by_number(masks: Masks) -> Masks:
    """Return the masks in ascending order of their ids, as tables have them."""
    if masks.ids is None or (np.diff(masks.ids) > 0).all():
        return masks
    return masks.select(np.argsort(masks.ids))


def counted(truth: Masks, pred: Masks, threads: int) -> Overlap:
    """Count masks that are in order; crowds and ignored pixels are no business of this."""
    pixels = math.prod(truth.shape)
    pairs, sizes = _core.count_layers(truth.runs(), pred.runs(), pixels, threads)
    covered = Covered(*sizes)
    layers = Layers(truth, pred, covered)
    return Overlap(
        truth.numbers.astype(np.uint64), truth.areas, pred.numbers.astype(np.uint64), pred.areas, *pairs,
        pixels - (covered.truth + covered.pred - covered.both), layers if layers.overlaps else None,
    )  # fmt: skip


def overlap_of_masks(truth: Any, pred: Any, *, class_agnostic: bool, **options: Any) -> Overlap:
    """Count the objects of two sides; of each class by itself, where both know classes."""
    if class_agnostic:  # crowds forgive objects of all classes, too
        truth, pred = (side.with_(classes=None) if isinstance(side, Masks) else side for side in (truth, pred))
    if not know_classes(truth, pred):
        return _counted_together(truth, pred, **options)
    check_same_image(truth, pred)
    sides = [side if side.ids is not None else side.with_(ids=side.numbers) for side in (truth, pred)]
    kinds = np.unique(np.concatenate([side.classes for side in sides]))
    if len(kinds) < 2:
        return _counted_together(truth, pred, **options)
    within = _sum(
        _counted_together(*(side.select(side.classes == kind) for side in sides), **options) for kind in kinds
    )  # like tiles: no object is in two of them
    return with_all_classes(within, *sides, **options)


def with_all_classes(
    within: Overlap, truth: Masks, pred: Masks, *, ignore: Any = None, reach: Any = None, strict: bool, threads: int
) -> Overlap:
    """The same table, with that of its objects whatever their class, which knows the pixels of the image."""
    sides = [
        side.select(np.isin(side.numbers, ids.astype(np.int64))).with_(classes=None, crowd=None)
        for side, ids in ((truth, within.truth_ids), (pred, within.pred_ids))
    ]
    region = None if ignore is None else ignored_runs(ignore, truth, pred)
    if reach is not None:
        sides = [_bands(side, reach(side.shape), threads) for side in sides]
    seen = [_without(by_number(side), region) for side in sides]
    across = counted(seen[0], seen[1], threads)
    across = replace(across, background=across.background - _length(region))
    return replace(within, background=across.background, across=across)


def _length(region: Runs | None) -> int:
    return 0 if region is None else int((region[2] - region[1]).sum())


def _sum(tables: Iterable[Overlap]) -> Overlap:
    return reduce(operator.add, tables)


def _counted_together(
    truth: Any,
    pred: Any,
    *,
    ignore: Any = None,
    reach: Callable[[tuple[int, ...]], list[int]] | None = None,
    strict: bool = False,
    threads: int = 1,
) -> Overlap:
    """Count the objects of two sides, see :meth:`Overlap.from_masks`; ``reach`` of bands from the shape."""
    if not has_masks(truth, pred):
        truth = as_masks(truth, "truth", ignore)
    region = None if ignore is None else ignored_runs(ignore, truth, pred)
    sides = [by_number(as_masks(truth, "truth", ignore)), by_number(as_masks(pred, "pred", ignore))]
    check_same_image(sides[0], sides[1])
    if region is None and reach is None:
        sides = _as_they_are_known(sides)
    crowd = None
    if sides[0].crowd is not None and sides[0].crowd.any():
        numbered = sides[0].with_(ids=sides[0].numbers)  # objects keep their numbers where crowds are none
        crowd, sides[0] = numbered.select(sides[0].crowd), numbered.select(~sides[0].crowd)
    seen = [_without(side, region) for side in sides]
    table = counted(seen[0], seen[1], threads)
    forgiven = _forgiven(table, sides[1].areas, seen[1], crowd, strict)
    if reach is not None:
        sides = [_bands(side, reach(side.shape), threads) for side in sides]
        seen = [_without(side, region) for side in sides]
        table = counted(seen[0], seen[1], threads)
    table = replace(table, background=table.background - _length(region)) if region is not None else table
    gone = [(side.areas > 0) & (left.areas == 0) for side, left in zip(sides, seen, strict=True)]
    drop = (gone[0], gone[1] | forgiven)
    return table.restricted(~drop[0], ~drop[1]) if drop[0].any() or drop[1].any() else table


def _as_they_are_known(sides: list[Masks]) -> list[Masks]:
    """Both on the transposed image, where that is how both are known (COCO's files): no count depends on it."""
    sources = [side.source for side in sides]
    return [one for one in sources if one is not None] if None not in sources else sides


def without_ignored(truth: Masks, pred: Masks, ignore: Any) -> tuple[Masks, Masks]:
    """Both sides without the ignored pixels."""
    region = None if ignore is None else ignored_runs(ignore, truth, pred)
    return _without(truth, region), _without(pred, region)


def _without(masks: Masks, region: Runs | None) -> Masks:
    if region is None:
        return masks
    return _with_runs(masks, _core.masks_without(masks.runs(), region, math.prod(masks.shape)))


def _with_runs(masks: Masks, runs: Runs) -> Masks:
    """As many other masks, with the scores, classes, flags and ids of these."""
    return replace(masks, offsets=runs[0], starts=runs[1], stops=runs[2])


def _bands(masks: Masks, reach: list[int], threads: int) -> Masks:
    return _with_runs(masks, _core.mask_bands(masks.runs(), list(masks.shape), reach, threads))


def _forgiven(table: Overlap, whole: Counts, seen: Masks, crowd: Masks | None, strict: bool) -> NDArray[np.bool_]:
    """Which predictions have more than half of their area on ignored pixels and crowds, and fit no truth object."""
    out = whole - seen.areas
    if crowd is not None:
        out = out + _on_crowds(seen, crowd)
    fits = np.zeros(table.n_pred, bool)
    fits[table.pair_pred[table.pair_iou > 0.5 if strict else table.pair_iou >= 0.5]] = True
    return (2 * out > whole) & ~fits


def _on_crowds(pred: Masks, crowd: Masks) -> Counts:
    """Pixels of each prediction on crowds, of its class where classes are known."""
    pixels = math.prod(pred.shape)
    found = np.zeros(len(pred), np.int64)
    known = crowd.classes is not None and pred.classes is not None
    for name in np.unique(crowd.classes) if known and crowd.classes is not None else [None]:
        cover = _core.covered((crowd if name is None else crowd.select(crowd.classes == name)).runs(), pixels)
        _, at, shared = _core.count_masks(cover, pred.runs(), pixels, 1)
        some = np.zeros(len(pred), np.int64)
        some[at] = shared
        found += some if name is None else np.where(pred.classes == name, some, 0)
    return found


def ignored_runs(ignore: Any, truth: Any, pred: Any) -> Runs:
    """Return the ignored pixels as one mask: of a boolean array, of all masks together, or of a label of truth."""
    shape = next(side.shape for side in (truth, pred) if isinstance(side, Masks))
    if isinstance(ignore, Masks):
        found = ignore
    elif isinstance(truth, Masks) and np.ndim(ignore) == 0:
        raise TypeError(f"ignore must be a boolean mask, or Masks, where truth is Masks; got {ignore!r}.")
    else:
        labels = np.zeros(shape, np.uint8) if isinstance(truth, Masks) else as_labels(truth, "truth")
        mask = as_ignore(ignore, labels)
        assert mask is not None
        found = Masks.from_list([mask.view(bool)])
    if found.shape != shape:
        raise ValueError(f"ignore must have the shape of truth; got {found.shape} and {shape}.")
    return _core.covered(found.runs(), math.prod(shape))


def mask_notes(overlap: Overlap) -> tuple[str, ...]:
    """What should be said of a table of masks: empty ones, and pixels with several."""
    notes: list[str] = []
    for side, areas in (("truth", overlap.truth_areas), ("pred", overlap.pred_areas)):
        if empty := int((areas == 0).sum()):
            notes.append(f"{side}: {empty} of {len(areas)} masks are empty; they count as objects that match nothing")
        under = overlap.whole.under
        if under is not None and (several := under.several_of(side)):
            notes.append(f"{side}: {several} pixels have several objects")
    return tuple(notes)
