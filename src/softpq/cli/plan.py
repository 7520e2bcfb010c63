"""softpq plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from softpq.cli.options import PATH
from softpq.cli.running import FINE, UsageError, ends_with_code

if TYPE_CHECKING:
    from softpq.dataset.planning import Needed

AT = (10, 20, 30, 50, 100, 200, 500, 1000)


@click.command()
@click.argument("results", nargs=-1, required=True)
@click.option("--difference", type=click.FloatRange(0, min_open=True), required=True, help="That should be seen.")
@click.option("--rank-by", metavar="METRIC", help="Which metric.  [default: softpq]")
@click.option("--over", type=click.Choice(["pooled", "mean"]), default="mean", show_default=True,
              help="The mean over images, which can be planned; or pooled over objects, more roughly.")  # fmt: skip
@click.option("--groups", help="Images that belong together: a CSV of image,group, or a pattern such as '(p[0-9]+)_'.")
@click.option("--plot", type=PATH, help="Draw what can be seen with how many images (.png, .svg, .pdf).")
@ends_with_code
def plan(
    results: tuple[str, ...], difference: float, rank_by: str | None, over: str, groups: str | None, plot: Path | None
) -> int:
    """How many images would show a difference, with 80 % power, at 5 %.

    RESULTS are of two models or more, written with evaluate --json: a pilot. What counts is how much the models differ
    from image to image, never the difference that they happened to show.
    """
    from rich.console import Console
    from rich.markup import escape

    from softpq.cli.compare import as_asked, merged_results
    from softpq.cli.ranking import shortened
    from softpq.plots import plot_needed

    asked = {"groups": groups, "rank_by": rank_by}
    found = as_asked(merged_results(results), asked)
    try:
        needed = found.needed(rank_by, over=over)  # type: ignore[arg-type]  # click has checked it
    except ValueError as error:
        raise UsageError(str(error)) from None
    console = Console(emoji=False)
    unit = "groups" if found.groups else "images"
    metric = rank_by or found.rank_by
    console.print(
        f"{unit.capitalize()} for a difference of {difference:g} in {metric}, {over}, with 80 % power at 5 %:"
    )
    names = shortened(found.models, 24)
    for one in sorted(needed, key=lambda one: one.spread):
        line = f"  {names[one.first]} and {names[one.second]}: {one.units_for(difference):,}"
        console.print(escape(f"{line} ({one.units} now, which show {one.detectable(one.units):.4f})"), highlight=False)
    worst = max(needed, key=lambda one: one.spread)
    console.print(f"{unit.capitalize()} and what they show, for the pair that needs most:", highlight=False)
    console.print("  " + _curve(worst), highlight=False)
    console.print("Two models that are named beforehand; several, compared with each other, need more.")
    if plot is not None:
        plot_needed(needed).savefig(plot, dpi=200)
    return FINE


def _curve(one: Needed) -> str:
    return ", ".join(f"{units}: {one.detectable(units):.3f}" for units in AT)
