"""What softpq coco does with panoptic files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softpq._checks import how_many
from softpq.cli.running import UsageError

if TYPE_CHECKING:
    from softpq.detection.by_class import ByClass

_COLUMNS = ("softpq", "pq", "sq", "rq")


def panoptic_report(
    truth: tuple[Path, str | None], pred: tuple[Path, str | None], options: dict[str, Any], *, classes: bool
) -> tuple[list[str], dict[str, Any]]:
    """SoftPQ, PQ, SQ and RQ of all, things and stuff, of each class on request: what is printed, and what is written.

    ``truth`` and ``pred`` are files, and names of folders beside them that hold the PNGs.
    """
    from softpq.detection.panoptic import panoptic_scores

    given = [name for name, value in options.items() if value not in (None, False)]
    if given:
        raise UsageError(f"--{given[0].replace('_', '-')} must be left out for panoptic files, which have no scores.")
    folders = [None if folder is None else path.parent / folder for path, folder in (truth, pred)]
    scores = panoptic_scores(truth[0], pred[0], truth_folder=folders[0], pred_folder=folders[1])
    return _lines(scores, classes), scores.as_dict()


def _lines(scores: ByClass, classes: bool) -> list[str]:
    groups = {"all": scores.mean(), "things": scores.mean(True), "stuff": scores.mean(False)}
    rows = {f"{name} ({how_many(int(row['n']), 'class')})": row for name, row in groups.items()}
    rows["all objects together"] = scores.pooled()
    if classes:
        rows |= {name: scores.of_class(name) for name in scores.scores}
    width = max(len(name) for name in rows)
    header = "".join(f"{name:>8}" for name in ("SoftPQ", "PQ", "SQ", "RQ"))
    return [f" {'':<{width}}{header}", *(f" {name:<{width}}" + _cells(row) for name, row in rows.items())]


def _cells(row: dict[str, float]) -> str:
    values = [row.get(name, math.nan) for name in _COLUMNS]
    return "".join("       -" if math.isnan(value) else f"{value:8.4f}" for value in values)
