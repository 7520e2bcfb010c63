"""Figures that need no window."""

from __future__ import annotations

import sys
from io import BytesIO
from typing import TYPE_CHECKING

from softpq.errors import needs

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure, in inches; where pyplot is in use, ``plt.show()`` shows it, else it needs no window.

    Examples
    --------
    >>> new_figure(4, 3).get_size_inches().tolist()
    [4.0, 3.0]
    """
    kind = needs("matplotlib.figure", "plot", "Drawing").Figure
    _show_in_notebooks(kind)
    pyplot = sys.modules.get("matplotlib.pyplot")
    made = kind if pyplot is None else pyplot.figure
    figure: Figure = made(figsize=(width, height), layout="constrained")
    return figure


def _show_in_notebooks(kind: type) -> None:
    """Notebooks know how to show a figure only once somebody imported pyplot, which nobody needs here."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    formatter = getattr(shell, "display_formatter", None)
    if formatter is not None and kind not in (known := formatter.formatters["image/png"]):
        known.for_type(kind, _png)


def _png(figure: Figure) -> bytes:
    file = BytesIO()
    figure.savefig(file, format="png", dpi=100)
    return file.getvalue()
