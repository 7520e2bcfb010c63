"""One door to the table: arrays in memory, stored arrays, paths, Dask arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from softpq.table.layered import has_masks, overlap_of
from softpq.table.overlap import Overlap

MEMORY = "1GB"
"""What may be used for arrays that are not in memory, unless told otherwise."""


def count(
    truth: Any,
    pred: Any,
    *,
    ignore: Any = None,
    boundary: float | None = None,
    spacing: Sequence[float] | None = None,
    strict: bool = False,
    class_agnostic: bool = False,
    memory: str | int = MEMORY,
    threads: int | None = None,
    dask: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Overlap:
    """Count which objects share how many pixels, whatever the images are; the table is the same for all.

    Parameters
    ----------
    truth, pred
        Label images of one shape. Arrays in memory; Zarr arrays, HDF5 datasets, memory maps, anything with ``shape``,
        ``dtype`` and slicing, which need not fit into memory; paths of Zarr, OME-Zarr, HDF5, TIFF and NPY; Dask arrays.
        Or :class:`softpq.Masks`, for objects that overlap.
    ignore
        A boolean array of the same kind, or a label of truth, whose pixels count nowhere. With paths and Dask: a label.
    boundary, spacing
        Count only the boundary band of each object, its pixels within this reach of another label or of the border:
        pixels, or a fraction of the image diagonal below 1. ``spacing`` is the size of a pixel along each axis; the
        reach is then in its unit.
    strict
        With ``ignore``: a prediction that lies mostly there stays if it fits an object with an IoU above 0.5, not
        from 0.5 on.
    class_agnostic
        Where masks know their classes, pair objects of all classes instead of those of one class.
    memory
        What is not in memory is read in blocks, which use about as much: bytes, or a text such as ``"500MB"``. The
        table comes on top: about 32 bytes for each object of either side, three times that while tables are added.
    threads
        To use; all cores by default. The result is the same for any number.
    dask
        Count paths on a cluster: ``"local"``, ``"local:4"``, the address of a scheduler, or ``"current"`` for whatever
        Dask uses now. Dask arrays always go there.
    progress
        Called with the number of blocks done and of all blocks.

    See Also
    --------
    softpq.Overlap : The table.
    softpq.evaluate : All metrics of two images.

    Examples
    --------
    >>> count([[1, 1], [0, 2]], [[1, 1], [0, 0]])
    Overlap(2 truth objects, 1 pred object, 1 pair, 3 + 2 pixels)
    """
    if has_masks(truth, pred) and (dask is not None or _is_dask(truth) or _is_dask(pred)):
        raise TypeError("truth and pred must not be Masks on a cluster, which counts parts of label images.")
    if dask is not None or _is_dask(truth) or _is_dask(pred):
        from softpq.scale.dask import count_anywhere

        return count_anywhere(truth, pred, dask, ignore=ignore, boundary=boundary, spacing=spacing, strict=strict)
    if not has_masks(truth, pred) and (_is_stored(truth) or _is_stored(pred)):
        from softpq.scale.tiles import count_tiles

        return count_tiles(
            truth, pred, ignore=ignore, boundary=boundary, spacing=spacing, strict=strict, memory=memory,
            threads=threads, progress=progress,
        )  # fmt: skip
    options: Any = {"ignore": ignore, "boundary": boundary, "spacing": spacing, "strict": strict, "threads": threads}
    return overlap_of(truth, pred, class_agnostic=class_agnostic, **options)


def _is_dask(array: Any) -> bool:
    return type(array).__module__.partition(".")[0] == "dask"


def _is_stored(array: Any) -> bool:
    """Whether parts are read when they are asked for; arrays in memory can be looked at as they are."""
    if isinstance(array, str | Path | np.memmap):
        return True
    in_memory = hasattr(array, "__array_interface__") or hasattr(array, "__dlpack__")
    return not in_memory and all(hasattr(array, name) for name in ("shape", "dtype", "__getitem__"))
