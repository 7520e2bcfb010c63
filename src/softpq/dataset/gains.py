"""What repairs would bring a model, over all its images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from softpq.dataset.image_result import ImageResult
from softpq.explain.classes import CLASSES_CORRECTED
from softpq.explain.repairs import has_pixels_alone, repairs_of
from softpq.metrics import METRICS
from softpq.metrics.score import Score, pooled
from softpq.settings import Settings
from softpq.table.overlap import Overlap

AT_ONCE = 100_000
"""Objects of a table that are repaired together: images side by side cost less than one by one."""


def pooled_gains(images: Sequence[ImageResult], settings: Settings) -> dict[str, float]:
    """Repair -> what it would add to the pooled SoftPQ; empty if an image has kept no table."""
    tables = [table for image in images if (table := image.table()) is not None]
    if not images or len(tables) < len(images):
        return {}
    layered = [table for table in tables if not has_pixels_alone(table)]
    now: list[Score] = []
    then: dict[str, list[Score]] = {name: [] for name in repairs_of((layered or tables)[0])}
    for table in (*_batches([table for table in tables if has_pixels_alone(table)]), *layered):
        repairs = repairs_of(table)
        now.append(_score(table, settings))
        for name, scores in then.items():
            scores.append(_score(repairs[name](table, settings), settings) if name in repairs else now[-1])
    if any(image.corrected is not None for image in images):
        sides = zip(images, tables, strict=True)
        then[CLASSES_CORRECTED] = [_score(image.corrected or table, settings) for image, table in sides]
    value = pooled(now).value
    return {name: pooled(scores).value - value for name, scores in then.items()}


def _score(table: Overlap, settings: Settings) -> Score:
    return METRICS["softpq"].score(table, vars(settings))


def _batches(tables: Sequence[Overlap]) -> Iterator[Overlap]:
    batch: list[Overlap] = []
    objects = 0
    for table in tables:
        batch.append(table)
        objects += table.n_truth + table.n_pred
        if objects > AT_ONCE:
            yield side_by_side(batch)
            batch, objects = [], 0
    if batch:
        yield side_by_side(batch)


def side_by_side(tables: Sequence[Overlap]) -> Overlap:
    """One table for several images, each with objects of its own that do not overlap.

    Examples
    --------
    >>> one = Overlap.from_labels([1, 1, 2], [1, 1, 0])
    >>> side_by_side([one, one]).truth_areas.tolist()
    [2, 1, 2, 1]
    """
    truth = np.cumsum([0, *(table.n_truth for table in tables)])
    pred = np.cumsum([0, *(table.n_pred for table in tables)])
    return Overlap(
        np.arange(1, truth[-1] + 1, dtype=np.uint64),
        np.concatenate([table.truth_areas for table in tables]),
        np.arange(1, pred[-1] + 1, dtype=np.uint64),
        np.concatenate([table.pred_areas for table in tables]),
        np.concatenate([table.pair_truth + start for table, start in zip(tables, truth, strict=False)]),
        np.concatenate([table.pair_pred + start for table, start in zip(tables, pred, strict=False)]),
        np.concatenate([table.pair_pixels for table in tables]),
        sum(table.background for table in tables),
    )
