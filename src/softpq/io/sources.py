"""Where images come from: folders, globs, files with several images, arrays in memory."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from softpq._checks import how_many
from softpq._files import Location
from softpq.errors import ReadError
from softpq.io.format import ReadOptions, composed, printable
from softpq.io.formats import SUFFIXES, split_inner, stem_of
from softpq.io.formats.zarr import is_store
from softpq.io.image import Image, LabelImage, LoadedImage, absolute, images_in
from softpq.io.listing import Entry, LeftOut, label_files
from softpq.table.content import suspicion
from softpq.table.masks import Masks


class Source(dict[str, Image]):
    """Images by name; and of a folder, what it is called, where each image lies in it, and what was left out.

    Attributes
    ----------
    place
        The folder; empty if somebody said which images there are.
    inside
        Name -> path from the folder.
    left_out
        Files of the folder that are not taken.
    """

    def __init__(self, images: Mapping[str, Image], place: str = "", inside: Mapping[str, str] | None = None,
                 left_out: LeftOut | None = None) -> None:  # fmt: skip
        super().__init__(images)
        self.place, self.inside, self.left_out = place, dict(inside or {}), left_out or LeftOut()


Images = Location | Mapping[str, Any] | Sequence[Any]


def is_array(value: Any) -> bool:
    """Whether a value is an image in memory, or masks; nested lists are not taken for one."""
    return isinstance(value, Masks) or hasattr(value, "__array__") or hasattr(value, "__dlpack__")


def open_source(images: Images, options: ReadOptions | None = None, *, look: bool = True) -> Source:
    """List images by name: those of a folder, a glob such as ``leaves/*/gt.png`` or a file; or arrays in memory.

    In a folder and those below it, files of unknown formats and hidden ones are passed over; files that cannot be
    opened are listed, and say so when they are read. ``options`` may say what the axes of files are. PNG and BMP are
    not opened, and without ``look`` nothing that nearly always holds one image.
    """
    if isinstance(images, str | Path):
        return _in_files(images, options, look=look)
    if isinstance(images, Mapping):
        return Source({str(name): _named(str(name), value, options) for name, value in images.items()})
    if is_array(images) or not isinstance(images, Sequence):
        raise TypeError(
            f"images must be a folder, a glob, a file, a mapping from names to arrays or Masks, or a list of them; got "
            f"{type(images).__name__}. For one pair of images there is softpq.evaluate; list(stack) is a list."
        )
    width = len(str(max(len(images) - 1, 0)))
    return Source({f"{k:0{width}d}": _named(f"{k:0{width}d}", value, options) for k, value in enumerate(images)})


def _named(name: str, value: Any, options: ReadOptions | None) -> Image:
    """An array, or the one image of a file."""
    if isinstance(value, str | Path):
        found = list(_in_files(value, options).values())
        if len(found) != 1:
            raise ReadError(f"{value} holds {how_many(len(found), 'image')}; give it by itself, without a name")
        return replace(found[0], name=name)  # type: ignore[type-var]  # images of files are dataclasses
    if not is_array(value):
        raise TypeError(f"image {name} must be an array or a file; got {type(value).__name__}.")
    return LoadedImage(name, value)


def _in_files(location: Location, options: ReadOptions | None, *, look: bool = True) -> Source:
    path, _ = split_inner(location)
    if any(sign in str(location) for sign in "*?[") and not path.exists():
        return _globbed(str(location), options)
    if not path.exists():
        raise ReadError(f"{location} does not exist")
    if path.is_dir() and not is_store(path):
        return _in_folder(path, options, look)
    try:
        return _unique(images_in(location, options), location)
    except (ReadError, OSError) as error:
        raise ReadError(f"{location} {error}") from error


def _in_folder(folder: Path, options: ReadOptions | None, look: bool) -> Source:
    entries, left_out = label_files(folder)
    found: dict[str, Image] = {}
    inside: dict[str, str] = {}
    unseen = (PICTURES if options is None or options.axes is None else ()) if look else PLAIN
    for entry, name in _named_once(entries, left_out):
        if entry.plain and entry.suffix in unseen:
            images = [LabelImage(name, entry.place)]
        else:
            images = _listed(entry.path, options, plain=entry.plain)
        for own, image in _named_in(images, name, entry):
            own = own if own not in found else f"{name}/{own}"
            found[own], inside[own] = image if image.name == own else replace(image, name=own), entry.inside
    return Source(found, str(folder), inside, left_out)


def _named_in(images: list[LabelImage], name: str, entry: Entry) -> Iterator[tuple[str, LabelImage]]:
    """The images of a file with their names: that of the file, and what is added to it; or names of their own."""
    if len(images) == 1:
        yield name, images[0]
        return
    stem = stem_of(entry.path)
    for image in images:
        yield (name + image.name.removeprefix(stem) if image.name.startswith(stem) else image.name), image


SURE = (".mat", ".geojson", ".json", ".xml", ".zip", ".csv")
"""Of several files of one name: these hold objects for certain, where others may be the raw image; in this order."""

PICTURES = (".png", ".bmp")
"""Of these a file holds one image, and need not be opened to know that."""

PLAIN = (".tif", ".tiff", *PICTURES)
"""Pictures, which may be labels or not: between two of one name nobody can choose."""


def _named_once(entries: list[Entry], left_out: LeftOut) -> list[tuple[Entry, str]]:
    """Of one image in several formats one is taken; pictures that only differ in their suffix are called by that."""
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(entry.stem, []).append(entry)
    chosen: list[tuple[Entry, str]] = []
    looked_at, drawn = False, None  # whether pictures beside arrays are label images, as the first one is
    for stem, group in groups.items():
        if len(group) == 1:
            chosen.append((group[0], stem))
            continue
        suffixes = [entry.suffix for entry in group]
        sure = [entry for wanted in SURE for entry, own in zip(group, suffixes, strict=True) if own == wanted][:1]
        pictures = [entry for entry, own in zip(group, suffixes, strict=True) if own in PLAIN]
        if sure and pictures and sure[0].suffix == ".json" and not looked_at:
            looked_at = True
            _check_raw(pictures, sure[0])
        arrays = [entry for entry in group if entry.suffix == ".npy"]
        if arrays and pictures and not sure:
            drawn = _holds_labels(pictures[0]) if drawn is None else drawn
            pictures = pictures if drawn else []
        kept = sure or pictures or sorted(group, key=lambda one: one.path.suffix != ".gz")[:1]
        for entry in group:
            if entry not in kept:
                left_out.add("of the same name in another format", entry.inside)
        chosen += [(entry, stem if len(kept) == 1 else stem + entry.path.suffix) for entry in kept]
    return chosen


def _check_raw(pictures: list[Entry], outlines: Entry) -> None:
    """Refuse to choose between outlines and a label image; what was outlined is none."""
    for labels in filter(_holds_labels, pictures):
        raise ReadError(
            f"{labels.inside} and {outlines.inside} both hold labels of one image; say which by a glob in place of the "
            f"folder, such as '*{labels.suffix}' or '*{outlines.suffix}'"
        )


def _holds_labels(entry: Entry) -> bool:
    """Whether a picture beside outlines is a label image itself, and not what was outlined."""
    if entry.path.stat().st_size > LARGEST_LOOKED_AT:
        return False
    try:
        found = LabelImage(entry.stem, entry.place).read(ReadOptions(4 * LARGEST_LOOKED_AT))
        labels = found.labels
        if not isinstance(labels, np.ndarray) or labels.ndim != 2 or found.suspect or labels.dtype.kind not in "iu":
            return False
        ids = np.unique(labels)
        return len(ids) > 2 and int(ids[0]) == 0 and suspicion(labels, ids[1:].astype(np.uint64)) is None
    except (ReadError, OSError, ValueError, TypeError):
        return False


LARGEST_LOOKED_AT = 1 << 22
"""Bytes of a picture that is looked at."""


def _listed(entry: Path, options: ReadOptions | None, *, plain: bool = False) -> list[LabelImage]:
    try:
        return images_in(entry, options, plain=plain)
    except (ReadError, OSError) as error:
        return [LabelImage(stem_of(entry), absolute(entry), problem=str(error))]


def _unique(images: Sequence[LabelImage], location: object) -> Source:
    repeated = [name for name, count in Counter(image.name for image in images).items() if count > 1]
    if repeated:
        shown = ", ".join(repeated[:5]) + (f" and {len(repeated) - 5} more" if len(repeated) > 5 else "")
        raise ReadError(f"{location} has several images of one name: {shown}")
    return Source({image.name: image for image in images})


def globbed_names(pattern: str) -> dict[str, Path]:
    """Name -> path of all files that fit; the part of each path that the wildcards stand for is the name."""
    parts = Path(pattern).parts
    first = next(k for k, part in enumerate(parts) if any(sign in part for sign in "*?["))
    root, rest = Path(*parts[:first]), "/".join(parts[first:])
    expression = re.compile(_as_expression(rest))
    names: dict[str, Path] = {}
    for path in sorted(root.glob(rest)):
        found = expression.fullmatch(path.relative_to(root).as_posix())
        stars = "/".join(group or "" for group in found.groups()) if found else ""
        name = composed(printable(stars)) if stars else stem_of(path)
        if name in names:
            raise ReadError(f"{pattern} has several images of one name: {name}")
        names[name] = path
    if not names:
        raise ReadError(f"{pattern} fits no file")
    return names


def _globbed(pattern: str, options: ReadOptions | None) -> Source:
    """All that fit; ``*.h5:labels`` is an array inside of each."""
    found = []
    files, inner = split_inner(pattern)
    for name, path in globbed_names(str(files)).items():
        images, stem = _listed(path if inner is None else Path(f"{path}:{inner}"), options), stem_of(path)
        found += [replace(image, name=name + (image.name.removeprefix(stem) if images[1:] else "")) for image in images]
    return _unique(found, pattern)


def _as_expression(pattern: str) -> str:
    """A glob as a regular expression with a group for every wildcard."""
    pieces = {"**/": "(.*/)?", "*": "([^/]*)", "?": "([^/])"}
    return "".join(pieces.get(p) or _set_or_text(p) for p in re.split(r"(\*\*/|\*|\?|\[[^\]]+\])", pattern))


def _set_or_text(part: str) -> str:
    """A set of characters, or a text; a set of one is what :func:`glob.escape` makes of a sign, and no wildcard."""
    if not re.fullmatch(r"\[[^\]]+\]", part):
        return re.escape(part)
    inner = part[1:-1].replace("[", "\\[")
    return f"[{inner}]" if part in ("[[]", "[*]", "[?]") else f"([{'^' + inner[1:] if inner[:1] == '!' else inner}])"


__all__ = ["SUFFIXES", "Images", "Source", "globbed_names", "is_array", "open_source"]
