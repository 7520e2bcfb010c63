"""The demo: a field of cells with known errors, all its scores, and a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from rich.console import Console
from rich.table import Table

from softpq.evaluate import Evaluation, evaluate
from softpq.metrics.softpq import Priority, Reading
from softpq.objects import TRUTH_VERDICTS
from softpq.plots import overlay
from softpq.synthetic import Scene, cells

if TYPE_CHECKING:
    from pathlib import Path


def run(out: Path, *, seed: int = 0, objects: int = 300) -> Evaluation:
    """Make the scene, print its scores, and write the picture and the objects to the folder."""
    console = Console(emoji=False)
    scene = cells(objects=objects, seed=seed)
    evaluation = evaluate(scene.truth, scene.pred)
    console.print(_metrics_table(evaluation), _readings_table(scene), _fates_table(scene, evaluation))
    out.mkdir(parents=True, exist_ok=True)
    overlay(scene.truth, scene.pred, evaluation.objects).save(out / "demo.png")
    evaluation.objects.to_csv(out / "objects.csv")
    evaluation.report(out / "report.html", title="A made-up field of cells", command="softpq demo")
    console.print(f"Wrote [bold]{out / 'report.html'}[/], to be looked at in a browser, demo.png and objects.csv.")
    return evaluation


def _metrics_table(evaluation: Evaluation) -> Table:
    table = Table("metric", "value", title="All metrics", caption=f"SoftPQ: {evaluation.settings}")
    table.columns[1].justify = "right"
    for name, value in evaluation.items():
        table.add_row(name, str(value) if isinstance(value, int) else f"{value:.4f}")
    return table


def _readings_table(scene: Scene) -> Table:
    table = Table("reading", *get_args(Priority), title="SoftPQ in every reading")
    for reading in get_args(Reading):
        values = [evaluate(scene.truth, scene.pred, metrics=["softpq"], reading=reading, priority=priority)["softpq"]
                  for priority in get_args(Priority)]  # fmt: skip
        table.add_row(reading, *(f"{value:.4f}" for value in values))
    return table


def _fates_table(scene: Scene, evaluation: Evaluation) -> Table:
    """What was done to each truth object, against what was found to have happened."""
    objects = evaluation.objects
    is_truth = objects["side"] == "truth"
    found = dict(zip(objects["id"][is_truth].tolist(), objects["verdict"][is_truth].tolist(), strict=True))
    table = Table("made", *TRUTH_VERDICTS, title="What was done to each cell, and its verdict")
    for fate in dict.fromkeys(scene.fates.values()):
        verdicts = [found[label] for label, made in scene.fates.items() if made == fate]
        table.add_row(fate, *(str(verdicts.count(name) or "") for name in TRUTH_VERDICTS))
    return table
