"""softpq doctor."""

from __future__ import annotations

import click

from softpq.cli.running import FAILED, FINE, ends_with_code


@click.command()
@click.argument("truth")
@click.argument("pred")
@ends_with_code
def doctor(truth: str, pred: str) -> int:
    """Look at two folders before scoring, and say what seems wrong. Exit code 1 if something does."""
    from rich.console import Console
    from rich.markup import escape

    from softpq.doctor import examine

    console, findings = Console(emoji=False), examine(truth, pred)
    for finding in findings:
        console.print(f"- {escape(str(finding))}", soft_wrap=True)
    if not findings:
        console.print("Nothing seems wrong.")
    return FAILED if findings else FINE
