"""The table everything is computed from: objects, their areas, and the pixels each pair shares."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq import _core
from softpq._checks import how_many
from softpq.table.atoms import Atoms
from softpq.table.columns import Columns
from softpq.table.labels import (
    as_labels,
    band_reach,
    check_not_negative,
    check_same_shape,
    checked_triples,
    cores,
    threads_for,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from softpq.table.labels import LabelArray

    Ids = NDArray[np.uint64]


_NATIVE = (
    "truth_ids", "truth_areas", "pred_ids", "pred_areas", "pair_truth", "pair_pred", "pair_pixels", "background",
)  # fmt: skip
"""What the kernel returns."""


@dataclass(frozen=True, eq=False, repr=False)
class Overlap(Columns):
    """Which truth object shares how many pixels with which predicted object.

    Made by :meth:`from_labels`, :meth:`from_masks` or :meth:`from_pairs`; never changed. Tiles of one image add:
    ``a + b`` is the table of both. Areas are stored, not summed from the pairs, so that pixels on the other side's
    background count.

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
    under
        What is under each pixel, where objects overlap: atoms, or the masks to find them; None where they do not.
    across
        The same objects in a table in which those of different classes make pairs, too, where they do not here; it
        knows the pixels of the image, such as those that are covered.

    Examples
    --------
    >>> overlap = Overlap.from_labels([1, 1, 2, 2, 0], [7, 7, 7, 0, 0])
    >>> overlap
    Overlap(2 truth objects, 1 pred object, 2 pairs, 4 + 3 pixels)
    >>> overlap.pair_iou
    array([0.66666667, 0.25      ])
    """

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
        labels = as_labels(truth, "truth")
        workers = threads_for(labels.size, threads)
        if ignore is None and boundary is None:
            return cls.counted(labels, as_labels(pred, "pred"), workers)
        from softpq.table.partial import Partial  # which is made of Overlaps

        reach = None if boundary is None else band_reach(boundary, spacing, labels.shape)
        counted = Partial.counted(labels, pred, ignore=ignore, reach=reach, threads=workers)
        return counted.total(strict=strict)

    @classmethod
    def from_masks(
        cls,
        truth: Any,
        pred: Any,
        *,
        ignore: Any = None,
        threads: int | None = None,
        boundary: float | None = None,
        spacing: Sequence[float] | None = None,
        strict: bool = False,
        class_agnostic: bool = False,
    ) -> Overlap:
        """Count objects that may overlap.

        Parameters
        ----------
        truth, pred
            :class:`softpq.Masks` on one image; a label image on one side is taken as masks.
        ignore
            A boolean mask, or Masks, whose pixels count nowhere; as for :meth:`from_labels`. Crowds of truth are no
            objects; what lies mostly on them is forgiven likewise.
        threads, boundary, spacing, strict
            As for :meth:`from_labels`; the band of each mask is its own.
        class_agnostic
            Where both sides know the classes of their masks, only objects of one class make pairs; True takes all
            together.

        Examples
        --------
        >>> from softpq import Masks
        >>> twice = Masks.from_layers([[[1, 1, 0]], [[1, 1, 0]]])
        >>> Overlap.from_masks(Masks.from_labels([[1, 1, 0]]), twice).pair_iou
        array([1., 1.])
        """
        from softpq.table.layered import overlap_of_masks  # which makes Overlaps

        reach = None if boundary is None else partial(band_reach, boundary, spacing)
        options: Any = {"ignore": ignore, "reach": reach, "strict": strict, "threads": cores(threads)}
        return overlap_of_masks(truth, pred, class_agnostic=class_agnostic, **options)

    @classmethod
    def counted(
        cls, truth: LabelArray, pred: LabelArray, threads: int, ignore: NDArray[np.uint8] | None = None
    ) -> Overlap:
        """Count labels that were checked; pixels where ``ignore`` is 1 are background of both.

        Examples
        --------
        >>> Overlap.counted(np.array([1, 1, 2]), np.array([1, 0, 2]), threads=1).pair_pixels.tolist()
        [1, 1]
        """
        check_same_shape(truth, pred)
        return cls.of_kernel(_core.count_objects(truth, pred, ignore, threads), truth, pred)

    @classmethod
    def of_kernel(cls, table: _core._Table, truth: LabelArray, pred: LabelArray) -> Overlap:
        """Make the table of what the kernel counted, unless there were negative labels.

        Examples
        --------
        >>> truth, pred = np.array([1, 1, 2]), np.array([1, 0, 2])
        >>> Overlap.of_kernel(_core.count_objects(truth, pred, None, 1), truth, pred).n_truth
        2
        """
        made = object.__new__(cls)  # columns of the kernel cannot be changed
        made.__dict__.update(zip(_NATIVE, table, strict=True), under=None, across=None, _known={})
        check_not_negative(made.truth_ids, truth.dtype, "truth")
        check_not_negative(made.pred_ids, pred.dtype, "pred")
        return made

    @classmethod
    def from_atoms(cls, truth_ids: Ids, pred_ids: Ids, atoms: Atoms, background: int = 0) -> Overlap:
        """Make the table of what is under each pixel; ids ascend.

        Examples
        --------
        >>> from softpq import Masks
        >>> table = Overlap.from_masks(Masks.from_stack([[[1, 1, 0]], [[0, 1, 1]]]), Masks.from_stack([[[1, 1, 0]]]))
        >>> Overlap.from_atoms(table.truth_ids, table.pred_ids, table.atoms).pair_pixels.tolist()
        [2, 1]
        """
        truth_areas, pred_areas, pairs = _core.tabulate_atoms(atoms.as_tuple(), len(truth_ids), len(pred_ids))
        under = atoms if atoms.several else None
        return cls(truth_ids, truth_areas, pred_ids, pred_areas, *pairs, background, under)

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
        return cls(*_core.tabulate(*checked_triples(truth, pred, pixels)))

    def restricted(self, keep_truth: NDArray[np.bool_], keep_pred: NDArray[np.bool_]) -> Overlap:
        """Return the table without some objects: what they covered becomes background.

        Parameters
        ----------
        keep_truth, keep_pred
            A mask over the objects of each side.

        Examples
        --------
        >>> import numpy as np
        >>> table = Overlap.from_labels([1, 1, 2, 2], [1, 1, 2, 0])
        >>> table.restricted(np.array([True, False]), np.array([True, True])).n_truth
        1
        """
        from softpq.table.altered import restricted  # which makes Overlaps, too

        return restricted(self, keep_truth, keep_pred)

    def renumbered(self, truth_ids: ArrayLike, pred_ids: ArrayLike) -> Overlap:
        """Return the table with other labels, given in the order of the present ones; objects go by the new labels.

        Examples
        --------
        >>> Overlap.from_labels([1, 2, 2], [1, 1, 0]).renumbered([7, 3], [5]).truth_areas.tolist()
        [2, 1]
        """
        from softpq.table.altered import renumbered

        return renumbered(self, np.asarray(truth_ids, np.uint64), np.asarray(pred_ids, np.uint64))

    @cached_property
    def swapped(self) -> Overlap:
        """The same table with truth and pred exchanged."""
        order = self.swapped_order
        under = None if self.under is None else self.under.swapped()
        across = None if self.across is None else self.across.swapped
        pairs = (self.pair_pred[order], self.pair_truth[order], self.pair_pixels[order])
        sides = (self.pred_ids, self.pred_areas, self.truth_ids, self.truth_areas)
        return Overlap(*sides, *pairs, self.background, under, across)

    def __add__(self, other: Overlap) -> Overlap:
        """Add the table of another tile of the same image: the same label is the same object."""
        if not isinstance(other, Overlap):
            return NotImplemented
        from softpq.table.altered import added

        return added(self, other)

    def __radd__(self, other: object) -> Overlap:
        return self if other == 0 else NotImplemented  # so that sum() works

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Overlap):
            return NotImplemented
        if self.background != other.background or (self.under is None) != (other.under is None):
            return False
        if self.across != other.across:
            return False
        same = all(np.array_equal(a, b) for a, b in zip(self._columns(), other._columns(), strict=True))
        return same and (self.under is None or self.atoms == other.atoms)

    def same_but_for_labels(self, other: Overlap) -> bool:
        """Whether two tables have the same objects and pairs in the same order, whatever the labels are.

        Examples
        --------
        >>> Overlap.from_labels([1, 1, 2], [1, 0, 2]).same_but_for_labels(Overlap.from_labels([5, 5, 9], [3, 0, 4]))
        True
        """
        return all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("truth_areas", "pred_areas", "pair_truth", "pair_pred", "pair_pixels")
        )

    def __hash__(self) -> int:
        return hash((self.background, *(column.tobytes() for column in self._columns())))

    def __reduce__(self) -> tuple[Any, ...]:
        under = None if self.under is None else self.atoms
        return Overlap, (*self.as_tuple(), under, self.across)  # what is remembered can be found again

    def __repr__(self) -> str:
        sizes = (self.n_truth, "truth object"), (self.n_pred, "pred object"), (len(self.pair_pixels), "pair")
        shown = ", ".join(how_many(count, noun) for count, noun in sizes)
        return f"Overlap({shown}, {self.truth_areas.sum()} + {self.pred_areas.sum()} pixels)"
