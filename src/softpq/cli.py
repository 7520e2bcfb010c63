"""The command line: parses and calls; no logic. Keep its imports light: --help must be instant."""

from __future__ import annotations

from pathlib import Path

import click


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="softpq")
def main() -> None:
    """Judge instance segmentation: SoftPQ, PQ and the metrics of the field."""


@main.command()
@click.argument("out", type=click.Path(path_type=Path, file_okay=False), default=Path("demo"))
@click.option("--seed", default=0, show_default=True, help="Another seed gives another field of cells.")
@click.option("--objects", default=300, show_default=True, help="How many cells.", type=click.IntRange(min=1))
def demo(out: Path, seed: int, objects: int) -> None:
    """Score a made-up field of cells with known errors; write a picture of what happened to each cell."""
    from softpq.demo import run

    run(out, seed=seed, objects=objects)
