"""Judge instance segmentation: SoftPQ, PQ and the metrics of the field.

>>> import softpq
>>> softpq.score([[1, 1, 0], [2, 2, 0]], [[1, 1, 0], [0, 2, 0]])
0.75
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as in typing, which is slow to import
if TYPE_CHECKING:
    from typing import Any

_HOME = {
    "Evaluation": "evaluation",
    "Masks": "table.masks",
    "Matching": "table.matching",
    "Overlap": "table.overlap",
    "PRESETS": "settings",
    "ReadError": "errors",
    "Results": "dataset.results",
    "Score": "metrics.score",
    "ScoreCurve": "explain.scores",
    "Settings": "settings",
    "Surface": "explain.thresholds",
    "average_precision": "detection.precision",
    "count": "counting",
    "curve": "explain.thresholds",
    "evaluate": "evaluation",
    "evaluate_dataset": "dataset",
    "match": "table.matching",
    "mean": "metrics.score",
    "panoptic_scores": "detection.panoptic",
    "pooled": "metrics.score",
    "score": "evaluation",
    "score_curve": "explain.scores",
    "split_components": "table.pieces",
    "sweep": "explain.thresholds",
}
"""Public name -> the module it is in. Nothing is imported before it is used, so that ``softpq --help`` is instant."""

_MODULES = ("adapters", "compat", "io", "metrics", "plots", "synthetic")
"""Public modules; reachable as ``softpq.plots`` and so on, without an import of their own."""

__all__ = [*_HOME, *_MODULES]  # __init__.pyi says the same to type checkers


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"softpq.{_HOME[name]}"), name)
    if name in _MODULES:
        return import_module(f"softpq.{name}")
    if name == "__version__":
        from importlib.metadata import version

        return version("softpq")
    raise AttributeError(f"module 'softpq' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
