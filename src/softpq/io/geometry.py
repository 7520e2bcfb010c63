"""Where an image lies: the size of a pixel, and, where a file states it, direction and origin in space.

Arrays are (z, y, x), slowest axis first, whatever the format. Two files that both state how they lie are brought onto
each other by exchanging and flipping axes, which is exact; what then still differs is no label image of the same place.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SAME_SIZE = 1e-3
"""Pixel sizes and directions that differ by less, relatively, are the same but for rounding."""


RIGHT_FRONT_UP = "right-anterior-superior"

_UNITS = {
    "µm": "µm μm um micron microns micrometer micrometers micrometre micrometres \\u00B5m",
    "nm": "nm nanometer nanometers nanometre nanometres",
    "mm": "mm millimeter millimeters millimetre millimetres",
}


def unit_of(text: object) -> str:
    """A unit of length as it is shown; empty for what is none, such as pixels or dots per inch.

    Examples
    --------
    >>> unit_of("micron"), unit_of("inch")
    ('µm', '')
    """
    return next((unit for unit, names in _UNITS.items() if str(text).strip() in names.split()), "")


@dataclass(frozen=True)
class Geometry:
    """How an array lies in space.

    Attributes
    ----------
    spacing
        Size of a pixel along each axis of the array.
    steps
        For each axis, the way from a pixel to the next, to the right, to the front and up; None where the file does not
        state it.
    origin
        Where the first pixel is.
    space
        In which space that is; where it has another name, nothing can be compared.
    across
        How far it is from a slice to the next, where there is only one.
    unit
        Of sizes, such as ``µm``; empty where the file does not state one.
    """

    spacing: tuple[float, ...]
    steps: tuple[tuple[float, ...], ...] | None = None
    origin: tuple[float, ...] | None = None
    space: str = RIGHT_FRONT_UP
    across: tuple[float, ...] = ()
    unit: str = ""

    @classmethod
    def of_steps(cls, steps: Any, origin: Any, space: str = RIGHT_FRONT_UP) -> Geometry:
        """Make it from one vector per axis."""
        vectors = np.asarray(steps, np.float64)
        sizes = np.linalg.norm(vectors, axis=1)
        if not np.isfinite(vectors).all() or not np.isfinite(origin).all() or (sizes == 0).any():
            raise ReadError("states a direction or an origin that makes no sense")
        return cls(
            tuple(sizes.tolist()),
            tuple(tuple(step) for step in vectors.tolist()),
            tuple(float(value) for value in origin),
            space,
        )

    def kept(self, axes: Sequence[int]) -> Geometry:
        """The same for some of the axes."""
        if len(self.spacing) <= max(axes, default=0):
            return self
        spacing = tuple(self.spacing[k] for k in axes)
        steps = None if self.steps is None else tuple(self.steps[k] for k in axes)
        own = self.steps or ()
        across = tuple(size for k, size in enumerate(self.spacing) if k not in axes and k < len(own) and any(own[k]))
        return replace(self, spacing=spacing, steps=steps, across=across)

    def to_json(self) -> list[Any]:
        """Plain values."""
        return [self.spacing, self.steps, self.origin, self.space, self.across, self.unit]

    @classmethod
    def from_json(cls, found: Sequence[Any]) -> Geometry:
        """Read what :meth:`to_json` made."""
        steps = None if found[1] is None else tuple(tuple(float(v) for v in step) for step in found[1])
        origin = None if found[2] is None else tuple(float(v) for v in found[2])
        across = tuple(float(size) for size in found[4])
        return cls(tuple(float(size) for size in found[0]), steps, origin, str(found[3]), across, str(found[5]))


def brought_onto(
    truth: Geometry | None, pred: Geometry | None, truth_shape: tuple[int, ...], labels: NDArray[Any]
) -> NDArray[Any]:
    """Exchange and flip the axes of a prediction so that it lies as the truth does; exact, a view.

    Raises
    ------
    ReadError
        If direction, size of a pixel or origin differ; it names both.
    """
    if truth is None or pred is None or truth.steps is None or pred.steps is None:
        return labels
    if len(truth.steps) != len(pred.steps) or labels.ndim != len(pred.steps) or truth.space != pred.space:
        return labels
    order, signs = _signed_order(np.array(truth.steps), np.array(pred.steps))
    steps: NDArray[np.float64] = np.array(pred.steps, np.float64)[order] * signs[:, None]
    moved = labels.transpose(order)
    lengths = np.array(moved.shape)
    origin: NDArray[np.float64] = np.array(pred.origin, np.float64) - ((lengths - 1) * (signs < 0)) @ steps
    flips = tuple(slice(None, None, -1) if sign < 0 else slice(None) for sign in signs)
    _check_same(truth, steps, origin, truth_shape)
    return moved[flips]


def _signed_order(truth: NDArray[np.float64], pred: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each axis of truth, the axis of pred along it, and whether it goes the same way."""
    unit = [steps / np.linalg.norm(steps, axis=1)[:, None] for steps in (truth, pred)]
    cosines = unit[0] @ unit[1].T
    order = np.abs(cosines).argmax(axis=1)
    along = cosines[np.arange(len(order)), order]
    angle = np.degrees(np.arccos(np.clip(np.abs(along), 0, 1))).max(initial=0)
    if len(set(order.tolist())) < len(order) or angle > np.degrees(0.01):
        raise ReadError(
            f"lies obliquely to the truth: their axes are {angle:.1f} degrees apart, {_shown(pred)} and "
            f'{_shown(truth)}; resample it, or pass geometry="ignore"'
        )
    return order, np.sign(along).astype(np.int64)


