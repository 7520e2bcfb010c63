"""What is under a pixel where objects overlap: so many pixels lie under exactly these truth objects and predictions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq import _core
from softpq.table.mask_checks import frozen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softpq.table.masks import Masks

    Keep = NDArray[np.bool_]
    Members = NDArray[np.int32]
    Counts = NDArray[np.int64]


MOST_MEMBERS = 1 << 27
"""Of all atoms together: half a gigabyte. Masks that are a hundred deep on a large image may have more."""


class TooDeep(ValueError):
    """Masks lie over each other in so many ways that their atoms cannot be kept."""


@dataclass(frozen=True)
class Covered:
    """Pixels under any object of a side, and under objects of both."""

    truth: int
    pred: int
    both: int


@dataclass(frozen=True, eq=False)
class Atoms:
    """The image as a list of atoms, in order of their sets; each pair of sets once.

    Attributes
    ----------
    truth_offsets, truth
        Atom k is under the truth objects at the positions ``truth[truth_offsets[k]:truth_offsets[k + 1]]``.
    pred_offsets, pred
        The same of predictions.
    pixels
        Of each atom.

    Examples
    --------
    >>> Atoms.of([([0], [0, 1], 5), ([0], [], 2)]).rows()
    [([0], [], 2), ([0], [0, 1], 5)]
    """

    truth_offsets: Counts
    truth: Members
    pred_offsets: Counts
    pred: Members
    pixels: Counts

    def __post_init__(self) -> None:
        for name, column in vars(self).items():
            object.__setattr__(self, name, frozen(column))

    @classmethod
    def of(cls, rows: Sequence[tuple[Sequence[int], Sequence[int], int]]) -> Atoms:
        """Make atoms of rows: positions of truth objects, of predictions, and pixels."""
        truth, pred = ([np.array(row[side], np.int32) for row in rows] for side in (0, 1))
        pixels = np.array([row[2] for row in rows], np.int64)
        return cls.ordered(_ends(truth), _flat(truth), _ends(pred), _flat(pred), pixels)

    @classmethod
    def ordered(
        cls, truth_offsets: Counts, truth: Members, pred_offsets: Counts, pred: Members, pixels: Counts
    ) -> Atoms:
        """Make atoms of sets in any order, which may repeat and be empty."""
        columns = (truth_offsets, truth, pred_offsets, pred, pixels)
        most = [int(members.max(initial=-1)) + 1 for members in (truth, pred)]
        return cls(*_core.order_atoms(columns, most[0], most[1]))

    def as_tuple(self) -> tuple[Counts, Members, Counts, Members, Counts]:
        """All columns."""
        return self.truth_offsets, self.truth, self.pred_offsets, self.pred, self.pixels

    def atoms(self) -> Atoms:
        """Return itself."""
        return self

    def rows(self) -> list[tuple[list[int], list[int], int]]:
        """Return the atoms as plain lists."""
        sides = [
            np.split(members, offsets[1:-1])
            for offsets, members in ((self.truth_offsets, self.truth), (self.pred_offsets, self.pred))
        ]
        return [
            (truth.tolist(), pred.tolist(), pixels)
            for truth, pred, pixels in zip(sides[0], sides[1], self.pixels.tolist(), strict=False)
        ]

    @cached_property
    def covered(self) -> Covered:
        """Pixels under any object of a side, and under objects of both."""
        in_truth, in_pred = np.diff(self.truth_offsets) > 0, np.diff(self.pred_offsets) > 0
        return Covered(*(int(self.pixels[which].sum()) for which in (in_truth, in_pred, in_truth & in_pred)))

    def several_of(self, side: str) -> int:
        """Pixels under several objects of this side."""
        return int(self.pixels[np.diff(getattr(self, f"{side}_offsets")) > 1].sum())

    @property
    def several(self) -> int:
        """Pixels under several objects of one side."""
        several = (np.diff(self.truth_offsets) > 1) | (np.diff(self.pred_offsets) > 1)
        return int(self.pixels[several].sum())

    def owners(self, side: str) -> NDArray[np.int64]:
        """The atom of each member of a side."""
        offsets: Counts = getattr(self, f"{side}_offsets")
        return np.repeat(np.arange(len(self.pixels)), np.diff(offsets))

    def alone(self, side: str, count: int) -> Counts:
        """Pixels of each object of a side that are under no object of the other."""
        other = "pred" if side == "truth" else "truth"
        nobody = np.diff(getattr(self, f"{other}_offsets")) == 0
        owners = self.owners(side)
        total = np.zeros(count, np.int64)
        np.add.at(total, getattr(self, side), np.where(nobody[owners], self.pixels[owners], 0))
        return total

    def swapped(self) -> Atoms:
        """The same with truth and pred exchanged."""
        return Atoms.ordered(self.pred_offsets, self.pred, self.truth_offsets, self.truth, self.pixels)

    def restricted(self, keep_truth: Keep, keep_pred: Keep) -> Atoms | None:
        """Without some objects; None if no pixel has several then."""
        renumbered = [np.where(keep, np.cumsum(keep) - 1, -1) for keep in (keep_truth, keep_pred)]
        atoms = self.renumbered(*renumbered)
        return atoms if atoms.several else None

    def renumbered(self, truth: NDArray[Any], pred: NDArray[Any]) -> Atoms:
        """With other positions, given for each present one; -1 takes an object out, equal ones are united."""
        sides: list[tuple[Counts, Members]] = []
        for side, place in (("truth", truth), ("pred", pred)):
            members = np.asarray(place, np.int64)[getattr(self, side)]
            sides.append(self.sets(self.owners(side)[members >= 0], members[members >= 0]))
        return Atoms.ordered(*sides[0], *sides[1], self.pixels)

    def sets(self, owners: NDArray[np.int64], members: NDArray[Any]) -> tuple[Counts, Members]:
        """Offsets and members, from the atom of each member; those of an atom need not be together."""
        order = np.argsort(owners, kind="stable")
        counts = np.bincount(owners, minlength=len(self.pixels))
        return np.concatenate([[0], np.cumsum(counts)]), np.ascontiguousarray(members[order], np.int32)

    def __add__(self, other: Atoms) -> Atoms:
        """Sum the atoms of two tiles, whose positions mean the same."""
        ends = [
            np.concatenate([mine, theirs[1:] + mine[-1]])
            for mine, theirs in (
                (self.truth_offsets, other.truth_offsets),
                (self.pred_offsets, other.pred_offsets),
            )
        ]
        truth, pred = np.concatenate([self.truth, other.truth]), np.concatenate([self.pred, other.pred])
        return Atoms.ordered(ends[0], truth, ends[1], pred, np.concatenate([self.pixels, other.pixels]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Atoms):
            return NotImplemented
        return all(np.array_equal(getattr(self, one.name), getattr(other, one.name)) for one in fields(Atoms))

    def __hash__(self) -> int:
        return hash(tuple(column.tobytes() for column in self.as_tuple()))


@dataclass(frozen=True, eq=False)
class Layers:
    """The masks of both sides, in the order of the objects of a table: atoms are found when somebody asks for them.

    Where masks are nested a hundred deep, they take far more room than masks do.
    """

    truth: Masks
    pred: Masks
    covered: Covered

    @classmethod
    def of(cls, truth: Masks, pred: Masks) -> Layers:
        """Count what is covered."""
        _, sizes = _core.count_layers(truth.runs(), pred.runs(), math.prod(truth.shape), 1)
        return cls(truth, pred, Covered(*sizes))

    @property
    def overlaps(self) -> bool:
        """Whether a pixel is under several masks of one side."""
        return self.covered.truth < int(self.truth.areas.sum()) or self.covered.pred < int(self.pred.areas.sum())

    def several_of(self, side: str) -> int:
        """Pixels under several masks of this side."""
        masks: Masks = getattr(self, side)
        at = np.concatenate([masks.starts, masks.stops])
        step = np.repeat([1, -1], len(masks.starts))
        order = np.argsort(at, kind="stable")
        depth = np.cumsum(step[order])
        return int(np.diff(at[order])[depth[:-1] > 1].sum())

    def atoms(self) -> Atoms:
        """Find the atoms, in one sweep."""
        pixels = math.prod(self.truth.shape)
        try:
            return Atoms(*_core.sweep_atoms(self.truth.runs(), self.pred.runs(), pixels, MOST_MEMBERS))
        except ValueError as error:
            raise TooDeep(
                f"masks must be nested less deep; got {len(self.truth)} and {len(self.pred)}, which lie over each "
                f"other in too many ways ({MOST_MEMBERS:,} members). SoftPQ, PQ and the like can be asked for by name."
            ) from error

    def swapped(self) -> Layers:
        """The same with truth and pred exchanged."""
        return Layers(self.pred, self.truth, Covered(self.covered.pred, self.covered.truth, self.covered.both))

    def restricted(self, keep_truth: Keep, keep_pred: Keep) -> Layers | None:
        """Without some masks; None if no pixel has several then."""
        layers = Layers.of(self.truth.select(keep_truth), self.pred.select(keep_pred))
        return layers if layers.overlaps else None


def _ends(parts: Sequence[NDArray[Any]]) -> Counts:
    return np.concatenate([[0], np.cumsum([len(part) for part in parts], dtype=np.int64)])


def _flat(parts: Sequence[NDArray[Any]]) -> Members:
    return np.concatenate([np.zeros(0, np.int32), *parts])
