"""Connected pieces of labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softpq import _core
from softpq.table.labels import as_ignore, as_labels, check_same_shape, not_negative
from softpq.table.masks import Masks
from softpq.table.overlap import Overlap
from softpq.table.partial import Partial

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def split_components(labels: ArrayLike) -> NDArray[np.uint64]:
    """Give every connected piece of every label, or of a boolean mask, its own label.

    Pieces that touch at a corner stay together.

    See Also
    --------
    softpq.Overlap.from_labels : Counts label images.

    Examples
    --------
    >>> split_components([[1, 0, 1], [2, 0, 1]])
    array([[1, 0, 2],
           [3, 0, 2]], dtype=uint64)
    """
    given = np.asarray(labels)
    array = not_negative(as_labels(given.view(np.uint8) if given.dtype == bool else given, "labels"), "labels", None)
    return _core.draw_pieces(array).reshape(array.shape)


def pieces_of(labels: NDArray[Any]) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """Labels, first pixels and areas of the connected pieces, in the order of their first pixels.

    Examples
    --------
    >>> [column.tolist() for column in pieces_of(np.array([[1, 0, 1], [2, 0, 1]]))]
    [[1, 1, 2], [0, 2, 3], [1, 2, 1]]
    """
    return _core.pieces(not_negative(labels, "labels", None))


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
    truth, pred = not_negative(truth, "truth", mask), not_negative(pred, "pred", mask)
    pairs, ignored = _core.count_pieces(truth, pred, mask)
    return Partial(Overlap(*pairs), None if ignored is None else Overlap(*ignored)).total(strict=strict)
