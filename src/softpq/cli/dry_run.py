"""softpq evaluate --dry-run: which files would be paired."""

from __future__ import annotations

import csv
import gc
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from softpq.cli.running import FAILED, FINE, UsageError

if TYPE_CHECKING:
    from softpq.io.image import Image
    from softpq.io.pairing import Pairing

SHOWN = 25
"""Lines of the table."""


def show_pairing(truth: str, models: Mapping[str, str], options: Mapping[str, Any]) -> int:
    """Print what would be paired, and why; exit code 1 if a prediction is missing."""
    from softpq.cli.language import in_options
    from softpq.dataset import check_paired, said_of
    from softpq.io.format import ReadOptions
    from softpq.io.pairs import paired_as_said, paired_by_name

    reading = ReadOptions(axes=options["axes"], channel=options["channel"], anywhere=options["allow_outside"])
    if options["pairs"] is not None:
        pairings = paired_as_said(options["pairs"], truth, models, reading)
    else:
        pairings = paired_by_name(truth, models, reading, look=False)
    gc.freeze()  # this process only prints what it has
    if options["csv_path"] is None:
        check_paired(pairings)
    rows = _rows(pairings)
    if options["csv_path"] is not None:
        _check_files(pairings)
        _write(options["csv_path"], ["truth", *pairings], rows)
    if not options["quiet"]:
        _print(["image", "truth", *pairings], rows)
        for line in said_of(pairings):
            click.echo(in_options(line))
    return FAILED if any(pairing.missing for pairing in pairings.values()) else FINE


def _check_files(pairings: Mapping[str, Pairing]) -> None:
    """A table of pairs names files of one image each."""
    from softpq.io.image import LabelImage

    for pairing in pairings.values():
        for images in ([pair.truth for pair in pairing.pairs], [pair.pred for pair in pairing.pairs if pair.pred]):
            places = [image.location if isinstance(image, LabelImage) else "" for image in images]
            if "" in places or len(set(places)) < len(places):
                raise UsageError(
                    "--csv writes files of one image each; here files hold several images, or one object each."
                )
        if all(pair.pred is None for pair in pairing.pairs):
            raise UsageError("--csv writes what is paired; here nothing is.")


def _rows(pairings: Mapping[str, Pairing]) -> list[list[str]]:
    """Name, truth, and the prediction of every model."""
    rows: dict[int, list[str]] = {}
    for place, pairing in enumerate(pairings.values()):
        for pair in pairing.pairs:
            row = rows.setdefault(id(pair.truth), [pair.name, _place(pair.truth), *[""] * len(pairings)])
            row[2 + place] = "" if pair.pred is None else _place(pair.pred)
    return list(rows.values())


def _place(image: Image) -> str:
    from softpq.io.image import LabelImage

    return image.location if isinstance(image, LabelImage) else image.shown


def _short(cells: list[str]) -> list[str]:
    """The last folder and the file, for people."""
    return ["/".join(Path(cell).parts[-2:]) if cell else "(none)" for cell in cells]


def _print(head: list[str], rows: list[list[str]]) -> None:
    from softpq.io.format import printable

    short = [[name, *_short(cells)] for name, *cells in rows[:SHOWN]]
    shown = [[printable(cell) for cell in row] for row in (head, *short)]
    widths = [max(len(row[k]) for row in shown) for k in range(len(head))]
    for row in shown:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    if len(rows) > SHOWN:
        click.echo(f"... and {len(rows) - SHOWN:,} more; --csv FILE writes all of them.")


def _write(path: Any, head: list[str], rows: list[list[str]]) -> None:
    from softpq._files import atomic_file

    with atomic_file(path) as file:
        writer = csv.writer(file)
        writer.writerow(head)
        writer.writerows(row[1:] for row in rows)
