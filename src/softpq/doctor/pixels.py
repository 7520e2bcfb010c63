"""What the pixels of a pair of label images show: one check each."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations, permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.table.content import suspicion
from softpq.table.pieces import pieces_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softpq.table.overlap import Overlap

FEW_PIXELS = 10
"""Objects of fewer pixels are likely specks."""

Note = tuple[str, str]


def _identical(truth: NDArray[Any], pred: NDArray[Any], overlap: Overlap) -> Iterator[Note]:
    if truth.any() and np.array_equal(truth, pred):
        yield "truth and prediction are identical.", "Was the truth given twice?"


def _content(truth: NDArray[Any], pred: NDArray[Any], overlap: Overlap) -> Iterator[Note]:
    for side, labels, ids in (("truth", truth, overlap.truth_ids), ("pred", pred, overlap.pred_ids)):
        found = suspicion(labels, ids)
        if found is not None:
            yield f"{side} {found.what}.", found.advice


def _negative(truth: NDArray[Any], pred: NDArray[Any], overlap: Overlap) -> Iterator[Note]:
    for side, labels in (("truth", truth), ("pred", pred)):
        if labels.dtype.kind == "i" and labels.min() < 0:
            yield f"{side} holds negative labels.", f"Leave those pixels out with ignore=({side} < 0)."


def _pieces(truth: NDArray[Any], pred: NDArray[Any], overlap: Overlap) -> Iterator[Note]:
    for side, labels, count in (("truth", truth, overlap.n_truth), ("pred", pred, overlap.n_pred)):
        pieces = len(pieces_of(np.maximum(labels, 0))[0])
        if count > 1 and pieces > 1.05 * count:
            yield (
                f"{side} has labels that are not connected.",
                "One label is one object; if pieces are meant to be objects, pass split_components=True.",
            )


def _specks(truth: NDArray[Any], pred: NDArray[Any], overlap: Overlap) -> Iterator[Note]:
    for side, areas in (("truth", overlap.truth_areas), ("pred", overlap.pred_areas)):
        if (areas < FEW_PIXELS).any():
            yield f"{side} has objects of fewer than {FEW_PIXELS} pixels.", "Each counts as much as a large one."


def _swapped(truth: NDArray[Any], pred: NDArray[Any], overlap: Overlap) -> Iterator[Note]:
    """Nothing to find, but something was found."""
    if overlap.n_truth == 0 and overlap.n_pred > 0 and not truth.any():
        yield "truth is empty and the prediction is not.", "If this is not so, the two arguments may be swapped."


def _shift(truth: NDArray[Any], pred: NDArray[Any], overlap: Overlap) -> Iterator[Note]:
    """A prediction that fits clearly better when it is moved by one pixel."""
    found, there = pred != 0, truth != 0
    now = _iou(there, found)
    if not 0 < now < 1 or min(truth.shape) < 8:
        return
    for axis in range(truth.ndim):
        for step in (-1, 1):
            if 1 - _iou(there, np.roll(found, step, axis)) < 0.6 * (1 - now):
                yield (
                    f"the prediction fits better when it is moved by {step} pixel along axis {axis}.",
                    "Look for an offset between the two, such as counting from 0 or 1.",
                )


def _turned(truth: NDArray[Any], pred: NDArray[Any], overlap: Overlap) -> Iterator[Note]:
    """A prediction that fits clearly better when axes are exchanged or turned round."""
    step = tuple(slice(None, None, max(1, size // 128)) for size in truth.shape)
    there, found = (truth != 0)[step], (pred != 0)[step]
    now = _iou(there, found)
    best, way = max(((_iou(there, turned), way) for way, turned in _ways(found) if turned.shape == there.shape),
                    default=(0.0, None), key=lambda one: one[0])  # fmt: skip
    if way is not None and now < 0.9 and 1 - best < 0.6 * (1 - now):
        yield (
            f"the prediction fits better when {_said(*way)} (foreground IoU {best:.2f}, now {now:.2f}).",
            "Are the axes of one of the files in another order or direction?",
        )


Way = tuple[tuple[int, ...], tuple[int, ...]]


def _ways(found: NDArray[np.bool_]) -> Iterator[tuple[Way, NDArray[np.bool_]]]:
    """All exchanges and turns of up to three axes, but the one that changes nothing."""
    axes = tuple(range(found.ndim))
    if found.ndim > 3:
        return
    for order in permutations(axes):
        for flips in chain.from_iterable(combinations(axes, count) for count in range(found.ndim + 1)):
            if order != axes or flips:
                yield (order, flips), np.flip(found.transpose(order), flips)


def _said(order: tuple[int, ...], flips: tuple[int, ...]) -> str:
    """In words, what is done to the axes."""
    moved = [axis for axis, place in enumerate(order) if axis != place]
    said = [] if not moved else [f"axes {moved[0]} and {moved[1]} are exchanged"] if len(moved) == 2 else [
        f"its axes are put into the order {order}"]  # fmt: skip
    if flips:
        said.append(" and ".join(f"axis {axis}" for axis in flips) + (" are" if flips[1:] else " is") + " turned round")
    return ", and ".join(said)


def _iou(truth: NDArray[np.bool_], pred: NDArray[np.bool_]) -> float:
    any_of_both = int(np.count_nonzero(truth | pred))
    return int(np.count_nonzero(truth & pred)) / any_of_both if any_of_both else 0.0


CHECKS = (_content, _identical, _negative, _pieces, _specks, _shift, _turned, _swapped)
