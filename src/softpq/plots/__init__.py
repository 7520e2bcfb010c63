"""Pictures. Heavy libraries are imported where they are used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.explain.objects import Objects
from softpq.explain.thresholds import Surface, curve
from softpq.explain.verdicts import COLOURS, SIDES, Side, verdicts_of
from softpq.plots._figure import new_figure
from softpq.plots.axes import METRIC_COLOURS, SURFACE, new_axes
from softpq.plots.models import plot_duel, plot_models, plot_needed, plot_ranks, plot_repairs, plot_winners

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray
    from PIL.Image import Image

    from softpq.dataset.results import Results
    from softpq.table.overlap import Overlap

__all__ = [
    "outlines", "overlay", "plot_curves", "plot_duel", "plot_models", "plot_needed", "plot_pq_vs_softpq", "plot_ranks",
    "plot_repairs", "plot_surface", "plot_winners",
]  # fmt: skip


def outlines(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark the pixels of objects that touch another label.

    See Also
    --------
    softpq.plots.overlay : The same on the image.

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
    """Silhouettes of both sides in grey, and this side's outlines in the colour of the verdict.

    Examples
    --------
    >>> import softpq
    >>> scene = softpq.synthetic.cells((64, 64), 6, seed=1)
    >>> objects = softpq.evaluate(scene.truth, scene.pred).objects
    >>> coloured(scene.truth, scene.pred, objects, "truth").shape
    (64, 64, 3)
    """
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

    See Also
    --------
    softpq.plots.outlines : Lines alone.

    Examples
    --------
    >>> import softpq
    >>> scene = softpq.synthetic.cells((64, 64), 6, seed=1)
    >>> picture = overlay(scene.truth, scene.pred, softpq.evaluate(scene.truth, scene.pred).objects)
    >>> picture.size  # picture.save("overlay.png") writes it
    (328, 236)
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


def plot_surface(surface: Surface, ax: Axes | None = None) -> Figure:
    """Draw SoftPQ over both thresholds as a heat map, with PQ on the diagonal.

    Parameters
    ----------
    surface
        From :func:`softpq.sweep`; its thresholds must be ascending.
    ax
        Matplotlib axes to draw on; a new figure by default.

    Returns
    -------
    Figure
        ``figure.savefig("surface.png")`` writes it.

    See Also
    --------
    softpq.sweep : Computes the surface.

    Examples
    --------
    >>> import softpq
    >>> scene = softpq.synthetic.cells((64, 64), 6, seed=1)
    >>> figure = plot_surface(softpq.sweep(softpq.Overlap.from_labels(scene.truth, scene.pred)))
    >>> figure.axes[0].get_xlabel()
    'upper threshold h'
    """
    figure, axes = new_axes(ax, 5.6, 4.6)
    low, high = surface.iou_low, surface.iou_high
    mesh = axes.pcolormesh(high, low, surface.values, cmap=SURFACE, vmin=0, vmax=1, shading="nearest", rasterized=True)
    figure.colorbar(mesh, ax=axes, label="SoftPQ")
    ends = [float(high.min()), float(min(high.max(), low.max()))]
    axes.plot(ends, ends, color="black", linewidth=1.5)
    middle = (ends[0] + ends[1]) / 2
    axes.annotate("PQ (l = h)", (middle, middle), (-8, 6), textcoords="offset points", ha="right")
    axes.set(xlabel="upper threshold h", ylabel="lower threshold l")
    axes.set_title(f"{surface.settings.penalty}, {surface.settings.priority}, {surface.settings.reading}", fontsize=10)
    return figure


def plot_curves(overlap: Overlap, metrics: Sequence[str] = ("pq", "f1", "accuracy"), ax: Axes | None = None) -> Figure:
    """Draw metrics on one matching over the IoU threshold.

    Parameters
    ----------
    overlap
        The table.
    metrics
        Names that :func:`softpq.curve` knows.
    ax
        Matplotlib axes to draw on; a new figure by default.

    See Also
    --------
    softpq.curve : Computes a curve.

    Examples
    --------
    >>> import softpq
    >>> scene = softpq.synthetic.cells((64, 64), 6, seed=1)
    >>> figure = plot_curves(softpq.Overlap.from_labels(scene.truth, scene.pred), ["pq", "f1"])
    >>> len(figure.axes[0].lines)
    2
    """
    figure, axes = new_axes(ax, 5.2, 3.8)
    for name in metrics:
        thresholds, values = curve(overlap, name)
        axes.plot(thresholds, values, color=METRIC_COLOURS[name], label=name)
    axes.set(xlabel="IoU threshold", ylabel="score", ylim=(0, 1.02), xlim=(0.5, 1))
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def plot_pq_vs_softpq(results: Results, model: str | None = None, ax: Axes | None = None) -> Figure:
    """Draw SoftPQ against PQ for every image of a dataset, and their difference.

    Parameters
    ----------
    results
        From :func:`softpq.evaluate_dataset`, with both metrics.
    model
        Which one; the only one by default.
    ax
        Matplotlib axes to draw on, without the difference; a new figure of both by default.

    Examples
    --------
    >>> import softpq
    >>> scene = softpq.synthetic.cells((64, 64), 6, seed=1)
    >>> figure = plot_pq_vs_softpq(softpq.evaluate_dataset([scene.truth], [scene.pred]))
    >>> len(figure.axes)
    2
    """
    values = [image.values() for image in results.of(model)]
    pq, softpq = (np.array([row[name] for row in values]) for name in ("pq", "softpq"))
    figure = ax.figure.figure if ax is not None else new_figure(9.5, 4.4)
    left, *right = [ax] if ax is not None else list(figure.subplots(1, 2))
    left.plot([0, 1], [0, 1], color="0.5", linewidth=1)
    drawn = [(left, softpq, "SoftPQ"), *((one, softpq - pq, "SoftPQ - PQ") for one in right)]
    for one in right:
        one.axhline(0, color="0.5", linewidth=1)
    for axes, height, label in drawn:
        axes.scatter(pq, height, color=METRIC_COLOURS["softpq"], s=22, alpha=0.75, edgecolor="none")
        axes.set(xlabel="PQ", ylabel=label)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25, linewidth=0.6)
    left.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    title = f"{model or results.models[0]}: {len(values)} images, {results.settings}"
    (figure.suptitle if ax is None else ax.set_title)(title, fontsize=11)
    return figure
