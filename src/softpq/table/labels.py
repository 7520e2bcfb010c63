"""What may come in: every input is checked here, and every input error is raised here."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq._checks import check_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    LabelArray = NDArray[np.integer[Any]]


def _single(value: object) -> str:
    return "nothing" if value is None else "a single value"


def as_labels(values: ArrayLike, name: str) -> LabelArray:
    """Return an integer array of native byte order, without a copy where the input already is one.

    Parameters
    ----------
    values
        A NumPy array, anything with ``__array__`` or DLPack on the CPU, or nested lists.
    name
        What to call it in errors, ``"truth"`` or ``"pred"``.

    Examples
    --------
    >>> as_labels([[0, 1], [2, 2]], "truth").dtype
    dtype('int64')
    """
    if type(values) is np.ndarray and values.dtype.kind in "iu" and values.ndim:
        return _readable_in_place(values)  # as nearly always
    if isinstance(values, str | PathLike):
        raise TypeError(
            f"{name} must be a label image; got a path. Read it with softpq.io.read_labels, or score files and folders "
            "with softpq.evaluate_dataset."
        )
    array = as_array(values, name)
    if array.ndim == 0:
        raise ValueError(f"{name} must be a label image with at least one dimension; got {_single(values)}.")
    if array.dtype == bool and array.ndim > 2:
        raise TypeError(
            f"{name} must hold integer labels, one per object; got booleans of shape {array.shape}. "
            "A stack of masks is made with softpq.Masks.from_stack; the connected components of a volume are labelled "
            "with softpq.split_components(mask)."
        )
    if array.dtype == bool:
        raise TypeError(
            f"{name} must hold integer labels, one per object; got a boolean mask. "
            "Label its connected components first, e.g. with softpq.split_components(mask)."
        )
    if array.dtype.kind == "f":
        return _whole_numbers(array, name)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold integer labels; got dtype {array.dtype}.")
    return _readable_in_place(array)


def as_array(values: ArrayLike, name: str) -> NDArray[Any]:
    """Return an array of any type, without a copy where that is possible, or say what to do."""
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(
            f"{name} must be a plain array; got a masked array. "
            f"Pass {name}.filled(0), and ignore={name}.mask to leave the masked pixels out."
        )
    if isinstance(values, list | tuple) and len(values) and all(_is_image(one) for one in values):
        raise TypeError(
            f"{name} must be one label image; got a list of {len(values)}. Score a list of images with "
            "softpq.evaluate_dataset; make a volume of slices with numpy.stack."
        )
    if isinstance(values, Mapping):
        raise TypeError(
            f"{name} must be one label image; got a {type(values).__name__}. Score images by name with "
            "softpq.evaluate_dataset; what a model returns becomes masks by softpq.Masks.of."
        )
    try:
        if hasattr(values, "__array__") or not hasattr(values, "__dlpack__"):
            return np.asarray(values)
        return np.from_dlpack(values)  # type: ignore[arg-type]  # it has __dlpack__
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise TypeError(
            f"{name} must be convertible to an array on the CPU; got {type(values).__name__}: {error}. "
            "Move tensors with .cpu() first."
        ) from error


def _is_image(value: Any) -> bool:
    """Whether one of a list is an image by itself: an array, or masks."""
    return getattr(value, "ndim", 0) >= 2 or hasattr(value, "offsets")


def _whole_numbers(array: NDArray[Any], name: str) -> LabelArray:
    """Convert floats that are whole numbers; this is the one conversion that copies the image."""
    with np.errstate(invalid="ignore"):
        wrong = array != np.floor(array)  # also true for NaN
    wrong |= np.isinf(array)
    if wrong.any():
        found = array[wrong].flat[0]
        raise ValueError(
            f"{name} must hold whole numbers; found {found}. "
            "A probability map or an intensity image must be turned into labels first."
        )
    if array.size and (float(array.max()) >= 2.0**63 or float(array.min()) < -(2.0**63)):
        raise ValueError(f"{name} must hold labels below 2**63 when given as floats; found {array.max()}.")
    return array.astype(np.int64)


def _readable_in_place(array: NDArray[Any]) -> LabelArray:
    """Copy only what the kernel cannot walk: foreign byte order, unaligned memory, strides between elements."""
    in_place = array.flags.c_contiguous or not any(stride % array.itemsize for stride in array.strides)
    if in_place and array.flags.aligned and array.dtype.isnative:
        return array
    return array.astype(array.dtype.newbyteorder("="))


def check_same_shape(truth: NDArray[Any], pred: NDArray[Any]) -> None:
    """Raise an error that names both shapes unless they are equal."""
    if truth.shape != pred.shape:
        raise ValueError(f"truth and pred must have the same shape; got {truth.shape} and {pred.shape}.")


def check_not_negative(ids: NDArray[np.uint64], dtype: np.dtype[Any], name: str) -> None:
    """Raise if an id that was counted as unsigned was negative in the array it comes from."""
    if dtype.kind == "i" and ids.size and int(ids[-1]) >> (8 * dtype.itemsize - 1):
        raise _negative_error(name, int(ids[-1]) - (1 << 8 * dtype.itemsize))


def _negative_error(name: str, found: int) -> ValueError:
    return ValueError(
        f"{name} must not hold negative labels; found {found}. Set them to 0 if they are background; to leave their "
        f"pixels out, pass ignore=({name} < 0)."
    )


def not_negative(labels: LabelArray, name: str, ignored: NDArray[np.uint8] | None) -> LabelArray:
    """Return labels in which negative ones, which must all be ignored, are 0.

    Examples
    --------
    >>> not_negative(np.array([-1, 2]), "truth", np.array([1, 0], np.uint8))
    array([0, 2])
    """
    if labels.dtype.kind == "u" or not labels.size or labels.min() >= 0:
        return labels
    seen = labels if ignored is None else labels[ignored == 0]
    if seen.size and seen.min() < 0:
        raise _negative_error(name, int(seen.min()))
    return np.maximum(labels, 0)


def as_ignore(ignore: ArrayLike | None, truth: LabelArray) -> NDArray[np.uint8] | None:
    """Return a mask of the pixels to leave out, 1 where ignored.

    Parameters
    ----------
    ignore
        A boolean mask of the shape of truth, or one label: pixels where truth has it are ignored.
    truth
        The truth labels.

    Examples
    --------
    >>> as_ignore(255, np.array([0, 255, 1]))
    array([0, 1, 0], dtype=uint8)
    """
    if ignore is None:
        return None
    array = as_array(ignore, "ignore")
    if array.ndim == 0 and array.dtype.kind in "iu":
        return np.asarray(truth == array).view(np.uint8)
    if array.dtype != bool:
        raise TypeError(f"ignore must be a boolean mask or one integer label; got dtype {array.dtype}.")
    if array.shape != truth.shape:
        raise ValueError(f"ignore must have the shape of truth; got {array.shape} and {truth.shape}.")
    return array.view(np.uint8)


def band_reach(boundary: float, spacing: Sequence[float] | None, shape: tuple[int, ...]) -> list[int]:
    """Return how many pixels a boundary band reaches along each axis, at least one.

    Parameters
    ----------
    boundary
        In pixels, or in the unit of spacing; below 1, without spacing or with, a fraction of the image diagonal.
    spacing
        Size of a pixel along each axis.
    shape
        Of the image.

    Examples
    --------
    >>> band_reach(0.02, None, (300, 400)), band_reach(3, [3.0, 1.0, 1.0], (9, 99, 99))
    ([10, 10], [1, 3, 3])
    """
    sizes = [1.0] * len(shape) if spacing is None else [float(size) for size in spacing]
    if len(sizes) != len(shape) or not all(0 < size < math.inf for size in sizes):
        raise ValueError(f"spacing must be one positive number per axis; got {spacing} for {len(shape)} axes.")
    if not 0 < boundary < math.inf:
        raise ValueError(f"boundary must be a positive reach; got {boundary}.")
    reach = boundary
    if boundary < 1:
        reach = boundary * math.hypot(*(size * extent for size, extent in zip(sizes, shape, strict=True)))
    return [max(1, round(reach / size)) for size in sizes]


ONE_THREAD = 1 << 21
"""Pixels below which the kernel uses one thread whatever it is allowed."""


def threads_for(pixels: int, threads: int | None) -> int:
    """Return how many threads to count so many pixels with."""
    return 1 if threads is None and pixels < ONE_THREAD else cores(threads)


def cores(threads: int | None = None) -> int:
    """Return how many threads to use: all cores that this process may use, unless a number is given."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return check_whole(threads, "threads")


def checked_triples(
    truth: ArrayLike, pred: ArrayLike, pixels: ArrayLike
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.int64]]:
    """Return label triples that have pixels, as the kernel takes them."""
    columns = [as_labels(column, name) for column, name in ((truth, "truth"), (pred, "pred"), (pixels, "pixels"))]
    for column, name in zip(columns, ("truth", "pred", "pixels"), strict=True):
        if column.ndim != 1 or column.size != columns[0].size:
            raise ValueError(
                "truth, pred and pixels must be flat lists of the same length; "
                f"got shapes {', '.join(str(c.shape) for c in columns)}."
            )
        if column.size and column.dtype.kind == "i" and column.min() < 0:
            raise ValueError(f"{name} must not be negative; found {column.min()}.")
    if float(columns[2].sum(dtype=np.float64)) >= 2.0**63:
        raise ValueError(f"pixels must sum to less than 2**63; got about {columns[2].sum(dtype=np.float64):.3g}.")
    some = columns[2] > 0
    truth_column, pred_column = (np.ascontiguousarray(c[some].astype(np.uint64)) for c in columns[:2])
    return truth_column, pred_column, columns[2][some].astype(np.int64)
