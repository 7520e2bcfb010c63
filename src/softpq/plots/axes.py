"""What all pictures share: figures and colours."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from types import MappingProxyType
from typing import TYPE_CHECKING

from softpq.explain.thresholds import CURVES
from softpq.plots._figure import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PALETTE = ("#000000", "#CC79A7", "#E69F00", "#0072B2", "#56B4E9", "#B09000", "#009E73", "#882255", "#44AA99")
METRIC_COLOURS: Mapping[str, str] = MappingProxyType(
    {"softpq": "#D55E00", **dict(zip(CURVES, cycle(PALETTE), strict=False))}
)
"""Metric -> colour, the same in every figure."""

SURFACE = "viridis"
"""The colours of a surface, the same as on the page of the report."""

WINNERS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B09000", "#56B4E9", "#6A3D9A", "#666666")
"""Colours of models that areas are filled with."""


def new_axes(ax: Axes | None, width: float, height: float) -> tuple[Figure, Axes]:
    """Return these axes and their figure, or new ones."""
    if ax is not None:
        return ax.figure.figure, ax  # the figure, also where axes are on a part of one
    figure = new_figure(width, height)
    return figure, figure.add_subplot()
