"""Files that a command writes."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softpq._files import atomic_file
from softpq.cli.running import UsageError

if TYPE_CHECKING:
    from softpq.dataset.results import Results


def check_outputs(options: Mapping[str, Any], truth: str) -> None:
    """Say before the work, not after it, that a result cannot be written."""
    if options["images"] is not None and options["html_path"] is None:
        raise UsageError("--images belongs to a report; give --html, too.")
    for option in ("csv_path", "json_path", "objects_path", "html_path", "resume"):
        path = options[option]
        if path is None:
            continue
        if path.is_dir() or str(path) == "-":
            raise UsageError(f"{path} is {'a folder' if path.is_dir() else 'no file'}; a file was expected.")
        path.parent.mkdir(parents=True, exist_ok=True)
        if not os.access(path.parent, os.W_OK):
            raise UsageError(f"{path.parent} cannot be written to.")
    if options["images"] is not None:
        _check_raw_images(options["images"], truth)


def _check_raw_images(images: str, truth: str) -> None:
    """Raise before the work if no raw image belongs to a label image."""
    from softpq.io.sources import open_source
    from softpq.report.raw import RawImages

    RawImages(images, list(open_source(truth)))


def write_results(results: Results, options: Mapping[str, Any]) -> None:
    """Write what was asked for."""
    if options["csv_path"] is not None:
        results.to_csv(options["csv_path"])
    if options["json_path"] is not None:
        results.to_json(options["json_path"])
    if options["objects_path"] is not None:
        _write_objects(results, options["objects_path"])
    if options["plots"] is not None:
        _write_plots(results, options["plots"])


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
            writer.writerows([image.model, image.name, *row] for row in zip(*columns, strict=True))
