"""Gates: bounds that models must keep, for CI."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.markup import escape

from softpq.cli.running import UsageError, say_error
from softpq.metrics import METRICS

if TYPE_CHECKING:
    from softpq.dataset.results import Results


def parse_gates(texts: Sequence[str]) -> dict[str, float]:
    """From METRIC=VALUE to metric -> bound."""
    gates = {}
    for text in texts:
        name, _, value = text.partition("=")
        try:
            bound = float(value)
        except ValueError:
            bound = math.nan
        if math.isnan(bound):
            raise UsageError(f"--fail-under must be METRIC=VALUE, such as softpq=0.7; got {text}.")
        if name not in METRICS:
            raise UsageError(f"--fail-under must name a metric; got {name}. There are {', '.join(METRICS)}.")
        gates[name] = bound
    return gates


def check_gates(results: Results, gates: Mapping[str, float]) -> bool:
    """A value below the gate fails, one above it for metrics where less is better; an undefined one fails too."""
    passed = True
    for model in results.models:
        values = results.pooled(model) if results.of(model) else {}
        for metric, bound in gates.items():
            value, less = values.get(metric, math.nan), METRICS[metric].less_is_better
            if not (value <= bound if less else value >= bound):
                passed = False
                say_error(escape(f"{model}: {metric} is {value:.4f}, {'above' if less else 'under'} {bound:g}."))
    return passed
