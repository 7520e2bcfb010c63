"""Arrays of a type that no label image has are recognised and explained."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.table.content import LABEL_FIRST

if TYPE_CHECKING:
    from numpy.typing import NDArray


def check_type(labels: NDArray[Any]) -> None:
    """Raise a ReadError that explains, if an array of this type cannot be instance labels."""
    if labels.dtype == bool and labels.ndim > 2:
        raise ReadError(
            f"is a stack of booleans of shape {labels.shape}. A stack of masks is made with softpq.Masks.from_stack; a "
            f"volume: {LABEL_FIRST[0].lower()}{LABEL_FIRST[1:]}"
        )
    if labels.dtype == bool:
        raise ReadError(f"is a binary mask. {LABEL_FIRST}")
    if labels.dtype.kind not in "iuf":
        raise ReadError(f"holds {labels.dtype}, not labels")
    if labels.dtype.kind != "f":
        return
    if not np.isfinite(labels).all():
        raise ReadError("holds NaN or infinite values, not labels")
    if (labels != np.floor(labels)).any():
        raise ReadError("holds fractions: a probability map or an intensity image, not labels")
