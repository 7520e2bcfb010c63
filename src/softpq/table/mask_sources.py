"""What masks are made from: each function returns a shape and runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq import _core
from softpq._checks import check_choice
from softpq.table.labels import as_array, as_labels, cores, not_negative
from softpq.table.mask_checks import checked_shape
from softpq.table.segmentations import runs_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Runs = tuple[tuple[int, ...], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]

MOST_CROSSINGS = 2**28
"""Of one object's outline with lines of the image; beyond, the outline is refused."""


def from_stack(stack: ArrayLike, mask_threshold: float | None = None, name: str = "stack") -> Runs:
    """Runs of a stack (N, H, W) or (N, D, H, W)."""
    if isinstance(stack, list | tuple) and len(stack) and all(getattr(one, "ndim", 0) >= 2 for one in stack):
        raise TypeError(f"{name} must be one array; got a list of {len(stack)}. Masks.from_list takes those.")
    array = as_array(stack, name)
    if array.ndim not in (3, 4):
        raise ValueError(f"{name} must have the shape (N, H, W) or (N, D, H, W); got {array.shape}.")
    array = _inside(array, mask_threshold, name)
    runs, least, most = _core.stack_runs(np.ascontiguousarray(array), cores())
    if most and not (least == most and (most == 1 or (most == 255 and array.dtype != np.int8))):
        raise ValueError(
            f"{name} must hold only 0 and 1, or only 0 and 255; found {_second_value(array)}. "
            "A label image is made into masks by Masks.from_labels, several by Masks.from_layers."
        )
    return array.shape[1:], *runs


def _inside(array: NDArray[Any], mask_threshold: float | None, name: str) -> NDArray[Any]:
    """Booleans as bytes; probabilities by their threshold; integers as they are."""
    if mask_threshold is not None:
        if array.dtype.kind != "f" and array.dtype != bool:
            raise TypeError(f"mask_threshold must be left out where {name} is no probability; got dtype {array.dtype}.")
        if not isinstance(mask_threshold, Real) or mask_threshold != mask_threshold:
            raise ValueError(f"mask_threshold must be a number; got {mask_threshold!r}.")
        if array.dtype.kind == "f" and np.isnan(array).any():
            raise ValueError(f"{name} must hold probabilities; found NaN.")
        array = array if array.dtype == bool else array >= mask_threshold
    if array.dtype == bool:
        return array.view(np.uint8)
    if array.dtype.kind == "f":
        raise TypeError(
            f"{name} must be booleans, or 0 and 1; got probabilities ({array.dtype}). "
            "Say where a mask begins: mask_threshold=0.5."
        )
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be booleans, or 0 and 1; got dtype {array.dtype}.")
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _second_value(array: NDArray[Any]) -> str:
    values = np.unique(array)
    return ", ".join(str(value) for value in values[values != 0][:2])


def from_list(masks: Iterable[ArrayLike], shape: Sequence[int] | None, mask_threshold: float | None) -> Runs:
    """Runs of arrays of one shape."""
    expected = None if shape is None else checked_shape(shape)
    parts = []
    for k, mask in enumerate(masks):  # which may be made one by one
        array = as_array(mask, f"mask {k}")
        expected = expected or checked_shape(array.shape)
        if array.shape != expected:
            raise ValueError(f"masks must have one shape; got {array.shape} for mask {k} and {expected} for the image.")
        parts.append(from_stack(array[np.newaxis], mask_threshold, f"mask {k}"))
    if expected is None:
        raise ValueError("shape must be given where there are no masks; got neither.")
    return joined(parts, expected)


def joined(parts: Sequence[Runs], shape: tuple[int, ...]) -> Runs:
    """Runs of several sources, one after the other."""
    counts = np.concatenate([np.zeros(1, np.int64), *(np.diff(part[1]) for part in parts)])
    starts, stops = (np.concatenate([np.zeros(0, np.int64), *(part[k] for part in parts)]) for k in (2, 3))
    return shape, np.cumsum(counts), starts, stops


