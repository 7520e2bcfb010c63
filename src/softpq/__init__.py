"""Judge instance segmentation: SoftPQ, PQ and the metrics of the field.

>>> import softpq
>>> softpq.score([[1, 1, 0], [2, 2, 0]], [[1, 1, 0], [0, 2, 0]])
0.75
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from softpq import metrics as metrics
    from softpq.dataset import evaluate_folders as evaluate_folders
    from softpq.evaluate import Evaluation as Evaluation
    from softpq.evaluate import evaluate as evaluate
    from softpq.evaluate import evaluate_overlap as evaluate_overlap
    from softpq.evaluate import score as score
    from softpq.evaluate import split_components as split_components
    from softpq.matching import Matching as Matching
    from softpq.matching import match as match
    from softpq.metrics.softpq import PRESETS as PRESETS
    from softpq.metrics.softpq import Settings as Settings
    from softpq.overlap import Overlap as Overlap
    from softpq.results import Results as Results
    from softpq.score import Score as Score
    from softpq.score import mean as mean
    from softpq.score import pooled as pooled
    from softpq.sweep import Surface as Surface
    from softpq.sweep import curve as curve
    from softpq.sweep import sweep as sweep

    __version__: str

_HOME = {
    "Evaluation": "evaluate", "Matching": "matching", "Overlap": "overlap", "PRESETS": "metrics.softpq",
    "Results": "results", "Score": "score", "Settings": "metrics.softpq", "Surface": "sweep", "curve": "sweep",
    "evaluate": "evaluate", "evaluate_folders": "dataset", "evaluate_overlap": "evaluate", "match": "matching",
    "mean": "score", "pooled": "score", "score": "evaluate", "split_components": "evaluate", "sweep": "sweep",
}  # fmt: skip
"""Name -> the room it lives in. Nothing is imported before it is used, so that ``softpq --help`` is instant."""

__all__ = [*_HOME, "metrics"]  # all are strings


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"softpq.{_HOME[name]}"), name)
    if name == "__version__":
        from importlib.metadata import version

        return version("softpq")
    if name == "metrics":
        return import_module("softpq.metrics")
    raise AttributeError(f"module 'softpq' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


def _stays_a_function(name: str) -> property:
    """``softpq.score`` is the function, also once the module of that name is imported, which would take its place."""
    return property(lambda package: __getattr__(name), lambda package, module: None)


class _Package(ModuleType):
    evaluate = _stays_a_function("evaluate")
    score = _stays_a_function("score")
    sweep = _stays_a_function("sweep")


if not TYPE_CHECKING:
    sys.modules[__name__].__class__ = _Package
