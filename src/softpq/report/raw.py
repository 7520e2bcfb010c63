"""Raw images, to be shown below the outlines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, printable
from softpq.io.formats import stem_of
from softpq.io.image import read_picture
from softpq.io.pairing import core_name
from softpq.io.picture import PILLOW
from softpq.io.sources import globbed_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

ENDINGS = ("_img", "_image", "_raw", "_im", "_rgb")
"""What people append to the names of raw images."""


@dataclass(frozen=True)
class Raw:
    """The channels of an image, of 8 bit; whether they are red, green and blue; and what they are called."""

    planes: Sequence[NDArray[np.uint8]] = ()
    colour: bool = False
    names: Sequence[str] = ()


class RawImages:
    """A folder or glob of raw images, paired with the names of label images."""

    def __init__(
        self, location: str | Path | NDArray[Any], names: Sequence[str], channels: Sequence[str] | None = None
    ) -> None:
        self.asked = tuple(channels or ())
        self.problems: list[str] = []
        self.array: NDArray[Any] | None = None
        if not isinstance(location, str | Path):
            if len(set(names)) != 1:
                raise ValueError(f"images must be a folder for {len(set(names))} images; got an array.")
            self.array, self.missing = np.asarray(location), 0
            self.paths = {names[0]: Path("images")}
            return
        files = _files(location)
        if len(files) == len(set(names)) == 1:
            self.paths = {names[0]: next(iter(files.values()))}
        else:
            self.paths = {name: path for name in names if (path := _find(name, files)) is not None}
        self.missing = len(names) - len(self.paths)
        if not self.paths:
            raise ReadError(
                f"No raw image in {location} has the name of a label image, such as {names[0]}; there are "
                f"{', '.join(list(files)[:3]) or 'none'}."
            )

    def note(self) -> str:
        """Say what could not be shown."""
        found = [f"{self.missing} images have no raw image."] if self.missing else []
        return " ".join(found + self.problems[:3] + (["..."] if len(self.problems) > 3 else []))

    def of(self, name: str, shape: tuple[int, ...]) -> Raw:
        """The raw image of a label image of this shape; without channels, if it cannot be shown."""
        path = self.paths.get(name)
        if path is None:
            return Raw()
        try:
            found = read_picture(path) if self.array is None else Content(self.array)
        except (ReadError, OSError, ValueError) as error:
            self.problems.append(printable(f"{path.name}: {' '.join(str(error).split())}."))
            return Raw()
        array = np.asarray(found.labels)
        planes = split_channels(array, shape)
        if planes is None:
            self.problems.append(printable(f"{path.name} has the shape {array.shape}, its labels {shape}."))
            return Raw()
        colour = is_colour(array, shape)
        names = self.asked or found.channels
        return Raw(stretched(planes, together=colour), colour, names if len(names) == len(planes) else ())


def _files(location: str | Path) -> dict[str, Path]:
    if any(sign in str(location) for sign in "*?[") and not Path(location).exists():
        return globbed_names(str(location))
    path = Path(location)
    if not path.exists():
        raise ReadError(f"{location} does not exist")
    if path.is_file():
        return {stem_of(path): path}
    listed = sorted(entry for entry in path.iterdir() if entry.is_file() and not entry.name.startswith("."))
    return {_stem(entry): entry for entry in listed}


def _stem(path: Path) -> str:
    return printable(path.stem) if path.suffix.lower() in PILLOW else stem_of(path)


def _find(name: str, files: dict[str, Path]) -> Path | None:
    for wanted in (name, core_name(name)):
        for ending in ("", *ENDINGS):
            if wanted + ending in files:
                return files[wanted + ending]
    return None


def split_channels(array: NDArray[Any], shape: tuple[int, ...]) -> list[NDArray[Any]] | None:
    """The channels of an array over images of this shape; None if it does not fit.

    Examples
    --------
    >>> len(split_channels(np.zeros((8, 9, 3)), (8, 9)))
    3
    """
    if array.shape == shape:
        return [array]
    for axis in (array.ndim - 1, *range(array.ndim - 1)):
        if array.ndim == len(shape) + 1 and array.shape[:axis] + array.shape[axis + 1 :] == shape:
            return list(np.moveaxis(array, axis, 0))
    return None


def is_colour(array: NDArray[Any], shape: tuple[int, ...]) -> bool:
    """Whether the channels are red, green and blue: three, as the last axis.

    Examples
    --------
    >>> is_colour(np.zeros((8, 9, 3), np.uint8), (8, 9)), is_colour(np.zeros((3, 8, 9), np.uint8), (8, 9))
    (True, False)
    """
    return array.shape == (*shape, 3)


def stretched(planes: Sequence[NDArray[Any]], *, together: bool = False) -> list[NDArray[np.uint8]]:
    """Return 8 bit: what is 8 bit already as it is, else from the 0.1th to the 99.9th percentile.

    Parameters
    ----------
    planes
        The channels.
    together
        With one range for all, so that a colour picture keeps its hues.
    """
    values = [np.nan_to_num(plane.astype(np.float32)) for plane in planes if plane.dtype != np.uint8]
    if len(values) < len(planes):
        return list(planes)
    ends = [_ends([one]) for one in values] if not together else [_ends(values)] * len(values)
    return [_spread(one, *limits) for one, limits in zip(values, ends, strict=True)]


def _ends(planes: Sequence[NDArray[np.float32]]) -> tuple[float, float]:
    some = [plane[..., :: max(1, plane.size // 1_000_000)].ravel() for plane in planes]
    low, high = np.percentile(np.concatenate(some), [0.1, 99.9])
    return float(low), float(high)


def _spread(values: NDArray[np.float32], low: float, high: float) -> NDArray[np.uint8]:
    scaled = (values - low) * (255.0 / max(high - low, 1e-12))
    clipped: NDArray[np.uint8] = np.clip(scaled, 0, 255).astype(np.uint8)
    return clipped
