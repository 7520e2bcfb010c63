"""Folders, globs and files with several images; which truth belongs to which prediction."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from softpq.io import FORMATS, LabelImage, ReadError, images_in, printable, split_inner, stem_of, suffix_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

ENDINGS = ("_cp_masks", "_masks", "_mask", "_labels", "_label", "_gt", "_truth", "_pred", "_prediction", "_seg",
           "_instances")  # fmt: skip
"""What people append to the names of label images; the longest that fits is taken off."""

Source = dict[str, LabelImage]


def open_source(location: str | Path) -> Source:
    """List the images of a folder, of a glob such as ``leaves/*/gt.png``, or of a file; name -> image.

    In a folder, files of unknown formats and hidden ones are passed over; files that cannot be opened are listed, and
    say so when they are read.
    """
    text = str(location)
    path, _ = split_inner(location)
    if any(sign in text for sign in "*?[") and not path.exists():
        return _globbed(text)
    if not path.exists():
        raise ReadError(f"{location} does not exist")
    if path.is_dir() and not _is_zarr(path):
        listed = sorted(entry for entry in path.iterdir() if _is_candidate(entry))
        if not listed:
            known = ", ".join(sorted(set(FORMATS) - {".csv", ".json"}))
            raise ReadError(f"{location} holds no label images; known are {known}; tables are given as files")
        return _unique([image for entry in listed for image in _listed(entry)], location)
    try:
        return _unique(images_in(location), location)
    except (ReadError, OSError) as error:
        raise ReadError(f"{location} {error}") from error


def _is_zarr(path: Path) -> bool:
    return any((path / name).exists() for name in (".zarray", ".zgroup", "zarr.json"))


def _is_candidate(entry: Path) -> bool:
    if entry.name.startswith(".") or suffix_of(entry) not in FORMATS:
        return False
    return suffix_of(entry) not in (".json", ".csv")  # tables and settings beside the images


def _listed(entry: Path) -> list[LabelImage]:
    try:
        return images_in(entry)
    except (ReadError, OSError) as error:
        reason = str(error)

        def fail() -> NoReturn:
            raise ReadError(reason)

        return [LabelImage(stem_of(entry), entry, fail)]


def _unique(images: list[LabelImage], location: object) -> Source:
    repeated = [name for name, count in Counter(image.name for image in images).items() if count > 1]
    if repeated:
        raise ReadError(f"{location} has several images of one name: {_some(repeated)}")
    return {image.name: image for image in images}


def globbed_names(pattern: str) -> dict[str, Path]:
    """Name -> path of all files that fit; the part of each path that the wildcards stand for is the name."""
    parts = Path(pattern).parts
    first = next(k for k, part in enumerate(parts) if any(sign in part for sign in "*?["))
    root, rest = Path(*parts[:first]), "/".join(parts[first:])
    expression = re.compile(_as_expression(rest))
    names: dict[str, Path] = {}
    for path in sorted(root.glob(rest)):
        found = expression.fullmatch(path.relative_to(root).as_posix())
        name = printable("/".join(g or "" for g in found.groups())) if found and found.groups() else stem_of(path)
        if name in names:
            raise ReadError(f"{pattern} has several images of one name: {name}")
        names[name] = path
    if not names:
        raise ReadError(f"{pattern} fits no file")
    return names


def _globbed(pattern: str) -> Source:
    listed = [(name, image) for name, path in globbed_names(pattern).items() for image in _listed(path)]
    return _unique([replace(image, name=name) for name, image in listed], pattern)


def _as_expression(pattern: str) -> str:
    """A glob as a regular expression with a group for every wildcard."""
    pieces = {"**/": "(.*/)?", "*": "([^/]*)", "?": "([^/])"}
    found = re.split(r"(\*\*/|\*|\?|\[[^\]]+\])", pattern)
    return "".join(
        pieces.get(p) or (f"({p.replace('[!', '[^')})" if p.startswith("[") else re.escape(p)) for p in found
    )


@dataclass(frozen=True)
class Pairing:
    """Which prediction belongs to which truth image.

    Attributes
    ----------
    pairs
        Name, truth, and the prediction or None.
    unused
        Names of predictions without a truth image.
    """

    pairs: list[tuple[str, LabelImage, LabelImage | None]]
    unused: list[str] = field(default_factory=list)

    @property
    def missing(self) -> list[str]:
        """Names of truth images without a prediction."""
        return [name for name, _, pred in self.pairs if pred is None]


def core_name(name: str) -> str:
    """Return a name without what people append to label images.

    Examples
    --------
    >>> core_name("cell_07_cp_masks"), core_name("cell_07_gt")
    ('cell_07', 'cell_07')
    """
    fitting = [ending for ending in ENDINGS if name.lower().endswith(ending) and len(name) > len(ending)]
    return name[: -len(max(fitting, key=len))] if fitting else name


def pair_up(truth: Source, pred: Source) -> Pairing:
    """Pair by name; then by the name without its ending; two single files always belong together.

    Raises
    ------
    ReadError
        If several images would have the same name.
    """
    if len(truth) == len(pred) == 1:
        (name, image), other = next(iter(truth.items())), next(iter(pred.values()))
        return Pairing([(name, image, other)])
    if not set(truth) & set(pred):
        truth, pred = _by_core(truth), _by_core(pred)
    if not set(truth) & set(pred) and len(truth) == len(pred) and _one_file(truth) and _one_file(pred):
        pred = dict(zip(truth, pred.values(), strict=True))
    pairs = [(name, image, pred.get(name)) for name, image in truth.items()]
    return Pairing(pairs, [name for name in pred if name not in truth])


def _one_file(source: Source) -> bool:
    return len({image.path for image in source.values()}) == 1


def _by_core(source: Source) -> Source:
    named: Source = {}
    for name, image in source.items():
        core = core_name(name)
        if core in named:
            raise ReadError(f"{named[core].path.name} and {image.path.name} would both be {core!r}; use a pattern")
        named[core] = image
    return named


def _some(names: list[str], limit: int = 5) -> str:
    return ", ".join(names[:limit]) + (f" and {len(names) - limit} more" if len(names) > limit else "")


def read_pair(truth: LabelImage, pred: LabelImage) -> tuple[NDArray[Any], NDArray[Any]]:
    """Read both sides; outlines and runs are drawn on the image of the other side, or on one that holds both.

    Raises
    ------
    ReadError
        With the name of the file that cannot be used.
    """
    sides: list[Any] = []
    for image in (truth, pred):
        try:
            sides.append(image.read())
        except (ReadError, OSError, MemoryError) as error:
            raise ReadError(f"{image.path.name} {error}") from error
    shape = _common_shape(sides)
    for k, image in enumerate((truth, pred)):
        if not isinstance(sides[k], np.ndarray):
            try:
                sides[k] = sides[k].raster(shape)
            except ReadError as error:
                raise ReadError(f"{image.path.name} {error}") from error
    return sides[0], sides[1]


def _common_shape(sides: list[Any]) -> tuple[int, ...]:
    """The image decides; without one, a size that is known; outlines get what holds both."""
    for side in sides:
        if isinstance(side, np.ndarray):
            return tuple(side.shape)
    extents = [side.extent() for side in sides if getattr(side, "size", ()) is not None]
    if not extents:
        raise ReadError("neither side says how large the image is; Height and Width are needed on one")
    return tuple(max(sizes) for sizes in zip(*extents, strict=True))
