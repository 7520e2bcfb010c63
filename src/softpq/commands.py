"""What the commands do: from parsed options to files, printed tables and an exit code."""

from __future__ import annotations

import csv
import math
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from softpq.console import print_results, progress_bar, surface_table
from softpq.dataset import evaluate_folders, model_name
from softpq.files import atomic_file
from softpq.io import ReadError
from softpq.metrics import ERRORS, METRICS, OF_BANDS
from softpq.results import USUAL, Results

if TYPE_CHECKING:
    from collections.abc import Mapping

FINE, FAILED, USAGE = 0, 1, 2

_PASSED_ON = ("penalty", "priority", "reading", "preset", "threshold", "boundary", "classes",
              "missing", "split_components", "jobs", "memory", "dask", "resume")  # fmt: skip


_KEEPING = ("csv_path", "json_path", "html_path", "resume", "plots")
"""Options that write results: all metrics are computed for them."""


class UsageError(Exception):
    """The call makes no sense; the message says why."""


def run_evaluate(truth: str, pred: Sequence[str], options: Mapping[str, Any]) -> int:
    """Score, print, write; return the exit code."""
    console, errors = Console(quiet=options["quiet"], emoji=False), Console(stderr=True, emoji=False)
    try:
        gates = _gates(options["fail_under"])
        asked = _metric_names(options["metrics"])
        bands = [] if options["boundary"] is None else [name for name in METRICS if name in OF_BANDS]
        shown = asked or [*USUAL, *bands]
        everything = asked is None and any(options[name] is not None for name in _KEEPING)
        truth, models = _with_pattern(truth, _models(pred), options["pattern"])
        _check_outputs(options)
        if options["images"] is not None:
            _check_raw_images(options["images"], truth)
        with progress_bar(console, hidden=options["quiet"]) as progress:
            results = evaluate_folders(
                truth,
                models,
                metrics=None if everything else list(dict.fromkeys([*shown, "softpq", "pq", *gates])),
                keep_objects=options["objects_path"] is not None,
                keep_tables=options["html_path"] is not None,
                progress=progress,
                **_thresholds(options),
                **{name: options[name] for name in _PASSED_ON},
            )
        _write(results, options)
        if options["html_path"] is not None:
            _write_report(results, truth, models, options)
    except (UsageError, ReadError, ValueError, OSError, ImportError) as error:
        errors.print(f"[red]Error:[/] {escape(str(error))}", soft_wrap=True)
        return USAGE
    print_results(results, console, shown)
    if options["quiet"]:
        for failure in results.failures:
            errors.print(escape(f"{failure.model} / {failure.name}: {failure.reason}"), soft_wrap=True)
    passed = _check_gates(results, gates, errors)
    return FINE if passed and not results.failures else FAILED


def _thresholds(options: Mapping[str, Any]) -> dict[str, Any]:
    """What was given; a preset goes with none."""
    given = {name: options[name] for name in ("iou_low", "iou_high") if options[name] is not None}
    if given and options["preset"] is not None:
        raise UsageError("preset must not be given together with thresholds.")
    return given


def _check_outputs(options: Mapping[str, Any]) -> None:
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


def _models(pred: Sequence[str]) -> dict[str, str]:
    """Name -> place; ``name=path`` names a model, else the folder does, with its parent if two are called the same."""
    named: dict[str, str] = {}
    for text in pred:
        name, sign, place = text.partition("=")
        if sign and not name:
            raise UsageError(f"{text} names no model; NAME=PATH is expected.")
        if (
            not sign
            or "/" in name
            or Path(text).exists()
            or (Path(text).parent.is_dir() and Path(text).parent != Path())
        ):
            name, place = model_name(text), text
        elif name in named:
            raise UsageError(f"Two models are called {name}; give them different names.")
        if name in named:
            name = str(Path(place))
        if name in named:
            raise UsageError(f"Two models are called {name}; name them with NAME=PATH.")
        named[name] = place
    return named


def _with_pattern(truth: str, models: dict[str, str], pattern: str | None) -> tuple[str, dict[str, str]]:
    if pattern is None:
        return truth, models
    of_truth, _, of_pred = pattern.partition(":")
    return f"{truth}/{of_truth}", {name: f"{place}/{of_pred or of_truth}" for name, place in models.items()}


def _metric_names(text: str | None) -> list[str] | None:
    if text is None:
        return None
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in METRICS]
    if unknown or not names:
        raise UsageError(f"No metric is called {', '.join(unknown) or repr(text)}; there are {', '.join(METRICS)}.")
    return names


def _gates(texts: Sequence[str]) -> dict[str, float]:
    gates = {}
    for text in texts:
        name, _, value = text.partition("=")
        try:
            gates[name] = float(value)
        except ValueError:
            raise UsageError(f"--fail-under must be METRIC=VALUE, such as softpq=0.7; got {text}.") from None
        if math.isnan(gates[name]):
            raise UsageError(f"--fail-under must be METRIC=VALUE, such as softpq=0.7; got {text}.")
        if name not in METRICS:
            raise UsageError(f"--fail-under must name a metric; got {name}. There are {', '.join(METRICS)}.")
    return gates


