"""The paper's figures, one function each, from the tables of the experiments."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.paper import scenes
from softpq.plots import plot_surface
from softpq.plots._figure import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from softpq.explain.thresholds import Surface
    from softpq.paper.experiments import Rows

    Tables = dict[str, Rows]

COLOURS = {"SoftPQ": "#D55E00", "PQ": "#000000", "F1": "#0072B2", "mAP": "#009E73", "IoU": "#CC79A7"}
TITLES = {
    "over_case1_partial": "partial", "over_case2_split": "split", "over_case3_partial_ghost": "partial + ghost",
    "under_case1_partial": "one of two", "under_case2_merged": "merged", "under_case3_partial_ghost": "one + ghost",
}  # fmt: skip


def column(rows: Rows, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """One column of a table."""
    return np.array([row[name] for row in rows], np.float64)


def _style(axes: Axes, x: str, y: str = "score") -> None:
    axes.set(xlabel=x, ylabel=y)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25, linewidth=0.6)


def limitations(tables: Tables) -> Figure:
    """Six scenes, and what each metric says of them."""
    figure = new_figure(11, 5.2)
    grid = figure.subplots(2, 6, gridspec_kw={"height_ratios": [1.1, 1]})
    pairs = scenes.limitations()
    rows = {row["case"]: row for row in tables["fig1_cases"]}
    for k, (name, title) in enumerate(TITLES.items()):
        truth, pred = pairs[name]
        picture = np.ones((*truth.shape, 3))
        picture[truth > 0] = (0.82, 0.82, 0.82)
        for label, colour in ((1, (0.34, 0.71, 0.91)), (2, (0.90, 0.62, 0.0))):
            picture[pred == label] = 0.35 * picture[pred == label] + 0.65 * np.array(colour)
        grid[0, k].imshow(picture[10:190, 50:250])
        grid[0, k].contour(truth[10:190, 50:250] > 0, [0.5], colors="black", linewidths=1)
        grid[0, k].set_title(title, fontsize=11)
        grid[0, k].set_axis_off()
        _bars(grid[1, k], rows[name], first=k == 0)
    grid[0, 0].text(-0.02, 1.22, "one object", transform=grid[0, 0].transAxes, weight="bold")
    grid[0, 3].text(-0.02, 1.22, "two objects", transform=grid[0, 3].transAxes, weight="bold")
    return figure


def _bars(axes: Axes, row: dict[str, Any], *, first: bool) -> None:
    values = {name: row[name] for name in ("F1", "mAP", "IoU", "PQ")}
    values |= {"SoftPQ over": row["figures_over"], "SoftPQ under": row["figures_under"]}
    colours = [COLOURS[name.split()[0]] for name in values]
    axes.barh(list(values), list(values.values()), color=colours, height=0.7)
    for place, value in enumerate(values.values()):
        axes.text(min(value, 1) + 0.03, place, f"{value:.2f}", va="center", fontsize=8)
    axes.set(xlim=(0, 1.25), xticks=[0, 0.5, 1])
    axes.invert_yaxis()
    axes.spines[["top", "right"]].set_visible(False)
    if not first:
        axes.set_yticklabels([])


def _lines(axes: Axes, rows: Rows, x: str, change: bool) -> None:
    at = column(rows, x)
    shown = {"F1": "F1", "mAP": "mAP", "PQ": "PQ", "SoftPQ": "figures_over"}
    for name, key in shown.items():
        values = column(rows, key)
        places, heights = (at[1:], np.diff(values)) if change else (at, values)
        width = 2.2 if name == "SoftPQ" else 1.4
        axes.plot(places, heights, color=COLOURS[name], label=name, marker=".", linewidth=width)


def progressive(tables: Tables, case: str) -> Figure:
    """Erosion and dilation, step by step: scores, and their change."""
    figure = new_figure(9.5, 6.4)
    grid = figure.subplots(2, 2, sharex=True)
    for row, operation in enumerate(("erosion", "dilation")):
        rows = tables[f"{operation}_{case}"]
        for k, what in enumerate(("score", "change per step")):
            _lines(grid[row, k], rows, "iteration", change=k == 1)
            _style(grid[row, k], "pixels" if row else "", what)
            grid[row, k].set_title(f"{operation}, {'one disc' if case == 'single' else 'two discs'}", fontsize=11)
    grid[0, 0].legend(frameon=False, fontsize=9)
    return figure


def low_sweep(tables: Tables) -> Figure:
    """SoftPQ for lower thresholds from 0.5 to 0.01; PQ in black."""
    figure = new_figure(10, 6.8)
    grid = figure.subplots(2, 2, sharex=True, sharey=True)
    shades = _shades(11)
    for row, case in enumerate(("single", "paired")):
        for k, operation in enumerate(("dilate", "erode")):
            rows = tables[f"iou_low_sweep_{operation}_{case}"]
            lows = list(dict.fromkeys(item["iou_low"] for item in rows))
            for shade, low in zip(shades, lows, strict=True):
                part = [item for item in rows if item["iou_low"] == low]
                label = f"l = {low:g}"
                grid[row, k].plot(column(part, "iteration"), column(part, "figures_over"), color=shade, label=label)
            grid[row, k].plot(column(part, "iteration"), column(part, "PQ"), color="black", linewidth=2, label="PQ")
            title = f"{'dilation' if operation == 'dilate' else 'erosion'}, {'one disc' if row == 0 else 'two discs'}"
            grid[row, k].set_title(title, fontsize=11)
            _style(grid[row, k], "pixels" if row else "", "SoftPQ" if k == 0 else "")
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center", frameon=False, fontsize=9)
    return figure


def _shades(count: int) -> list[Any]:
    from matplotlib import colormaps

    return [colormaps["viridis"](k / (count - 0.5)) for k in range(count)]


def over_segmentation(tables: Tables) -> Figure:
    """25 objects, more and more of them in two; and all of them in one to five fragments."""
    figure = new_figure(10.5, 4.4)
    panels = figure.subplots(1, 2, sharey=True)
    for axes, name, x, label in (
        (panels[0], "oversegmentation_25_objects", "percent", "objects split in two (%)"),
        (panels[1], "oversegmentation_fragments", "fragments", "fragments per object, all 25 objects"),
    ):
        rows = tables[name]
        at = column(rows, x)
        envelope = np.stack([column(rows, key) for key in rows[0] if key.startswith("figures_over_l")])
        axes.fill_between(
            at, envelope.min(axis=0), envelope.max(axis=0), color="0.85", label="SoftPQ, l from .05 to .5"
        )
        for metric in ("F1", "mAP", "PQ"):
            axes.plot(at, column(rows, metric), color=COLOURS[metric], marker=".", label=metric)
        axes.plot(at, column(rows, "figures_over"), color=COLOURS["SoftPQ"], marker=".", label="SoftPQ, figures")
        axes.plot(at, column(rows, "text_over"), color=COLOURS["SoftPQ"], linestyle="--", label="SoftPQ, text")
        _style(axes, label)
    panels[1].set(ylabel="", xticks=range(1, 6))
    panels[0].set_ylim(0, 1.04)
    panels[0].legend(frameon=False, fontsize=9, loc="lower left")
    return figure


def fragments(tables: Tables) -> Figure:
    """One object in fragments among others that are right."""
    figure = new_figure(7, 4.4)
    axes = figure.add_subplot()
    rows = tables["oversegmentation_k_effect"]
    lows = list(dict.fromkeys(item["iou_low"] for item in rows))
    for shade, low in zip(_shades(len(lows)), lows, strict=True):
        part = [item for item in rows if item["iou_low"] == low]
        axes.plot(
            column(part, "k"), column(part, "figures_over"), color=shade, marker=".", label=f"SoftPQ, l = {low:g}"
        )
    for name in ("PQ", "F1", "mAP"):
        style = {"linewidth": 2} if name == "PQ" else {"linestyle": ":"}
        axes.plot(column(part, "k"), column(part, name), color=COLOURS[name], label=name, **style)
    _style(axes, "fragments of one of 17 objects")
    axes.legend(frameon=False, fontsize=9, ncols=2)
    return figure


PENALTY_STYLE = {"sqrt": "#D55E00", "linear": "#0072B2", "log": "#009E73", "log_raw": "#CC79A7"}
PENALTY_NAME = {"sqrt": "√(n+1)", "linear": "n+1", "log": "max(1, ln(n+1))", "log_raw": "ln(n+1), as printed"}


def penalties(tables: Tables) -> Figure:
    """What each penalty makes of fragments, and the penalties themselves."""
    figure = new_figure(10.5, 4.4)
    left, right = figure.subplots(1, 2)
    rows, functions = tables["penalty_ablation"], tables["penalty_functions"]
    left.plot(column(rows, "k"), column(rows, "PQ"), color="black", linewidth=2, label="PQ")
    for name, colour in PENALTY_STYLE.items():
        left.plot(
            column(rows, "k"), column(rows, f"figures_{name}"), color=colour, marker=".", label=PENALTY_NAME[name]
        )
        weights = column(functions[1:], name)
        right.plot(column(functions[1:], "n"), weights, color=colour, marker=".", label=PENALTY_NAME[name])
    right.axhline(1, color="0.6", linewidth=0.8)
    _style(left, "fragments of one object", "SoftPQ")
    _style(right, "soft matches n", "weight of a soft IoU")
    left.legend(frameon=False, fontsize=9)
    return figure


def surface(found: Surface) -> Figure:
    """SoftPQ over both thresholds."""
    return plot_surface(found)


FIGURES: dict[str, Callable[[Any], Figure]] = {
    "1_limitations": limitations,
    "2_progressive_one_disc": lambda tables: progressive(tables, "single"),
    "2_progressive_two_discs": lambda tables: progressive(tables, "paired"),
    "3_lower_threshold": low_sweep,
    "4_over_segmentation": over_segmentation,
    "5_fragments": fragments,
    "6_penalties": penalties,
}
"""File name -> what draws it from the tables."""
