"""softpq sweep."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from softpq.cli.language import in_options
from softpq.cli.options import PATH, missing_option, no_check_option, reading_options, softpq_options
from softpq.cli.running import FAILED, FINE, ends_with_code, say_error

if TYPE_CHECKING:
    from softpq.explain.thresholds import Surface


@click.command()
@click.argument("truth")
@click.argument("pred")
@click.option("--plot", type=PATH, help="Write the surface as a picture (.png, .svg, .pdf).")
@click.option("--csv", "csv_path", type=PATH, help="Write the surface as a table.")
@softpq_options
@reading_options
@missing_option
@no_check_option
@ends_with_code
def sweep(truth: str, pred: str, plot: Path | None, csv_path: Path | None, **options: Any) -> int:
    """SoftPQ for all pairs of thresholds, the mean over images; it recommends nothing but shows the surface."""
    from rich.console import Console
    from rich.markup import escape

    from softpq.cli.printing import surface_table
    from softpq.dataset import evaluate_dataset
    from softpq.dataset.surfaces import mean_surface
    from softpq.errors import ReadError
    from softpq.io.format import printable

    settings = {name: options.pop(name) for name in ("penalty", "priority", "reading")}
    results = evaluate_dataset(truth, pred, metrics=["pq"], keep_tables=True, **options)
    for failure in results.failures:
        say_error(escape(printable(in_options(f"{failure.name}: {failure.reason}"))))
    for note in results.notes:
        say_error(escape(printable(in_options(note))))
    if not results.images:
        raise ReadError("No pair of images could be scored.")
    surface = mean_surface(results, **settings)
    if plot is not None:
        from softpq.plots import plot_surface

        plot_surface(surface).savefig(plot, dpi=200)
    Console(emoji=False).print(surface_table(surface))
    if csv_path is not None:
        _write(surface, csv_path)
    return FAILED if results.failures else FINE


def _write(surface: Surface, path: Path) -> None:
    from softpq._files import atomic_file

    with atomic_file(path) as file:
        writer = csv.writer(file)
        writer.writerow(["iou_low", *surface.iou_high.tolist()])
        rows = zip(surface.iou_low.tolist(), surface.values.tolist(), strict=True)
        writer.writerows([low, *row] for low, row in rows)
