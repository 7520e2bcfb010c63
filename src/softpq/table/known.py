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

    Examples
    --------
    >>> pred = Masks.from_labels([[1, 2]], scores=[0.9, 0.4])
    >>> Known.of(Overlap.from_masks([[1, 1]], pred), pred=pred).scores
    (0.9, 0.4)
    """

    truth_classes: tuple[str, ...] | None = None
    pred_classes: tuple[str, ...] | None = None
    scores: tuple[float, ...] | None = None

    @classmethod
    def of(
        cls,
        overlap: Overlap,
        truth: Any = None,
        pred: Any = None,
        classes: Sequence[Classes | None] = (None, None),
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
        """
        sides = [
            _classes_of(side) if given is None else given for side, given in zip((truth, pred), classes, strict=True)
        ]
        names = [_listed(side, ids) for side, ids in zip(sides, (overlap.truth_ids, overlap.pred_ids), strict=True)]
        scores = _scores_of(pred, overlap.pred_ids)
        if names == [None, None] and scores is None:
            return None
        return cls(names[0], names[1], scores)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON."""
        listed = {name: getattr(self, name) for name in ("truth_classes", "pred_classes", "scores")}
        return {name: list(values) for name, values in listed.items() if values is not None}

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Known:
        """Read what :meth:`to_json` made."""
        return cls(**{name: tuple(values) for name, values in found.items()})


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
