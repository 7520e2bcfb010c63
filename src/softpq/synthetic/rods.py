"""Long objects at any angle: bacteria in colonies, nuclei in stained tissue; and predictions that are a little off."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, prod
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Labels = NDArray[np.int32]
    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Rods:
    """Capsules, one place in each column: what is nearer than ``radius`` to a line of twice ``half`` length."""

    y: Floats
    x: Floats
    angle: Floats
    half: Floats
    radius: Floats

    def some(self, keep: NDArray[np.bool_]) -> _Rods:
        """Those that are kept."""
        return _Rods(*(column[keep] for column in (self.y, self.x, self.angle, self.half, self.radius)))

    def seen_by_a_model(self, rng: np.random.Generator, missed: float) -> _Rods:
        """The same a little off, some missing."""
        count = len(self.y)
        off = replace(
            self,
            y=self.y + rng.normal(0, 0.15, count) * self.radius,
            x=self.x + rng.normal(0, 0.15, count) * self.radius,
            angle=self.angle + rng.normal(0, 0.05, count),
            half=self.half * rng.normal(1, 0.06, count),
            radius=self.radius * rng.normal(1, 0.06, count),
        )
        return off.some(rng.random(count) >= missed)

    def drawn(self, shape: tuple[int, int]) -> Labels:
        """Draw one after the other, each where nothing is yet."""
        labels = np.zeros(shape, np.int32)
        for label, (y, x, angle, half, radius) in enumerate(
            zip(self.y, self.x, self.angle, self.half, self.radius, strict=True), start=1
        ):
            reach = ceil(half + radius) + 1
            window = tuple(slice(max(int(at) - reach, 0), max(int(at) + reach, 0)) for at in (y, x))
            rows, columns = (np.arange(size)[part] for size, part in zip(shape, window, strict=True))
            dy, dx = rows[:, None] - y, columns[None, :] - x
            along = dy * np.sin(angle) + dx * np.cos(angle)
            beyond = along - np.clip(along, -half, half)
            across = dy * np.cos(angle) - dx * np.sin(angle)
            part = labels[window]
            part[(beyond**2 + across**2 < radius**2) & (part == 0)] = label
        return labels


def bacteria(
    shape: tuple[int, int] = (512, 512), objects: int = 300, *, seed: int = 0, missed: float = 0.05
) -> tuple[Labels, Labels]:
    """Make rods in colonies, side by side, and a prediction that is a little off.

    Parameters
    ----------
    shape
        Of the image.
    objects
        How many rods.
    seed
        The same seed gives the same images.
    missed
        Share of the rods that the prediction does not have.

    Returns
    -------
    truth, pred

    Examples
    --------
    >>> truth, pred = bacteria((128, 128), 20, seed=1)
    >>> truth.shape, len(np.unique(truth)) > 15, bool((truth > 0).mean() < 0.6)
    ((128, 128), True, True)
    """
    rng = np.random.default_rng(seed)
    radius = (0.3 * prod(shape) / objects / 16) ** 0.5
    colonies = -(-objects // 25)
    colony = np.arange(objects) // 25
    slots = np.concatenate([rng.permutation(55)[:25] for _ in range(colonies)])[:objects]  # 5 along, 11 across
    middle = rng.uniform(0.1, 0.9, (colonies, 2))[colony] * shape
    turn = rng.uniform(0, np.pi, colonies)[colony]
    along, across = (slots // 11 - 2) * 9.5 * radius, (slots % 11 - 5) * 2.3 * radius
    rods = _Rods(
        middle[:, 0] + along * np.sin(turn) + across * np.cos(turn),
        middle[:, 1] + along * np.cos(turn) - across * np.sin(turn),
        turn + rng.normal(0, 0.06, objects),
        rng.uniform(2.2, 3.8, objects) * radius,
        rng.uniform(0.9, 1.1, objects) * radius,
    )
    return rods.drawn(shape), rods.seen_by_a_model(rng, missed).drawn(shape)


def histology(
    shape: tuple[int, int] = (512, 512), objects: int = 300, *, seed: int = 0, missed: float = 0.1
) -> tuple[Labels, Labels]:
    """Make nuclei of many sizes, round to spindle-shaped, crowded in some places; and a prediction.

    Parameters
    ----------
    shape
        Of the image.
    objects
        How many nuclei.
    seed
        The same seed gives the same images.
    missed
        Share of the nuclei that the prediction does not have.

    Returns
    -------
    truth, pred

    Examples
    --------
    >>> truth, pred = histology((128, 128), 20, seed=1)
    >>> truth.shape, bool(0 < (pred > 0).mean() < 0.5)
    ((128, 128), True)
    """
    rng = np.random.default_rng(seed)
    radius = (0.2 * prod(shape) / objects / 5) ** 0.5 * rng.lognormal(0, 0.3, objects)
    crowds = rng.uniform(0, shape, (max(1, objects // 60), 2))
    near = crowds[rng.integers(0, len(crowds), objects)] + rng.normal(0, 0.09, (objects, 2)) * shape
    places = np.where((rng.random(objects) < 0.5)[:, None], near, rng.uniform(0, shape, (objects, 2)))
    rods = _Rods(
        places[:, 0], places[:, 1], rng.uniform(0, np.pi, objects), rng.exponential(0.7, objects) * radius, radius
    )
    return rods.drawn(shape), rods.seen_by_a_model(rng, missed).drawn(shape)
