"""Images that are no instance labels are recognised and explained, not scored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.table.pieces import split_components

if TYPE_CHECKING:
    from numpy.typing import NDArray

MANY_PIECES = {1: 4, 255: 2, 65535: 2}
"""The only label -> in how many separate pieces it is taken for a mask of foreground."""


def check_instances(labels: NDArray[Any]) -> None:
    """Raise a ReadError that explains, if an array cannot be instance labels."""
    if labels.dtype.kind == "f":
        whole = np.isfinite(labels).all() and (labels == np.floor(labels)).all()
        if not whole:
            raise ReadError("holds fractions: a probability map or an intensity image, not labels")
    elif labels.dtype.kind not in "iub":
        raise ReadError(f"holds {labels.dtype}, not labels")
    if labels.ndim == 3 and labels.shape[-1] in (3, 4) and labels.dtype == np.uint8 and _many_values(labels):
        raise ReadError("looks like a colour image, not labels")
    if is_foreground_mask(labels):
        raise ReadError(
            "looks like a binary mask: one label in many separate pieces. Label its connected components first, "
            "or pass --split-components"
        )


def is_foreground_mask(labels: NDArray[Any]) -> bool:
    """Whether the only label is 1, 255 or the like and comes in many pieces."""
    if labels.size == 0 or labels.dtype == bool:
        return labels.dtype == bool
    top = labels.max()
    if int(top) not in MANY_PIECES or not np.isin(labels.ravel()[:: max(labels.size // 4096, 1)], (0, top)).all():
        return False
    if not ((labels == 0) | (labels == top)).all():
        return False
    pieces = split_components(np.ascontiguousarray(labels != 0).view(np.uint8))
    return int(pieces.max(initial=0)) >= MANY_PIECES[int(top)]


def _many_values(labels: NDArray[Any]) -> bool:
    """Photographs use most of the 256 values, in each channel."""
    return min(len(np.unique(labels[..., channel])) for channel in range(3)) > 100
