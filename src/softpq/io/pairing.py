"""Which truth belongs to which prediction."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from softpq.errors import ReadError
from softpq.io.by_id import results_by_id
from softpq.io.format import printable
from softpq.io.formats import stem_of
from softpq.io.image import Image, LabelImage
from softpq.io.ladder import Rule, climb, compartment_of, how_said, key_of
from softpq.io.objects import with_objects, with_objects_on_both_sides
from softpq.io.planes import with_planes
from softpq.io.rivals import ambiguous, one_format, with_namesakes, without_rivals
from softpq.io.sources import Source
from softpq.io.suggestions import suggested
from softpq.io.words import reduced


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
        By which rule, in words; empty if names are the same. Of no pairs, why, if that is known.
    left_out
        Side -> what was not taken of its folder.
    instead
        Of no pairs: which globs, instead of the folders, would give some.
    """

    pairs: list[Pair]
    unused: list[str] = field(default_factory=list)
    how: str = ""
    left_out: Mapping[str, str] = field(default_factory=dict)
    instead: tuple[Mapping[str, str], ...] = ()

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
        pairs = [Pair(name, image, own) for (name, image), own in zip(truth.items(), by_id, strict=True)]
        return Pairing(pairs, how="by the ids of images")
    truth, pred = with_namesakes(truth, pred)
    truth, pred = without_rivals(truth, "truth"), without_rivals(pred, "pred")
    found, clash = climb(truth, pred)
    if clash is not None:
        truth, pred = one_format(truth), one_format(pred)
        found, clash = climb(truth, pred)
    left_out = {side: str(source.left_out) for side, source in (("truth", truth), ("pred", pred))}
    if not found.partners and len(truth) == len(pred) == 1:
        return Pairing(*_only(truth, pred), left_out=left_out)
    whole = len(found.partners) == len(truth)
    planes = None if found.partners else with_planes(truth, pred)
    grouped = with_objects_on_both_sides(truth, pred) if found.partners else None
    if grouped is None and not (whole or planes):
        grouped = with_objects(truth, pred, len(found.partners))
    if planes is not None:
        pred, found = planes
    elif grouped is not None:
        (truth, pred), found = grouped
    elif clash is not None:
        raise ambiguous(clash, truth if clash.side == "truth" else pred)
    partners, called = found.partners, found.called
    if not partners:
        partners, called = _by_number(truth, pred), {name: name for name in truth}
    pairs = [Pair(called.get(n, n), image, pred[partners[n]] if n in partners else None) for n, image in truth.items()]
    used = set(partners.values())
    unused = [name for name in pred if name not in used]
    if not partners:
        return Pairing(pairs, unused, _parts_differ(truth, pred), left_out, tuple(suggested(truth, pred)))
    return Pairing(pairs, unused, how_said(found), left_out)


def _parts_differ(truth: Source, pred: Source) -> str:
    """Say so if the two sides are of different parts of cells."""
    parts = [{compartment_of(name) for name in side} - {""} for side in (truth, pred)]
    if not all(parts) or parts[0] & parts[1]:
        return ""
    return f"{' and '.join(sorted(parts[0]))} are not {' and '.join(sorted(parts[1]))}"


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


def _by_number(truth: Source, pred: Source) -> dict[str, str]:
    """Images of a movie or a stack belong to those of another, or to frames in files, that have the same numbers."""
    numbers = [_numbers(source) for source in (truth, pred)]
    one_file = [len({getattr(image, "location", "") for image in source.values()}) == 1 for source in (truth, pred)]
    if not any(one_file) or not numbers[0] or numbers[0].keys() != numbers[1].keys():
        _check_listed(pred)
        return {}
    return {name: numbers[1][number] for number, name in numbers[0].items()}


def _numbers(source: Source) -> dict[str, str]:
    """Number -> name: of one file that numbers its images, or of files that only differ in one number."""
    images = [image for image in source.values() if isinstance(image, LabelImage)]
    files = {image.path for image in images}
    if not images or len(images) < len(source):
        return {}
    front = f"(?:{re.escape(stem_of(images[0].path))})?_?t?" if len(files) == 1 else _front(list(source))
    found = [re.fullmatch(f"{front}(\\d+(?:_\\w+)?)", name) for name in source]
    numbers = {one[1].lstrip("0"): name for one, name in zip(found, source, strict=True) if one}
    return numbers if len(numbers) == len(source) else {}


def _front(names: list[str]) -> str:
    """What all names have in front of their number, as a pattern."""
    pairs = zip(min(names), max(names), strict=False)
    same = next((k for k, (one, other) in enumerate(pairs) if one != other), len(min(names)))
    return re.escape(min(names)[:same].rstrip("0123456789"))


def _check_listed(source: Source) -> None:
    """Say why the only file of a side gives no images that could be paired, if it cannot be read.

    Raises
    ------
    ReadError
        With the name of the file.
    """
    images = list(source.values())
    if len(images) == 1 and isinstance(images[0], LabelImage):
        try:
            _ = images[0].record
        except (ReadError, OSError) as error:
            raise ReadError(f"{printable(images[0].shown)} {error}") from error
