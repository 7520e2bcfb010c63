"""Models by metrics, in lines of 80 columns: a line for each model, and one for its intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from softpq.dataset.families import MOST_MODELS
from softpq.explain.verdicts import verdicts_of
from softpq.io.format import printable

if TYPE_CHECKING:
    from softpq.dataset.results import Results
    from softpq.dataset.statistics import Comparison, Interval

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


def table_lines(results: Results, metrics: Sequence[str], *, in_full: bool = False) -> Iterator[str]:
    """The models, best first, on the images that all have; of several, as many metrics as stand beside each other.

    Parameters
    ----------
    results
        Of all models.
    metrics
        To show, in this order.
    in_full
        All of them, however many there are.
    """
    common = results.on_common()
    order = common.ranking()
    ranks = common.ranks()
    names = shortened(order, NAME)
    several = len(order) > 1
    for block in _blocks(visible(results, metrics, in_full=in_full)):
        yield f"{'rank' if several else '':<{RANK}}model".ljust(RANK + NAME) + _row(block, block)
        for place, model in enumerate(order, start=1):
            found = [common.interval(name, model) for name in block]
            rank = str(place) if len(order) > MOST_MODELS else rank_text(ranks[model]) if several else ""
            yield f"{rank:<{RANK}}{names[model]:<{NAME}}" + _row(block, [number(one.value) for one in found])
            intervals = [between(one) for one in found]
            if any(intervals):
                yield " " * (RANK + NAME) + _row(block, intervals)


def visible(results: Results, metrics: Sequence[str], *, in_full: bool = False) -> list[str]:
    """The metrics that are shown: of several models, what they are ranked by first."""
    if len(results.scored) < 2:
        return list(metrics)
    order = [results.rank_by, *(name for name in metrics if name != results.rank_by)]
    return order if in_full else next(_blocks(order))


def rank_text(rank: tuple[int, int]) -> str:
    """A rank, or from the first to the last that is possible."""
    return str(rank[0]) if rank[0] == rank[1] else f"{rank[0]}-{rank[1]}"


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


def difference_lines(results: Results) -> Iterator[str]:
    """How far each model is behind the one before, what could have been seen, and what the first gap rests on."""
    common = results.on_common()
    order = common.ranking()
    found = {(one.first, one.second): one for one in common.comparisons()}
    names = shortened(order, NAME)
    if not found:
        return
    level = f"{results.headline.level:.0%}".replace("%", " %")
    least = ", least that shows" if any(not one.is_clear for one in found.values()) else ""
    yield f"Against the one before, by {common.rank_by}: {level} interval, Holm's p{least}"
    for ahead, behind in pairwise(order):
        one = found.get((behind, ahead)) or found[ahead, behind]
        gap = one.difference if one.first == behind else one.difference.turned()
        yield f"  {names[behind]} - {names[ahead]}: {gap.value:+.4f}{_beside(one, gap)}"
    first = found.get((order[1], order[0])) or found[order[0], order[1]]
    if first.deciding and first.is_clear:
        sign = 1 if first.first == order[1] else -1
        rests = ", ".join(f"{printable(name)} ({_bare(sign * gap, '+')} without)" for name, gap in first.deciding[:2])
        yield f"  The first rests on {rests}"


def _beside(one: Comparison, gap: Interval) -> str:
    if math.isnan(one.p):
        return ""
    interval = "" if math.isnan(gap.low) else f" ({_bare(gap.low, '+')} to {_bare(gap.high, '+')})"
    p = f", p {_bare(one.adjusted_p)}" if one.adjusted_p >= 0.0005 else ", p < .001"
    seen = "" if one.is_clear or math.isnan(one.detectable) else f"; least {_bare(one.detectable)}"
    return f"{interval}{p}{seen}"


def _bare(value: float, sign: str = "") -> str:
    """Three digits, without a zero before them."""
    return f"{value:{sign}.3f}".replace("0.", ".", 1)


_BRING = {
    "splits joined": "joining splits",
    "merges separated": "separating merges",
    "misses found": "finding the missed",
    "ghosts removed": "removing ghosts",
    "partials completed": "completing partials",
    "outlines perfect": "perfect outlines",
    "duplicates removed": "removing duplicates",
    "classes corrected": "right classes",
}
"""What each repair of :meth:`Results.gains` is called in a sentence."""

_LOOSE = ("pred_ghost", "pred_duplicate")
"""Verdicts of predictions that are counted beside those of truth objects."""


def sentences(results: Results) -> Iterator[str]:
    """For each model, of very many the best, what happened to its objects, and what to repair first."""
    order = results.on_common().ranking() or list(results.scored)
    names = shortened(order, NAME)
    for model in order if len(order) <= MOST_MODELS else order[:5]:
        total = dict.fromkeys([*(f"truth_{name}" for name in verdicts_of("truth")), *_LOOSE], 0)
        for image in results.of(model):
            for word in total:
                total[word] += image.verdicts.get(word, 0)
        objects = sum(total.values()) - sum(total[word] for word in _LOOSE)
        if not any(total.values()):
            continue
        counted = [(n, word) for word, n in list(total.items())[1:] if n]
        rest = ", ".join(f"{n:,} {word.split('_')[1]}{'s' if word in _LOOSE and n > 1 else ''}" for n, word in counted)
        beginning, noun = (f"{names[model]}: ", "") if len(order) > 1 else ("", "objects ")
        told = f"{total['truth_matched']:,} of {objects:,} {noun}matched{f', {rest}' if rest else ''}"
        yield f"{beginning}{told}{_advice(results, model)}"


def _advice(results: Results, model: str) -> str:
    if not results.has_tables:
        return ""
    gains = sorted(results.gains(model).items(), key=lambda item: -item[1])[:2]
    told = [(_BRING[name], f"{gain:+.3f}".replace("+0.", "+.")) for name, gain in gains if gain >= 0.0005]
    return (
        "; " + ", ".join([f"{told[0][0]} would bring {told[0][1]}", *(f"{a} {b}" for a, b in told[1:])]) if told else ""
    )
