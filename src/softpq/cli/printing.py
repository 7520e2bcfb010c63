"""What the command line prints: tables of results."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from softpq.dataset.comparing import too_few_for
from softpq.io.format import printable
from softpq.metrics import METRICS
from softpq.settings import PRESETS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from softpq.dataset.results import Results
    from softpq.dataset.scoring import Progress as Callback
    from softpq.dataset.statistics import Interval
    from softpq.explain.thresholds import Surface


def number(value: float) -> str:
    """Four digits, or a dash for what is undefined.

    Examples
    --------
    >>> number(0.12345), number(float("nan"))
    ('0.1235', '–')
    """
    return "–" if math.isnan(value) else f"{value:.4f}"


def between(found: Interval) -> str:
    """The two ends of an interval, or a dash if it has none.

    Examples
    --------
    >>> from softpq.dataset.statistics import Interval
    >>> between(Interval(0.5, 0.4, 0.6)), between(Interval(0.5, reason="too few images"))
    ('0.4000 to 0.6000', '–')
    """
    return "–" if math.isnan(found.low) else f"{number(found.low)} to {number(found.high)}"


def print_results(results: Results, console: Console, metrics: Sequence[str] | None = None) -> None:
    """Print a table per model, and how the models compare."""
    names = [name for name in results.metrics if (name in metrics if metrics else METRICS[name].usual)]
    for model in results.models:
        if results.of(model):
            console.print(_model_table(results, model, names))
    if any(image.classes for image in results.images):
        for model in results.models:
            console.print(_class_table(results, model, names))
    if len([model for model in results.models if results.of(model)]) > 1 and "softpq" in results.metrics:
        console.print(_comparison_table(results.on_common()))
    for line in describe(results):
        console.print(escape(printable(line)))


def _model_table(results: Results, model: str, names: Sequence[str]) -> Table:
    images = results.of(model)
    title = f"{model}: {len(images)} image{'' if len(images) == 1 else 's'}"
    table = Table(title=escape(printable(title)), title_justify="left")
    for heading in ("metric", "pooled", "95 % interval", "mean of images", "95 % interval"):
        table.add_column(heading, justify="left" if heading == "metric" else "right")
    for name in names:
        cells = [name]
        for over in ("pooled", "mean"):
            found = results.interval(name, model, over=over)
            cells += [number(found.value), between(found)]
        table.add_row(*cells)
    return table


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


def _comparison_table(results: Results) -> Table:
    order = results.ranking()
    count = len(results.of(order[0])) if order else 0
    title = f"Models by pooled SoftPQ on the {count} images that all have; differences to the first"
    table = Table(title=title if order else "No image is there for all models: they are not compared.",
                  title_justify="left")  # fmt: skip
    for heading in ("rank", "model", "SoftPQ", "difference", "95 % interval", "p (Holm)", "PQ"):
        table.add_column(heading, justify="left" if heading == "model" else "right")
    ranks = results.ranks() if order else {}
    for model in order:
        values, (first, last) = results.pooled(model), ranks[model]
        cells = [str(first) if first == last else f"{first}-{last}", escape(printable(model)), number(values["softpq"])]
        cells += ["", "", ""] if model == order[0] else _gap_cells(results, model, order[0])
        table.add_row(*cells, number(values["pq"]) if "pq" in values else "")
    return table


def _gap_cells(results: Results, model: str, best: str) -> list[str]:
    """How far a model is behind the first one."""
    found = next(one for one in results.comparisons() if {one.first, one.second} == {model, best})
    gap = found.difference if found.first == model else found.difference.turned()
    return [number(gap.value), between(gap), number(found.adjusted_p)]


def describe(results: Results) -> list[str]:
    """Say in sentences how the numbers were made and what is missing."""
    settings = results.settings
    preset = next((f" (preset {k})" for k, v in PRESETS.items() if v == (settings.iou_low, settings.iou_high)), "")
    lines = [
        f"SoftPQ: {settings}{preset}. Other metrics at IoU {results.plan.threshold:g}. "
        "Intervals: jackknife over images, on the logit scale; differences: exchanging models image by image."
    ]
    lines += _statistics_notes(results)
    for model in results.models:
        empty = results.undefined(model) if results.of(model) else []
        if empty:
            lines.append(f"{model}: {len(empty)} images without any object are undefined and left out of means.")
    lines += [*results.notes, *_image_notes(results)]
    if results.failures:
        lines.append(f"{len(results.failures)} could not be scored:")
        lines += [f"  {failure.model} / {failure.name}: {failure.reason}" for failure in results.failures]
    return lines


def _statistics_notes(results: Results) -> list[str]:
    """What intervals, p-values and ranks rest on, and why some are not there."""
    scored = [model for model in results.models if results.of(model)]
    unit = "groups" if results.groups else "images, taken as independent"
    lines = [f"Units: {unit}."] if scored and len(results.of(scored[0])) > 1 else []
    found = [results.interval(name, model, over=over) for model in scored[:1] for name in results.metrics
             for over in ("pooled", "mean") if METRICS[name].usual]  # fmt: skip
    reasons = dict.fromkeys(text for one in found for text in (one.reason, one.caution) if text)
    lines += [f"{reason[0].upper()}{reason[1:]}." for reason in list(reasons)[:3]] if lines else []
    pairs = (
        results.comparisons() if len(scored) > 1 and "softpq" in results.metrics and results.on_common().images else []
    )
    if pairs:
        lines.append("Ranks: models that cannot be told apart share them (p adjusted by Holm over all pairs).")
        lines += [f"{text}." for text in [too_few_for(len(scored), pairs[0].units)] if text]
    return lines


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
