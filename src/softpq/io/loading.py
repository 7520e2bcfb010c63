"""What the two images of a pair hold: read, drawn, and brought onto each other."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError, TruthError
from softpq.io.format import Content, ReadOptions, printable
from softpq.io.geometry import Geometry, brought_onto, spacing_note
from softpq.io.image import Image
from softpq.io.pairing import Pair
from softpq.table.mask_pictures import as_labels_if_plain, cover_of
from softpq.table.masks import Masks
from softpq.table.overlap import Overlap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softpq.table.told import Told


@dataclass(frozen=True)
class Loaded:
    """Both sides of a pair, read: arrays of one image, or masks on it, and what the files say besides."""

    truth: Any
    pred: Any
    ignore: NDArray[np.bool_] | None = None
    classes: tuple[Mapping[int, str] | None, Mapping[int, str] | None] = (None, None)
    notes: tuple[str, ...] = ()
    stated: tuple[bool, bool] = (False, False)
    spread: bool = False
    suspects: tuple[str, str] = ("", "")
    told: Told | None = None
    geometry: Geometry | None = None


def read_image(image: Image, options: ReadOptions | None = None) -> Content:
    """Read one side; errors name the file."""
    try:
        return image.read(options)
    except (ReadError, OSError, MemoryError) as error:
        raise ReadError(f"{printable(image.shown)} {_reason(error)}") from error


def _reason(error: BaseException) -> str:
    """What an error says, without the path that the system adds."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def load(
    pair: Pair, truth: Content | None = None, options: ReadOptions | None = None, *, geometry: str = "check"
) -> Loaded:
    """Read a pair; outlines and runs are drawn on the image of the other side, or on one that holds both.

    Parameters
    ----------
    pair
        Without a prediction, an empty one is taken.
    truth
        What the truth holds, if it is read already.
    options
        How files are read.
    geometry
        ``"check"`` brings a prediction onto the truth where both files state how they lie; ``"ignore"`` does not.

    Raises
    ------
    ReadError
        With the name of the file that cannot be used.
    TruthError
        If it is not the prediction.
    """
    try:
        first = truth or read_image(pair.truth, options)
        masks = None if pair.ignore is None else read_image(pair.ignore, options)
    except ReadError as error:
        raise TruthError(str(error)) from error
    second = None if pair.pred is None else read_image(pair.pred, options)
    shape = _common_shape([side.labels for side in (first, second) if side is not None])
    labels = _drawn(first, shape, pair.truth)
    pred = np.zeros(labels.shape, np.uint8) if second is None else _laid(second, first, shape, pair.pred, geometry)
    _check_axes(labels.shape, pred.shape, pair)
    ignore = None if masks is None else _covered(_laid(masks, first, shape, pair.ignore, geometry))
    if first.void is not None:
        ignore = first.void if ignore is None else ignore | first.void
    notes = [f"truth: {note}" for note in (*first.notes, *_outside(first, shape, pair.truth))]
    if second is not None:
        said = spacing_note(first.geometry, second.geometry)
        notes += [f"pred: {note}" for note in (*second.notes, *_outside(second, shape, pair.pred))] + (
            [] if said is None else [said]
        )
    if second is not None and not (first.stated or second.stated):
        notes += _planes_note(labels, pred)
    classes = (first.classes, None if second is None else second.classes)
    stated = (first.stated, second is None or second.stated)
    spread = any(side.spread for side in (first, second, masks) if side is not None)
    suspects = (first.suspect, "" if second is None else second.suspect)
    return Loaded(labels, pred, ignore, classes, tuple(notes), stated, spread, suspects, first.told, first.geometry)


def _planes_note(*sides: Any) -> list[str]:
    """Say so if labels of what is read as a volume do not continue from plane to plane."""
    if not all(
        isinstance(side, np.ndarray) and side.ndim == 3 and len(side) > 1 and side.dtype.kind in "iu" for side in sides
    ):
        return []
    if any(_continued(side) >= LEAST_CONTINUED for side in sides):
        return []
    return ['labels do not continue from plane to plane: is it a stack of images? axes="TYX" scores them one by one']


LEAST_CONTINUED, PLANES_LOOKED_AT = 0.4, 6
"""IoU of one label in two planes of a volume, in the middle; planes that are looked at."""


