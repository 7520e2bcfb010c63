"""What the command line prints: tables of results."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from softpq.cli.ranking import difference_lines, number, table_lines, verdict_lines
from softpq.dataset.comparing import too_few_for
from softpq.dataset.results import Over, Results
from softpq.io.format import printable
from softpq.metrics import METRICS
from softpq.settings import PRESETS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from softpq.dataset.scoring import Progress as Callback
    from softpq.explain.thresholds import Surface


def print_results(
    results: Results, console: Console, metrics: Sequence[str] | None = None, rank_by: str = "", over: Over = "pooled"
) -> None:
    """Print the models by metrics, what happened to objects, and what the numbers rest on."""
    names = [name for name in results.metrics if (name in metrics if metrics else METRICS[name].usual)]
    rank_by = rank_by or ("softpq" if "softpq" in results.metrics else (names or [""])[0])
    scored = [model for model in results.models if results.of(model)]
    for line in _head(results, scored, rank_by, over):
        console.print(escape(line))
    if scored and not results.on_common().images:
        console.print("No image is there for all models: they are not compared.")
        for model in scored:
            alone = Results(tuple(results.of(model)), results.plan, groups=results.groups)
            print_lines(console, table_lines(alone, names, rank_by, over))
    elif scored:
        print_lines(console, table_lines(results, names, rank_by, over))
        print_lines(console, difference_lines(results, rank_by, over))
    print_lines(console, verdict_lines(results))
    if any(image.classes for image in results.images):
        for model in scored:
            console.print(_class_table(results, model, names))
    for line in describe(results, rank_by, over):
        console.print(escape(printable(line)))


def print_lines(console: Console, lines: Iterator[str]) -> None:
    """Lines that are not wrapped where they fit, and have no colours of their own."""
    for line in lines:
        console.print(escape(line), highlight=False)


def _head(results: Results, scored: Sequence[str], rank_by: str, over: str) -> Iterator[str]:
    count = len({image.name for image in results.images})
    how = "pooled over all objects" if over == "pooled" else "mean over images"
    if len(scored) == 1:
        yield f"{printable(scored[0])}: {count} image{'' if count == 1 else 's'}, {how}"
    elif scored:
        common = len(results.on_common().images) // len(scored)
        images = "image" if common == 1 else "images"
        yield f"{len(scored)} models by {rank_by} on the {common} {images} that all have, {how}"


def _class_table(results: Results, model: str, names: Sequence[str]) -> Table:
    table = Table(title=escape(printable(f"{model}: by class, pooled")), title_justify="left")
    table.add_column("class")
    shown = list(names)[:5]
    for name in shown:
        table.add_column(name, justify="right")
    for label, row in results.per_class(model).items():
        table.add_row(escape(printable(label)), *(number(row[name]) for name in shown))
    mean = results.class_mean(model)
    table.add_row("mean of classes", *(number(mean[name]) for name in shown), style="bold")
    return table


def describe(results: Results, rank_by: str = "softpq", over: Over = "pooled") -> list[str]:
    """Say in sentences how the numbers were made and what is missing."""
    settings = results.settings
    preset = next((f" (preset {k})" for k, v in PRESETS.items() if v == (settings.iou_low, settings.iou_high)), "")
    lines = [f"SoftPQ: {settings}{preset}. Other metrics at IoU {results.plan.threshold:g}."]
    lines += _statistics_notes(results, rank_by, over)
    for model in results.models:
        empty = results.undefined(model) if results.of(model) else []
        if empty:
            lines.append(f"{model}: {len(empty)} images without any object are undefined and left out of means.")
    lines += [*results.notes, *_image_notes(results)]
    if results.failures:
        lines.append(f"{len(results.failures)} could not be scored:")
        lines += [f"  {failure.model} / {failure.name}: {failure.reason}" for failure in results.failures]
    return lines


def _statistics_notes(results: Results, rank_by: str, over: Over) -> list[str]:
    """What intervals, p-values and ranks rest on, and why some are not there."""
    common = results.on_common()
    scored = [model for model in common.models if common.of(model)]
    if not scored or len(common.of(scored[0])) < 2:
        return []
    unit = "groups" if results.groups else "images, taken as independent"
    found = [common.interval(name, scored[0], over=over) for name in results.metrics if METRICS[name].usual]
    reasons = dict.fromkeys(text for one in found for text in (one.reason, one.caution) if text)
    lines = ["Intervals: jackknife over units, on the logit scale; differences: exchanging models unit by unit."]
    lines += [f"Units: {unit}. " + " ".join(f"{reason[0].upper()}{reason[1:]}." for reason in list(reasons)[:2])]
    if len(scored) > 1:
        pairs = common.comparisons(rank_by, over=over)
        lines.append("Ranks: models that cannot be told apart share them (Holm over all pairs).")
        lines += [f"{text}." for text in [too_few_for(len(scored), pairs[0].units)] if text]
    return [line.strip() for line in lines]


def _image_notes(results: Results) -> list[str]:
    """What is to be said of images, each note once."""
    by_note: dict[str, list[str]] = {}
    for image in results.images:
        for note in image.notes:
            by_note.setdefault(note, []).append(f"{image.model} / {image.name}")
    return [
        f"{names[0]}{f' and {len(names) - 1} more' if names[1:] else ''}: {note.rstrip('.')}."
        for note, names in by_note.items()
    ]


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
def progress_bar(console: Console, *, hidden: bool) -> Iterator[Callback | None]:
    """Show images done, speed and remaining time while work goes on."""
    if hidden or not console.is_terminal:
        yield None
        return
    columns = (
        TextColumn("scoring"),
        BarColumn(),
        MofNCompleteColumn(),
        TaskProgressColumn(show_speed=True),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("scoring", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
