"""softpq evaluate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from softpq.cli.grouped import GroupedCommand
from softpq.cli.options import (
    PATH,
    headline_options,
    missing_option,
    no_check_option,
    reading_options,
    sizes,
    softpq_options,
    table_options,
    threshold_options,
    words,
)
from softpq.cli.running import (
    FAILED,
    FINE,
    UsageError,
    ends_with_code,
    problems_with_notes,
    said_none,
    say_error,
    whoever_reads,
)

if TYPE_CHECKING:
    from rich.console import Console

    from softpq.cli.observers import Observers
    from softpq.dataset.results import Results

_KEEPING = ("csv_path", "json_path", "html_path", "resume", "plots")
"""Options that write results: all metrics are computed for them."""


@click.command(cls=GroupedCommand)
@click.argument("truth", required=False)
@click.argument("pred", nargs=-1)
@click.option("--metrics", callback=words, help="Names such as softpq,pq,aji.  [default: the usual ones]")
@headline_options
@threshold_options
@softpq_options
@click.option("--threshold", type=float, default=0.5, show_default=True, help="Of PQ, F1 and the like.")
@click.option(
    "--strict/--no-strict", default=None,
    help="Match above the threshold, as PQ was published, or from it on.  [default: strict for panoptic files]",
)  # fmt: skip
@click.option("--boundary", type=float, help="Reach of boundary bands: adds boundary metrics.")
@click.option("--spacing", callback=sizes, help="Size of a pixel along each axis, such as 2,0.5,0.5, for the bands.")
@click.option("--ignore", type=int, metavar="LABEL", help="A label of truth whose pixels count nowhere.")
@click.option("--ignore-masks", metavar="FOLDER", help="Masks of pixels that count nowhere, paired by name.")
@click.option("--classes", help="auto, a JSON file, or truth_folder,pred_folder of class images: scores by class.")
@click.option("--score-threshold", type=float, help="Leave out masks with a smaller score.")
@click.option("--class-agnostic", is_flag=True, help="Match masks of all classes together, not within each class.")
@click.option("--pattern", help="Globs below the two folders, as TRUTH:PRED, such as '*/gt.png:*/pred.png'.")
@click.option(
    "--pairs", type=PATH, help="Which files belong together: a CSV of truth,pred, or truth and a column per model."
)
@click.option("--dry-run", is_flag=True, help="Only show which files would be paired; --csv writes them for --pairs.")
@missing_option
@click.option("--groups", help="Images that belong together: a CSV of image,group, or a pattern such as '(p[0-9]+)_'.")
@no_check_option
@click.option("--split-components", is_flag=True, help="Label connected components first, for binary masks.")
@click.option("-j", "--jobs", type=click.IntRange(min=1), help="Images at a time.  [default: all cores]")
@click.option(
    "--memory", help="Larger pairs are counted in parts, larger files refused.  [default: 1GB; half of the machine]"
)
@click.option(
    "--geometry", type=click.Choice(["check", "ignore"]), default="check", show_default=True,
    help="Where files state how they lie in space: bring them together, or take them as they are.",
)  # fmt: skip
@reading_options
@click.option(
    "--allow-outside", is_flag=True, help="Files may name others outside of their folder, which are then read."
)
@click.option("--require-chunks", is_flag=True, help="Chunks of a Zarr array that are not stored are a failure.")
@click.option("--dask", help="Work on a cluster: local, local:N processes, or the address of a scheduler.")
@table_options
@click.option("--objects", "objects_path", type=PATH, help="Write one line per object.")
@click.option(
    "--html", "html_path", type=PATH, help="Write a report: one page with everything, to look at and to send."
)
@click.option("--title", help="Of the report.  [default: the name of TRUTH]")
@click.option("--author", default="", help="Who made the report, below its title.")
@click.option("--note", type=PATH, help="A file of Markdown: what should be read first in the report.")
@click.option("--images", help="Folder or glob of the raw images, for the report.")
@click.option(
    "--max-images", type=click.IntRange(min=0), default=40, show_default=True,
    help="Images to embed in the report; half are the worst, half a sample.",
)  # fmt: skip
@click.option(
    "--max-size",
    default="30MB",
    show_default=True,
    help="Of all images in the report; the most telling ones come first.",
)
@click.option("--channels", callback=words, help="Names of the channels of the raw images, such as DAPI,actin.")
@click.option("--resume", type=PATH, help="Note finished images here, and go on from what is noted.")
@click.option("--fail-under", multiple=True, help="METRIC=VALUE: exit 1 if a model's pooled value is below.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@ends_with_code
def evaluate(truth: str | None, pred: tuple[str, ...], **options: Any) -> int:
    """Score predictions against ground truth.

    TRUTH and each PRED are files, folders, or quoted globs such as 'runs/*/masks.tif'. Several PRED are several models;
    NAME=PATH names one. Images are paired by name; with --pairs, TRUTH and PRED may be left out.

    Exit codes: 0; 1 if a gate failed, a file could not be scored or a result not be written; 2 if the call makes no
    sense; 130 if it was interrupted.
    """
    from rich.console import Console
    from rich.markup import escape

    from softpq.cli.dry_run import show_pairing
    from softpq.cli.gates import check_gates, parse_gates
    from softpq.cli.models import check_expanded, models_of, places_of
    from softpq.cli.observers import Observers
    from softpq.cli.outputs import check_outputs, check_raw_images, to_standard, write_all, writers_of
    from softpq.cli.printing import failure_lines, print_results
    from softpq.cli.remedies import remedies

    gates, shown = parse_gates(options["fail_under"]), _shown(options)
    truth, pred = places_of(truth, pred, options["pairs"])
    check_expanded(truth, pred)
    truth, models = _with_pattern(truth, models_of(pred), options["pattern"])
    if options["dry_run"]:
        return show_pairing(truth, models, options)
    check_outputs(options, [truth, *models.values()])
    check_raw_images(options, truth)
    console = Console(quiet=options["quiet"], emoji=False, stderr=to_standard(options))
    observers = Observers(options)
    with problems_with_notes() as problems:
        results = _scored(truth, models, options, _computed(options, shown, gates), observers, console)
    if not options["quiet"]:
        in_full = options["metrics"] is not None or options["boundary"] is not None
        with whoever_reads():
            print_results(results, console, shown, sizes=options["sizes"], in_full=in_full)
        _hint(console, results, options)
    else:
        for line in failure_lines(results.failures):
            say_error(escape(line))
    for command in remedies(results.failures, len(results.images), truth, models):
        console.print(f"Run: {escape(command)}", soft_wrap=True)
    passed = check_gates(results, gates)
    writers = writers_of(results, options, shown)
    if options["html_path"] is not None and results.images:
        writers[options["html_path"]] = lambda path: observers.write_report(results, truth, models, shown)
    written = write_all(writers) and said_none(problems)
    return FINE if passed and written and results.images and not results.failures else FAILED


def _hint(console: Console, results: Results, options: Mapping[str, Any]) -> None:
    """What else there would be."""
    if options["resume"] and not (_wants_overlaps(options) or options["keep_tables"] or options["html_path"]):
        console.print("--resume notes no tables: what repairs would bring is told with --keep-tables and --json.")
    if options["html_path"] is None and results.images and console.is_terminal:
        console.print("[dim]--html report.html writes a page that shows why.[/]")


def _shown(options: Mapping[str, Any]) -> list[str]:
    """Metrics to print."""
    from softpq.metrics import METRICS

    unknown = [name for name in [*(options["metrics"] or ()), options["rank_by"]] if name and name not in METRICS]
    if unknown:
        raise UsageError(f"No metric is called {', '.join(unknown)}; there are {', '.join(METRICS)}.")
    with_bands = options["boundary"] is not None
    usual = [name for name, one in METRICS.items() if one.usual or (with_bands and one.reads == "bands")]
    asked = options["metrics"] or usual
    return list(dict.fromkeys([*asked, options["rank_by"]])) if options["rank_by"] else asked


def _computed(options: Mapping[str, Any], shown: Sequence[str], gates: Mapping[str, float]) -> list[str] | None:
    """Metrics to compute: those that are printed, and all if results are written."""
    if options["metrics"] is None and any(options[name] is not None for name in _KEEPING):
        return None
    return list(dict.fromkeys([*shown, "softpq", "pq", *gates]))


def _scored(
    truth: str,
    models: dict[str, str],
    options: Mapping[str, Any],
    metrics: list[str] | None,
    observers: Observers,
    console: Any,
) -> Results:
    from softpq.cli.printing import progress_bar
    from softpq.dataset import DatasetOptions, evaluate_dataset

    names = DatasetOptions.__annotations__
    passed_on: Any = {name: value for name, value in options.items() if name in names and value is not None}
    if options["ignore"] is not None and options["ignore_masks"] is not None:
        raise UsageError("--ignore and --ignore-masks must not be given together.")
    with progress_bar(console, hidden=options["quiet"]) as progress:
        results = evaluate_dataset(
            truth,
            models,
            groups=options["groups"],
            pairs=options["pairs"],
            ignore=options["ignore"] if options["ignore"] is not None else options["ignore_masks"],
            **{
                **passed_on,
                "metrics": metrics,
                "keep_objects": options["objects_path"] is not None,
                "keep_tables": options["html_path"] is not None or options["keep_tables"],
                "keep_overlaps": _wants_overlaps(options),
                "progress": progress,
                "observers": observers.all,
            },
        )
    return results.ranked_by(_headline(options), over=options["over"], level=options["level"], seed=options["seed"])


def _headline(options: Mapping[str, Any]) -> str | None:
    """What models are ranked by: what is asked for, SoftPQ, or the first metric that is shown."""
    metrics = options["metrics"] or ["softpq"]
    return options["rank_by"] or (None if "softpq" in metrics else metrics[0])


def _wants_overlaps(options: Mapping[str, Any]) -> bool:
    """Whether something is printed or drawn that needs tables; what is noted for later would be long with them."""
    asked = options["sizes"] is not None or options["plots"] is not None
    return asked or (options["resume"] is None and (not options["quiet"] or options["json_path"] is not None))


def _with_pattern(truth: str, models: dict[str, str], pattern: str | None) -> tuple[str, dict[str, str]]:
    if pattern is None:
        return truth, models
    of_truth, _, of_pred = pattern.partition(":")
    return f"{truth}/{of_truth}", {name: f"{place}/{of_pred or of_truth}" for name, place in models.items()}