def _continued(labels: NDArray[Any]) -> float:
    """The IoU of a label in neighbouring planes, in the middle; 1 if there are few, or planes have other labels."""
    ious: list[float] = []
    for k in np.unique(np.linspace(0, len(labels) - 2, PLANES_LOOKED_AT).astype(int)):
        pair = Overlap.from_labels(np.maximum(labels[k], 0), np.maximum(labels[k + 1], 0), threads=1)
        both = np.isin(pair.truth_ids, pair.pred_ids)
        if 2 * both.sum() < max(pair.n_truth, pair.n_pred):
            return 1.0
        same = pair.truth_ids[pair.pair_truth] == pair.pred_ids[pair.pair_pred]
        ious += [*pair.pair_iou[same].tolist(), *[0.0] * int(both.sum() - same.sum())]
    return float(np.median(ious)) if len(ious) >= 10 else 1.0


def _check_axes(truth: tuple[int, ...], pred: tuple[int, ...], pair: Pair) -> None:
    """Say so where one side has a short axis more than the other, which then holds channels."""
    for image, longer, other in ((pair.truth, truth, pred), (pair.pred, pred, truth)):
        if image is None or len(longer) != len(other) + 1 or len(other) < 2:
            continue
        for axis in (0, len(longer) - 1):
            if 2 <= longer[axis] <= 6 and longer[:axis] + longer[axis + 1 :] == other:
                raise ReadError(
                    f"{printable(image.shown)} holds {longer[axis]} channels, and the other side one image of "
                    f"{other}; choose with channel=0 to {longer[axis] - 1}"
                )


def _covered(region: Any) -> NDArray[np.bool_]:
    """The pixels that are not 0, or under any mask."""
    return cover_of(region) if isinstance(region, Masks) else np.asarray(region != 0)


def _laid(content: Content, truth: Content, shape: tuple[int, ...], image: Image | None, geometry: str) -> Any:
    """Draw it, and let it lie as the truth does; masks in memory state no geometry."""
    assert image is not None
    labels = _drawn(content, shape, image)
    if geometry == "ignore" or isinstance(labels, Masks):
        return labels
    try:
        return brought_onto(truth.geometry, content.geometry, shape, labels)
    except ReadError as error:
        raise ReadError(f"{printable(image.shown)} {error}") from error


LARGEST_CANVAS = 1 << 25
"""Pixels of an image that outlines are drawn on; on larger ones (slides) they are counted as runs."""


def _drawn(content: Content, shape: tuple[int, ...], image: Image) -> Any:
    """A label image; or masks, where they are given, or where objects overlap."""
    labels: Any = content.labels
    if isinstance(labels, Masks):
        return labels
    if not hasattr(labels, "masks"):
        return np.asarray(labels)
    try:
        drawn = labels.masks(shape)
        return drawn if math.prod(shape) > LARGEST_CANVAS else as_labels_if_plain(drawn)
    except (ReadError, MemoryError) as error:
        raise ReadError(f"{printable(image.shown)} {_reason(error)}") from error


def _outside(content: Content, shape: tuple[int, ...], image: Image | None) -> tuple[str, ...]:
    """Say so where outlines lie beyond the image; where most do, they are of another one."""
    labels: Any = content.labels
    lost = labels.outside(shape) if hasattr(labels, "outside") else 0
    if not lost:
        return ()
    said = f"{lost} of {len(labels.objects)} outlines lie outside of the image of {tuple(shape)}"
    if 2 * lost > len(labels.objects) and image is not None:
        raise ReadError(f"{printable(image.shown)} does not fit: {said}; are they of another region or resolution?")
    return (said,)


def _common_shape(sides: list[Any]) -> tuple[int, ...]:
    """The image decides; without one, a size that is known; outlines get what holds both."""
    for side in sides:
        if isinstance(side, Masks):
            return side.shape
        if not hasattr(side, "masks"):
            return tuple(np.shape(side))
    extents = [extent for side in sides if (extent := side.extent()) is not None]
    if not extents:
        raise ReadError("neither side says how large the image is, and no picture with the same name lies beside it")
    unsized = [side for side in sides if hasattr(side, "pictured") and getattr(side, "size", None) is None]
    pictured = [size for side in unsized if (size := side.pictured()) is not None]
    if len(pictured) == 2 and pictured[0] != pictured[1]:
        raise ReadError(f"pictures beside the two sides have other sizes, {pictured[0]} and {pictured[1]}")
    return tuple(max(sizes) for sizes in zip(*extents, strict=True))
