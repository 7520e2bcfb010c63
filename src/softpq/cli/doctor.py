"""softpq doctor."""

from __future__ import annotations

import re
import shlex

import click

from softpq.cli.language import in_options
from softpq.cli.options import reading_options
from softpq.cli.running import FAILED, FINE, RememberingCommand, ends_with_code


@click.command(cls=RememberingCommand)
@click.argument("truth")
@click.argument("pred", nargs=-1, required=True)
@reading_options
@click.option(
    "--seconds", type=click.FloatRange(min=0), default=60, show_default=True, help="Begin no other pair after so long."
)
@click.option("--memory", help="Larger files are refused.  [default: an eighth of the machine]")
@ends_with_code
def doctor(
    truth: str, pred: tuple[str, ...], axes: str | None, channel: int | None, seconds: float, memory: str | None
) -> int:
    """Look at the folders of one or several models before scoring, and say what seems wrong, the gravest first.

    Exit code 1 if something does.
    """
    from rich.console import Console
    from rich.markup import escape

    from softpq.cli.models import check_expanded, models_of
    from softpq.doctor import examine
    from softpq.io.format import printable

    check_expanded(truth, pred, "doctor")
    models = models_of(pred)
    given = models if len(models) > 1 else next(iter(models.values()))
    console = Console(emoji=False)
    found = examine(truth, given, seconds=seconds, axes=axes, channel=channel, memory=memory)
    for finding in found:
        console.print(f"- {escape(printable(in_options(str(finding))))}", soft_wrap=True)
        if command := _command(in_options(finding.advice), truth, pred):
            console.print(f"  {escape(command)}", soft_wrap=True)
    if not found.findings:
        console.print("Nothing seems wrong.")
    some = "" if found.looked_at == found.pairs else "; --seconds gives it more time"
    console.print(f"Looked at {found.looked_at:,} of {found.pairs:,} pairs{some}.")
    return FAILED if found.findings else FINE


def _command(advice: str, truth: str, pred: tuple[str, ...]) -> str:
    """The command that mends it, where an option does."""
    option = re.search(r"--(split-components|missing \w+|geometry ignore|axes \w+|channel \d)", advice)
    return shlex.join(["softpq", "evaluate", truth, *pred, *option[0].split()]) if option else ""
