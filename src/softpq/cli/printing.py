"""What the command line prints: tables of results."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from softpq._checks import how_many
from softpq.cli.language import in_options
from softpq.cli.ranking import between, difference_lines, number, sentences, table_lines, visible
from softpq.dataset.comparing import too_few_for
from softpq.dataset.families import MOST_MODELS
from softpq.dataset.image_result import Failure
from softpq.dataset.rescoring import by_sizes
from softpq.dataset.results import Results
from softpq.io.format import printable
from softpq.io.json_items import watched_by
from softpq.metrics import METRICS
from softpq.settings import PRESETS

LARGE_JSON = 1 << 25
"""Bytes of a JSON file from which on it is shown how far it is read."""

if TYPE_CHECKING:
    from collections.abc import Iterator

    from softpq.dataset.scoring import Progress as Callback
    from softpq.explain.thresholds import Surface


def print_results(
    results: Results,
    console: Console,
    metrics: Sequence[str] | None = None,
    *,
    sizes: Sequence[float] | None = None,
    in_full: bool | None = None,
) -> None:
    """Print the models by metrics, what happened to objects, and what the numbers rest on.

    Parameters
    ----------
    results
        Of all models.
    console
        Where to.
    metrics
        All that are to be shown; the usual ones that fit by default.
    sizes
        Areas that objects are cut by, if scores by size are wanted.
    in_full
        Show all metrics, however many; by default, if some were asked for.
    """
    in_full = metrics is not None if in_full is None else in_full
    names = list(metrics) if metrics else [name for name in results.metrics if METRICS[name].usual]
    names = [name for name in names if name in results.metrics]
    for line in _head(results):
        console.print(escape(line))
    common = bool(results.on_common().images)
    if results.images and not common:
        console.print("No image is there for all models: they are not compared.")
    for part in [results] if common else [replace(results, images=tuple(results.of(one))) for one in results.scored]:
        print_lines(console, table_lines(part, names, in_full=in_full))
        print_lines(console, difference_lines(part))
    print_lines(console, sentences(results))
    for model in results.scored:
        if results.classes:
            console.print(_table_of_parts(f"{model}: by class, pooled", _by_class(results, model, names), names))
            console.print(_confusions(results, model))
        if sizes:
            parts = {name: _in_texts(part.pooled(model)) for name, part in by_sizes(results, sizes).items()}
            console.print(_table_of_parts(f"{model}: by size in pixels, pooled", parts, names))
    for line in describe(results, visible(results, names, in_full=in_full)):
        console.print(escape(printable(line)))


def _by_class(results: Results, model: str, names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Values of each class, and their intervals below them."""
    found = {}
    for label in results.per_class(model):
        of_class = results.of_class(label)
        ends = {name: between(of_class.interval(name, model, over="pooled")) for name in names[:SHOWN]}
        values = _in_texts(results.per_class(model)[label])
        found[label] = {name: f"{text}\n{ends[name]}" if ends.get(name) else text for name, text in values.items()}
    return {**found, "mean of classes": _in_texts(results.class_mean(model))}


def _confusions(results: Results, model: str) -> Table:
    """Objects that match, whatever their class: truth down, prediction across."""
    found = results.confused(model)
    across = sorted({name for row in found.values() for name in row})[:MOST_CLASSES]
    table = Table(title=escape(printable(f"{model}: matches by class, truth down")),
                  title_justify="left")  # fmt: skip
    table.add_column("")
    for name in across:
        table.add_column(escape(printable(name or "none")), justify="right")
    for label, row in list(found.items())[:MOST_CLASSES]:
        table.add_row(escape(printable(label or "none")), *(str(row.get(name, 0)) for name in across))
    return table


def _in_texts(values: Mapping[str, float]) -> dict[str, str]:
    return {name: number(value) for name, value in values.items()}


def print_lines(console: Console, lines: Iterator[str]) -> None:
    """Lines that are not wrapped where they fit, and have no colours of their own."""
    for line in lines:
        console.print(escape(line), highlight=False)


def _head(results: Results) -> Iterator[str]:
    count = len({image.name for image in results.images})
    how = "pooled over all objects" if results.headline.over == "pooled" else "mean over images"
    if len(results.scored) == 1:
        yield f"{printable(results.scored[0])}: {how_many(count, 'image')}, {how}"
    elif results.scored:
        common = len(results.on_common().images) // len(results.scored)
        images = "image" if common == 1 else "images"
        yield f"{len(results.scored)} models by {results.rank_by} on the {common} {images} that all have, {how}"


SHOWN, MOST_CLASSES = 5, 12
"""Metrics of classes and of sizes; classes of the table of those that are confused."""


def _table_of_parts(title: str, parts: Mapping[str, Mapping[str, str]], names: Sequence[str]) -> Table:
    """A line for each class or size."""
    table = Table(title=escape(printable(title)), title_justify="left")
    table.add_column("")
    shown = [name for name in names if name in next(iter(parts.values()))][:SHOWN]
    for name in shown:
        table.add_column(name, justify="right")
    for label, row in parts.items():
        table.add_row(escape(printable(label)), *(row[name] for name in shown))
    return table


