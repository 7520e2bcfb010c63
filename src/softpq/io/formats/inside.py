"""Which of several arrays of a container (HDF5, Zarr) holds the labels: by its name, or all of them, frame by frame."""

from __future__ import annotations

import re
from collections.abc import Sequence

from softpq.errors import ReadError

USUAL = ("label", "labels", "masks", "mask", "segmentation", "neuron_ids", "exported_data", "main")
"""Names of arrays one of which is taken where there are others; between two of these nobody can choose."""

_FRAME = re.compile(r"(?:(.*)/)?T(\d+)")
"""As YeaZ has them: FOV0/T0, FOV0/T1, FOV0/T10."""


def chosen(arrays: Sequence[str], noun: str, example: str) -> str:
    """Return the array that holds the labels.

    Raises
    ------
    ReadError
        If nobody can tell; it names those that there are.

    Examples
    --------
    >>> chosen(["volumes/raw", "volumes/labels/neuron_ids"], "dataset", "file.h5")
    'volumes/labels/neuron_ids'
    """
    found = [name for name in arrays if name.rsplit("/", 1)[-1] in USUAL] or list(arrays)
    if len(found) == 1:
        return found[0]
    if not arrays:
        raise ReadError(f"holds no {noun} of whole numbers")
    raise ReadError(f"holds several {noun}s, say which as {example}:NAME; there are {', '.join(arrays)}")


def frames(arrays: Sequence[str]) -> list[str]:
    """Return the arrays of a movie, by place and number; none, if there are other arrays.

    Examples
    --------
    >>> frames(["FOV0/T0", "FOV0/T1", "FOV0/T10", "FOV0/T2"])
    ['FOV0/T0', 'FOV0/T1', 'FOV0/T2', 'FOV0/T10']
    """
    found = [_FRAME.fullmatch(name) for name in arrays]
    if len(arrays) < 2 or not all(found):
        return []
    order = sorted((one[1] or "", int(one[2]), one[0]) for one in found if one is not None)
    return [name for _, _, name in order]


def frame_names(stem: str, listed: Sequence[str]) -> list[str]:
    """What frames are called: as those of other movies; with their place, if there are several.

    Examples
    --------
    >>> frame_names("m", ["FOV0/T0", "FOV0/T10"]), frame_names("m", ["A/T1", "B/T1"])
    (['m_t000', 'm_t010'], ['m_A_t001', 'm_B_t001'])
    """
    parts = [name.rpartition("/") for name in listed]
    several = len({place for place, _, _ in parts}) > 1
    return [f"{stem}{'_' + place.replace('/', '_') if several else ''}_t{int(own[1:]):03d}" for place, _, own in parts]