def from_labels(labels: ArrayLike, name: str) -> tuple[NDArray[np.uint64], Runs]:
    """Labels, ascending, and runs of each."""
    array = not_negative(as_labels(labels, name), name, None)
    ids, runs = _core.label_runs(np.ascontiguousarray(array))
    return ids, (checked_shape(array.shape), *runs)


def from_layers(layers: Iterable[ArrayLike]) -> Runs:
    """Runs of label images, one after the other."""
    parts = [from_labels(layer, f"layer {k}")[1] for k, layer in enumerate(layers)]
    if not parts:
        raise ValueError("layers must be at least one label image; got none.")
    for k, part in enumerate(parts):
        if part[0] != parts[0][0]:
            raise ValueError(f"layers must have one shape; got {parts[0][0]} for layer 0 and {part[0]} for layer {k}.")
    return joined(parts, parts[0][0])


def from_polygons(objects: Iterable[Sequence[ArrayLike]], shape: Sequence[int], polygons: str) -> Runs:
    """Runs of outlines; as COCO draws them, down the columns."""
    check_choice(polygons, ("centre", "coco"), "polygons")
    size = checked_shape(shape)
    if len(size) != 2:
        raise ValueError(f"shape must be height and width for polygons; got {size}.")
    rings, object_ends = [], []
    for k, outlines in enumerate(objects):
        rings += [_corners(ring, k) for ring in outlines]
        object_ends.append(len(rings))
    corners = np.concatenate([np.zeros((0, 2)), *rings])
    ring_ends = np.cumsum([len(ring) for ring in rings], dtype=np.int64)
    ends = np.array(object_ends, np.int64)
    if polygons == "coco":
        return _on_one_image(_by_object(rings, object_ends), size)
    return size, *_core.polygon_runs(corners.ravel(), ring_ends, ends, *size, MOST_CROSSINGS)


def _by_object(rings: Sequence[NDArray[np.float64]], ends: Sequence[int]) -> list[Any]:
    return [rings[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]


def from_rle(masks: Iterable[Mapping[str, Any]], shape: Sequence[int] | None) -> Runs:
    """Runs down the columns of COCO's run-lengths."""
    given = list(masks)
    if not given and shape is None:
        raise ValueError("shape must be given where there are no masks; got neither.")
    try:
        size = checked_shape(given[0]["size"] if shape is None else shape)
    except (TypeError, KeyError):
        raise ValueError("mask 0 must be a mapping with size and counts; it is not.") from None
    if len(size) != 2:
        raise ValueError(f"shape must be height and width for run-lengths; got {size}.")
    return _on_one_image(given, size)


def _on_one_image(masks: Sequence[Any], size: tuple[int, ...]) -> Runs:
    height, width = (np.full(len(masks), side, np.int64) for side in size)
    return size, *runs_of(masks, height, width)


def _corners(ring: ArrayLike, k: int) -> NDArray[np.float64]:
    """Corners (n, 2) of one ring of object k."""
    array = np.asarray(ring, np.float64)
    if array.ndim == 1 and array.size % 2 == 0:
        array = array.reshape(-1, 2)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"object {k} must have rings of corners (x, y); got one of shape {array.shape}.")
    if len(array) < 3:
        raise ValueError(f"object {k} must have rings of at least three corners; got one of {len(array)}.")
    if not np.isfinite(array).all():
        wrong = next(value for value in array.ravel() if not math.isfinite(value))
        raise ValueError(f"object {k} must have finite corners; found {wrong}.")
    return array


def chosen(
    offsets: NDArray[np.int64], starts: NDArray[np.int64], stops: NDArray[np.int64], at: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Runs of the masks at these positions."""
    if len(at) == len(offsets) - 1 and np.array_equal(at, np.arange(len(at))):
        return offsets, starts, stops
    counts = np.diff(offsets)[at]
    ends = np.concatenate([[0], np.cumsum(counts)])
    runs = np.arange(ends[-1]) + np.repeat(offsets[at] - ends[:-1], counts)
    return ends, starts[runs], stops[runs]
