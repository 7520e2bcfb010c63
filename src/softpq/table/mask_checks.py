"""What masks must be: every rule of the fields of Masks."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    A = TypeVar("A", bound=NDArray[Any])


def checked_shape(shape: Any) -> tuple[int, ...]:
    """Return the shape of an image as a tuple of two or three whole numbers, or raise."""
    try:
        found = tuple(operator.index(size) for size in shape)
    except TypeError:
        raise ValueError(f"shape must be two or three whole numbers; got {shape!r}.") from None
    if len(found) not in (2, 3) or min(found) < 0 or math.prod(found) >= 2**62:
        raise ValueError(f"shape must be two or three sizes of an image; got {found}.")
    if max(found) > LONGEST:
        raise ValueError(f"shape must have sides of at most {LONGEST:,} pixels; got {found}.")
    return found


LONGEST = 1 << 26
"""Pixels of a side; what is as long as a line costs memory whether there is something on it or not."""


def frozen(values: A) -> A:
    """Return an array that cannot be written to, without a change of the one that is given."""
    if values.flags.writeable:
        values = values.view()
        values.flags.writeable = False
    return values


def own(values: ArrayLike) -> NDArray[np.int64]:
    """Return whole numbers that nobody else can write to."""
    array = np.asarray(values, np.int64)
    return frozen(array.copy() if array.flags.writeable else array)


def check_runs(
    shape: tuple[int, ...], offsets: NDArray[np.int64], starts: NDArray[np.int64], stops: NDArray[np.int64]
) -> None:
    """Raise unless the runs of each mask ascend, do not touch, and lie in the image."""
    if offsets.ndim != 1 or not len(offsets) or offsets[0] != 0 or (np.diff(offsets) < 0).any():
        raise ValueError(f"offsets must start at 0 and never fall; got {offsets}.")
    if not len(starts) == len(stops) == offsets[-1]:
        raise ValueError(
            f"starts and stops must be as many as the last offset says, {offsets[-1]}; "
            f"got {len(starts)} and {len(stops)}."
        )
    if not len(starts):
        return
    apart = starts[1:] > stops[:-1]
    apart[offsets[(offsets > 0) & (offsets < len(starts))] - 1] = True  # the first run of another mask
    if not (apart.all() and (starts < stops).all() and starts.min() >= 0 and stops.max() <= math.prod(shape)):
        raise ValueError(f"runs must ascend, not touch, and lie in an image of shape {shape}; got others.")


def _column(values: ArrayLike, count: int, name: str) -> NDArray[Any]:
    array = np.array(values.cpu() if hasattr(values, "cpu") else values)
    if array.shape != (count,):
        raise ValueError(f"{name} must be one of each of {count} masks; got shape {array.shape}.")
    return array


def _scores(values: ArrayLike, count: int, name: str) -> NDArray[np.float64]:
    array = _column(values, count, name)
    if count and array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be numbers; got dtype {array.dtype}.")
    if (wrong := np.isnan(array.astype(np.float64))).any():
        raise ValueError(f"{name} must be numbers; found NaN at mask {int(np.argmax(wrong))}.")
    return array.astype(np.float64)


def _classes(values: ArrayLike, count: int, name: str) -> NDArray[np.str_]:
    array = _column(values, count, name)
    if array.dtype.kind == "f" and np.isfinite(array).all() and (array == np.floor(array)).all():
        array = array.astype(np.int64)  # 1.0 is class 1
    missing = [k for k, one in enumerate(array.tolist()) if one is None or one != one]
    if missing:
        raise ValueError(f"{name} must be names or numbers; mask {missing[0]} has none.")
    return array.astype(np.str_)


def _crowd(values: ArrayLike, count: int, name: str) -> NDArray[np.bool_]:
    array = _column(values, count, name)
    if count and not np.isin(array, (0, 1)).all():
        raise ValueError(f"{name} must be true or false; got {array[~np.isin(array, (0, 1))][0]}.")
    return array.astype(bool)


def _ids(values: ArrayLike, count: int, name: str) -> NDArray[np.int64]:
    array = _column(values, count, name)
    if count and array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be whole numbers; got dtype {array.dtype}.")
    if count and (int(array.min()) < 0 or int(array.max()) >= 2**63):
        raise ValueError(f"{name} must be from 0 to 2**63 - 1; got {array.min()} to {array.max()}.")
    distinct, counts = np.unique(array, return_counts=True)
    if (counts > 1).any():
        repeated = int(distinct[counts > 1][0])
        raise ValueError(f"{name} must differ from each other; got the same one, {repeated}, {counts.max()} times.")
    return array.astype(np.int64)


PER_MASK: Mapping[str, Callable[[Any, int, str], NDArray[Any]]] = {
    "scores": _scores,
    "classes": _classes,
    "crowd": _crowd,
    "ids": _ids,
}
"""What there may be one of for each mask, and how it is checked."""


def positions(keep: ArrayLike, count: int) -> NDArray[np.int64]:
    """Return positions of masks, from booleans or positions."""
    array = np.asarray(keep)
    if array.dtype == bool:
        if array.shape != (count,):
            raise ValueError(f"keep must be one boolean of each of {count} masks; got shape {array.shape}.")
        return np.flatnonzero(array)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise TypeError(f"keep must be booleans or positions; got shape {array.shape} of dtype {array.dtype}.")
    if array.size and not -count <= array.min() <= array.max() < count:
        raise IndexError(f"keep must be positions of {count} masks; got {array.min()} to {array.max()}.")
    return np.arange(count)[array.astype(np.int64)]
