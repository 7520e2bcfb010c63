"""Connected pieces of labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softpq import _core
from softpq.table.labels import as_ignore, as_labels, check_same_shape, not_negative
from softpq.table.masks import Masks
from softpq.table.overlap import Overlap

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def split_components(labels: ArrayLike) -> NDArray[np.uint64]:
    """Give every connected piece of every label its own label; pieces that touch at a corner stay together.

    Examples
    --------
    >>> split_components([[1, 0, 1], [2, 0, 1]])
    array([[1, 0, 2],
           [3, 0, 2]], dtype=uint64)
    """
    array = np.ascontiguousarray(not_negative(as_labels(labels, "labels"), "labels", None))
    return _core.connected_components(array).reshape(array.shape)


def painted(side: Any, name: str) -> Any:
    """Return masks that do not overlap as a label image; what is none stays as it is."""
    if not isinstance(side, Masks):
        return side
    labels = side.to_labels()
    if labels is None:
        raise ValueError(
            f'{name} must be a label image for the reading "released"; got masks that overlap or are empty.'
        )
    return labels


def pieces_overlap(
    truth: ArrayLike | Masks, pred: ArrayLike | Masks, *, ignore: Any = None, strict: bool = False
) -> Overlap:
    """Count connected components, as the authors' program and its reading do."""
    truth, pred = as_labels(painted(truth, "truth"), "truth"), as_labels(painted(pred, "pred"), "pred")
    check_same_shape(truth, pred)
    mask = as_ignore(ignore, truth)
    pieces = [split_components(not_negative(side, name, mask)) for side, name in ((truth, "truth"), (pred, "pred"))]
    return Overlap.from_labels(*pieces, ignore=None if mask is None else mask.astype(bool), strict=strict)


def renumbered_by_piece(truth: NDArray[Any], pred: NDArray[Any], overlap: Overlap) -> Overlap | None:
    """The table of pieces if every object is one piece: the same numbers, in the order of the pieces."""
    places = []
    for labels, ids in ((truth, overlap.truth_ids), (pred, overlap.pred_ids)):
        numbers = split_components(labels).ravel()
        first = np.flatnonzero(np.diff(np.maximum.accumulate(numbers), prepend=np.uint64(0)))  # pixels of new pieces
        if len(first) != len(ids):
            return None
        places.append(np.argsort(labels.ravel()[first]) + 1)
    return overlap.renumbered(places[0], places[1])
