"""The table everything is computed from: objects, their areas, and the pixels each pair shares."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq import _core
from softpq.table.labels import as_labels, band_reach, cores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    Ids = NDArray[np.uint64]
    Counts = NDArray[np.int64]
    Positions = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Overlap:
    """Which truth object shares how many pixels with which predicted object.

    Made by :meth:`from_labels` or :meth:`from_pairs`; never changed. Tiles of one image add: ``a + b`` is the
    table of both. Areas are stored, not summed from the pairs, so that pixels on the other side's background count.

    Attributes
    ----------
    truth_ids, pred_ids
        Labels of the objects, ascending.
    truth_areas, pred_areas
        Pixels of each object.
    pair_truth, pair_pred
        Positions (not labels) of the two objects of each pair that shares pixels, ordered by truth, then pred.
    pair_pixels
        Pixels each pair shares.
    background
        Pixels that are background on both sides.

    Examples
    --------
    >>> overlap = Overlap.from_labels([1, 1, 2, 2, 0], [7, 7, 7, 0, 0])
    >>> overlap
    Overlap(2 truth objects, 1 pred object, 2 pairs, 4 + 3 pixels)
    >>> overlap.pair_iou
    array([0.66666667, 0.25      ])
    """

    truth_ids: Ids
    truth_areas: Counts
    pred_ids: Ids
    pred_areas: Counts
    pair_truth: Positions
    pair_pred: Positions
    pair_pixels: Counts
    background: int = 0
    _known: dict[Hashable, Any] = field(default_factory=dict, init=False)  # see once_per_table

    def __post_init__(self) -> None:
        for column in self._columns():
            column.flags.writeable = False

    @classmethod
    def from_labels(
        cls,
        truth: ArrayLike,
        pred: ArrayLike,
        *,
        ignore: ArrayLike | None = None,
        threads: int | None = None,
        boundary: float | None = None,
        spacing: Sequence[float] | None = None,
        strict: bool = False,
    ) -> Overlap:
        """Count two label images of the same shape, of any number of dimensions.

        Parameters
        ----------
        truth, pred
            Integer labels, 0 is background; the dtypes may differ.
        ignore
            A boolean mask, or a label of truth, whose pixels count nowhere. A prediction with more than half of
            its area there is left out, unless it fits a truth object on the pixels that count: IoU from 0.5 on.
        threads
            How many to use; all cores by default. The result is the same for any number.
        boundary
            Count only the boundary band of each object: its pixels that have another label, or the border of the
            image, within this reach. Pixels (1, 2, ...), or a fraction of the image diagonal below 1 (0.02 in the
            Boundary IoU paper). The reach is a box: the chessboard distance.
        spacing
            Size of a pixel along each axis, for volumes; the reach is then in the same unit.
        strict
            With ``ignore``: such a prediction fits with an IoU above 0.5, as PQ was published.

        Examples
        --------
        >>> Overlap.from_labels([[1, 1], [0, 2]], [[1, 1], [0, 0]]).truth_areas.tolist()
        [2, 1]
        """
        from softpq.table.partial import Partial  # which is made of Overlaps

        labels = as_labels(truth, "truth")
        reach = None if boundary is None else band_reach(boundary, spacing, labels.shape)
        counted = Partial.counted(labels, pred, ignore=ignore, reach=reach, threads=cores(threads))
        return counted.total(strict=strict)

    @classmethod
    def from_pairs(cls, truth: ArrayLike, pred: ArrayLike, pixels: ArrayLike) -> Overlap:
        """Make the table from label triples that were counted elsewhere.

        Parameters
        ----------
        truth, pred
            The two labels of each row; 0 is background. Rows may come in any order and repeat.
        pixels
            How many pixels have this pair of labels. Rows with background on one side give the rest of the areas.

        Examples
        --------
        >>> Overlap.from_pairs([1, 1, 0], [5, 0, 5], [6, 2, 2]).pair_iou
        array([0.6])
        """
        columns = [as_labels(column, name) for column, name in ((truth, "truth"), (pred, "pred"), (pixels, "pixels"))]
        for column, name in zip(columns, ("truth", "pred", "pixels"), strict=True):
            if column.ndim != 1 or column.size != columns[0].size:
                raise ValueError(
                    "truth, pred and pixels must be flat lists of the same length; "
                    f"got shapes {', '.join(str(c.shape) for c in columns)}."
                )
            if column.size and column.dtype.kind == "i" and column.min() < 0:
                raise ValueError(f"{name} must not be negative; found {column.min()}.")
        if float(columns[2].sum(dtype=np.float64)) >= 2.0**63:
            raise ValueError(f"pixels must sum to less than 2**63; got about {columns[2].sum(dtype=np.float64):.3g}.")
        some = columns[2] > 0
        truth_column, pred_column = (np.ascontiguousarray(c[some].astype(np.uint64)) for c in columns[:2])
        return cls(*_core.tabulate(truth_column, pred_column, columns[2][some].astype(np.int64)))

    def restricted(self, keep_truth: NDArray[np.bool_], keep_pred: NDArray[np.bool_]) -> Overlap:
        """Return the table without some objects: what they covered becomes background.

        Parameters
        ----------
        keep_truth, keep_pred
            A mask over the objects of each side.
        """
        keep = keep_truth[self.pair_truth] & keep_pred[self.pair_pred]
        areas = int(self.truth_areas[keep_truth].sum()) + int(self.pred_areas[keep_pred].sum())
        foreground = areas - int(self.pair_pixels[keep].sum())
        return Overlap(
            self.truth_ids[keep_truth],
            self.truth_areas[keep_truth],
            self.pred_ids[keep_pred],
            self.pred_areas[keep_pred],
            (np.cumsum(keep_truth) - 1)[self.pair_truth[keep]],
            (np.cumsum(keep_pred) - 1)[self.pair_pred[keep]],
            self.pair_pixels[keep],
            self.pixels - foreground,
        )

    def renumbered(self, truth_ids: ArrayLike, pred_ids: ArrayLike) -> Overlap:
        """Return the table with other labels, given in the order of the present ones; objects go by the new labels.

        Examples
        --------
        >>> Overlap.from_labels([1, 2, 2], [1, 1, 0]).renumbered([7, 3], [5]).truth_areas.tolist()
        [2, 1]
        """
        truth, pred = (np.asarray(ids, np.uint64) for ids in (truth_ids, pred_ids))
        nobody = np.zeros(max(len(truth), len(pred), 1), np.uint64)
        return Overlap.from_pairs(
            np.concatenate([truth[self.pair_truth], truth, nobody[: len(pred)], nobody[:1]]),
            np.concatenate([pred[self.pair_pred], nobody[: len(truth)], pred, nobody[:1]]),
            np.concatenate([self.pair_pixels, self.truth_alone, self.pred_alone, [self.background]]),
        )

    @property
    def pixels(self) -> int:
        """Pixels of the image, ignored ones left out."""
        areas = int(self.truth_areas.sum()) + int(self.pred_areas.sum())
        return self.background + areas - int(self.pair_pixels.sum())

    @property
    def n_truth(self) -> int:
        """Number of truth objects."""
        return len(self.truth_ids)

    @property
    def n_pred(self) -> int:
        """Number of predicted objects."""
        return len(self.pred_ids)

    @cached_property
    def pair_iou(self) -> NDArray[np.float64]:
        """Intersection over union of each pair: one float64 division of two integers."""
        union = self.truth_areas[self.pair_truth] + self.pred_areas[self.pair_pred] - self.pair_pixels
        iou: NDArray[np.float64] = self.pair_pixels / union
        iou.flags.writeable = False
        return iou

    @cached_property
    def truth_alone(self) -> Counts:
        """Pixels of each truth object that are background in pred."""
        return _left(self.truth_areas, self.pair_truth, self.pair_pixels)

    @cached_property
    def pred_alone(self) -> Counts:
        """Pixels of each predicted object that are background in truth."""
        return _left(self.pred_areas, self.pair_pred, self.pair_pixels)

    @cached_property
    def by_truth_and_iou(self) -> Positions:
        """The order of the pairs by truth object and, for each, from the largest IoU to the smallest."""
        return np.lexsort((-self.pair_iou, self.pair_truth))

    @cached_property
    def swapped_order(self) -> Positions:
        """Where the pairs of the swapped table are in this one."""
        return np.lexsort((self.pair_truth, self.pair_pred))

    @cached_property
    def swapped(self) -> Overlap:
        """The same table with truth and pred exchanged."""
        order = self.swapped_order
        return Overlap(
            self.pred_ids, self.pred_areas, self.truth_ids, self.truth_areas,
            self.pair_pred[order], self.pair_truth[order], self.pair_pixels[order], self.background,
        )  # fmt: skip

    def __add__(self, other: Overlap) -> Overlap:
        """Add the table of another tile of the same image: the same label is the same object."""
        if not isinstance(other, Overlap):
            return NotImplemented
        return Overlap(*_core.merge_tables(self.as_tuple(), other.as_tuple()))

    def __radd__(self, other: object) -> Overlap:
        return self if other == 0 else NotImplemented  # so that sum() works

    def as_tuple(self) -> tuple[Ids, Counts, Ids, Counts, Positions, Positions, Counts, int]:
        """All columns, and the background; ``Overlap(*values)`` is the same table."""
        return (
            self.truth_ids, self.truth_areas, self.pred_ids, self.pred_areas,
            self.pair_truth, self.pair_pred, self.pair_pixels, self.background,
        )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Overlap):
            return NotImplemented
        return self.background == other.background and all(
            np.array_equal(a, b) for a, b in zip(self._columns(), other._columns(), strict=True)
        )

    def same_but_for_labels(self, other: Overlap) -> bool:
        """Whether two tables have the same objects and pairs in the same order, whatever the labels are."""
        return all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("truth_areas", "pred_areas", "pair_truth", "pair_pred", "pair_pixels")
        )

    def __hash__(self) -> int:
        return hash((self.background, *(column.tobytes() for column in self._columns())))

    def __reduce__(self) -> tuple[Any, ...]:
        return Overlap, self.as_tuple()  # what is remembered can be found again

    def __repr__(self) -> str:
        def several(count: int, noun: str) -> str:
            return f"{count} {noun}" + ("" if count == 1 else "s")

        return (
            f"Overlap({several(self.n_truth, 'truth object')}, {several(self.n_pred, 'pred object')}, "
            f"{several(len(self.pair_pixels), 'pair')}, {self.truth_areas.sum()} + {self.pred_areas.sum()} pixels)"
        )

    def _columns(self) -> tuple[NDArray[Any], ...]:
        return self.as_tuple()[:-1]


def _left(areas: Counts, place: Positions, pixels: Counts) -> Counts:
    """What pairs leave of the areas."""
    left = areas.copy()
    np.subtract.at(left, place, pixels)
    left.flags.writeable = False
    return left