def describe(results: Results, shown: Sequence[str] = ()) -> list[str]:
    """Say in sentences how the numbers were made and what is missing."""
    settings = results.settings
    preset = next((f" (preset {k})" for k, v in PRESETS.items() if v == (settings.iou_low, settings.iou_high)), "")
    lines = [f"SoftPQ: {settings}{preset}; other metrics at IoU {results.plan.threshold:g}."]
    lines += _statistics_notes(results, shown)
    for model in results.models:
        empty = results.undefined(model) if results.of(model) else []
        if empty:
            lines.append(
                f"{model}: {how_many(len(empty), 'image')} without any object, undefined and left out of means."
            )
    lines += [*results.notes, *_image_notes(results)]
    if results.failures:
        lines.append(f"{len(results.failures)} could not be scored:")
        lines += [f"  {line}" for line in failure_lines(results.failures)]
    return [in_options(line) for line in lines]


def failure_lines(failures: Sequence[Failure]) -> list[str]:
    """One line for each reason; what is the same of many images, but for their names and numbers, is said once."""
    said = [(f"{one.model} / {one.name}", one.reason.replace(one.name, "{}"), one.reason) for one in failures]
    return [in_options(line) for line in _said_once(said)]


def _said_once(said: Sequence[tuple[str, str, str]]) -> list[str]:
    """Who, what is said without the name of it, and what is said: one line for all that differ in numbers only.

    Numbers are those of the first; "alike" says that others have others.
    """
    alike: dict[str, list[tuple[str, str]]] = {}
    for who, kind, text in said:
        alike.setdefault(re.sub(r"\d[\d.,]*", "#", kind), []).append((who, text))
    lines = []
    for (first, text), *others in alike.values():
        same = " and" if all(other == text for _, other in others) else ", and alike"
        lines.append(f"{first}{f'{same} {len(others):,} more' if others else ''}: {text}")
    return lines


def _statistics_notes(results: Results, shown: Sequence[str]) -> list[str]:
    """What intervals, p-values and ranks rest on, and why some are not there."""
    common = results.on_common()
    scored = common.scored
    if not scored or len(common.of(scored[0])) < 2:
        return []
    noun = "groups" if results.groups else "images"
    unit = noun if results.groups else f"{noun}, taken as independent"
    found = [common.interval(name, scored[0]) for name in shown]
    reasons = dict.fromkeys(text for one in found for text in (one.reason, one.caution) if text)
    lines = [f"Units: {unit}. " + " ".join(f"{reason[0].upper()}{reason[1:]}." for reason in list(reasons)[:2])]
    if len(scored) > MOST_MODELS:
        lines[0] += (
            f" More than {MOST_MODELS} models are ranked by their values alone; softpq compare tells fewer apart."
        )
    elif len(scored) > 1:
        lines[0] += " Models that cannot be told apart share ranks (Holm over all pairs)."
        lines += [f"{text}." for text in [too_few_for(len(scored), common.comparisons()[0].units, noun)] if text]
    return [line.replace("  ", " ").strip() for line in lines]


def _image_notes(results: Results) -> list[str]:
    """What is to be said of images, each note once."""
    notes = [(image, note.rstrip(".")) for image in results.images for note in image.notes]
    return [f"{line}." for line in _said_once([(f"{image.model} / {image.name}", note, note) for image, note in notes])]


def surface_table(surface: Surface) -> Table:
    """A few rows and columns of a threshold surface."""
    table = Table(title="SoftPQ, mean over images; l down, h across", title_justify="left")
    table.add_column("l / h", justify="right")
    columns = range(0, len(surface.iou_high), 10)
    for k in columns:
        table.add_column(f"{surface.iou_high[k]:g}", justify="right")
    for row in range(0, len(surface.iou_low), 5):
        if surface.iou_low[row] <= surface.iou_high[-1] and surface.iou_low[row] <= 0.7:
            cells = [number(float(surface.values[row, k])) for k in columns]
            table.add_row(f"{surface.iou_low[row]:g}", *cells)
    return table


@contextmanager
def progress_bar(console: Console, *, hidden: bool, counts: bool = True) -> Iterator[Callback | None]:
    """Show images done, speed and remaining time while work goes on; without ``counts`` only how far files are read."""
    keeps_all = console.is_dumb_terminal or "JPY_PARENT_PID" in os.environ  # cells of notebooks show what was wiped out
    if hidden or not console.is_terminal or keeps_all:
        yield None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TaskProgressColumn(show_speed=True),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("scoring", total=None, visible=counts)
        with watched_by(_ReadingLine(bar)):
            yield lambda done, total: bar.update(task, completed=done, total=total)


class _ReadingLine:
    """A line of the bar for each large file while it is read, in megabytes."""

    def __init__(self, bar: Progress) -> None:
        self.bar = bar
        self.tasks: dict[str, TaskID] = {}

    def __call__(self, name: str, done: int, total: int) -> None:
        if total < LARGE_JSON:
            return
        if name not in self.tasks:
            self.tasks[name] = self.bar.add_task(escape(f"reading {printable(name)} (MB)"), total=total >> 20)
        self.bar.update(self.tasks[name], completed=done >> 20, visible=done < total)
