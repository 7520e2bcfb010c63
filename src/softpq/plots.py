"""Pictures. Heavy libraries are imported where they are used."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import needs
from softpq.explain.objects import Objects
from softpq.explain.thresholds import CURVES, Surface, curve
from softpq.explain.verdicts import COLOURS, SIDES, Side, verdicts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray
    from PIL.Image import Image

    from softpq.dataset.planning import Needed
    from softpq.dataset.results import Results
    from softpq.dataset.winners import WinnerMap
    from softpq.table.overlap import Overlap


def outlines(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark the pixels of objects that touch another label.

    Examples
    --------
    >>> outlines(np.array([[1, 1, 1, 0]])).astype(int)
    array([[0, 0, 1, 0]])
    """
    edge = np.zeros(labels.shape, bool)
    for axis in range(labels.ndim):
        ahead, behind = (_along(axis, labels.ndim, part) for part in (slice(1, None), slice(None, -1)))
        differs = labels[ahead] != labels[behind]
        edge[ahead] |= differs
        edge[behind] |= differs
    edge &= labels != 0
    return edge


def _along(axis: int, ndim: int, part: slice) -> tuple[slice, ...]:
    return tuple(part if k == axis else slice(None) for k in range(ndim))


def coloured(labels: NDArray[Any], other: NDArray[Any], objects: Objects, side: str) -> NDArray[np.uint8]:
    """Silhouettes of both sides in grey, and this side's outlines in the colour of the verdict."""
    rows = np.flatnonzero(objects["side"] == side)
    palette = np.array([COLOURS[verdict] for verdict in objects["verdict"][rows]] or [(0, 0, 0)], np.uint8)
    picture = np.full((*labels.shape, 3), 18, np.uint8)
    picture[other != 0] = 44
    picture[labels != 0] += 26
    edge = outlines(labels)
    at = np.searchsorted(objects["id"][rows], labels[edge].astype(np.uint64))
    picture[edge] = palette[at]
    return picture


def overlay(truth: NDArray[Any], pred: NDArray[Any], objects: Objects, *, scale: int = 2) -> Image:
    """Draw truth and prediction side by side, outlined by what happened to each object.

    Parameters
    ----------
    truth, pred
        Label images of two dimensions.
    objects
        From ``evaluation.objects``.
    scale
        Screen pixels per image pixel.
    """
    from PIL import Image as pillow

    if truth.ndim != 2:
        raise ValueError(f"truth must have two dimensions to be drawn; got {truth.ndim}. Pass one slice of it.")
    panels = [coloured(truth, pred, objects, "truth"), coloured(pred, truth, objects, "pred")]
    height, width = truth.shape[0] * scale, truth.shape[1] * scale
    margin, legend = 24, 84
    sheet = pillow.new("RGB", (2 * width + 3 * margin, height + margin + legend), (255, 255, 255))
    for k, (panel, side) in enumerate(zip(panels, SIDES, strict=True)):
        left = margin + k * (width + margin)
        image = pillow.fromarray(panel).resize((width, height), pillow.Resampling.NEAREST)
        sheet.paste(image, (left, legend))
        _draw_legend(sheet, left, width, side, objects)
    return sheet


def _draw_legend(sheet: Image, left: int, width: int, side: Side, objects: Objects) -> None:
    from PIL import ImageDraw, ImageFont

    draw = ImageDraw.Draw(sheet)
    title, small = (ImageFont.load_default(size) for size in (22, 16))
    counts = objects.counts()
    total = sum(n for (of, _), n in counts.items() if of == side)
    name = "Ground truth" if side == "truth" else "Prediction"
    draw.text((left, 14), f"{name}: {total} objects", fill=(0, 0, 0), font=title)
    verdicts = verdicts_of(side)
    step = width / len(verdicts)
    for k, verdict in enumerate(verdicts):
        x = left + int(k * step)
        draw.rectangle((x, 54, x + 16, 70), fill=COLOURS[verdict], outline=(90, 90, 90))
        draw.text((x + 22, 52), f"{verdict} {counts.get((side, verdict), 0)}", fill=(0, 0, 0), font=small)


