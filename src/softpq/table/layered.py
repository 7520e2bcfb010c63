"""From masks to the table: counted as runs against runs."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq import _core
from softpq.table.atoms import Layers
from softpq.table.masks import Masks
from softpq.table.overlap import Overlap

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Counts = NDArray[np.int64]
    Runs = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def as_masks(given: Any, name: str) -> Masks:
    """Return masks, of a label image if they are none."""
    if isinstance(given, Masks):
        return given
    from softpq.table.labels import as_labels, not_negative

    return Masks.from_labels(not_negative(as_labels(given, name), name, None))


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
    pairs = _core.count_masks(truth.runs(), pred.runs(), pixels, max(truth.shape[-1], 1), threads)
    layers = Layers.of(truth, pred)
    covered = layers.covered
    return Overlap(
        truth.numbers.astype(np.uint64), truth.areas, pred.numbers.astype(np.uint64), pred.areas, *pairs,
        pixels - (covered.truth + covered.pred - covered.both), layers if layers.overlaps else None,
    )  # fmt: skip


def overlap_of_masks(
    truth: Any,
    pred: Any,
    *,
    ignore: Any = None,
    reach: list[int] | None = None,
    strict: bool = False,
    threads: int = 1,
) -> Overlap:
    """Count the objects of two sides; see :meth:`Overlap.from_masks`."""
    sides = [by_number(as_masks(truth, "truth")), by_number(as_masks(pred, "pred"))]
    check_same_image(sides[0], sides[1])
    crowd = None
    if sides[0].crowd is not None and sides[0].crowd.any():
        crowd, sides[0] = sides[0].select(sides[0].crowd), sides[0].select(~sides[0].crowd)
    whole = sides[1].areas
    region = None if ignore is None else ignored_runs(ignore, sides[0].shape)
    seen = [_without(side, region) for side in sides]
    table = counted(seen[0], seen[1], threads)
    forgiven = _forgiven(table, whole, seen[1], crowd, strict)
    if reach is not None:
        bands = [_without(_bands(side, reach, threads), region) for side in sides]
        table = counted(bands[0], bands[1], threads)
    if region is not None:
        table = replace(table, background=table.background - int((region[2] - region[1]).sum()))
    return table if not forgiven.any() else table.restricted(np.ones(table.n_truth, bool), ~forgiven)


def _without(masks: Masks, region: Runs | None) -> Masks:
    if region is None:
        return masks
    return masks.with_runs(*_core.masks_without(masks.runs(), region, math.prod(masks.shape)))


def _bands(masks: Masks, reach: list[int], threads: int) -> Masks:
    return masks.with_runs(*_core.mask_bands(masks.runs(), list(masks.shape), reach, threads))


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
        _, at, shared = _core.count_masks(cover, pred.runs(), pixels, max(pred.shape[-1], 1), 1)
        some = np.zeros(len(pred), np.int64)
        some[at] = shared
        found += some if name is None else np.where(pred.classes == name, some, 0)
    return found


def ignored_runs(ignore: ArrayLike | Masks, shape: tuple[int, ...]) -> Runs:
    """Return the ignored pixels as one mask: of a boolean array, or of all masks together."""
    if isinstance(ignore, Masks):
        found = ignore
    else:
        array = np.asarray(ignore)
        if array.dtype != bool:
            raise TypeError(f"ignore must be a boolean mask, or Masks, beside Masks; got dtype {array.dtype}.")
        if array.shape != shape:
            raise ValueError(f"ignore must have the shape of truth; got {array.shape} and {shape}.")
        found = Masks.from_list([array])
    if found.shape != shape:
        raise ValueError(f"ignore must have the shape of truth; got {found.shape} and {shape}.")
    return _core.covered(found.runs(), math.prod(shape))
