"""Objects that are drawn on an image whose size somebody else knows: outlines of parts, which are joined."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.table.masks import Masks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ring = NDArray[np.float64]

CORNERS = 360
"""Of circles and ellipses."""

FARTHEST = 1e9
"""Pixels from the image that a corner may lie away."""


@dataclass(frozen=True)
class Outline:
    """One object: rings, each a part of it; the parts are joined."""

    parts: Sequence[Ring]
    kind: str = ""
    score: float | None = None


@dataclass(frozen=True)
class Outlines:
    """The objects of one image.

    Attributes
    ----------
    objects
        One each.
    size
        Height and width, where the file knows them.
    relative
        Whether corners are fractions of the size.
    pictured
        Tells the size of a picture that lies beside: what is drawn on, if the other side knows no size either.
    """

    objects: Sequence[Outline]
    size: tuple[int, int] | None = None
    relative: bool = False
    pictured: Callable[[], tuple[int, int] | None] = field(default=lambda: None, repr=False)
    limit: int = field(default=1 << 34, repr=False)

    def extent(self) -> tuple[int, ...] | None:
        """The size, where it is known."""
        return self.size or self.pictured()

    def masks(self, shape: tuple[int, ...]) -> Masks:
        """Draw the outlines: a pixel belongs to a part if its centre is inside."""
        if len(shape) != 2:
            raise ReadError(f"holds outlines on a plane; the other side has shape {tuple(shape)}")
        if self.size is not None and self.size != tuple(shape):
            raise ReadError(f"is for images of {self.size}; the other side has {tuple(shape)}")
        scale = np.array([shape[1], shape[0]], float) if self.relative else np.ones(2)
        rings = [[ring * scale] for one in self.objects for ring in one.parts]
        try:
            drawn = Masks.from_polygons(rings, shape)
        except ValueError as error:
            raise ReadError(f"has an outline that cannot be drawn: {error}") from error
        owner = np.repeat(np.arange(len(self.objects)), [len(one.parts) for one in self.objects])
        return united(drawn, owner, len(self.objects)).with_(**self._per_mask())

    def _per_mask(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if self.objects and any(one.kind for one in self.objects):
            found["classes"] = np.array([one.kind for one in self.objects], str)
        scores = [one.score for one in self.objects]
        if scores and all(score is not None for score in scores):
            found["scores"] = np.array(scores, float)
        return found


def united(parts: Masks, owner: NDArray[np.int64], objects: int) -> Masks:
    """Join masks that are parts of one object; ``owner`` ascends."""
    if len(parts) == objects and (np.diff(owner) == 1).all():
        return parts
    run_owner = np.repeat(owner, np.diff(parts.offsets))
    order = np.lexsort((parts.starts, run_owner))
    starts: list[int] = []
    stops: list[int] = []
    offsets, last = [0] * (objects + 1), -1
    for of, start, stop in zip(
        run_owner[order].tolist(), parts.starts[order].tolist(), parts.stops[order].tolist(), strict=True
    ):
        if of == last and start <= stops[-1]:
            stops[-1] = max(stops[-1], stop)
            continue
        starts.append(start)
        stops.append(stop)
        offsets[of + 1] += 1
        last = of
    counts = np.cumsum(np.array(offsets, np.int64))
    return Masks(parts.shape, counts, np.array(starts, np.int64), np.array(stops, np.int64))


def ring_of(points: Any, name: str) -> Ring:
    """Return corners (n, 2).

    Raises
    ------
    ReadError
        If they are no corners.
    """
    try:
        ring = np.array(points)
        good = ring.ndim == 2 and ring.shape[1] == 2 and ring.dtype.kind in "iuf"
    except (ValueError, TypeError):
        good = False
    if not good:
        raise ReadError(f"{name} must have corners [x, y]; got something else")
    if len(ring) < 3:
        raise ReadError(f"{name} must have at least three corners; got {len(ring)}")
    if not np.isfinite(ring.astype(float)).all() or np.abs(ring.astype(float)).max() > FARTHEST:
        raise ReadError(f"{name} has a corner that is not a number, or too far away")
    return ring.astype(np.float64)


def ellipse(center: Sequence[float], radii: Sequence[float], turned: float = 0.0) -> Ring:
    """Return a ring of many corners; ``turned`` by an angle, clockwise in the image."""
    angle = np.linspace(0, 2 * math.pi, CORNERS, endpoint=False)
    x, y = radii[0] * np.cos(angle), radii[1] * np.sin(angle)
    cos, sin = math.cos(turned), math.sin(turned)
    return np.stack([center[0] + x * cos - y * sin, center[1] + x * sin + y * cos], axis=1)


def rectangle(x: float, y: float, width: float, height: float) -> Ring:
    """Return the four corners of a box."""
    return np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]], float)
