"""What was counted in a part of an image: parts add."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from softpq import _core
from softpq.table.labels import as_ignore, as_labels, check_same_shape
from softpq.table.overlap import Overlap

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from softpq.table.labels import LabelArray


@dataclass(frozen=True)
class Partial:
    """What was counted in a part of an image; parts add, and :meth:`total` is the table of all of them.

    ``ignored`` counts the ignored pixels against pred, if there are any: which predictions lie mostly there is only
    known once all parts are there. ``masks`` counts whole objects where ``overlap`` counts bands: they decide.
    """

    overlap: Overlap
    ignored: Overlap | None = None
    masks: Overlap | None = None

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
        inside = tuple(slice(0, size) for size in truth_labels.shape) if inner is None else inner
        bands = None if reach is None else _bands([truth_labels, pred_labels], mask, reach, inside, threads)
        if bands is not None and mask is None:
            return cls(bands)
        objects = [truth_labels[inside], pred_labels[inside]]
        mask = None if mask is None else mask[inside]
        overlap = Overlap.counted(objects[0], objects[1], threads, mask)
        if mask is None:
            return cls(overlap)
        ignored = Overlap.counted(mask, objects[1].view(f"u{objects[1].itemsize}"), threads)
        return cls(overlap, ignored) if bands is None else cls(bands, ignored, overlap)

    def __add__(self, other: Partial) -> Partial:
        return Partial(self.overlap + other.overlap, _both(self.ignored, other.ignored), _both(self.masks, other.masks))

    def total(self, *, strict: bool = False) -> Overlap:
        """Return the table, without predictions that lie mostly on ignored pixels and fit no truth object.

        Parameters
        ----------
        strict
            Whether they fit with an IoU above one half, instead of from there on.
        """
        if self.ignored is None:
            return self.overlap
        masks = self.masks or self.overlap
        whole = self.ignored.pred_areas[np.searchsorted(self.ignored.pred_ids, masks.pred_ids)]
        fits = np.zeros(masks.n_pred, bool)
        fits[masks.pair_pred[masks.pair_iou > 0.5 if strict else masks.pair_iou >= 0.5]] = True
        forgiven = masks.pred_ids[(whole > 2 * masks.pred_areas) & ~fits]
        background = self.overlap.background - int(self.ignored.truth_areas.sum())
        table = replace(self.overlap, background=background)
        return table.restricted(np.ones(table.n_truth, bool), ~np.isin(table.pred_ids, forgiven))


def _bands(
    sides: list[LabelArray],
    mask: NDArray[np.uint8] | None,
    reach: list[int],
    inside: tuple[slice, ...],
    threads: int,
) -> Overlap:
    first, end = [part.start for part in inside], [part.stop for part in inside]
    return Overlap.of_kernel(_core.count_bands(sides[0], sides[1], mask, reach, first, end, threads), *sides)


def _both(first: Overlap | None, second: Overlap | None) -> Overlap | None:
    return None if first is None or second is None else first + second
