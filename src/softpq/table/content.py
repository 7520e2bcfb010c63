"""What is no label image: masks, classes, intensities, labels that ran over. They can be counted, and mean nothing.

Most images are let through after one look at some of their lines: how often labels begin. Only what looks odd there is
taken apart into its connected pieces. Images of less than SMALLEST pixels, and lists, are never judged.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq import _core
from softpq.table.background import SMALLEST, odd_background
from softpq.table.channels import MOST_CLASSES, SEGMENT, Suspicion, channels_in
from softpq.table.codes import codes_in
from softpq.table.masks import Masks
from softpq.table.pieces import pieces_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from softpq.table.overlap import Overlap


LOOKED_AT = 1 << 18
"""Pixels that are looked at, in a few places."""

TAKEN_APART = 1 << 25
"""Pixels of an image that is taken apart as a whole."""

FEW_CLASSES = 8
"""So many, in as many pieces each on average, in an image of SIZE_OF_MAPS pixels, are classes for certain."""

SIZE_OF_MAPS = 4096

SCATTERED = 4
"""A label in so many pieces, none of which is half of it, all over the image, is not one object."""

ALL_OVER = 0.2
"""Of the image: the box around the beginnings of all pieces. Those of one object, badly drawn, are side by side."""

MASKS = {255: 2, 65535: 2}
"""The only label -> in how many pieces it is a mask; others in SCATTERED."""


STACK = "is taken for a volume with one object; a stack of masks, one each, is made with Masks.from_stack."

LABEL_FIRST = "Label its connected components first (softpq.split_components, or split_components=True)."
_ONE_EACH = "Give instance labels: one label for each object, not one for each class; split_components=True makes them."
_WIDER = "Save the labels again with 32 bits."


@dataclass(frozen=True)
class _Pieces:
    """The connected pieces of every label of a part: how many, the two largest, the area, and how far they reach."""

    labels: NDArray[np.uint64]
    counts: NDArray[np.int64]
    largest: NDArray[np.int64]
    second: NDArray[np.int64]
    areas: NDArray[np.int64]
    reach: NDArray[np.float64]
    size: int

    @classmethod
    def of(cls, part: NDArray[Any]) -> _Pieces:
        found, first, sizes = pieces_of(part)
        labels, place = np.unique(found, return_inverse=True)
        order = np.lexsort((-sizes, place))
        starts = np.flatnonzero(np.diff(place[order], prepend=-1))
        counts = np.diff(np.r_[starts, len(order)])
        second = np.where(counts > 1, sizes[order[np.minimum(starts + 1, len(order) - 1)]], 0)
        areas = np.bincount(place, weights=sizes, minlength=len(labels)).astype(np.int64)
        reach = np.ones(len(labels))
        for where in np.unravel_index(first[order], part.shape):
            reach *= np.maximum.reduceat(where, starts) - np.minimum.reduceat(where, starts) + 1 if len(starts) else 1
        return cls(labels, counts, sizes[order[starts]], second, areas, reach / part.size, part.size)

    @property
    def scattered(self) -> NDArray[np.bool_]:
        """Which labels are in many pieces all over the part, none of which is half of them."""
        return (self.counts >= SCATTERED) & (2 * self.largest < self.areas) & (self.reach >= ALL_OVER)

    @property
    def mean_area(self) -> float:
        """Of a piece."""
        return float(self.areas.sum()) / max(int(self.counts.sum()), 1)


class NotLabels(ValueError):
    """A side that is no label image for certain."""

    def __init__(self, side: str, found: Suspicion) -> None:
        super().__init__(
            f"{side} must hold one label per object; it {found} If it is right as it is, pass check=False."
        )
        self.side, self.found = side, found


def check_content(
    truth: Any, pred: Any, overlap: Overlap, stated: tuple[bool, bool] = (False, False)
) -> tuple[str, ...]:
    """Refuse what is no label image.

    Parameters
    ----------
    truth, pred, overlap
        What was counted, and the table.
    stated
        For each side, whether it is known that all axes are of space.

    Returns
    -------
    notes
        What is only likely.

    Raises
    ------
    NotLabels
        If it is certain, with what to do about it.
    """
    notes: list[str] = []
    sides = (
        ("truth", truth, overlap.truth_ids, overlap.truth_areas),
        ("pred", pred, overlap.pred_ids, overlap.pred_areas),
    )
    for (name, side, ids, areas), known in zip(sides, stated, strict=True):
        if isinstance(side, Masks):
            continue
        found = suspicion(side if hasattr(side, "shape") else np.asarray(side), ids, stated=known)
        if found is not None:
            if found.certain:
                raise NotLabels(name, found)
            notes.append(f"{name} {found}")
        if len(ids) == 1 and _may_be_stack(side, ids):
            notes.append(f"{name} {STACK}")
        if not overlap.background and (said := odd_background(side, ids, areas)):
            notes.append(f"{name} {said}")
    return tuple(notes)


def _may_be_stack(side: Any, ids: NDArray[np.uint64]) -> bool:
    """Whether a volume holds only 0 and 1, and one axis is short: masks, one on the other."""
    shape = np.shape(side)
    return len(shape) in (3, 4) and ids.tolist() == [1] and 2 * sorted(shape)[0] <= sorted(shape)[1]


def suspicion(labels: Any, ids: NDArray[np.uint64], *, stated: bool = False) -> Suspicion | None:
    """Say what an image seems to be, if it is no label image.

    Parameters
    ----------
    labels
        Integers; anything with ``shape`` and slicing.
    ids
        The labels of its objects, ascending.
    stated
        Whether it is known that all axes are of space: else a short one may hold channels.

    Examples
    --------
    >>> mask = np.kron(np.eye(6, dtype=int), np.ones((5, 5), int))[:, ::-1]
    >>> suspicion(np.roll(mask, 3), np.array([1], np.uint64)) is None  # pieces that touch at corners are one
    True
    >>> print(suspicion(np.tile(np.pad(np.ones((5, 5), int), 2), (4, 4)), np.array([1], np.uint64)).what)
    looks like a binary mask: its only label, 1, is in 16 separate pieces
    """
    if len(labels.shape) < 2 or math.prod(labels.shape) < SMALLEST or not len(ids):
        return None
    found = codes_in(labels, ids) or (channels_in(labels) if len(labels.shape) == 3 and not stated else None)
    part = None if found is not None else _odd_part(labels, ids)
    return found if part is None else _taken_apart(np.where(np.isin(part, ids.astype(part.dtype)), part, 0), ids)


def _odd_part(labels: Any, ids: NDArray[np.uint64]) -> NDArray[Any] | None:
    """What should be taken apart, if anything: all of it, if it is in memory and not too large."""
    in_memory = isinstance(labels, np.ndarray) and labels.size <= TAKEN_APART
    if in_memory and (len(ids) == 1 or _ran_over(ids)):
        return _plain(labels)
    small = in_memory and labels.ndim == 2 and labels.size <= LOOKED_AT and min(labels.shape) >= 2
    for part, is_all in ((_plain(labels), True),) if small else _parts(labels):
        tops, _ = _core.tops(part, 1 << 16)
        there = len(ids) if is_all else len(np.unique(tops)) if len(tops) else 1
        if len(tops) >= 2 * min(there, 1 << 14):
            return _plain(labels) if in_memory else part
    return None


def _parts(labels: Any) -> Iterator[tuple[NDArray[Any], bool]]:
    """Lines of an image, or of a few slices of a volume; and whether that is all of it."""
    height, width = labels.shape[-2:]
    columns = min(width, LOOKED_AT // 8)
    slices = list(np.ndindex(labels.shape[:-2])) if len(labels.shape) > 2 else [()]
    chosen = slices if len(slices) < 4 else [slices[len(slices) * k // 4] for k in (1, 2, 3)]
    whole = height * columns * len(chosen) <= LOOKED_AT
    lines = height if whole else max(2, LOOKED_AT // 4 // len(chosen) // max(columns, 1))
    for place in chosen:
        for k in range(1 if whole else 4):
            top = 0 if whole else (height - min(lines, height)) * k // 3
            part = _block(labels, place, slice(top, min(top + lines, height)), slice(0, columns))
            if min(part.shape) >= 2:
                yield part, whole and not place and columns == width


def _block(labels: Any, place: tuple[int, ...], rows: slice, columns: slice) -> NDArray[Any]:
    if isinstance(labels, np.ndarray):
        where: tuple[Any, ...] = (*place, rows, columns)
        return _plain(labels[where])
    block = (*(slice(k, k + 1) for k in place), rows, columns)  # what is not in memory is read block by block
    return _plain(np.asarray(labels[block]).reshape(rows.stop - rows.start, columns.stop - columns.start))


def _plain(part: NDArray[Any]) -> NDArray[Any]:
    """Contiguous integers, none of them negative; floats are whole numbers."""
    if part.dtype.kind == "u" and part.flags.c_contiguous and part.dtype.isnative:
        return part
    plain = part.dtype.newbyteorder("=") if part.dtype.kind in "iu" else np.dtype(np.int64)
    whole = np.ascontiguousarray(part, plain)
    return np.maximum(whole, 0) if whole.dtype.kind == "i" and whole.min(initial=0) < 0 else whole


def _taken_apart(part: NDArray[Any], ids: NDArray[np.uint64]) -> Suspicion | None:
    pieces = _Pieces.of(part)
    if not len(pieces.labels):
        return None
    if len(ids) == 1:
        return _mask(pieces)
    scattered = 2 * int(pieces.scattered.sum()) >= len(pieces.labels)
    if scattered and len(ids) <= MOST_CLASSES and not _is_saturated(pieces):
        return _classes(part, pieces, len(ids)) if pieces.mean_area >= 8 else _intensities(pieces, len(ids))
    ran_over = _ran_over(ids)
    if scattered or _is_saturated(pieces) or _is_restless(part, pieces, *((12, 30) if ran_over else (4, 6))):
        return _intensities(pieces, len(ids))
    return _wrapped(pieces, len(ids), int(ids[-1])) if ran_over else None


def _mask(pieces: _Pieces) -> Suspicion | None:
    label, count = int(pieces.labels[0]), int(pieces.counts[0])
    if count < MASKS.get(label, SCATTERED) or (label not in (1, *MASKS) and not pieces.scattered[0]):
        return None
    what = f"looks like a binary mask: its only label, {label}, is in {count} separate pieces"
    return Suspicion(what, LABEL_FIRST, certain=True)


def _classes(part: NDArray[Any], pieces: _Pieces, count: int) -> Suspicion:
    certain = count <= FEW_CLASSES and pieces.counts.mean() >= FEW_CLASSES and part.size >= SIZE_OF_MAPS
    what = f"looks like a map of classes: it has {count} labels, in {int(pieces.counts.sum())} separate pieces"
    return Suspicion(what, _ONE_EACH, bool(certain))


def _intensities(pieces: _Pieces, count: int) -> Suspicion:
    what = (
        f"looks like intensities or probabilities: it has {count} values, in pieces of {pieces.mean_area:.1f} pixels "
        "on average"
    )
    return Suspicion(what, SEGMENT, certain=count >= 100 or _is_saturated(pieces))


def _is_saturated(pieces: _Pieces) -> bool:
    """Whether most is 255, and the rest a seam of many values: a map of probabilities that is sure of itself."""
    top, rest = pieces.labels == 255, pieces.labels != 255
    if not top.any() or rest.sum() < 20 or 2 * pieces.areas[top].sum() < pieces.areas.sum():
        return False
    return bool(pieces.areas[rest].sum() < 4 * pieces.counts[rest].sum())


def _is_restless(part: NDArray[Any], pieces: _Pieces, often: int, small: int) -> bool:
    """Whether values differ every so many pixels, in small pieces, and come again: a photograph."""
    left, right = part[..., :-1], part[..., 1:]
    changes = np.count_nonzero((left != right) & (left != 0) & (right != 0))
    covered = int(pieces.areas.sum())
    again = pieces.counts.mean() >= 1.5
    return bool(often * changes >= covered >= 4 * len(pieces.labels) and pieces.mean_area < small and again)


def _ran_over(ids: NDArray[np.uint64]) -> bool:
    """Whether nearly all values of 8 or 16 bits are in use, up to the last."""
    return len(ids) > 248 and (last := int(ids[-1])) in (255, 65535) and len(ids) >= 0.98 * last


def _is_clipped(pieces: _Pieces, last: int) -> bool:
    """Whether the last value is in many pieces, wherever they lie, and the others are not: all that came after it."""
    end = pieces.labels == last
    many = (pieces.counts >= SCATTERED) & (2 * pieces.largest < pieces.areas)
    return bool((many & end).any()) and float(pieces.counts[~end].mean()) < 2


def _wrapped(pieces: _Pieces, count: int, last: int) -> Suspicion | None:
    """Labels of two objects each: pieces of similar size, far from each other."""
    apart = pieces.reach * pieces.size > 4 * pieces.areas
    double = int(((4 * pieces.second >= pieces.largest) & apart).sum())
    at_the_end = _is_clipped(pieces, last)
    if double < 2 and not at_the_end:
        return None
    what = f"looks like labels that ran over {last}: {count} of {last} values are in use, {double} of them twice"
    return Suspicion(what, _WIDER, certain=at_the_end or double >= max(8, 0.05 * len(pieces.labels)))
