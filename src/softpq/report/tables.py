"""The table for a paper: models by metrics, as Markdown, LaTeX or CSV."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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
    """What is written: a row for each model, best first; and where there are classes, for each model and class.

    ``p_of`` has the p of models against the first one, by what they are ranked by, adjusted over all pairs.
    """

    metrics: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Cell]]]
    caption: str
    classes: Sequence[tuple[str, str, Sequence[Cell]]] = ()
    p_of: Mapping[str, float] = field(default_factory=dict)


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
    p_of = _against(common, order[0])
    caption = methods_sentence(common) + _marks(rank_by, order) + (_of_p(rank_by, order[0]) if p_of else "")
    return Grid(shown, rows, caption, list(_of_classes(common, order, shown)), p_of)


def _marks(rank_by: str, order: Sequence[str]) -> str:
    """What bold and underlined values are."""
    if len(order) < 2:
        return ""
    return f" Bold: the best of a column; underlined, of {rank_by} alone: not told apart from the best."


def _of_p(rank_by: str, best: str) -> str:
    return f" p is that of {rank_by} against {printable(best)}."


def _against(results: Results, best: str) -> dict[str, float]:
    """Model -> adjusted p of its difference to the best one, if there are tests."""
    found = {
        ({pair.first, pair.second} - {best}).pop(): pair.adjusted_p
        for pair in results.comparisons()
        if best in (pair.first, pair.second)
    }
    return found if any(map(math.isfinite, found.values())) else {}


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

    head = [*map(_arrow, grid.metrics), *_p_head(grid)]
    lines = [f"| model | {' | '.join(head)} |", "| --- |" + " --: |" * len(head)]
    lines += [f"| {safe(name)} | {' | '.join([*map(shown, cells), *end])} |" for name, cells, end in _rows(grid)]
    return "\n".join([*lines, "", grid.caption, ""])


def as_latex(grid: Grid) -> str:
    """With booktabs; best in bold, what cannot be told apart from it underlined."""

    def shown(cell: Cell) -> str:
        text = _text(cell.found)
        return f"\\textbf{{{text}}}" if cell.best else f"\\underline{{{text}}}" if cell.tied else text

    head = [_tex(_arrow(name)).replace("↓", "$\\downarrow$") for name in grid.metrics]
    head += [f"${name}$" for name in _p_head(grid)]
    rows = [
        f"{_tex(printable(name))} & {' & '.join([*map(shown, cells), *map(_tex, end)])} \\\\"
        for name, cells, end in _rows(grid)
    ]
    rows[len(grid.rows) : len(grid.rows)] = ["\\midrule"] if grid.classes else []
    return "\n".join(
        [
            "\\begin{table}", "\\centering", f"\\begin{{tabular}}{{l{'r' * len(head)}}}", "\\toprule",
            f"model & {' & '.join(head)} \\\\", "\\midrule", *rows, "\\bottomrule", "\\end{tabular}",
            f"\\caption{{{_tex(grid.caption)}}}", "\\end{table}", "",
        ]
    )  # fmt: skip


def _p_head(grid: Grid) -> list[str]:
    return ["p"] if grid.p_of else []


def _rows(grid: Grid) -> Iterator[tuple[str, Sequence[Cell], list[str]]]:
    """Names of models, and of their classes, with their cells and the text of p."""
    for model, cells in grid.rows:
        yield model, cells, [_p_text(grid.p_of.get(model, math.nan))] * bool(grid.p_of)
    for model, kind, cells in grid.classes:
        yield f"{model}, class {kind}", cells, [""] * bool(grid.p_of)


def _p_text(p: float) -> str:
    return "-" if math.isnan(p) else "<0.001" if p < 0.001 else f"{p:.3f}"


def _number(value: float) -> str:
    return "" if math.isnan(value) else repr(value)


def as_csv(grid: Grid) -> str:
    """One line per model and metric."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["model", "class", "metric", "value", "low", "high", "level", "best", "adjusted_p", "reason"])
    for model, kind, cells in [*((model, "", cells) for model, cells in grid.rows), *grid.classes]:
        for name, cell in zip(grid.metrics, cells, strict=True):
            one = cell.found
            ends = [_number(end) for end in (one.value, one.low, one.high)]
            p = "" if kind or name != grid.metrics[0] else _number(grid.p_of.get(model, math.nan))
            said = [plain_cell(model), plain_cell(kind), name, *ends, one.level, int(cell.best), p, one.reason]
            writer.writerow(said)
    return file.getvalue()


_SPECIAL = {
    "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"}, **{sign: f"${sign}$" for sign in "<>|"},
}  # fmt: skip


def _tex(text: str) -> str:
    """What LaTeX's default encoding has no sign for is written as mathematics."""
    if found := re.search(r"√\(([^()]*)\)", text):
        return f"{_tex(text[: found.start()])}$\\sqrt{{{found[1]}}}${_tex(text[found.end() :])}"
    return "".join(_SPECIAL.get(sign, sign) for sign in text)


def _arrow(name: str) -> str:
    return f"{name} ↓" if METRICS[name].less_is_better else name


WRITERS: dict[str, Callable[[Grid], str]] = {".md": as_markdown, ".tex": as_latex, ".csv": as_csv}


def write_table(path: str, grid: Grid) -> None:
    """Write it as the suffix says; Markdown to standard output."""
    from softpq._files import atomic_file

    with atomic_file(path) as file:
        file.write(WRITERS[".md" if path == "-" else Path(path).suffix.lower()](grid))
