"""Judge instance segmentation: SoftPQ, PQ and the metrics of the field.

>>> import softpq
>>> softpq.score([[1, 1, 0], [2, 2, 0]], [[1, 1, 0], [0, 2, 0]])
0.75
"""

from importlib import metadata

from softpq import metrics
from softpq.dataset import evaluate_folders
from softpq.evaluate import Evaluation, evaluate, evaluate_overlap, score, split_components
from softpq.matching import Matching, match
from softpq.metrics.softpq import PRESETS, Settings
from softpq.overlap import Overlap
from softpq.results import Results
from softpq.score import Score, mean, pooled
from softpq.sweep import Surface, curve, sweep

__version__ = metadata.version("softpq")

__all__ = [
    "PRESETS",
    "Evaluation",
    "Matching",
    "Overlap",
    "Results",
    "Score",
    "Settings",
    "Surface",
    "curve",
    "evaluate",
    "evaluate_folders",
    "evaluate_overlap",
    "match",
    "mean",
    "metrics",
    "pooled",
    "score",
    "split_components",
    "sweep",
]