def _check_same(
    truth: Geometry, steps: NDArray[np.float64], origin: NDArray[np.float64], shape: tuple[int, ...]
) -> None:
    """Sizes of pixels, and where the corners are, in pixels of the truth."""
    sizes = np.linalg.norm(steps, axis=1)
    if not np.allclose(sizes, truth.spacing, rtol=SAME_SIZE):
        raise ReadError(
            f"has pixels of {_times(sizes)}, and the truth of {_times(truth.spacing)}; "
            'resample it, or pass geometry="ignore"'
        )
    own = np.array(truth.steps)
    away = origin - np.array(truth.origin)
    apart = away @ np.linalg.pinv(own)
    aside = float(np.linalg.norm(away - apart @ own))  # of a single slice, along the axis that it does not have
    if truth.across and aside > 0.5 * min(truth.across):
        raise ReadError(
            f"is another slice than the truth, {aside:.4g} away: its origin is {_times(origin, ', ')}, that of the "
            f'truth {_times(truth.origin or (), ", ")}; pass geometry="ignore" if that is right'
        )
    bent = np.abs((np.array(shape) - 1) @ (steps - own) @ np.linalg.pinv(own)).max(initial=0)
    if np.abs(apart).max(initial=0) > 0.5:
        raise ReadError(
            f"lies {_times(apart, ', ')} pixels from the truth: its origin is {_times(origin, ', ')}, that of the "
            f'truth {_times(truth.origin or (), ", ")}; shift it, or pass geometry="ignore"'
        )
    if bent > 0.5:
        raise ReadError(
            f"lies obliquely to the truth, by {bent:.1f} pixels at its end: its axes are {_shown(steps)}, those of the "
            f'truth {_shown(own)}; resample it, or pass geometry="ignore"'
        )


def spacing_note(truth: Geometry | None, pred: Geometry | None) -> str | None:
    """What to say where pixel sizes differ that only one file states together with a direction."""
    if truth is None or pred is None or len(truth.spacing) != len(pred.spacing):
        return None
    stated = truth.steps is not None and pred.steps is not None
    if stated or truth.spacing == pred.spacing or np.allclose(truth.spacing, pred.spacing, rtol=SAME_SIZE):
        return None
    return f"the files state different pixel sizes: truth {_times(truth.spacing)}, pred {_times(pred.spacing)}"


def _times(values: Any, sign: str = " x ") -> str:
    return sign.join(f"{float(value):.4g}" for value in values)


def _shown(steps: NDArray[np.float64]) -> str:
    return " ".join(f"({_times(step, ', ')})" for step in steps)
