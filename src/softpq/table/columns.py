"""The columns of a table, and what follows from them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq import _core
from softpq.table.atoms import Atoms, Covered, Layers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softpq.table.overlap import Overlap

    Ids = NDArray[np.uint64]
    Counts = NDArray[np.int64]
    Positions = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Columns:
    """What :class:`softpq.Overlap` holds; its attributes are explained there."""

    truth_ids: Ids
    truth_areas: Counts
    pred_ids: Ids
    pred_areas: Counts
    pair_truth: Positions
    pair_pred: Positions
    pair_pixels: Counts
    background: int = 0
    under: Atoms | Layers | None = None
    across: Overlap | None = None
    _known: dict[Hashable, Any] = field(default_factory=dict, init=False)  # see once_per_table

    def __post_init__(self) -> None:
        for column in self._columns():
            column.flags.writeable = False

    @property
    def whole(self) -> Overlap:
        """The table in which objects of all classes make pairs: what is said of pixels is said of it."""
        return self if self.across is None else self.across  # type: ignore[return-value]  # of which these are the columns

    @property
    def pixels(self) -> int:
        """Pixels of the image, ignored ones left out."""
        covered = self.covered
        return self.background + covered.truth + covered.pred - covered.both

    @cached_property
    def covered(self) -> Covered:
        """Pixels under any object of a side, and under objects of both."""
        if self.across is not None:
            return self.across.covered
        if self.under is not None:
            return self.under.covered
        return Covered(*(int(column.sum()) for column in (self.truth_areas, self.pred_areas, self.pair_pixels)))

    @property
    def is_partition(self) -> bool:
        """Whether no pixel belongs to several objects of one side."""
        return self.whole.under is None

    @property
    def is_plain(self) -> bool:
        """Whether objects of one side that could have the same partner share no pixel: then pairs say all there is."""
        return self.under is None

    @cached_property
    def atoms(self) -> Atoms:
        """What is under each pixel: how many lie under exactly these truth objects and these predictions."""
        if self.under is not None:
            return self.under.atoms()
        return plain_atoms(self)

    @property
    def n_truth(self) -> int:
        """Number of truth objects."""
        return len(self.truth_ids)

    @property
    def n_pred(self) -> int:
        """Number of predicted objects."""
        return len(self.pred_ids)

    @property
    def pairs(self) -> tuple[Counts, Counts, Positions, Positions, Counts]:
        """Areas of both sides, and the pairs: what most sums are made of."""
        return self.truth_areas, self.pred_areas, self.pair_truth, self.pair_pred, self.pair_pixels

    @property
    def pair_unions(self) -> Counts:
        """Pixels of each pair that are of any of its two objects."""
        return self.truth_areas[self.pair_truth] + self.pred_areas[self.pair_pred] - self.pair_pixels

    @cached_property
    def pair_iou(self) -> NDArray[np.float64]:
        """Intersection over union of each pair: one float64 division of two integers."""
        return _core.pair_ious(*self.pairs)

    @cached_property
    def truth_alone(self) -> Counts:
        """Pixels of each truth object that are background in pred."""
        if self.under is not None:
            return self.atoms.alone("truth", self.n_truth)
        return self.truth_areas - _summed(self.pair_truth, self.pair_pixels, self.n_truth)

    @cached_property
    def pred_alone(self) -> Counts:
        """Pixels of each predicted object that are background in truth."""
        if self.under is not None:
            return self.atoms.alone("pred", self.n_pred)
        return self.pred_areas - _summed(self.pair_pred, self.pair_pixels, self.n_pred)

    @cached_property
    def by_truth_and_iou(self) -> Positions:
        """The order of the pairs by truth object and, for each, from the largest IoU to the smallest."""
        return np.lexsort((-self.pair_iou, self.pair_truth))

    @cached_property
    def swapped_order(self) -> Positions:
        """Where the pairs of the swapped table are in this one."""
        return np.lexsort((self.pair_truth, self.pair_pred))

    def as_tuple(self) -> tuple[Ids, Counts, Ids, Counts, Positions, Positions, Counts, int]:
        """All columns, and the background; ``Overlap(*values, overlap.under)`` is the same table.

        Examples
        --------
        >>> from softpq import Overlap
        >>> table = Overlap.from_labels([1, 1, 2], [1, 0, 2])
        >>> table.as_tuple()[1].tolist()  # areas of truth
        [2, 1]
        """
        return (
            self.truth_ids, self.truth_areas, self.pred_ids, self.pred_areas,
            self.pair_truth, self.pair_pred, self.pair_pixels, self.background,
        )  # fmt: skip

    def _columns(self) -> tuple[NDArray[Any], ...]:
        return self.as_tuple()[:-1]


def _summed(place: Positions, pixels: Counts, size: int) -> Counts:
    total = np.zeros(size, np.int64)
    np.add.at(total, place, pixels)
    return total


def plain_atoms(overlap: Columns) -> Atoms:
    """The atoms of a table in which no objects overlap: its pairs, and what objects share with nobody."""
    pairs, truths, preds = len(overlap.pair_pixels), overlap.n_truth, overlap.n_pred
    in_truth, in_pred = np.repeat([1, 1, 0], [pairs, truths, preds]), np.repeat([1, 0, 1], [pairs, truths, preds])
    return Atoms.ordered(
        np.concatenate([[0], np.cumsum(in_truth)]),
        np.concatenate([overlap.pair_truth, np.arange(truths)]).astype(np.int32),
        np.concatenate([[0], np.cumsum(in_pred)]),
        np.concatenate([overlap.pair_pred, np.arange(preds)]).astype(np.int32),
        np.concatenate([overlap.pair_pixels, overlap.truth_alone, overlap.pred_alone]),
    )
