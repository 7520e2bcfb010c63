"""softpq doctor."""

from __future__ import annotations

import click

from softpq.cli.options import reading_options
from softpq.cli.running import FAILED, FINE, ends_with_code


@click.command()
@click.argument("truth")
@click.argument("pred")
@reading_options
@ends_with_code
def doctor(truth: str, pred: str, axes: str | None, channel: int | None) -> int:
    """Look at two folders before scoring, and say what seems wrong. Exit code 1 if something does."""
    from rich.console import Console
    from rich.markup import escape

    from softpq.doctor import examine

    console, findings = Console(emoji=False), examine(truth, pred, axes=axes, channel=channel)
    for finding in findings:
        console.print(f"- {escape(str(finding))}", soft_wrap=True)
    if not findings:
        console.print("Nothing seems wrong.")
    return FAILED if findings else FINE
