"""Results in a few lines: for a terminal, and for a notebook."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

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
        lines.append(f"  {model:<{width}}  {values}  ({len(results.of(model))} images)")
    lines += [f"  and {len(results.scored) - len(models)} more models"] if len(results.scored) > len(models) else []
    lines += [f"  {len(results.failures)} failures, in .failures"] if results.failures else []
    return "\n".join(lines)


def html_of(results: Results) -> str:
    """A small table for notebooks: everything else is in the page that ``results.report`` writes."""
    if not results.images:
        return f"<p>{escape(text_of(results))}</p>"
    metrics = _metrics(results)
    cells = "".join(f"<th>{escape(name)}</th>" for name in ("model", *metrics, "interval", "images"))
    rows = ""
    for model in _ranked(results):
        pooled = results.pooled(model)
        values = "".join(f"<td>{pooled[name]:.4f}</td>" for name in metrics)
        last = f"<td>{_interval(results, model)}</td><td>{len(results.of(model))}</td>"
        rows += f"<tr><td>{escape(model)}</td>{values}{last}</tr>"
    failed = f"<p>{len(results.failures)} failures, in <code>.failures</code>.</p>" if results.failures else ""
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


def _interval(results: Results, model: str) -> str:
    found = results.interval(results.rank_by, model)
    return "" if math.isnan(found.low) else f"{found.low:.4f} to {found.high:.4f}"
