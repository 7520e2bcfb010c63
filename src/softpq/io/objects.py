"""Images of which every object is a file of its own: a folder of masks of one shape."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq._checks import how_many
from softpq.errors import Ambiguous, ReadError
from softpq.io.format import Content, ReadOptions, printable
from softpq.io.image import Image, LabelImage
from softpq.io.ladder import REDUCED, Match, Rule, climb, key_of
from softpq.io.sources import Source
from softpq.io.suggestions import suggested
from softpq.io.words import reduced
from softpq.table.mask_pictures import as_labels_if_plain
from softpq.table.masks import Masks
from softpq.table.pieces import split_components

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class ObjectFiles:
    """An image whose objects lie in a file each."""

    name: str
    files: tuple[LabelImage, ...]

    @property
    def shown(self) -> str:
        """The folder, or the first file."""
        first = self.files[0].path
        return first.parent.name if len(self.files) > 1 else first.name

    def read(self, options: ReadOptions | None = None) -> Content:
        """Read all objects, which may overlap.

        Raises
        ------
        ReadError
            If a file is no mask of one object, or has another shape.
        """
        masks = [_mask(file, options) for file in self.files]
        for file, mask in zip(self.files, masks, strict=True):
            if mask.shape != masks[0].shape:
                found = f"{printable(file.shown)} has {mask.shape}, others {masks[0].shape}"
                raise ReadError(f"must hold masks of one shape; {found}")
        drawn = as_labels_if_plain(Masks.from_list(masks))
        return Content(drawn, notes=(f"{how_many(len(self.files), 'object')} in as many files",), stated=True)


def _mask(file: LabelImage, options: ReadOptions | None) -> NDArray[np.bool_]:
    try:
        labels = file.read(options).labels
    except ReadError as error:
        raise ReadError(f"/{printable(file.shown)} {error}") from error
    if not isinstance(labels, np.ndarray):
        raise ReadError(f"must hold one mask in each file; {printable(file.shown)} holds masks or outlines")
    mask: NDArray[np.bool_] = labels != 0
    if (labels[mask] == labels.max(initial=0)).all():
        return mask
    raise ReadError(f"must hold one mask in each file; {printable(file.shown)} has {len(np.unique(labels))} values")


def with_objects(truth: Source, pred: Source, paired: int) -> tuple[tuple[Source, Source], Match] | None:
    """Take folders, or files that are numbered, as images, if more can be paired then."""
    for grouping in (_folder_of, _numbered_as):
        grouped = [_grouped(source, grouping) for source in (truth, pred)]
        for sides in ((grouped[0], pred), (truth, grouped[1]), (grouped[0], grouped[1])):
            if any(side is None for side in sides) or sides == (truth, pred):
                continue
            first, second = (side for side in sides if side is not None)
            found, clash = climb(first, second)
            if clash is None and len(found.partners) > 2 * paired and _are_masks(first) and _are_masks(second):
                return (_ordered(first), _ordered(second)), Match(
                    f"one file for each object, {found.rule}", found.partners, found.called
                )
    return None


def with_objects_on_both_sides(truth: Source, pred: Source) -> tuple[tuple[Source, Source], Match] | None:
    """Take files as objects where both sides have one for each; that names agree need not mean the same object."""
    for grouping in (_folder_of, _numbered_as, _numbers_only):
        first, second = (_grouped(source, grouping) for source in (truth, pred))
        if first is None or second is None:
            continue
        found, clash = climb(first, second)
        if clash is not None or not found.partners:
            continue
        held = _hold_objects(first, second, found.partners, grouping)
        if held == MAYBE and grouping is _numbered_as:
            raise _of_either_kind(truth, pred)
        if held:
            called = f"one file for each object, {found.rule}"
            return (_ordered(first), _ordered(second)), Match(called, found.partners, found.called)
    return None


def _of_either_kind(truth: Source, pred: Source) -> Ambiguous:
    """Few objects, which lie where other names say: of images in a wrong order, or of one image, numbered otherwise."""
    what = (
        f"{truth.place} and {pred.place} may hold images, or files of one object each: what is alike has other names. "
        "If they hold objects, give those of each image a folder of their own."
    )
    return Ambiguous(what, tuple(suggested(truth, pred)), "If they hold images, pass globs of them.")


SURE, MAYBE, NO = "sure", "maybe", ""
"""Whether files hold objects."""


MOST_IMAGES, MOST_LOOKED_AT = 4, 24
"""Images that are looked at, and files of each, on each side."""

LARGEST_LOOKED_AT = 2**24
"""Bytes of a file, on disk and of its pixels, that is looked at before its turn."""

LOOKING = ReadOptions(LARGEST_LOOKED_AT)

Objects = dict[str, "NDArray[np.bool_]"]
"""Name of the file -> its mask."""


def _hold_objects(first: Source, second: Source, partners: dict[str, str], grouping: Callable[[str], str]) -> str:
    """Whether files that could be images of their own, with the same names on both sides, are objects: pixels decide.

    They are if those of truth keep out of each other's way, as objects of one image do; or if objects of an image lie
    on those of other names, and not on those of their own. (Frames of a movie do that, too: of numbers alone it says
    nothing.) A few small objects keep apart anyway, in images of their own, too: then names mean what they
    say, unless objects lie elsewhere.
    """
    names = sorted(partners, key=lambda one: -len(getattr(first[one], "files", ())))[:MOST_IMAGES]
    least = 3 if grouping is _numbers_only else 2
    pictures: list[tuple[Objects, Objects]] = []
    for name in names:
        truth = _first_masks(first[name])
        if not truth or len({mask.shape for mask in truth.values()}) > 1:
            return NO
        pictures.append((truth, _first_masks(second[partners[name]]) if truth else {}))
    several = [truth for truth, _ in pictures if len(truth) >= least]
    if several and all(map(_keep_apart, several)) and sum(map(_expected_meetings, several)) >= TELLING:
        return SURE
    mislead = grouping is not _numbers_only and any(_names_mislead(*sides) for sides in pictures)
    return MAYBE if mislead else NO


def _keep_apart(masks: Objects) -> bool:
    """Whether masks hardly share pixels, and are mostly in one piece: a picture of many objects is no object."""
    layers = np.zeros(next(iter(masks.values())).shape, np.uint8)
    for mask in masks.values():
        layers += mask
    if (layers > 1).sum() > 0.02 * (layers > 0).sum():
        return False
    whole = [_is_whole(mask) for mask in masks.values() if mask.any()]
    return bool(whole) and 10 * sum(whole) >= 8 * len(whole)


TELLING = 3
"""Pairs of objects that chance would let meet: where so many do not, they are of one image."""


def _expected_meetings(masks: Objects) -> float:
    """How many pairs of objects of this size would meet, if each lay anywhere."""
    sides = np.sqrt([float(mask.sum()) for mask in masks.values()])
    together = (sides[:, None] + sides) ** 2 / next(iter(masks.values())).size
    return float(np.minimum(together, 1)[np.triu_indices(len(sides), 1)].sum())


def _is_whole(mask: NDArray[np.bool_]) -> bool:
    """Whether nearly all of a mask is one piece."""
    areas = np.bincount(split_components(mask.astype(np.uint8)).ravel().astype(np.int64))[1:]
    return bool(areas.max(initial=0) >= 0.9 * areas.sum())


def _names_mislead(truth: Objects, pred: Objects) -> bool:
    """Whether objects lie on those of other names, and not on those of their own."""
    if len({mask.shape for side in (truth, pred) for mask in side.values()}) != 1 or not pred:
        return False
    names = [{key_of(one, Rule(4, REDUCED)).core: one for one in side} for side in (truth, pred)]
    elsewhere, own = 0, 0
    for core, one in names[0].items():
        ious = {other: _iou(truth[one], pred[partner]) for other, partner in names[1].items()}
        if ious and max(ious.values()) >= 0.5:
            best = max(ious, key=lambda other: ious[other])
            own += best == core
            elsewhere += best != core and ious.get(core, 0.0) < 0.1
    return elsewhere > own


def _first_masks(image: Image) -> Objects:
    """The first files of an image, by name; nothing, if one is no mask, or they are too large to be looked at."""
    files = image.files[:MOST_LOOKED_AT] if isinstance(image, ObjectFiles) else ()
    try:
        if any(file.path.stat().st_size > LARGEST_LOOKED_AT for file in files):
            return {}
        return {file.name: _mask(file, LOOKING) for file in files}
    except (ReadError, OSError, MemoryError):
        return {}


def _iou(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> float:
    union = int((one | other).sum())
    return int((one & other).sum()) / union if union else 0.0


def _are_masks(source: Source) -> bool:
    """Whether the first files of what is grouped hold one mask each, as far as they can be read."""
    first = next(iter(source.values()))
    files = first.files[:2] if isinstance(first, ObjectFiles) else ()
    for file in files:
        try:
            _mask(file, LOOKING)
        except ReadError as error:
            if "must hold one mask" in str(error):
                return False
        except (OSError, MemoryError):
            continue
    return True


def _grouped(source: Source, key: Callable[[str], str]) -> Source | None:
    """The same files, grouped; None if that changes nothing."""
    if not source.place or not all(isinstance(image, LabelImage) for image in source.values()):
        return None
    groups: dict[str, list[Any]] = {}
    for name, image in source.items():
        groups.setdefault(key(name), []).append(image)
    if "" in groups or len(groups) == len(source):
        return None
    images: dict[str, Image] = {name: ObjectFiles(name, tuple(files)) for name, files in groups.items()}
    inside = {name: source.inside[files[0].name] for name, files in groups.items()}
    return Source(images, source.place, inside, source.left_out)


def _ordered(source: Source) -> Source:
    """The same, with the files of each image in the order of their numbers."""
    images = {
        name: replace(image, files=tuple(_in_order(image.files))) if isinstance(image, ObjectFiles) else image
        for name, image in source.items()
    }
    return Source(images, source.place, source.inside, source.left_out)


def _in_order(files: Sequence[LabelImage]) -> list[LabelImage]:
    """By number, where they have one."""
    return sorted(
        files, key=lambda file: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", file.name)]
    )


def _folder_of(name: str) -> str:
    """The folders of a file, without words such as masks."""
    folders = name.rpartition("/")[0]
    return str(key_of(f"{folders}/gt", Rule(4, REDUCED))) if folders else ""


def _numbers_only(name: str) -> str:
    """All files of a folder that have nothing but a number for a name: 0, 1, 2, ...; of other names, none."""
    return "objects" if name.isdigit() else ""


def _numbered_as(name: str) -> str:
    """A name without its last number: 1_1, 1_2, ...; without words behind that, too."""
    found = re.fullmatch(r"(.*\w)[_\-]\d+", name) or re.fullmatch(r"(.*\w)[_\-]\d+", reduced(name, 2).core)
    return found[1] if found else ""
