"""A field of cells, tissue, and what a model made of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, prod
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from softpq._checks import check_choice

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    Labels = NDArray[np.int32]


Fate = Literal["found", "split", "merged", "missed", "shifted"]

FATES: Mapping[str, float] = MappingProxyType({"split": 0.08, "merged": 0.06, "missed": 0.05, "shifted": 0.06})
"""Which share of the cells gets which error, unless told otherwise; the rest is found."""


@dataclass(frozen=True)
class Scene:
    """Truth, prediction, and what was done to each truth object.

    Attributes
    ----------
    truth, pred
        Label images.
    fates
        Truth label -> ``"found"``, ``"split"``, ``"merged"``, ``"missed"`` or ``"shifted"``.
    ghosts
        Labels of predictions that stand where nothing is.

    Examples
    --------
    >>> scene = cells((64, 64), 6, seed=1)
    >>> sorted(set(scene.fates.values())), scene.truth.shape == scene.pred.shape
    (['found', 'merged'], True)
    """

    truth: Labels
    pred: Labels
    fates: Mapping[int, Fate]
    ghosts: tuple[int, ...]


@dataclass(frozen=True)
class Cell:
    """An ellipsoid with a wobbly outline.

    Examples
    --------
    >>> Cell(np.array([8.0, 8.0]), np.array([3.0, 4.0]), 0.1, 0.0).radius.tolist()
    [3.0, 4.0]
    """

    center: NDArray[np.float64]
    radius: NDArray[np.float64]
    wobble: float
    phase: float

    def moved(self, by: NDArray[np.float64], scale: float) -> Cell:
        """Return the same cell elsewhere and larger or smaller.

        Examples
        --------
        >>> cell = Cell(np.array([8.0, 8.0]), np.array([3.0, 4.0]), 0.1, 0.0)
        >>> cell.moved(np.array([1.0, 0.0]), 2).radius.tolist()
        [6.0, 8.0]
        """
        return Cell(self.center + by, self.radius * scale, self.wobble, self.phase)


def disc(shape: tuple[int, int], radius: float, center: tuple[float, float]) -> NDArray[np.bool_]:
    """Draw a disc: pixels whose centre is at most the radius away from the centre (row, column).

    Examples
    --------
    >>> int(disc((9, 9), 4, (4, 4)).sum())
    49
    """
    rows, columns = np.ogrid[: shape[0], : shape[1]]
    inside: NDArray[np.bool_] = (rows - center[0]) ** 2 + (columns - center[1]) ** 2 <= radius**2
    return inside


@dataclass
class _Canvas:
    """A label image that cells are stamped on; what is there already stays."""

    shape: tuple[int, ...]
    labels: Labels = field(init=False)

    def __post_init__(self) -> None:
        self.labels = np.zeros(self.shape, np.int32)

    def window(self, cell: Cell) -> tuple[tuple[slice, ...], list[NDArray[np.float64]]]:
        reach = cell.radius * (1 + abs(cell.wobble)) + 1
        low = np.maximum(np.floor(cell.center - reach), 0).astype(int)
        high = np.minimum(np.ceil(cell.center + reach) + 1, self.shape).astype(int)
        slices = tuple(slice(a, max(a, b)) for a, b in zip(low.tolist(), high.tolist(), strict=True))
        grids = np.ogrid[slices]
        return slices, [(g - c) / r for g, c, r in zip(grids, cell.center, cell.radius, strict=True)]

    def stamp(self, cell: Cell, label: int, *, parts: int = 1) -> int:
        """Draw the cell, cut into parts of about equal size, as label, label + 1, ...; return the next label."""
        slices, offsets = self.window(cell)
        angle = np.arctan2(offsets[-2], offsets[-1]) if len(offsets) > 1 else np.zeros(1)
        distance = sum((o * o for o in offsets), start=np.zeros(1))
        inside = distance <= (1 + cell.wobble * np.cos(3 * angle + cell.phase)) ** 2
        view = self.labels[slices]
        part = np.floor((angle + cell.phase) / (2 * np.pi) % 1 * parts).astype(np.int32)
        np.copyto(view, label + np.minimum(part, parts - 1), where=inside & (view == 0))
        return label + parts


def _grid_cells(shape: tuple[int, ...], objects: int, rng: np.random.Generator) -> Iterator[Cell]:
    """Cells on a jittered grid that nearly touch, in grid order."""
    spacing = (prod(shape) / objects) ** (1 / len(shape))
    counts = [max(1, ceil(size / spacing)) for size in shape]
    step = np.array(shape) / counts
    chosen = np.sort(rng.permutation(prod(counts))[:objects])
    for place in zip(*np.unravel_index(chosen, counts), strict=True):
        center = (np.array(place) + 0.5 + rng.uniform(-0.2, 0.2, len(shape))) * step
        radius = step * rng.uniform(0.33, 0.46, len(shape))
        yield Cell(center, radius, float(rng.uniform(0.02, 0.12)), float(rng.uniform(0, 2 * np.pi)))


def cells(
    shape: tuple[int, ...] = (512, 512),
    objects: int = 300,
    *,
    seed: int = 0,
    fates: Mapping[str, float] = FATES,
    ghosts: float = 0.05,
) -> Scene:
    """Make a field of cells and a prediction with known errors.

    Parameters
    ----------
    shape
        Of the image or volume.
    objects
        How many cells.
    seed
        The same seed gives the same scene.
    fates
        Share of the cells that are ``split``, ``merged``, ``missed`` or ``shifted``; the rest is found, with an
        outline that is a little off.
    ghosts
        Predictions without a cell, as a share of the cells.

    Returns
    -------
    Scene

    Examples
    --------
    >>> scene = cells((128, 128), 20, seed=1)
    >>> scene.truth.shape, int(scene.truth.max()), len(scene.fates)
    ((128, 128), 20, 20)
    """
    for fate in fates:
        check_choice(fate, FATES, "fates")
    rng = np.random.default_rng(seed)
    field_cells = list(_grid_cells(shape, objects, rng))
    names = ["found", *fates]
    shares = np.array([1 - sum(fates.values()), *fates.values()])
    drawn = [names[k] for k in rng.choice(len(names), size=len(field_cells), p=shares)]
    truth, pred = _Canvas(shape), _Canvas(shape)
    for label, cell in enumerate(field_cells, start=1):
        truth.stamp(cell, label)
    label, told = _draw_prediction(pred, field_cells, drawn, rng)
    ghost_labels = _draw_ghosts(truth, pred, field_cells, round(ghosts * len(field_cells)), label, rng)
    return Scene(truth.labels, pred.labels, told, ghost_labels)


def tissue(
    shape: tuple[int, ...] = (512, 512), objects: int = 300, *, seed: int = 0, missed: float = 0.1
) -> tuple[Labels, Labels]:
    """Make touching cells without any background, and a prediction whose borders are a little off.

    Parameters
    ----------
    shape
        Of the image or volume.
    objects
        About how many cells; they stand on a jittered grid.
    seed
        The same seed gives the same images.
    missed
        Share of the cells that the prediction does not have; others grow into their place.

    Returns
    -------
    truth, pred

    Examples
    --------
    >>> truth, pred = tissue((90, 90), 25, seed=1)
    >>> int(truth.min()), int(truth.max()), int(pred.min()) > 0
    (1, 25, True)
    """
    rng = np.random.default_rng(seed)
    spacing = (prod(shape) / objects) ** (1 / len(shape))
    counts = [max(1, round(size / spacing)) for size in shape]
    step = np.array(shape) / counts
    place = np.stack(np.meshgrid(*map(np.arange, counts), indexing="ij"), axis=-1)
    centers = (place + rng.uniform(0.15, 0.85, place.shape)) * step
    off = centers + rng.normal(0, 0.06, place.shape) * step
    off[rng.random(counts) < missed] = np.inf
    return _nearest(shape, centers), _nearest(shape, off)


def _nearest(shape: tuple[int, ...], centers: NDArray[np.float64]) -> Labels:
    """The number of the nearest centre of each pixel; in slabs, which stay in the caches."""
    slabs = np.array_split(np.arange(shape[0]), max(1, prod(shape) >> 16))
    return np.concatenate([_nearest_in([slab, *map(np.arange, shape[1:])], shape, centers) for slab in slabs])


def _nearest_in(places: list[NDArray[np.int64]], shape: tuple[int, ...], centers: NDArray[np.float64]) -> Labels:
    """The same at some places along each axis; centres are looked for up to two cells of the grid away."""
    counts = centers.shape[:-1]
    cells_at = [at * count // size for at, size, count in zip(places, shape, counts, strict=True)]
    numbers = np.arange(1, prod(counts) + 1, dtype=np.int32).reshape(counts)
    nearest = np.full([len(at) for at in places], np.inf)
    labels = np.ones(nearest.shape, np.int32)
    for steps in np.ndindex(*(5,) * len(shape)):
        around = np.ix_(*(np.clip(c + s - 2, 0, n - 1) for c, s, n in zip(cells_at, steps, counts, strict=True)))
        offsets = (centers[..., axis][around] - at for axis, at in enumerate(np.ix_(*places)))
        distance = sum((offset**2 for offset in offsets), start=np.zeros(nearest.shape))
        closer = distance < nearest
        np.copyto(labels, numbers[around], where=closer)
        np.copyto(nearest, distance, where=closer)
    return labels


def _draw_prediction(
    pred: _Canvas, field_cells: list[Cell], drawn: list[str], rng: np.random.Generator
) -> tuple[int, dict[int, Fate]]:
    label, told = 1, dict.fromkeys(range(1, len(field_cells) + 1), "found")
    for k, cell in enumerate(field_cells):
        off = cell.moved(rng.normal(0, 0.04, len(cell.radius)) * cell.radius, float(rng.normal(1, 0.04)))
        if told[k + 1] == "merged":  # already drawn with the cell before
            continue
        fate = drawn[k]
        if fate == "split":
            label = pred.stamp(off, label, parts=int(rng.integers(2, 5)))
        elif fate == "shifted":
            label = pred.stamp(off.moved(rng.choice([-0.6, 0.6], len(cell.radius)) * cell.radius, 1), label)
        elif fate == "merged" and _are_neighbours(field_cells, k):
            told[k + 2] = "merged"
            pred.stamp(cell.moved(np.zeros(len(cell.radius)), 1.18), label)
            label = pred.stamp(field_cells[k + 1].moved(np.zeros(len(cell.radius)), 1.18), label)
        elif fate != "missed":
            fate = "found"
            label = pred.stamp(off, label)
        told[k + 1] = fate
    return label, told  # type: ignore[return-value]  # the strings are the four names above


def _are_neighbours(field_cells: list[Cell], k: int) -> bool:
    if k + 1 >= len(field_cells):
        return False
    gap = np.abs(field_cells[k + 1].center - field_cells[k].center)
    return bool(np.all(gap < 3 * field_cells[k].radius))


def _draw_ghosts(
    truth: _Canvas, pred: _Canvas, field_cells: list[Cell], count: int, label: int, rng: np.random.Generator
) -> tuple[int, ...]:
    """Stamp small cells where neither image has anything."""
    drawn: list[int] = []
    for _ in range(60 * count):
        if len(drawn) == count:
            break
        model = field_cells[int(rng.integers(len(field_cells)))]
        cell = Cell(rng.uniform(0, truth.shape), model.radius * rng.uniform(0.2, 0.45), 0.05, 0.0)
        slices, _ = truth.window(cell)
        if truth.labels[slices].any() or pred.labels[slices].any():
            continue
        label = pred.stamp(cell, label)
        drawn.append(label - 1)
    return tuple(drawn)


def microscope(labels: NDArray[Any], seed: int = 0) -> NDArray[np.uint16]:
    """What a camera might see: objects of different brightness, out of focus, with noise; two dimensions.

    Examples
    --------
    >>> microscope(cells((32, 32), 4).truth).shape
    (32, 32)
    """
    rng = np.random.default_rng(seed)
    ids, place = np.unique(labels, return_inverse=True)
    seen = np.where(ids > 0, rng.uniform(300, 1200, len(ids)), 0.0)[place].reshape(labels.shape)
    for _ in range(3):  # three boxes are nearly a bell
        for axis in (0, 1):
            padded = np.pad(seen, [(2, 2) if axis == k else (0, 0) for k in (0, 1)], mode="edge")
            seen = np.lib.stride_tricks.sliding_window_view(padded, 5, axis).mean(axis=-1)
    return rng.poisson(seen + 120).astype(np.uint16)
