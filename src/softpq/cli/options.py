"""Options that several commands have, and what turns their texts into values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from softpq.settings import PENALTIES, PRESETS, PRIORITIES, READINGS

F = TypeVar("F", bound=Callable[..., Any])

PATH = click.Path(path_type=Path)
FOLDER = click.Path(path_type=Path, file_okay=False)


def several(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one decorator, in this order."""

    def wrap(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return wrap


def words(context: click.Context, parameter: click.Parameter, text: str | None) -> list[str] | None:
    """Words between commas."""
    if text is None:
        return None
    found = [word.strip() for word in text.split(",") if word.strip()]
    if not found:
        raise click.BadParameter("names between commas are expected")
    return found


def sizes(context: click.Context, parameter: click.Parameter, text: str | None) -> list[float] | None:
    """Numbers between commas."""
    try:
        return None if text is None else [float(word) for word in text.split(",")]
    except ValueError:
        raise click.BadParameter(f"numbers between commas are expected, such as 2,0.5,0.5; got {text}") from None


softpq_options = several(
    click.option("--penalty", type=click.Choice(list(PENALTIES)), default="sqrt", show_default=True),
    click.option("--priority", type=click.Choice(PRIORITIES), default="over", show_default=True),
    click.option("--reading", type=click.Choice(READINGS), default="text", show_default=True),
)

softpq_options_if_any = several(
    click.option("--penalty", type=click.Choice(list(PENALTIES)), help="[default: as it was]"),
    click.option("--priority", type=click.Choice(PRIORITIES), help="[default: as it was]"),
    click.option("--reading", type=click.Choice(READINGS), help="[default: as it was]"),
)

reading_options = several(
    click.option("--axes", help="What the axes of files are, such as ZYX, TYX, CYX.  [default: as the files say]"),
    click.option("--channel", type=click.IntRange(min=0), help="Which of several channels holds the labels, from 0."),
)

missing_option = click.option(
    "--missing", type=click.Choice(["error", "empty", "skip"]), default="error", show_default=True,
    help="Predictions that are missing or cannot be read: listed, scored as empty, or left out for all models.",
)  # fmt: skip

no_check_option = click.option(
    "--no-check", "check", flag_value=False, default=True, help="Score masks, classes, intensities, too."
)

headline_options = several(
    click.option("--rank-by", metavar="METRIC", help="What models are ranked and tested by.  [default: softpq]"),
    click.option("--over", type=click.Choice(["pooled", "mean"]), default="pooled", show_default=True,
                 help="Over all objects, or the mean over images."),
    click.option("--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True,
                 help="Of intervals, and of what counts as told apart."),
    click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
                 help="Of random exchanges, where not all can be tried."),
)  # fmt: skip

table_options = several(
    click.option("--sizes", callback=sizes, metavar="AREAS", help="Scores by size of object, cut at such as 100,400."),
    click.option("--csv", "csv_path", metavar="FILE", help="Write one line per image and model; into a folder ("
                 "out/), also tables of models, classes and pairs of models. - is standard output."),
    click.option("--json", "json_path", metavar="FILE", help="Write everything, for later and for compare."),
    click.option("--keep-tables", is_flag=True, help="Write into the JSON what other thresholds and metrics need."),
    click.option("--table", "table_path", metavar="FILE", help="Write models by metrics for a paper: .md, .tex, .csv."),
    click.option("--plots", type=FOLDER, help="Draw SoftPQ against PQ; of several models also ranks and who wins."),
)  # fmt: skip

threshold_options = several(
    click.option("--iou-low", type=float, help="Pairs above this count softly.  [default: 0.05]"),
    click.option("--iou-high", type=float, help="Matches from this on count fully.  [default: 0.5]"),
    click.option("--preset", type=click.Choice(list(PRESETS)), help="Both thresholds."),
)
