"""Models beside each other."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.dataset.rescoring import threshold_curves
from softpq.errors import needs
from softpq.plots._figure import new_figure
from softpq.plots.axes import METRIC_COLOURS, SURFACE, WINNERS, new_axes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from softpq.dataset.planning import Needed
    from softpq.dataset.results import Results
    from softpq.dataset.winners import WinnerMap

DASHES = ("-", "--", ":", "-.", (0, (8, 2)))


def plot_models(results: Results, metrics: Sequence[str] = ("pq", "f1", "accuracy")) -> Figure:
    """Draw metrics against the threshold of a match, pooled, a line for each model.

    Parameters
    ----------
    results
        From :func:`softpq.evaluate_dataset` with ``keep_tables=True``.
    metrics
        Names that :func:`softpq.curve` knows; a panel each.

    See Also
    --------
    softpq.plots.plot_duel : Two models, image by image.
    softpq.plots.plot_ranks : Which ranks each may have.

    Examples
    --------
    >>> import softpq
    >>> scene = softpq.synthetic.cells((64, 64), 6, seed=1)
    >>> models = {"a": [scene.pred], "b": [scene.truth]}
    >>> results = softpq.evaluate_dataset([scene.truth], models, keep_tables=True)
    >>> [panel.get_title() for panel in plot_models(results, ["pq", "f1"]).axes]
    ['pq', 'f1']
    """
    thresholds = np.arange(1, 21) / 20
    curves = threshold_curves(results, metrics, thresholds.tolist())
    figure = new_figure(3.6 * len(metrics), 3.9)
    panels = figure.subplots(1, len(metrics), squeeze=False)[0]
    for panel, metric in zip(panels, metrics, strict=True):
        for k, (model, found) in enumerate(curves.items()):
            style: Any = {"color": WINNERS[k % len(WINNERS)], "linestyle": DASHES[k % len(DASHES)]}
            panel.plot(thresholds, found[metric], label=shortened(model), **style)
        panel.set(xlabel="IoU threshold", title=metric, xlim=(0, 1), ylim=(0, 1.02))
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(alpha=0.25, linewidth=0.6)
    figure.legend(
        *panels[0].get_legend_handles_labels(), loc="outside lower center", frameon=False, ncols=2, fontsize=8
    )
    return figure


def plot_duel(results: Results, first: str, second: str, ax: Axes | None = None) -> Figure:
    """Draw SoftPQ of one model against that of another, a point for each image that both have.

    Parameters
    ----------
    results
        From :func:`softpq.evaluate_dataset`.
    first, second
        Names of models; points above the line are images on which the first is better.
    ax
        Matplotlib axes to draw on; a new figure by default.

    See Also
    --------
    softpq.plots.plot_models : All models.

    Examples
    --------
    >>> import softpq
    >>> scene = softpq.synthetic.cells((64, 64), 6, seed=1)
    >>> models = {"a": [scene.pred], "b": [scene.truth]}
    >>> results = softpq.evaluate_dataset([scene.truth], models, keep_tables=True)
    >>> plot_duel(results, "b", "a").axes[0].get_title()
    'better on 1 of 1 images, worse on 0'
    """
    values = [{image.name: image.scores["softpq"].value for image in results.of(name)} for name in (first, second)]
    both = [name for name in values[0] if name in values[1]]
    mine, theirs = (np.array([one[name] for name in both]) for one in values)
    figure, axes = new_axes(ax, 4.6, 4.6)
    axes.plot([0, 1], [0, 1], color="0.5", linewidth=1)
    axes.scatter(theirs, mine, color=METRIC_COLOURS["softpq"], s=22, alpha=0.75, edgecolor="none")
    said = f"better on {int(np.sum(mine > theirs))} of {len(both)} images, worse on {int(np.sum(mine < theirs))}"
    axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel=f"SoftPQ of {shortened(second)}")
    axes.set(ylabel=f"SoftPQ of {shortened(first)}")
    axes.set_title(said, fontsize=10)
    axes.grid(alpha=0.25, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def plot_repairs(results: Results, ax: Axes | None = None) -> Figure:
    """Draw what repairing each kind of error would bring to each model, as a grid, the best model first.

    Parameters
    ----------
    results
        From :func:`softpq.evaluate_dataset` with ``keep_tables=True``.
    ax
        Matplotlib axes to draw on; a new figure by default.

    Examples
    --------
    >>> import softpq
    >>> scene = softpq.synthetic.cells((64, 64), 6, seed=1)
    >>> models = {"a": [scene.pred], "b": [scene.truth]}
    >>> results = softpq.evaluate_dataset([scene.truth], models, keep_tables=True)
    >>> [text.get_text() for text in plot_repairs(results).axes[0].get_yticklabels()]
    ['b', 'a']
    """
    order = results.ranking("softpq")
    if not results.has_tables or not order:
        raise ValueError("results must have kept their tables for repairs to be drawn; evaluate with keep_tables=True.")
    gains = [results.gains(model) for model in order]
    names = list(gains[0])
    values = np.array([[gain[name] for name in names] for gain in gains])
    figure, axes = new_axes(ax, 2.6 + 1.1 * len(names), 1.2 + 0.4 * len(order))
    top = max(float(np.nanmax(values)), 0.001)
    axes.imshow(values, cmap=SURFACE, vmin=0, vmax=top, aspect="auto")
    for (row, column), gain in np.ndenumerate(values):
        colour = "black" if gain > 0.6 * top else "white"
        axes.text(column, row, f"{gain:+.3f}", ha="center", va="center", color=colour, fontsize=9)
    axes.set_xticks(range(len(names)), [name.replace(" ", "\n") for name in names])
    axes.set_yticks(range(len(order)), [shortened(model) for model in order])
    axes.tick_params(top=True, bottom=False, labeltop=True, labelbottom=False, length=0)
    axes.set_xlabel("pooled SoftPQ gained if all errors of one kind were repaired")
    return figure


def shortened(name: str) -> str:
    """A long name without its middle.

    Examples
    --------
    >>> shortened("a" * 20 + "b" * 20)
    'aaaaaaaaaaaaaa…bbbbbbbbbbbbbbb'
    """
    return name if len(name) < 32 else f"{name[:14]}…{name[-15:]}"


def plot_ranks(results: Results, ax: Axes | None = None) -> Figure:
    """Draw the models from best to worst: values with their intervals, and the ranks that each may have.

    Parameters
    ----------
    results
        From :func:`softpq.evaluate_dataset`; what it is ranked by is its headline.
    ax
        Matplotlib axes to draw on; a new figure by default.

    See Also
    --------
    softpq.plots.plot_models : Values with intervals.

    Examples
    --------
    >>> import softpq
    >>> scene = softpq.synthetic.cells((64, 64), 6, seed=1)
    >>> results = softpq.evaluate_dataset([scene.truth], {"a": [scene.pred], "b": [scene.truth]})
    >>> [text.get_text() for text in plot_ranks(results).axes[0].get_yticklabels()]
    ['b', 'a']
    """
    common = results.on_common()
    order, ranks = common.ranking(), common.ranks()
    figure, axes = new_axes(ax, 6.4, 1.2 + 0.34 * len(order))
    intervals = [common.interval(model=model) for model in order]
    for place, (model, found) in enumerate(zip(order, intervals, strict=True)):
        first, last = ranks[model]
        axes.plot([found.low, found.high], [place, place], color="0.55", linewidth=1.6, zorder=1)
        colour = METRIC_COLOURS["softpq"] if first == 1 else "0.25"
        axes.plot(found.value, place, "o", color=colour, markersize=6, zorder=2)
        text = f"{first}" if first == last else f"{first}–{last}"
        axes.text(1.02, place, text, transform=axes.get_yaxis_transform(), va="center")
    axes.text(1.02, -0.9, "rank", transform=axes.get_yaxis_transform(), va="center", color="0.4")
    said = f", {common.headline.level:.0%} intervals" if any(math.isfinite(one.low) for one in intervals) else ""
    axes.set(yticks=range(len(order)), xlabel=f"{common.rank_by}, {results.headline.over}{said}")
    axes.set_yticklabels([shortened(name) for name in order])
    axes.set_ylim(len(order) - 0.5, -0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="x", alpha=0.25, linewidth=0.6)
    return figure


def plot_winners(winners: WinnerMap, ax: Axes | None = None) -> Figure:
    """Draw which model is best at each pair of thresholds of SoftPQ; hatched where that is not clear.

    Parameters
    ----------
    winners
        From ``results.winners()``.
    ax
        Matplotlib axes to draw on; a new figure by default.

    See Also
    --------
    softpq.plots.plot_surface : One model at all thresholds.

    Examples
    --------
    >>> import softpq
    >>> scene = softpq.synthetic.cells((64, 64), 6, seed=1)
    >>> results = softpq.evaluate_dataset([scene.truth], {"a": [scene.pred], "b": [scene.truth]}, keep_tables=True)
    >>> plot_winners(results.winners(step=0.25)).axes[0].get_xlabel()
    'upper threshold h'
    """
    colours = needs("matplotlib.colors", "plot", "plot_winners")
    patches = needs("matplotlib.patches", "plot", "plot_winners")
    figure, axes = new_axes(ax, 6.4, 4.4)
    palette = [WINNERS[k % len(WINNERS)] for k in range(len(winners.models))]
    step = (winners.iou_low[1] - winners.iou_low[0]) / 2
    edges = [np.append(side - step, side[-1] + step) for side in (winners.iou_high, winners.iou_low)]
    limits: Any = {"vmin": -0.5, "vmax": len(palette) - 0.5}
    filled = colours.ListedColormap(palette)
    axes.pcolormesh(*edges, np.ma.masked_less(winners.best, 0), cmap=filled, rasterized=True, **limits)
    cells = np.argwhere((winners.best >= 0) & ~winners.clear)
    corners = [[(edges[0][j + a], edges[1][i + b]) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))] for i, j in cells]
    collections = needs("matplotlib.collections", "plot", "plot_winners")
    axes.add_collection(
        collections.PolyCollection(corners, hatch="////", facecolor="none", edgecolor="0.3", linewidth=0)
    )
    present = [k for k in range(len(palette)) if (winners.best == k).any()]
    keys = [patches.Patch(color=palette[k], label=winners.models[k]) for k in present]
    keys.append(patches.Patch(facecolor="white", edgecolor="0.3", hatch="////", label="not clear"))
    axes.legend(handles=keys, frameon=False, loc="upper left", bbox_to_anchor=(1.01, 1), fontsize=8)
    axes.set(xlabel="upper threshold h", ylabel="lower threshold l", title="Best model by SoftPQ")
    return figure


def plot_needed(needed: Sequence[Needed], ax: Axes | None = None) -> Figure:
    """Draw the difference that so many images would show, for every pair of models.

    Parameters
    ----------
    needed
        From ``results.needed()``.
    ax
        Matplotlib axes to draw on; a new figure by default.

    See Also
    --------
    softpq.plots.plot_models : What was found.

    Examples
    --------
    >>> import numpy as np, softpq
    >>> truth = [np.arange(1, 9)] * 6
    >>> preds = [[np.where(np.arange(8) < k + j, np.arange(1, 9), 0) for k in range(6)] for j in (1, 2)]
    >>> results = softpq.evaluate_dataset(truth, dict(a=preds[0], b=preds[1]))
    >>> plot_needed(results.needed("recall")).axes[0].get_xlabel()
    'images or groups'
    """
    figure, axes = new_axes(ax, 6.4, 4.0)
    units = np.unique(np.geomspace(6, 2000, 80).astype(int))
    for k, one in enumerate(needed):
        seen = [one.detectable(int(n)) for n in units]
        axes.plot(units, seen, color=WINNERS[k % len(WINNERS)], label=f"{one.first} and {one.second}")
    axes.set(xscale="log", yscale="log", xlabel="images or groups", ylabel="difference seen with 80 % power")
    axes.grid(alpha=0.25, linewidth=0.6, which="both")
    axes.legend(frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    return figure