PALETTE = ("#000000", "#CC79A7", "#E69F00", "#0072B2", "#56B4E9", "#F0E442", "#009E73", "#882255", "#44AA99")
METRIC_COLOURS: Mapping[str, str] = MappingProxyType(
    {"softpq": "#D55E00", **dict(zip(CURVES, cycle(PALETTE), strict=False))}
)
"""Metric -> colour, the same in every figure."""

WINNERS = ("#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#F0E442", "#0072B2", "#D55E00", "#999999")
"""Colours of models that areas are filled with."""


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure, in inches, that needs no window and no clean-up."""
    figure: Figure = needs("matplotlib.figure", "plot", "Drawing").Figure(figsize=(width, height), layout="constrained")
    return figure


def _new_axes(axes: Axes | None, width: float, height: float) -> tuple[Figure, Axes]:
    if axes is not None:
        return axes.figure.figure, axes  # the figure, also where axes are on a part of one
    figure = new_figure(width, height)
    return figure, figure.add_subplot()


def plot_surface(surface: Surface, axes: Axes | None = None) -> Figure:
    """Draw SoftPQ over both thresholds as a heat map, with PQ on the diagonal.

    Parameters
    ----------
    surface
        From :func:`softpq.sweep`; its thresholds must be ascending.
    axes
        Matplotlib axes to draw on; a new figure by default.

    Returns
    -------
    Figure
        ``figure.savefig("surface.png")`` writes it.
    """
    figure, axes = _new_axes(axes, 5.6, 4.6)
    low, high = surface.iou_low, surface.iou_high
    mesh = axes.pcolormesh(high, low, surface.values, cmap="cividis", vmin=0, vmax=1, shading="nearest")
    figure.colorbar(mesh, ax=axes, label="SoftPQ")
    ends = [float(high.min()), float(min(high.max(), low.max()))]
    axes.plot(ends, ends, color="black", linewidth=1.5)
    middle = (ends[0] + ends[1]) / 2
    axes.annotate("PQ (l = h)", (middle, middle), (-8, 6), textcoords="offset points", ha="right")
    axes.set(xlabel="upper threshold h", ylabel="lower threshold l")
    axes.set_title(f"{surface.settings.penalty}, {surface.settings.priority}, {surface.settings.reading}", fontsize=10)
    return figure


def plot_curves(
    overlap: Overlap, metrics: Sequence[str] = ("pq", "f1", "accuracy"), axes: Axes | None = None
) -> Figure:
    """Draw metrics on one matching over the IoU threshold.

    Parameters
    ----------
    overlap
        The table.
    metrics
        Names that :func:`softpq.curve` knows.
    axes
        Matplotlib axes to draw on; a new figure by default.
    """
    figure, axes = _new_axes(axes, 5.2, 3.8)
    for name in metrics:
        thresholds, values = curve(overlap, name)
        axes.plot(thresholds, values, color=METRIC_COLOURS[name], label=name)
    axes.set(xlabel="IoU threshold", ylabel="score", ylim=(0, 1.02), xlim=(0.5, 1))
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def plot_pq_vs_softpq(results: Results, model: str | None = None) -> Figure:
    """Draw SoftPQ against PQ for every image of a dataset, and their difference.

    Parameters
    ----------
    results
        From :func:`softpq.evaluate_dataset`, with both metrics.
    model
        Which one; the only one by default.
    """
    values = [image.values() for image in results.of(model)]
    pq, softpq = (np.array([row[name] for row in values]) for name in ("pq", "softpq"))
    figure = new_figure(9.5, 4.4)
    left, right = figure.subplots(1, 2)
    left.plot([0, 1], [0, 1], color="0.5", linewidth=1)
    right.axhline(0, color="0.5", linewidth=1)
    for axes, height, label in ((left, softpq, "SoftPQ"), (right, softpq - pq, "SoftPQ - PQ")):
        axes.scatter(pq, height, color=METRIC_COLOURS["softpq"], s=22, alpha=0.75, edgecolor="none")
        axes.set(xlabel="PQ", ylabel=label)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25, linewidth=0.6)
    left.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    figure.suptitle(f"{model or results.models[0]}: {len(values)} images, {results.settings}", fontsize=11)
    return figure


def plot_ranks(results: Results, axes: Axes | None = None) -> Figure:
    """Draw the models from best to worst: values with intervals, and bars over the ranks that each may have.

    Parameters
    ----------
    results
        From :func:`softpq.evaluate_dataset`; what it is ranked by is its headline.
    axes
        Matplotlib axes to draw on; a new figure by default.
    """
    common = results.on_common()
    order, ranks = common.ranking(), common.ranks()
    figure, axes = _new_axes(axes, 6.4, 1.2 + 0.34 * len(order))
    for place, model in enumerate(order):
        found = common.interval(model=model)
        first, last = ranks[model]
        axes.plot([found.low, found.high], [place, place], color="0.55", linewidth=1.6, zorder=1)
        colour = METRIC_COLOURS["softpq"] if first == 1 else "0.25"
        axes.plot(found.value, place, "o", color=colour, markersize=6, zorder=2)
        text = f"{first}" if first == last else f"{first}–{last}"
        axes.text(1.02, place, text, transform=axes.get_yaxis_transform(), va="center")
    axes.text(1.02, -0.9, "rank", transform=axes.get_yaxis_transform(), va="center", color="0.4")
    axes.set(yticks=range(len(order)), xlabel=f"{common.rank_by}, {results.headline.over}, {common.headline.level:.0%}")
    axes.set_yticklabels([name if len(name) < 32 else f"{name[:14]}…{name[-15:]}" for name in order])
    axes.set_ylim(len(order) - 0.5, -0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="x", alpha=0.25, linewidth=0.6)
    return figure


def plot_winners(winners: WinnerMap, axes: Axes | None = None) -> Figure:
    """Draw which model is best at each pair of thresholds of SoftPQ; hatched where that is not clear.

    Parameters
    ----------
    winners
        From ``results.winners()``.
    axes
        Matplotlib axes to draw on; a new figure by default.
    """
    colours = needs("matplotlib.colors", "plot", "plot_winners")
    patches = needs("matplotlib.patches", "plot", "plot_winners")
    figure, axes = _new_axes(axes, 6.4, 4.4)
    palette = [WINNERS[k % len(WINNERS)] for k in range(len(winners.models))]
    step = (winners.iou_low[1] - winners.iou_low[0]) / 2
    edges = [np.append(side - step, side[-1] + step) for side in (winners.iou_high, winners.iou_low)]
    limits: Any = {"vmin": -0.5, "vmax": len(palette) - 0.5}
    axes.pcolormesh(*edges, np.ma.masked_less(winners.best, 0), cmap=colours.ListedColormap(palette), **limits)
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


def plot_needed(needed: Sequence[Needed], axes: Axes | None = None) -> Figure:
    """Draw the difference that so many images would show, for every pair of models.

    Parameters
    ----------
    needed
        From ``results.needed()``.
    axes
        Matplotlib axes to draw on; a new figure by default.
    """
    figure, axes = _new_axes(axes, 6.4, 4.0)
    units = np.unique(np.geomspace(6, 2000, 80).astype(int))
    for k, one in enumerate(needed):
        seen = [one.detectable(int(n)) for n in units]
        axes.plot(units, seen, color=WINNERS[k % len(WINNERS)], label=f"{one.first} and {one.second}")
    axes.set(xscale="log", yscale="log", xlabel="images or groups", ylabel="difference seen with 80 % power")
    axes.grid(alpha=0.25, linewidth=0.6, which="both")
    axes.legend(frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    return figure
