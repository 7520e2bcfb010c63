"""NuCLS: masks in colour; red is the class, green and blue say which nucleus, and one red is the field of view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.io.format import Content

if TYPE_CHECKING:
    from numpy.typing import NDArray

FIELD = 253
"""Red of the pixels that were looked at and are no nucleus."""

MOST_CLASSES = 20


def nuclei_of(colours: NDArray[Any], ids: NDArray[Any]) -> Content | None:
    """Return the nuclei with their classes, where a picture is such a mask; what was not looked at counts nowhere.

    Parameters
    ----------
    colours
        8 bits, three channels or more.
    ids
        A number for each colour.
    """
    red = colours[..., 0]
    field = red == FIELD
    kinds = np.unique(red[~field])
    if not field.any() or len(kinds) > MOST_CLASSES or len(np.unique(ids[field])) > 1 or field.mean() < 0.05:
        return None
    labels = np.where(field | (red == 0), 0, ids)
    numbers, first = np.unique(labels, return_index=True)
    classes = {int(number): str(int(red.ravel()[k])) for number, k in zip(numbers, first, strict=True) if number}
    outside = red == 0
    notes = ("pixels outside of the field of view count nowhere",) if outside.any() else ()
    return Content(labels, classes, notes=notes, void=outside if outside.any() else None)
