"""What is known of the objects of a table beside their pixels: classes, and scores of predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.table.masks import Masks
from softpq.table.overlap import Overlap

if TYPE_CHECKING:
    from numpy.typing import NDArray

Classes = Mapping[int, str]


@dataclass(frozen=True)
class Known:
    """Classes and scores, in the order of the objects of a table; None where nobody knows them.

    Attributes
    ----------
    truth_classes, pred_classes
        Name of the class of each object, empty for those without one.
    scores
        Confidence of each prediction.
    across
        The same objects in a table in which those of different classes make pairs, too, where they do not in the
        first.

    Examples
    --------
    >>> pred = Masks.from_labels([[1, 2]], scores=[0.9, 0.4])
    >>> Known.of(Overlap.from_masks([[1, 1]], pred), pred=pred).scores
    (0.9, 0.4)
    """

    truth_classes: tuple[str, ...] | None = None
    pred_classes: tuple[str, ...] | None = None
    scores: tuple[float, ...] | None = None
    across: Overlap | None = None

    @classmethod
    def of(
        cls,
        overlap: Overlap,
        truth: Any = None,
        pred: Any = None,
        classes: Sequence[Classes | None] = (None, None),
        **counting: Any,
    ) -> Known | None:
        """Find out what is known; None if it is nothing.

        Parameters
        ----------
        overlap
            The table.
        truth, pred
            The two sides; masks may know more than their pixels.
        classes
            Label -> class of each side, if somebody else knows them.
        counting
            ``ignore``, ``strict``, and whether the table is ``class_agnostic``.
        """
        sides = [
            _classes_of(side) if given is None else given for side, given in zip((truth, pred), classes, strict=True)
        ]
        names = [_listed(side, ids) for side, ids in zip(sides, (overlap.truth_ids, overlap.pred_ids), strict=True)]
        scores = _scores_of(pred, overlap.pred_ids)
        if names == [None, None] and scores is None:
            return None
        return cls(names[0], names[1], scores, _across(overlap, truth, pred, **counting))

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON, but for the other table."""
        listed = {name: getattr(self, name) for name in ("truth_classes", "pred_classes", "scores")}
        return {name: list(values) for name, values in listed.items() if values is not None}

    @classmethod
    def from_json(cls, found: Mapping[str, Any], across: Overlap | None = None) -> Known:
        """Read what :meth:`to_json` made."""
        return cls(**{name: tuple(values) for name, values in found.items()}, across=across)


def _classes_of(side: Any) -> Classes | None:
    if not isinstance(side, Masks) or side.classes is None:
        return None
    return dict(zip(side.numbers.tolist(), side.classes.tolist(), strict=True))


def _listed(classes: Classes | None, ids: NDArray[np.uint64]) -> tuple[str, ...] | None:
    return None if classes is None else tuple(str(classes.get(int(number), "")) for number in ids)


def _scores_of(pred: Any, ids: NDArray[np.uint64]) -> tuple[float, ...] | None:
    if not isinstance(pred, Masks) or pred.scores is None:
        return None
    known = dict(zip(pred.numbers.tolist(), pred.scores.tolist(), strict=True))
    return tuple(known[int(number)] for number in ids)


def _across(
    overlap: Overlap, truth: Any, pred: Any, *, class_agnostic: bool = False, **counting: Any
) -> Overlap | None:
    """The table of all classes together, where the other one has each by itself."""
    sides = [known for side in (truth, pred) if (known := _classes_of(side)) is not None]
    if class_agnostic or len(sides) < 2 or len({name for side in sides for name in side.values()}) < 2:
        return None
    found = Overlap.from_masks(truth, pred, class_agnostic=True, **counting)
    keep = [np.isin(found.truth_ids, overlap.truth_ids), np.isin(found.pred_ids, overlap.pred_ids)]
    return found.restricted(keep[0], keep[1])
