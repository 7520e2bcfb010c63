"""Labels that are codes: a class times 256 or 1000, and a number; most classes are regions, such as road and sky."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.table.channels import Suspicion

if TYPE_CHECKING:
    from numpy.typing import NDArray

FACTORS = {256: "Mapillary Vistas", 1000: "panoptic files"}
"""What classes are multiplied by, and by whom."""


def codes_in(labels: Any, ids: NDArray[np.uint64]) -> Suspicion | None:
    """Say so if labels are classes and numbers: in every class these are 0, 1, 2, ..., in several there is only 0.

    Examples
    --------
    >>> street = np.repeat([256, 512, 768, 2560, 2561, 2562], 100).reshape(20, 30)
    >>> print(codes_in(street, np.unique(street).astype(np.uint64)).what)
    looks like class x 256 + number, as in Mapillary Vistas: 4 classes, 3 of them without numbers
    """
    last = int(ids[-1]) if len(ids) else 0
    for factor, whose in FACTORS.items():
        if last < 2 * factor or len(ids) > last // 8:
            continue
        classes, starts, counts = np.unique(ids // np.uint64(factor), return_index=True, return_counts=True)
        numbers = ids % np.uint64(factor)
        first = numbers[starts]
        in_order = (first <= 1) & (numbers[starts + counts - 1] == first + counts.astype(np.uint64) - np.uint64(1))
        bare = (counts == 1) & (first == 0)
        regions = bare.sum() >= 2 or _one_ground(bare, counts, labels)
        if in_order.all() and regions and (counts >= 2).any() and _covers(labels):
            what = f"looks like class x {factor} + number, as in {whose}: {len(classes)} classes, {bare.sum()} of them "
            return Suspicion(what + "without numbers", _ADVICE, certain=True)
    return None


def _one_ground(bare: NDArray[np.bool_], counts: NDArray[np.int64], labels: Any) -> bool:
    """Whether one class without numbers fills all that is left between many objects of another."""
    return bool(bare.sum() == 1 and counts.max() >= 5 and isinstance(labels, np.ndarray) and labels.all())


_ADVICE = "Regions such as road and sky would count as objects: set what is none to 0 in both sides."


def _covers(labels: Any) -> bool:
    """Whether most pixels are labelled, as in pictures of streets; of what is not in memory, in its first lines."""
    seen = (
        labels if isinstance(labels, np.ndarray) else labels[tuple(slice(0, min(size, 512)) for size in labels.shape)]
    )
    return bool(2 * np.count_nonzero(seen) > np.size(seen))
