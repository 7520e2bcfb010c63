"""Files that a command writes."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from softpq._files import atomic_file, plain_cell
from softpq.cli.running import UsageError, say_error
from softpq.errors import ReadError
from softpq.io.format import printable

if TYPE_CHECKING:
    from softpq.dataset.results import Results


def check_outputs(options: Mapping[str, Any], truth: str) -> None:
    """Say before the work, not after it, that a result cannot be written."""
    if options["images"] is not None and options["html_path"] is None:
        raise UsageError("--images belongs to a report; give --html, too.")
    table = options["table_path"]
    if table is not None and table.suffix.lower() not in (".md", ".tex", ".csv"):
        raise UsageError(f"--table must end with .md, .tex or .csv; got {table}.")
    for option in ("csv_path", "json_path", "objects_path", "html_path", "table_path", "resume"):
        path = options[option]
        if path is None:
            continue
        if path.is_dir() or str(path) == "-":
            raise UsageError(f"{path} is {'a folder' if path.is_dir() else 'no file'}; a file was expected.")
        path.parent.mkdir(parents=True, exist_ok=True)
        if not os.access(path.parent, os.W_OK):
            raise UsageError(f"{path.parent} cannot be written to.")
    if options["images"] is not None:
        _check_raw_images(options["images"], truth, options["axes"])


def _check_raw_images(images: str, truth: str, axes: str | None) -> None:
    """Raise before the work if no raw image belongs to a label image."""
    from softpq.io.format import ReadOptions
    from softpq.io.sources import open_source
    from softpq.report.raw import RawImages

    RawImages(images, list(open_source(truth, ReadOptions(axes=axes))))


def writers_of(results: Results, options: Mapping[str, Any]) -> dict[Path, Callable[[Path], object]]:
    """What was asked for: path -> what writes it."""
    known: dict[str, Callable[[Path], object]] = {
        "csv_path": results.to_csv,
        "json_path": results.to_json,
        "objects_path": lambda path: _write_objects(results, path),
        "plots": lambda path: _write_plots(results, path),
    }
    return {options[name]: write for name, write in known.items() if options[name] is not None}


def write_all(writers: Mapping[Path, Callable[[Path], object]]) -> bool:
    """Write every file; one that cannot be written is a line, and keeps no other from being written."""
    good = True
    for path, write in writers.items():
        try:
            write(path)
        except (OSError, ValueError, ImportError, ReadError) as error:
            good = False
            say_error(f"[red]Error:[/] {escape(printable(f'{path} could not be written: {error}'))}")
    return good


def _write_plots(results: Results, folder: Path) -> None:
    """Write SoftPQ against PQ for every model, as PNG and SVG."""
    from softpq.plots import plot_pq_vs_softpq

    folder.mkdir(parents=True, exist_ok=True)
    for model in results.models:
        if results.of(model):
            name = "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in model)[:100]
            figure = plot_pq_vs_softpq(results, model)
            for suffix in ("png", "svg"):
                figure.savefig(folder / f"pq_vs_softpq_{name}.{suffix}", dpi=200)


def _write_objects(results: Results, path: Path) -> None:
    """Write the objects of all images as one table."""
    names = dict.fromkeys(name for _, objects in results.objects for name in objects.columns)
    with atomic_file(path) as file:
        writer = csv.writer(file)
        writer.writerow(["model", "image", *names])
        for image, objects in results.objects:
            columns = [objects.columns[n].tolist() if n in objects.columns else [""] * len(objects) for n in names]
            names_of_image = [plain_cell(image.model), plain_cell(image.name)]
            writer.writerows([*names_of_image, *row] for row in zip(*columns, strict=True))
