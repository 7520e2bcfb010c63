"""Models by metrics, in lines of 80 columns: a line for each model, and one for its intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from softpq.explain.verdicts import verdicts_of
from softpq.io.format import printable

if TYPE_CHECKING:
    from softpq.dataset.results import Over, Results
    from softpq.dataset.statistics import Interval

RANK, NAME, COLUMN, BESIDE = 6, 14, 10, 60
"""Columns of a rank, of a name, of a metric at least, and of all metrics beside each other: 80."""


def number(value: float) -> str:
    """Four digits, or a dash for what is undefined.

    Examples
    --------
    >>> number(0.12345), number(float("nan"))
    ('0.1235', '–')
    """
    return "–" if math.isnan(value) else f"{value:.4f}"


def between(found: Interval) -> str:
    """The two ends of an interval, shortly, or nothing if it has none.

    Examples
    --------
    >>> from softpq.dataset.statistics import Interval
    >>> between(Interval(0.5, 0.4, 0.6)), between(Interval(0.5, reason="too few images"))
    ('.400-.600', '')
    """
    if math.isnan(found.low):
        return ""
    return "-".join(f"{end:.3f}".replace("0.", ".", 1) for end in (found.low, found.high))


def shortened(names: Sequence[str], width: int) -> dict[str, str]:
    """Names that fit, and stay different.

    Examples
    --------
    >>> shortened(["a_long_name_of_run_1", "a_long_name_of_run_2", "b"], 12)
    {'a_long_name_of_run_1': 'a_lon…_run_1', 'a_long_name_of_run_2': 'a_lon…_run_2', 'b': 'b'}
    """
    found: dict[str, str] = {}
    for name in names:
        text = printable(name)
        short = text if len(text) <= width else f"{text[: (width - 1) // 2]}…{text[-(width - 1 - (width - 1) // 2) :]}"
        number_of = 2
        while short in found.values():
            short = f"{short[: width - len(str(number_of)) - 1]}~{number_of}"
            number_of += 1
        found[name] = short
    return found


def table_lines(results: Results, metrics: Sequence[str], rank_by: str, over: Over) -> Iterator[str]:
    """The models, best first, on the images that all have."""
    common = results.on_common()
    order = common.ranking(rank_by, over=over)
    if not order:
        return
    ranks = common.ranks(rank_by, over=over)
    names = shortened(order, NAME)
    shown = [rank_by, *(name for name in metrics if name != rank_by)] if len(order) > 1 else list(metrics)
    for block in _blocks(shown):
        yield f"{'rank' if len(order) > 1 else '':<{RANK}}model".ljust(RANK + NAME) + _row(block, block)
        for model in order:
            first, last = ranks[model]
            rank = "" if len(order) == 1 else str(first) if first == last else f"{first}-{last}"
            found = [common.interval(name, model, over=over) for name in block]
            yield f"{rank:<{RANK}}{names[model]:<{NAME}}" + _row(block, [number(one.value) for one in found])
            intervals = [between(one) for one in found]
            if any(intervals):
                yield " " * (RANK + NAME) + _row(block, intervals)
        yield ""


def _width(name: str) -> int:
    return max(COLUMN, len(name) + 1)


def _row(metrics: Sequence[str], texts: Sequence[str]) -> str:
    """A cell below each metric."""
    return "".join(text.rjust(_width(name)) for name, text in zip(metrics, texts, strict=True)).rstrip()


def _blocks(metrics: Sequence[str]) -> Iterator[list[str]]:
    """As many metrics beside each other as there is room for."""
    block: list[str] = []
    for name in metrics:
        if block and sum(map(_width, [*block, name])) > BESIDE:
            yield block
            block = []
        block.append(name)
    if block:
        yield block


def difference_lines(results: Results, rank_by: str, over: Over) -> Iterator[str]:
    """How far each model is behind the first."""
    common = results.on_common()
    order = common.ranking(rank_by, over=over)
    names = shortened(order, NAME)
    lines = []
    for model in order[1:]:
        pair = {model, order[0]}
        found = next(one for one in common.comparisons(rank_by, over=over) if {one.first, one.second} == pair)
        gap = found.difference if found.first == model else found.difference.turned()
        interval = "" if math.isnan(gap.low) else f" ({gap.low:+.4f} to {gap.high:+.4f})"
        p = "" if math.isnan(found.adjusted_p) else f", p {found.adjusted_p:.4f} (Holm)"
        lines.append(f"{names[model]} - {names[order[0]]}: {gap.value:+.4f}{interval}{p}")
    if lines:
        yield f"Differences in {rank_by}{', with 95 % intervals' if any('(' in line for line in lines) else ''}:"
        yield from lines


def verdict_lines(results: Results) -> Iterator[str]:
    """What happened to the objects of each model."""
    names = shortened(results.models, NAME)
    words = [f"truth_{name}" for name in verdicts_of("truth")] + ["pred_ghost"]
    rows = []
    for model in results.models:
        total = dict.fromkeys(words, 0)
        for image in results.of(model):
            for word in words:
                total[word] += image.verdicts.get(word, 0)
        if any(total.values()):
            rows.append(" " * RANK + f"{names[model]:<{NAME}}" + "".join(f"{n:>{COLUMN},}" for n in total.values()))
    if rows:
        yield "objects".ljust(RANK + NAME) + "".join(f"{word.split('_')[1]:>{COLUMN}}" for word in words)
        yield from rows
