"""softpq paper."""

from __future__ import annotations

from pathlib import Path

import click

from softpq.cli.options import FOLDER
from softpq.cli.running import FINE, ends_with_code


@click.command()
@click.argument("out", type=FOLDER)
@click.option("--data", nargs=2, metavar="TRUTH PRED", help="A dataset for the figure on real images.")
@ends_with_code
def paper(out: Path, data: tuple[str, str] | None) -> int:
    """Reproduce the SoftPQ paper: every experiment, figure and claim, as OUT/index.html (needs the extra plot)."""
    from rich.console import Console
    from rich.markup import escape

    from softpq.paper.run import reproduce

    page = reproduce(out, data)
    text = f"Wrote {escape(str(page))}, with its figures and tables beside it."
    Console(emoji=False).print(text, soft_wrap=True)
    return FINE
