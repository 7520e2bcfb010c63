"""Results in a few lines: for a terminal, and for a notebook."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from softpq._checks import how_many

if TYPE_CHECKING:
    from softpq.dataset.results import Results

SHOWN = 4
"""Metrics of a line."""

MOST_MODELS = 20


def text_of(results: Results) -> str:
    """The models from best to worst, with the first metrics."""
    if not results.images:
        return f"Results: no image was scored, {len(results.failures)} failed."
    models, metrics = _ranked(results), _metrics(results)
    width = max(len(model) for model in models)
    lines = [_head(results)]
    for model in models:
        values = "  ".join(f"{name} {results.pooled(model)[name]:.4f}" for name in metrics)
        lines.append(f"  {model:<{width}}  {values}  ({how_many(len(results.of(model)), 'image')})")
    lines += [f"  and {len(results.scored) - len(models)} more models"] if len(results.scored) > len(models) else []
    lines += [f"  {how_many(len(results.failures), 'failure')}, in .failures"] if results.failures else []
    return "\n".join(lines)


def html_of(results: Results) -> str:
    """A small table for notebooks: everything else is in the page that ``results.report`` writes."""
    if not results.images:
        return f"<p>{escape(text_of(results))}</p>"
    metrics, models = _metrics(results), _ranked(results)
    cells = "".join(f"<th>{escape(name)}</th>" for name in ("model", "", *metrics, "interval", "images"))
    span = _span(results, models)
    rows = ""
    for model in models:
        pooled = results.pooled(model)
        values = "".join(f"<td>{pooled[name]:.4f}</td>" for name in metrics)
        last = f"<td>{_interval(results, model)}</td><td>{len(results.of(model))}</td>"
        rows += f"<tr><td>{escape(model)}</td><td>{_picture(results, model, span)}</td>{values}{last}</tr>"
    failed = (
        f"<p>{how_many(len(results.failures), 'failure')}, in <code>.failures</code>.</p>" if results.failures else ""
    )
    hint = '<p>The whole page, with pictures: <code>results.report("report.html")</code></p>'
    return f"<p>{escape(_head(results))}</p><table><tr>{cells}</tr>{rows}</table>{failed}{hint}"


def _head(results: Results) -> str:
    models = "1 model" if len(results.scored) == 1 else f"{len(results.scored)} models"
    return f"Results of {models}, pooled over all objects (SoftPQ: {results.settings})"


def _metrics(results: Results) -> list[str]:
    first = results.rank_by
    return list(dict.fromkeys([first, *results.metrics]))[:SHOWN]


def _ranked(results: Results) -> list[str]:
    """Models from best to worst."""
    from softpq.metrics import METRICS

    sign = 1 if METRICS[results.rank_by].less_is_better else -1
    values = {model: results.pooled(model)[results.rank_by] for model in results.scored}
    order = sorted(values, key=lambda model: (math.isnan(values[model]), sign * values[model]))
    return order[:MOST_MODELS]


WIDTH, HEIGHT = 160, 14
"""Of the picture of a value, in pixels."""


def _span(results: Results, models: list[str]) -> float:
    """Where the axis ends: 1, or the largest value of what knows no bounds."""
    found = [results.interval(results.rank_by, model) for model in models]
    return max([1.0, *(value for one in found for value in (one.value, one.high) if math.isfinite(value))])


def _picture(results: Results, model: str, span: float) -> str:
    """A bar from 0 to the value, and its interval."""
    found = results.interval(results.rank_by, model)
    value, low, high = (
        WIDTH * one / span if math.isfinite(one) else None for one in (found.value, found.low, found.high)
    )
    if value is None:
        return ""
    ends = "" if low is None or high is None else _LINE.format(low=low, high=high, middle=HEIGHT / 2)
    name = f"{results.rank_by} {found.value:.4f}"
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="{name}">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="currentColor" opacity=".12"/>'
        f'<rect width="{value:.1f}" height="{HEIGHT}" fill="#d1600a" opacity=".75"/>{ends}</svg>'
    )


_LINE = '<path d="M{low:.1f} {middle}H{high:.1f}" stroke="currentColor" stroke-width="2"/>'


def _interval(results: Results, model: str) -> str:
    found = results.interval(results.rank_by, model)
    return "" if math.isnan(found.low) else f"{found.low:.4f} to {found.high:.4f}"
