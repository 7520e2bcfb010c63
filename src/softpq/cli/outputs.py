"""Files that a command writes."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape

from softpq._files import atomic_file, plain_cell
from softpq.cli.running import UsageError, say_error
from softpq.errors import ReadError
from softpq.io.format import printable

if TYPE_CHECKING:
    from softpq.dataset.results import Results


_FILES = ("csv_path", "json_path", "objects_path", "html_path", "table_path", "resume")
_STANDARD = ("csv_path", "json_path", "table_path")
"""Options that name a file, and those that may be ``-``."""


def check_outputs(options: Mapping[str, Any], inputs: Sequence[str] = ()) -> None:
    """Say before the work, not after it, that a result cannot be written."""
    table = options["table_path"]
    if table not in (None, "-") and Path(table).suffix.lower() not in (".md", ".tex", ".csv"):
        raise UsageError(f"--table must end with .md, .tex or .csv; got {table}.")
    for option in _FILES:
        _check_no_image(options.get(option), option, inputs)
    if sum(options[name] == "-" for name in _STANDARD) > 1:
        raise UsageError("Only one of --csv, --json and --table can go to standard output.")
    if options["keep_tables"] and options["json_path"] is None:
        raise UsageError("--keep-tables belongs to a JSON file; give --json, too.")
    for option in _FILES:
        if options.get(option) is not None:
            check_output(str(options[option]), option)


def _check_no_image(given: Any, option: str, inputs: Sequence[str]) -> None:
    """Refuse to write over what is scored, or over any file that may hold labels."""
    from softpq.io.formats import suffix_of
    from softpq.io.listing import IN_FOLDERS

    path = Path(str(given))
    if given is None or not path.is_file():
        return
    if suffix_of(path) in IN_FOLDERS or any(Path(one).exists() and path.samefile(one) for one in inputs):
        name = option.removesuffix("_path").replace("_", "-")
        raise UsageError(f"--{name} must not be written over a file of images; {path} is one.")


def check_output(given: str, option: str) -> None:
    """Raise before the work if a file cannot be written; folders are made."""
    path = Path(given)
    if given == "-" and option in _STANDARD:
        return
    if given == "-" or (path.is_dir() and not _is_folder(given, option)):
        hint = f" Give {given}/ to write all tables into it." if option == "csv_path" and given != "-" else ""
        raise UsageError(f"{path} is {'a folder' if path.is_dir() else 'no file'}; a file was expected.{hint}")
    path.parent.mkdir(parents=True, exist_ok=True)
    if not os.access(path.parent, os.W_OK):
        raise UsageError(f"{path.parent} cannot be written to.")


def _is_folder(given: str, option: str = "csv_path") -> bool:
    """Whether a folder is meant: only a slash says so, lest files appear among the data."""
    return option == "csv_path" and given.endswith(("/", os.sep))


def to_standard(options: Mapping[str, Any]) -> bool:
    """Whether standard output is for a file: what people read goes elsewhere then."""
    return any(options[name] == "-" for name in _STANDARD)


def check_raw_images(options: Mapping[str, Any], truth: str) -> None:
    """Raise before the work if raw images are of no use."""
    if options["images"] is not None:
        if options["html_path"] is None:
            raise UsageError("--images belongs to a report; give --html, too.")
        _check_raw_images(options["images"], truth, options["axes"])


def _check_raw_images(images: str, truth: str, axes: str | None) -> None:
    """Raise before the work if no raw image belongs to a label image."""
    from softpq.io.format import ReadOptions
    from softpq.io.sources import open_source
    from softpq.report.raw import RawImages

    RawImages(images, list(open_source(truth, ReadOptions(axes=axes))))


Writers = dict[Any, Callable[[Any], object]]


def writers_of(results: Results, options: Mapping[str, Any], shown: Sequence[str]) -> Writers:
    """What was asked for: path -> what writes it."""
    known: dict[str, Callable[[Any], object]] = {
        "csv_path": lambda path: _write_csv(results, path),
        "json_path": lambda path: results.to_json(path, keep_tables=options["keep_tables"]),
        "table_path": lambda path: _write_table(results, path, shown),
        "objects_path": lambda path: _write_objects(results, path),
        "plots": lambda path: _write_plots(results, path),
    }
    return {options[name]: write for name, write in known.items() if options.get(name) is not None}


def _write_csv(results: Results, path: str) -> None:
    """One file of images, or a folder of all tables."""
    from softpq.dataset.rows import KINDS

    if _is_folder(path):
        Path(path).mkdir(parents=True, exist_ok=True)
        for kind in KINDS:
            results.to_csv(Path(path) / f"{kind}.csv", kind)
    else:
        results.to_csv(path)


def _write_table(results: Results, path: str, shown: Sequence[str]) -> None:
    from softpq.report.tables import grid_of, write_table

    if results.on_common().images:
        write_table(path, grid_of(results, shown))


def write_all(writers: Mapping[Any, Callable[[Any], object]]) -> bool:
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
    """Write SoftPQ against PQ for every model, and what compares models; as PNG and SVG."""
    from softpq import plots

    folder.mkdir(parents=True, exist_ok=True)
    drawn = {}
    for model in results.scored:
        name = "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in model)[:100]
        if {"pq", "softpq"} <= set(results.metrics):
            drawn[f"pq_vs_softpq_{name}"] = plots.plot_pq_vs_softpq(results, model)
    has_tables = all(image.table(results.settings.reading) is not None for image in results.images)
    if has_tables and results.images:
        drawn["thresholds"] = plots.plot_models(results)
    if len(results.scored) > 1:
        drawn["ranks"] = plots.plot_ranks(results)
        if "softpq" in results.metrics and len(order := results.ranking("softpq")) > 1:
            drawn["duel"] = plots.plot_duel(results, order[0], order[1])
        if has_tables:
            drawn["winners"] = plots.plot_winners(results.winners())
            drawn["repairs"] = plots.plot_repairs(results)
    for name, figure in drawn.items():
        for suffix in ("png", "svg"):
            figure.savefig(folder / f"{name}.{suffix}", dpi=200)


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
