"""Which truth belongs to which prediction, and what the two hold."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError, TruthError
from softpq.io.by_id import results_by_id
from softpq.io.format import Content, ReadOptions, printable
from softpq.io.formats import stem_of
from softpq.io.geometry import brought_onto, spacing_note
from softpq.io.image import Image, LabelImage
from softpq.io.ladder import Rule, climb, how_said, key_of
from softpq.io.objects import with_objects
from softpq.io.rivals import ambiguous, one_format, without_rivals
from softpq.io.sources import Source
from softpq.io.words import reduced
from softpq.table.mask_pictures import as_labels_if_plain, cover_of
from softpq.table.masks import Masks

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Pair:
    """An image of a dataset: its truth, a prediction or None, and the pixels to ignore, if there are any."""

    name: str
    truth: Image
    pred: Image | None
    ignore: Image | None = None


@dataclass(frozen=True)
class Pairing:
    """Which prediction belongs to which truth image.

    Attributes
    ----------
    pairs
        One for each truth image.
    unused
        Names of predictions without a truth image.
    how
        By which rule, in words; empty if names are the same.
    left_out
        Side -> what was not taken of its folder.
    """

    pairs: list[Pair]
    unused: list[str] = field(default_factory=list)
    how: str = ""
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def missing(self) -> list[str]:
        """Names of truth images without a prediction."""
        return [pair.name for pair in self.pairs if pair.pred is None]


def core_name(name: str) -> str:
    """Return a name without what people append to label images.

    Examples
    --------
    >>> core_name("cell_07_cp_masks"), core_name("cell_07_gt"), core_name("movie_pred_t003")
    ('cell_07', 'cell_07', 'movie_t003')
    """
    return str(key_of(name, Rule(2)))


def pair_up(truth: Source, pred: Source) -> Pairing:
    """Pair by name, by the rules of :mod:`softpq.io.ladder`; two single files always belong together.

    Raises
    ------
    ReadError
        If several images would have the same name.
    """
    if (by_id := results_by_id(truth.values(), pred.values())) is not None:
        return Pairing([Pair(name, image, own) for (name, image), own in zip(truth.items(), by_id, strict=True)])
    truth, pred = without_rivals(truth, "truth"), without_rivals(pred, "pred")
    found, clash = climb(truth, pred)
    if clash is not None:
        truth, pred = one_format(truth), one_format(pred)
        found, clash = climb(truth, pred)
    left_out = {side: str(source.left_out) for side, source in (("truth", truth), ("pred", pred))}
    if not found.partners and len(truth) == len(pred) == 1:
        return Pairing(*_only(truth, pred), left_out=left_out)
    whole = len(found.partners) == len(truth)
    grouped = None if whole else with_objects(truth, pred, len(found.partners))
    if grouped is not None:
        (truth, pred), found = grouped
    elif clash is not None:
        raise ambiguous(clash, truth if clash.side == "truth" else pred)
    partners, called = found.partners, found.called
    if not partners and len(truth) == len(pred) and _numbered(truth) and _numbered(pred):
        partners, called = dict(zip(truth, pred, strict=True)), {name: name for name in truth}
    pairs = [Pair(called.get(n, n), image, pred[partners[n]] if n in partners else None) for n, image in truth.items()]
    used = set(partners.values())
    return Pairing(pairs, [name for name in pred if name not in used], how_said(found), left_out)


def _only(truth: Source, pred: Source) -> tuple[list[Pair], list[str], str]:
    """Two single images; of different parts of cells they are not."""
    (name, image), (other, partner) = next(iter(truth.items())), next(iter(pred.items()))
    parts = [reduced(one.rpartition("/")[2]).compartment for one in (name, other)]
    if truth.place and pred.place and all(parts) and parts[0] != parts[1]:
        raise ReadError(
            f"truth and pred must be of one part of cells; got {parts[0]} ({name}) and {parts[1]} ({other})."
        )
    return [Pair(name, image, partner)], [], "as the only images there are"


def named_alike(pairings: Mapping[str, Pairing]) -> dict[str, Pairing]:
    """The same pairings, in which a truth image has one name for all models: the shortest that one of them uses."""
    names: dict[int, str] = {}
    for pairing in pairings.values():
        for pair in pairing.pairs:
            names[id(pair.truth)] = min(names.get(id(pair.truth), pair.name), pair.name, key=len)
    return {
        model: replace(pairing, pairs=[replace(pair, name=names[id(pair.truth)]) for pair in pairing.pairs])
        for model, pairing in pairings.items()
    }


def with_ignored(pairing: Pairing, masks: Source) -> Pairing:
    """The same pairs, each with its mask of pixels to ignore.

    Raises
    ------
    ReadError
        If an image has none.
    """
    truth = Source({pair.name: pair.truth for pair in pairing.pairs})
    found = {pair.name: pair.pred for pair in pair_up(truth, masks).pairs}
    pairs = [replace(pair, ignore=found.get(pair.name) or found.get(core_name(pair.name))) for pair in pairing.pairs]
    lost = [pair.name for pair in pairs if pair.ignore is None]
    if lost:
        raise ReadError(f"No mask of pixels to ignore for {len(lost)} of {len(pairs)} images: {', '.join(lost[:5])}.")
    return replace(pairing, pairs=pairs)


def _numbered(source: Source) -> bool:
    """Whether all images are of one file, which numbers them: a movie, a stack. What has names of its own is not."""
    images = [image for image in source.values() if isinstance(image, LabelImage)]
    files = {image.path for image in images}
    if len(images) < len(source) or len(files) != 1:
        return False
    stem = stem_of(files.pop())
    return all(
        re.fullmatch(re.escape(stem) + r"_?t?\d+(_\w+)?", image.name) or image.name.isdigit() for image in images
    )


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
    notes = [f"truth: {note}" for note in first.notes]
    if second is not None:
        said = spacing_note(first.geometry, second.geometry)
        notes += [f"pred: {note}" for note in second.notes] + ([] if said is None else [said])
    classes = (first.classes, None if second is None else second.classes)
    stated = (first.stated, second is None or second.stated)
    spread = any(side.spread for side in (first, second, masks) if side is not None)
    return Loaded(labels, pred, ignore, classes, tuple(notes), stated, spread)


def _check_axes(truth: tuple[int, ...], pred: tuple[int, ...], pair: Pair) -> None:
    """Say so where one side has a short axis more than the other, which then holds channels."""
    for image, longer, other in ((pair.truth, truth, pred), (pair.pred, pred, truth)):
        if image is None or len(longer) != len(other) + 1 or len(other) < 2:
            continue
        for axis in (0, len(longer) - 1):
            if 2 <= longer[axis] <= 6 and longer[:axis] + longer[axis + 1 :] == other:
                raise ReadError(
                    f"{printable(image.shown)} holds {longer[axis]} channels, and the other side one image of "
                    f"{other}; choose with --channel 0 to {longer[axis] - 1} (channel=)"
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


def _common_shape(sides: list[Any]) -> tuple[int, ...]:
    """The image decides; without one, a size that is known; outlines get what holds both."""
    for side in sides:
        if isinstance(side, Masks):
            return side.shape
        if not hasattr(side, "masks"):
            return tuple(np.shape(side))
    extents = [extent for side in sides if (extent := side.extent()) is not None]
    if not extents:
        raise ReadError("neither side says how large the image is; Height and Width are needed on one")
    return tuple(max(sizes) for sizes in zip(*extents, strict=True))
