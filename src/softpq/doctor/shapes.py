"""What two images of different shapes may be."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

from softpq.doctor.pixels import Note


def shape_of_sides(truth: Any, pred: Any) -> Iterator[Note]:
    """Say how two shapes differ, and what to do."""
    if truth.shape == pred.shape:
        return
    if sorted(truth.shape) == sorted(pred.shape):
        order = next(o for o in permutations(range(pred.ndim)) if tuple(pred.shape[k] for k in o) == truth.shape)
        yield (
            f"the axes are in another order: truth {truth.shape}, pred {pred.shape}.",
            f"Transpose the prediction before scoring, as by pred.transpose{order}.",
        )
    elif (
        len(truth.shape) == len(pred.shape)
        and len({round(a / b, 2) for a, b in zip(truth.shape, pred.shape, strict=True)}) == 1
    ):
        yield (
            f"the images have another pixel size: truth {truth.shape}, pred {pred.shape}.",
            "Resample the prediction (nearest neighbour) to the truth.",
        )
    else:
        yield f"the shapes differ: truth {truth.shape}, pred {pred.shape}.", "They cannot be compared."
