"""Masks as COCO writes them: run-lengths down the columns, or polygons; many at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Columns = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]

MOST_PIXELS = 2**32
"""Of one image: COCO counts with 32 bits."""

MOST_RUNS = 2**28
"""Of all masks of one call: 4 GB."""


class WrongMask(ValueError):
    """One of several masks cannot be used: its position, and why, as what follows its name."""

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(f"mask {position} {reason}")
        self.position = position
        self.reason = reason


def runs_of(masks: Sequence[Any], heights: NDArray[np.int64], widths: NDArray[np.int64]) -> Columns:
    """Return offsets, starts and stops of runs down the columns, of masks that are each on an image of its own size.

    Parameters
    ----------
    masks
        Run-lengths as mappings with ``size`` and ``counts``, or lists of polygons x, y, x, y, ...
    heights, widths
        Of their images.

    Raises
    ------
    WrongMask
        For the first of its kind that cannot be used.
    """
    large = np.flatnonzero(heights * widths.astype(float) > MOST_PIXELS)
    if large.size:
        height, width = heights[large[0]], widths[large[0]]
        raise WrongMask(int(large[0]), f"lies on {height} x {width} pixels; at most {MOST_PIXELS} are allowed")
    plain = _core.coco_dict_runs(list(masks), heights, widths, MOST_RUNS)
    if plain is not None:
        return _checked(plain, range(len(masks)))
    kinds: dict[str, list[int]] = {"text": [], "numbers": [], "polygons": []}
    for k, mask in enumerate(masks):
        kinds[_kind(mask, k)].append(k)
    parts = [
        (positions, _converted(kind, positions, masks, heights, widths))
        for kind, positions in kinds.items()
        if positions
    ]
    return _in_order(parts) if len(parts) != 1 else parts[0][1]


def _kind(mask: Any, k: int) -> str:
    if isinstance(mask, dict | Mapping) and "counts" in mask:
        return "text" if isinstance(mask["counts"], str | bytes) else "numbers"
    if isinstance(mask, Sequence) and not isinstance(mask, str | bytes):
        return "polygons"
    raise WrongMask(k, "must be run-lengths (size, counts) or polygons; it is neither")


def _converted(
    kind: str, at: list[int], masks: Sequence[Any], heights: NDArray[np.int64], widths: NDArray[np.int64]
) -> Columns:
    sizes = heights[at].astype(np.int64), widths[at].astype(np.int64)
    mine = [masks[k] for k in at]
    if kind != "polygons":
        _check_sizes(mine, at, *sizes)
    if kind == "text":
        texts = [_text(mask["counts"], k) for mask, k in zip(mine, at, strict=True)]
        found = _core.coco_text_runs(b"".join(texts), _ends(texts), *sizes, MOST_RUNS)
    elif kind == "numbers":
        counts = [_numbers(mask["counts"], k) for mask, k in zip(mine, at, strict=True)]
        found = _core.coco_count_runs(np.concatenate(counts), _ends(counts), *sizes, MOST_RUNS)
    else:
        rings = [[_ring(ring, k) for ring in mask] for mask, k in zip(mine, at, strict=True)]
        flat = [ring for of_mask in rings for ring in of_mask]
        corners = np.concatenate([np.zeros(0), *flat])
        found = _core.coco_polygon_runs(corners, _ends(flat) // 2, _ends(rings), *sizes, MOST_RUNS)
    return _checked(found, at)


def _checked(found: tuple[Any, ...], at: Sequence[int]) -> Columns:
    if found[3] >= 0:
        raise WrongMask(at[found[3]], found[4])
    return found[0], found[1], found[2]


def _check_sizes(
    masks: Sequence[Any], at: Sequence[int], heights: NDArray[np.int64], widths: NDArray[np.int64]
) -> None:
    for mask, k, size in zip(masks, at, zip(heights.tolist(), widths.tolist(), strict=True), strict=True):
        given = mask.get("size")
        if not isinstance(given, list | tuple | np.ndarray) or tuple(given) != size:
            raise WrongMask(k, f"must have the size of its image, {size[0]} x {size[1]}; got {str(given)[:40]}")


def _text(counts: str | bytes, k: int) -> bytes:
    try:
        return counts if isinstance(counts, bytes) else counts.encode("ascii")
    except UnicodeEncodeError:
        raise WrongMask(k, "has run-lengths with a character outside of the code") from None


def _numbers(counts: Any, k: int) -> NDArray[np.int64]:
    try:
        found = np.array(counts)
        if found.ndim != 1 or (found.size and (found.dtype.kind not in "iuf" or not (found == np.floor(found)).all())):
            raise ValueError
        if found.size and float(found.max()) >= 2.0**63:
            raise WrongMask(k, "has a run-length that is larger than any image")
        return found.astype(np.int64)
    except (ValueError, TypeError, OverflowError):
        raise WrongMask(k, "has run-lengths that are not whole numbers") from None


def _ring(ring: Any, k: int) -> NDArray[np.float64]:
    try:
        found = np.asarray(ring)
        if found.ndim not in (1, 2) or found.dtype.kind not in "iuf":
            raise ValueError
    except (ValueError, TypeError):
        raise WrongMask(k, "has a polygon that is not numbers x, y, x, y, ...") from None
    if found.size % 2 or (found.ndim == 2 and found.shape[1] != 2):
        raise WrongMask(k, f"has a polygon with an x without a y: {found.size} numbers")
    if found.size < 6:
        raise WrongMask(k, f"has a polygon with fewer than three corners: {found.size // 2}")
    return found.astype(np.float64).ravel()


def _ends(parts: Sequence[Any]) -> NDArray[np.int64]:
    return np.cumsum([len(part) for part in parts], dtype=np.int64)


def _in_order(parts: list[tuple[list[int], Columns]]) -> Columns:
    """Masks of several kinds, each where it was."""
    if not parts:
        return np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64)
    position = np.concatenate([at for at, _ in parts])
    counts = np.concatenate([np.diff(runs[0]) for _, runs in parts])
    begins = np.concatenate([[0], np.cumsum(counts)[:-1]])
    order = np.argsort(position)
    offsets = np.concatenate([[0], np.cumsum(counts[order])]).astype(np.int64)
    runs = np.arange(offsets[-1]) + np.repeat(begins[order] - offsets[:-1], counts[order])
    starts, stops = (np.concatenate([one[k] for _, one in parts])[runs] for k in (1, 2))
    return offsets, starts, stops
