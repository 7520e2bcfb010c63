"""softpq demo: a field of cells with known errors, all its scores, and a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from softpq.cli.options import FOLDER
from softpq.cli.running import FINE, ends_with_code
from softpq.settings import PRIORITIES, READINGS

if TYPE_CHECKING:
    from rich.table import Table

    from softpq.evaluation import Evaluation
    from softpq.synthetic import Scene


@click.command()
@click.argument("out", type=FOLDER, default=Path("demo"))
@click.option("--seed", default=0, show_default=True, help="Another seed gives another field of cells.")
@click.option("--objects", default=300, show_default=True, help="How many cells.", type=click.IntRange(min=1))
@ends_with_code
def demo(out: Path, seed: int, objects: int) -> int:
    """Score a made-up field of cells with known errors; write a picture of what happened to each cell."""
    from rich.console import Console

    from softpq.evaluation import evaluate
    from softpq.plots import overlay
    from softpq.synthetic import cells

    console = Console(emoji=False)
    scene = cells(objects=objects, seed=seed)
    evaluation = evaluate(scene.truth, scene.pred)
    console.print(_metrics_table(evaluation), _readings_table(scene), _fates_table(scene, evaluation))
    out.mkdir(parents=True, exist_ok=True)
    overlay(scene.truth, scene.pred, evaluation.objects).save(out / "demo.png")
    evaluation.objects.to_csv(out / "objects.csv")
    evaluation.report(out / "report.html", title="A made-up field of cells", command="softpq demo")
    console.print(f"Wrote [bold]{out / 'report.html'}[/], to be looked at in a browser, demo.png and objects.csv.")
    return FINE


def _table(*columns: str, **options: str) -> Table:
    from rich.table import Table

    return Table(*columns, **options)  # type: ignore[arg-type]  # a title and a caption


def _metrics_table(evaluation: Evaluation) -> Table:
    table = _table("metric", "value", title="All metrics", caption=f"SoftPQ: {evaluation.settings}")
    table.columns[1].justify = "right"
    for name, value in evaluation.items():
        table.add_row(name, str(value) if isinstance(value, int) else f"{value:.4f}")
    return table


def _readings_table(scene: Scene) -> Table:
    from softpq.evaluation import score

    table = _table("reading", *PRIORITIES, title="SoftPQ in every reading")
    for reading in READINGS:
        settings = [{"reading": reading, "priority": priority} for priority in PRIORITIES]
        values = [score(scene.truth, scene.pred, **one) for one in settings]  # type: ignore[arg-type]  # names
        table.add_row(reading, *(f"{value:.4f}" for value in values))
    return table


def _fates_table(scene: Scene, evaluation: Evaluation) -> Table:
    """What was done to each truth object, against what was found to have happened."""
    from softpq.explain.verdicts import verdicts_of

    objects, names = evaluation.objects, verdicts_of("truth")
    is_truth = objects["side"] == "truth"
    found = dict(zip(objects["id"][is_truth].tolist(), objects["verdict"][is_truth].tolist(), strict=True))
    table = _table("made", *names, title="What was done to each cell, and its verdict")
    for fate in dict.fromkeys(scene.fates.values()):
        verdicts = [found[label] for label, made in scene.fates.items() if made == fate]
        table.add_row(fate, *(str(verdicts.count(name) or "") for name in names))
    return table
