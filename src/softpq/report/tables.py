"""The table for a paper: models by metrics, as Markdown, LaTeX or CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from softpq._files import plain_cell
from softpq.io.format import printable
from softpq.metrics import METRICS
from softpq.report.methods import methods_sentence

if TYPE_CHECKING:
    from softpq.dataset.results import Results
    from softpq.dataset.statistics import Interval


@dataclass(frozen=True)
class Cell:
    """A value; whether it is the best, or cannot be told apart from it."""

    found: Interval
    best: bool = False
    tied: bool = False


@dataclass(frozen=True)
class Grid:
    """What is written: a row for each model, best first; and where there are classes, for each model and class."""

    metrics: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Cell]]]
    caption: str
    classes: Sequence[tuple[str, str, Sequence[Cell]]] = ()


def grid_of(results: Results, metrics: Sequence[str]) -> Grid:
    """The models on the images that all have."""
    common = results.on_common()
    order, ranks, rank_by = common.ranking(), common.ranks(), common.rank_by
    shown = [rank_by, *(name for name in metrics if name != rank_by)]
    best = {name: common.ranking(name)[0] for name in shown} if len(order) > 1 else {}
    rows = []
    for model in order:
        cells = [
            Cell(
                common.interval(name, model),
                best.get(name) == model,
                name == rank_by and len(order) > 1 and ranks[model][0] == 1 and best.get(name) != model,
            )
            for name in shown
        ]
        rows.append((model, cells))
    return Grid(shown, rows, methods_sentence(common), list(_of_classes(common, order, shown)))


def _of_classes(results: Results, order: Sequence[str], shown: Sequence[str]) -> Iterator[tuple[str, str, list[Cell]]]:
    """Of each model, its classes."""
    for name in results.classes:
        of_class = results.of_class(name)
        for model in order:
            if model in of_class.models:
                yield model, name, [Cell(of_class.interval(metric, model)) for metric in shown]


def _text(found: Interval) -> str:
    if math.isnan(found.value):
        return "-"
    interval = "" if math.isnan(found.low) else f" ({found.low:.3f}, {found.high:.3f})"
    return f"{found.value:.3f}{interval}"


def as_markdown(grid: Grid) -> str:
    """Best in bold, what cannot be told apart from it underlined."""

    def shown(cell: Cell) -> str:
        text = _text(cell.found)
        return f"**{text}**" if cell.best else f"<u>{text}</u>" if cell.tied else text

    def safe(name: str) -> str:
        return printable(name).replace("|", "\\|")

    lines = [f"| model | {' | '.join(_arrow(name) for name in grid.metrics)} |"]
    lines.append("| --- |" + " --: |" * len(grid.metrics))
    named = [*grid.rows, *((f"{model}, class {name}", cells) for model, name, cells in grid.classes)]
    lines += [f"| {safe(model)} | {' | '.join(shown(cell) for cell in cells)} |" for model, cells in named]
    return "\n".join([*lines, "", grid.caption, ""])


def as_latex(grid: Grid) -> str:
    """With booktabs; best in bold, what cannot be told apart from it underlined."""

    def shown(cell: Cell) -> str:
        text = _text(cell.found)
        return f"\\textbf{{{text}}}" if cell.best else f"\\underline{{{text}}}" if cell.tied else text

    head = " & ".join(_tex(_arrow(name)).replace("↓", "$\\downarrow$") for name in grid.metrics)
    named = [*grid.rows, *((f"{model}, class {name}", cells) for model, name, cells in grid.classes)]
    rows = [f"{_tex(printable(model))} & {' & '.join(map(shown, cells))} \\\\" for model, cells in named]
    rows[len(grid.rows) : len(grid.rows)] = ["\\midrule"] if grid.classes else []
    return "\n".join(
        [
            "\\begin{table}", "\\centering", f"\\begin{{tabular}}{{l{'r' * len(grid.metrics)}}}", "\\toprule",
            f"model & {head} \\\\", "\\midrule", *rows, "\\bottomrule", "\\end{tabular}",
            f"\\caption{{{_tex(grid.caption)}}}", "\\end{table}", "",
        ]
    )  # fmt: skip


def as_csv(grid: Grid) -> str:
    """One line per model and metric."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["model", "class", "metric", "value", "low", "high", "level", "best", "reason"])
    for model, kind, cells in [*((model, "", cells) for model, cells in grid.rows), *grid.classes]:
        for name, cell in zip(grid.metrics, cells, strict=True):
            one = cell.found
            ends = ["" if math.isnan(end) else repr(end) for end in (one.value, one.low, one.high)]
            writer.writerow([plain_cell(model), plain_cell(kind), name, *ends, one.level, int(cell.best), one.reason])
    return file.getvalue()


_SPECIAL = {"\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}"} | {
    sign: f"\\{sign}" for sign in "&%$#_{}"
}


def _tex(text: str) -> str:
    return "".join(_SPECIAL.get(sign, sign) for sign in text)


def _arrow(name: str) -> str:
    return f"{name} ↓" if METRICS[name].less_is_better else name


WRITERS: dict[str, Callable[[Grid], str]] = {".md": as_markdown, ".tex": as_latex, ".csv": as_csv}


def write_table(path: str, grid: Grid) -> None:
    """Write it as the suffix says; Markdown to standard output."""
    from softpq._files import atomic_file

    with atomic_file(path) as file:
        file.write(WRITERS[".md" if path == "-" else Path(path).suffix.lower()](grid))
