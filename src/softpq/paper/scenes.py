"""The scenes of the paper's experiments, drawn with discs: a pixel belongs to a disc if its centre does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.synthetic import disc
from softpq.table.overlap import Overlap
from softpq.table.pieces import split_components

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]
    Labels = NDArray[Any]

SIZE = 256
ITERATIONS = 24
LARGE, SMALL = 32, 16
OTHER_DISCS = [(x, y) for y in (50, 200) for x in (50, 75, 100, 125, 150, 175, 200, 225)]


def _disc(radius: int, x: int = SIZE // 2, y: int = SIZE // 2) -> Mask:
    return disc((SIZE, SIZE), radius, (y, x))


CROSS = disc((3, 3), 1, (1, 1))
"""A pixel and its four neighbours."""


def _dilated(mask: Mask, element: Mask) -> Mask:
    """Every pixel that the element, put on a pixel of the mask, covers; elements are symmetric."""
    reach = element.shape[0] // 2
    padded, found = np.pad(mask, reach), np.zeros_like(mask)
    for y, x in zip(*np.nonzero(element), strict=True):
        found |= padded[y : y + mask.shape[0], x : x + mask.shape[1]]
    return found


def _eroded(mask: Mask, element: Mask) -> Mask:
    """Every pixel on which the element lies inside of the mask; outside of the image there is none."""
    reach = element.shape[0] // 2
    return ~_dilated(~np.pad(mask, reach), element)[reach:-reach, reach:-reach]


def single() -> Mask:
    """One disc."""
    return _disc(LARGE)


def paired() -> Mask:
    """A large and a small disc that nearly touch."""
    return _disc(LARGE, 103) | _disc(SMALL, 153)


def limitations() -> dict[str, tuple[Labels, Labels]]:
    """The six scenes of the first figure, and the two perfect ones: name -> (truth, pred)."""
    one = (_disc(LARGE, 105) | _disc(SMALL, 151)).astype(np.uint8)
    part = _disc(LARGE, 105)
    rest = (one > 0) & ~part
    ghost = _disc(SMALL, 220, 40)
    two = _disc(LARGE, 103) + 2 * _disc(SMALL, 153).astype(np.uint8)
    first, round_element = (two == 1).astype(np.uint8), disc((9, 9), 4, (4, 4))
    merged = _eroded(_dilated(two > 0, round_element), round_element).astype(np.uint8)
    return {
        "over_ideal": (one, one),
        "over_case1_partial": (one, part.astype(np.uint8)),
        "over_case2_split": (one, part + 2 * rest.astype(np.uint8)),
        "over_case3_partial_ghost": (one, part + 2 * ghost.astype(np.uint8)),
        "under_ideal": (two, two),
        "under_case1_partial": (two, first),
        "under_case2_merged": (two, merged),
        "under_case3_partial_ghost": (two, first + 2 * ghost.astype(np.uint8)),
    }


def progressive(start: Mask, operation: str) -> Iterator[Overlap]:
    """A mask against itself, eroded or dilated by one pixel a step; connected components are the objects."""
    step = {"erosion": _eroded, "dilation": _dilated}[operation]
    truth, mask = split_components(start.astype(np.uint8)), start
    for _ in range(ITERATIONS):
        yield Overlap.from_labels(truth, split_components(mask.astype(np.uint8)))
        mask = step(mask, CROSS)


def _row_of_discs(x: int, y: int, radius: int, count: int, offset: int) -> Labels:
    """Discs side by side; a later one covers those before."""
    labels = np.zeros((SIZE, SIZE), np.int64)
    for k in range(count):
        labels[_disc(radius, x + (k - count // 2) * offset, y)] = k + 1
    return labels


def _grid_of_halves() -> Labels:
    """25 objects of two parts each: labels 1, 2 for the first, 3, 4 for the second, ..."""
    step = SIZE // 6
    labels = np.zeros((SIZE, SIZE), np.int64)
    for k in range(25):
        parts = _row_of_discs((k % 5 + 1) * step, (k // 5 + 1) * step, 9, 2, 5)
        labels += np.where(parts > 0, parts + 2 * k, 0)
    return labels


def over_segmented(split: int) -> Overlap:
    """25 objects, the first of which are split in two."""
    parts = _grid_of_halves()
    shown = (parts % 2 == 1) & (parts <= 2 * split)
    pred = np.where(shown, 1, np.where(parts > 0, 2, 0))
    return Overlap.from_labels(split_components((parts > 0).astype(np.uint8)), split_components(pred))


def fragmented(fragments: int) -> Overlap:
    """25 objects, each cut into strips of about equal width: what the text says of the same experiment."""
    truth = split_components((_grid_of_halves() > 0).astype(np.uint8))
    columns = np.arange(SIZE)
    pred = np.zeros_like(truth)
    for label in range(1, int(truth.max()) + 1):
        inside = truth == label
        occupied = columns[inside.any(axis=0)]
        strip = (columns - occupied[0]) * fragments // len(occupied)
        pred[inside] = (label * 10 + np.broadcast_to(strip, truth.shape).astype(truth.dtype))[inside]
    return Overlap.from_labels(truth, pred)


def _grouped(labels: Labels, groups: int) -> Labels:
    """Neighbouring labels joined to so many groups."""
    pred = np.zeros_like(labels)
    for number, group in enumerate(np.array_split(np.unique(labels[labels > 0]), groups), start=1):
        pred[np.isin(labels, group)] = number
    return pred


def fragments_among_others(count: int) -> Overlap:
    """One disc in so many fragments, and sixteen small ones that are right."""
    others = np.zeros((SIZE, SIZE), np.int64)
    for number, (x, y) in enumerate(OTHER_DISCS, start=11):
        others += number * _disc(10, x, y)
    fragments = _row_of_discs(SIZE // 2, SIZE // 2, 30, count, 10)
    return Overlap.from_labels(split_components(single() + others), split_components(fragments + others))


def one_in_fragments(count: int) -> Overlap:
    """A long object in so many fragments."""
    parts = _row_of_discs(SIZE // 2, SIZE // 2, 30, 10, 10)
    return Overlap.from_labels(split_components((parts > 0).astype(np.uint8)), split_components(_grouped(parts, count)))
