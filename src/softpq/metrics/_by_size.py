"""Any metric for objects of one size at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from softpq.table.overlap import Overlap


def by_size(overlap: Overlap, bounds: Sequence[float]) -> dict[tuple[float, float], Overlap]:
    """Cut the table by the area of truth objects; any metric works on each part.

    A part holds the truth objects with ``low <= area < high``. A prediction goes with the truth object it overlaps
    most (largest IoU, then the larger object); one without any goes by its own area. So every object is in exactly
    one part.

    Parameters
    ----------
    overlap
        The table.
    bounds
        Areas in pixels, ascending; ``[100, 400]`` makes three parts: below 100, 100 to 400, and from 400 on.

    Examples
    --------
    >>> from softpq import Overlap, metrics
    >>> overlap = Overlap.from_labels([1, 2, 2, 2, 2, 2], [0, 2, 2, 2, 2, 2])
    >>> {part: float(metrics.f1(table)) for part, table in by_size(overlap, [3]).items()}
    {(0, 3): 0.0, (3, inf): 1.0}
    """
    edges = list(bounds)
    if not edges or any(not low < high for low, high in zip([0, *edges], edges, strict=False)):
        raise ValueError(f"bounds must be positive areas in ascending order; got {edges}.")
    sizes = _size_that_counts(overlap)
    parts = {}
    for low, high in zip([0, *edges], [*edges, float("inf")], strict=True):
        truth = (overlap.truth_areas >= low) & (overlap.truth_areas < high)
        parts[low, high] = overlap.restricted(truth, (sizes >= low) & (sizes < high))
    return parts


def _size_that_counts(overlap: Overlap) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """For every prediction the area of the truth object it goes with."""
    truth_area = overlap.truth_areas[overlap.pair_truth]
    order = np.lexsort((truth_area, overlap.pair_iou))
    sizes = overlap.pred_areas.copy()
    sizes[overlap.pair_pred[order]] = truth_area[order]
    return sizes
