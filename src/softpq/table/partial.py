"""What was counted in a part of an image: parts add."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from softpq import _core
from softpq.table.labels import as_ignore, as_labels, check_not_negative, check_same_shape
from softpq.table.overlap import Overlap

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from softpq.table.labels import LabelArray


@dataclass(frozen=True)
class Partial:
    """What was counted in a part of an image; parts add, and :meth:`total` is the table of all of them.

    ``ignored`` counts the ignored pixels against pred, if there are any: which predictions lie mostly there is only
    known once all parts are there.
    """

    overlap: Overlap
    ignored: Overlap | None = None

    @classmethod
    def counted(
        cls,
        truth: ArrayLike,
        pred: ArrayLike,
        *,
        ignore: ArrayLike | None = None,
        reach: list[int] | None = None,
        inner: tuple[slice, ...] | None = None,
        threads: int = 1,
    ) -> Partial:
        """Count two arrays.

        Parameters
        ----------
        truth, pred, ignore
            As for :meth:`Overlap.from_labels`.
        reach
            Of the boundary band along each axis, if only that is to be counted.
        inner
            The part to count; what is around it only helps to find the bands.
        threads
            How many to use.
        """
        truth_labels, pred_labels = as_labels(truth, "truth"), as_labels(pred, "pred")
        check_same_shape(truth_labels, pred_labels)
        mask = as_ignore(ignore, truth_labels)
        if reach is not None:
            truth_labels, pred_labels = (_bands(side, reach, threads) for side in (truth_labels, pred_labels))
        if inner is not None:
            truth_labels, pred_labels = truth_labels[inner], pred_labels[inner]
            mask = None if mask is None else mask[inner]
        overlap = Overlap(*_core.count_objects(truth_labels, pred_labels, mask, threads))
        check_not_negative(overlap.truth_ids, truth_labels.dtype, "truth")
        check_not_negative(overlap.pred_ids, pred_labels.dtype, "pred")
        return cls(overlap, None if mask is None else Overlap(*_core.count_objects(mask, pred_labels, None, threads)))

    def __add__(self, other: Partial) -> Partial:
        both = (self.ignored, other.ignored)
        ignored = None if both[0] is None or both[1] is None else both[0] + both[1]
        return Partial(self.overlap + other.overlap, ignored)

    def total(self) -> Overlap:
        """Return the table."""
        return self.overlap if self.ignored is None else self.overlap.without_ignored(self.ignored)


def _bands(labels: LabelArray, reach: list[int], threads: int) -> LabelArray:
    """The labels in the boundary band of each object, background elsewhere."""
    contiguous = np.ascontiguousarray(labels)
    band = _core.boundary_bands(contiguous, reach, threads).reshape(labels.shape)
    return contiguous * band.astype(labels.dtype)
