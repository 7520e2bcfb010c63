"""What softpq coco does with panoptic files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softpq.cli.running import FINE, UsageError

if TYPE_CHECKING:
    from softpq.detection.by_class import ByClass

_COLUMNS = ("softpq", "pq", "sq", "rq")


def is_panoptic(path: Path) -> bool:
    """Whether a file tells segments of images."""
    from softpq.io.formats.panoptic import is_panoptic

    return path.is_file() and is_panoptic(path)


def show_panoptic(truth: Path, pred: Path, options: dict[str, Any], *, classes: bool, json_path: str | None) -> int:
    """Print SoftPQ, PQ, SQ and RQ of all, things and stuff, of each class on request; return the exit code."""
    from rich.console import Console
    from rich.markup import escape

    from softpq.cli.coco import write_json
    from softpq.detection.panoptic import panoptic_scores

    given = [name for name, value in options.items() if value not in (None, False)]
    if given:
        raise UsageError(f"--{given[0].replace('_', '-')} must be left out for panoptic files, which have no scores.")
    scores = panoptic_scores(truth, pred)
    console = Console(emoji=False, highlight=False, stderr=json_path == "-")
    for line in _lines(scores, classes):
        console.print(escape(line), soft_wrap=True)
    if json_path is not None:
        write_json(json_path, scores.as_dict())
    return FINE


def _lines(scores: ByClass, classes: bool) -> list[str]:
    groups = {"all": scores.mean(), "things": scores.mean(True), "stuff": scores.mean(False)}
    rows = {f"{name} ({row['n']} classes)": row for name, row in groups.items()}
    rows["all objects together"] = scores.pooled()
    if classes:
        rows |= {name: scores.of_class(name) for name in scores.scores}
    width = max(len(name) for name in rows)
    header = "".join(f"{name:>8}" for name in ("SoftPQ", "PQ", "SQ", "RQ"))
    return [f" {'':<{width}}{header}", *(f" {name:<{width}}" + _cells(row) for name, row in rows.items())]


def _cells(row: dict[str, float]) -> str:
    values = [row.get(name, math.nan) for name in _COLUMNS]
    return "".join("       -" if math.isnan(value) else f"{value:8.4f}" for value in values)
