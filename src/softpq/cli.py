"""The command line: parses and calls; no logic. Keep its imports light: --help must be instant."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

PATH = click.Path(path_type=Path)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="softpq")
def main() -> None:
    """Judge instance segmentation: SoftPQ, PQ and the metrics of the field."""


@main.command()
@click.argument("truth")
@click.argument("pred", nargs=-1, required=True)
@click.option("--metrics", help="Comma-separated names, such as softpq,pq,aji.  [default: the usual ones]")
@click.option("--iou-low", type=float, help="Pairs above this count softly.  [default: 0.05]")
@click.option("--iou-high", type=float, help="Matches from this on count fully.  [default: 0.5]")
@click.option("--penalty", type=click.Choice(["sqrt", "linear", "log", "log-raw"]), default="sqrt", show_default=True)
@click.option("--priority", type=click.Choice(["over", "under"]), default="over", show_default=True)
@click.option(
    "--reading", type=click.Choice(["text", "figures", "unified", "released"]), default="text", show_default=True
)
@click.option("--preset", type=click.Choice(["general", "precise", "exploratory", "paper"]), help="Both thresholds.")
@click.option("--threshold", type=float, default=0.5, show_default=True, help="Of PQ, F1 and the like.")
@click.option("--boundary", type=float, help="Reach of boundary bands: adds boundary metrics.")
@click.option("--classes", help="auto, a JSON file, or truth_folder,pred_folder of class images: scores by class.")
@click.option("--pattern", help="Globs below the two folders, as TRUTH:PRED, such as '*/gt.png:*/pred.png'.")
@click.option(
    "--missing", type=click.Choice(["error", "empty", "skip"]), default="error", show_default=True,
    help="Truth images without a prediction.",
)  # fmt: skip
@click.option("--split-components", is_flag=True, help="Label connected components first, for binary masks.")
@click.option("-j", "--jobs", type=click.IntRange(min=1), help="Images at a time.  [default: all cores]")
@click.option("--memory", default="1GB", show_default=True, help="Larger pairs of images are counted in parts.")
@click.option("--dask", help="Work on a cluster: local, local:N processes, or the address of a scheduler.")
@click.option("--csv", "csv_path", type=PATH, help="Write one line per image and model.")
@click.option("--json", "json_path", type=PATH, help="Write everything, for later.")
@click.option("--objects", "objects_path", type=PATH, help="Write one line per object.")
@click.option(
    "--html", "html_path", type=PATH, help="Write a report: one page with everything, to look at and to send."
)
@click.option("--images", help="Folder or glob of the raw images, for the report.")
@click.option(
    "--max-images", type=click.IntRange(min=0), default=40, show_default=True,
    help="Images to embed in the report; half are the worst, half a sample.",
)  # fmt: skip
@click.option("--plots", type=click.Path(path_type=Path, file_okay=False), help="Draw SoftPQ against PQ, per model.")
@click.option("--resume", type=PATH, help="Note finished images here, and go on from what is noted.")
@click.option("--fail-under", multiple=True, help="METRIC=VALUE: exit 1 if a model's pooled value is below.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
def evaluate(truth: str, pred: tuple[str, ...], **options: Any) -> None:
    """Score predictions against ground truth.

    TRUTH and each PRED are files, folders, or quoted globs such as 'runs/*/masks.tif'. Several PRED are several models;
    NAME=PATH names one. Images are paired by name.

    Exit codes: 0; 1 if a gate failed or some files could not be scored; 2 if the call makes no sense.
    """
    from softpq.commands import run_evaluate

    sys.exit(run_evaluate(truth, pred, options))


@main.command()
@click.argument("truth")
@click.argument("pred")
def doctor(truth: str, pred: str) -> None:
    """Look at two folders before scoring, and say what seems wrong. Exit code 1 if something does."""
    from softpq.commands import run_doctor

    sys.exit(run_doctor(truth, pred))


@main.command()
@click.argument("out", type=click.Path(path_type=Path, file_okay=False))
@click.option("--data", nargs=2, metavar="TRUTH PRED", help="A dataset for the figure on real images.")
def paper(out: Path, data: tuple[str, str] | None) -> None:
    """Reproduce the SoftPQ paper: every experiment, figure and claim, as OUT/index.html (needs the extra plot)."""
    from softpq.commands import run_paper

    sys.exit(run_paper(out, data))


@main.command()
@click.argument("truth")
@click.argument("pred")
@click.option("--plot", type=PATH, help="Write the surface as a picture (.png, .svg, .pdf).")
@click.option("--csv", "csv_path", type=PATH, help="Write the surface as a table.")
@click.option("--priority", type=click.Choice(["over", "under"]), default="over", show_default=True)
@click.option(
    "--reading", type=click.Choice(["text", "figures", "unified", "released"]), default="text", show_default=True
)
def sweep(truth: str, pred: str, **options: Any) -> None:
    """SoftPQ for all pairs of thresholds, the mean over images; it recommends nothing but shows the surface."""
    from softpq.commands import run_sweep

    sys.exit(run_sweep(truth, pred, options))


@main.command()
@click.argument("out", type=click.Path(path_type=Path, file_okay=False), default=Path("demo"))
@click.option("--seed", default=0, show_default=True, help="Another seed gives another field of cells.")
@click.option("--objects", default=300, show_default=True, help="How many cells.", type=click.IntRange(min=1))
def demo(out: Path, seed: int, objects: int) -> None:
    """Score a made-up field of cells with known errors; write a picture of what happened to each cell."""
    from softpq.demo import run

    try:
        run(out, seed=seed, objects=objects)
    except OSError as error:
        raise click.ClickException(str(error)) from error