def _check_gates(results: Results, gates: dict[str, float], errors: Console) -> bool:
    """A value below the gate fails, one above it for metrics where less is better; an undefined one fails too."""
    passed = True
    for model in results.models:
        values = results.pooled(model) if results.of(model) else {}
        for metric, bound in gates.items():
            value = values.get(metric, math.nan)
            good = value <= bound if metric in ERRORS else value >= bound
            if not good:
                passed = False
                sign = "above" if metric in ERRORS else "under"
                errors.print(escape(f"{model}: {metric} is {value:.4f}, {sign} {bound:g}."), soft_wrap=True)
    return passed


def _write(results: Results, options: Mapping[str, Any]) -> None:
    if options["csv_path"] is not None:
        results.to_csv(options["csv_path"])
    if options["json_path"] is not None:
        results.to_json(options["json_path"])
    if options["objects_path"] is not None:
        write_objects(results, options["objects_path"])
    if options["plots"] is not None:
        write_plots(results, options["plots"])


def _check_raw_images(images: str, truth: str) -> None:
    """Raise before the work if no raw image belongs to a label image."""
    from softpq.io.sources import open_source
    from softpq.report.raw import RawImages

    RawImages(images, list(open_source(truth)))


LOOKED_AT = 50
"""Pairs that the doctor looks at for a report."""


def _write_report(results: Results, truth: str, models: Mapping[str, str], options: Mapping[str, Any]) -> None:
    """Write the page, with what the doctor finds in the first images."""
    from softpq.doctor import examine
    from softpq.report import write_report

    if not results.images:
        return  # what is printed says why
    findings = [
        f"{model}: {found}" for model, place in models.items() for found in examine(truth, place, limit=LOOKED_AT)
    ]
    write_report(
        results,
        options["html_path"],
        title="/".join(Path(truth).parts[-2:]) or truth,
        images=options["images"],
        max_images=options["max_images"],
        command=shlex.join(["softpq", *sys.argv[1:]]),
        warnings=findings,
    )


def write_plots(results: Results, folder: Path) -> None:
    """Write SoftPQ against PQ for every model, as PNG and SVG."""
    from softpq.plots import plot_pq_vs_softpq

    folder.mkdir(parents=True, exist_ok=True)
    for model in results.models:
        if results.of(model):
            name = "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in model)[:100]
            figure = plot_pq_vs_softpq(results, model)
            for suffix in ("png", "svg"):
                figure.savefig(folder / f"pq_vs_softpq_{name}.{suffix}", dpi=200)


def write_objects(results: Results, path: Path) -> None:
    """Write the objects of all images as one table."""
    names = dict.fromkeys(name for _, objects in results.objects for name in objects.columns)
    with atomic_file(path) as file:
        writer = csv.writer(file)
        writer.writerow(["model", "image", *names])
        for image, objects in results.objects:
            columns = [objects.columns[n].tolist() if n in objects.columns else [""] * len(objects) for n in names]
            writer.writerows([image.model, image.name, *row] for row in zip(*columns, strict=True))


def run_doctor(truth: str, pred: str) -> int:
    """Print findings; return the exit code."""
    from softpq.doctor import examine

    console, errors = Console(emoji=False), Console(stderr=True, emoji=False)
    try:
        findings = examine(truth, pred)
    except (ReadError, ValueError, OSError) as error:
        errors.print(f"[red]Error:[/] {escape(str(error))}", soft_wrap=True)
        return USAGE
    for finding in findings:
        console.print(f"- {escape(str(finding))}", soft_wrap=True)
    if not findings:
        console.print("Nothing seems wrong.")
    return FAILED if findings else FINE


def run_paper(out: Path, data: tuple[str, str] | None) -> int:
    """Reproduce the paper; return the exit code."""
    console, errors = Console(emoji=False), Console(stderr=True, emoji=False)
    try:
        from softpq.paper.run import reproduce

        page = reproduce(out, data)
    except (ReadError, ImportError, ValueError, OSError) as error:
        errors.print(f"[red]Error:[/] {escape(str(error))}", soft_wrap=True)
        return USAGE
    console.print(f"Wrote {escape(str(page))}, with its figures and tables beside it.", soft_wrap=True)
    return FINE


def run_sweep(truth: str, pred: str, options: Mapping[str, Any]) -> int:
    """Compute, print and write a surface; return the exit code."""
    console, errors = Console(emoji=False), Console(stderr=True, emoji=False)
    try:
        from softpq.dataset import sweep_folders
        from softpq.plots import plot_surface

        surface, failures = sweep_folders(truth, pred, priority=options["priority"], reading=options["reading"])
        if options["plot"] is not None:
            plot_surface(surface).savefig(options["plot"], dpi=200)
    except (ReadError, ImportError, ValueError, OSError) as error:
        errors.print(f"[red]Error:[/] {escape(str(error))}", soft_wrap=True)
        return USAGE
    console.print(surface_table(surface))
    if options["csv_path"] is not None:
        with atomic_file(options["csv_path"]) as file:
            writer = csv.writer(file)
            writer.writerow(["iou_low", *surface.iou_high.tolist()])
            writer.writerows(
                [low, *row] for low, row in zip(surface.iou_low.tolist(), surface.values.tolist(), strict=True)
            )
    for failure in failures:
        errors.print(escape(f"{failure.name}: {failure.reason}"), soft_wrap=True)
    return FAILED if failures else FINE
