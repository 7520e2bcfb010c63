"""Look before scoring: what is often wrong with two folders of label images, in plain sentences."""

from __future__ import annotations

import math
import re
import threading
import time
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq._checks import parse_size
from softpq.dataset.image_result import ImageResult
from softpq.doctor.alike import kind_of, of_several
from softpq.doctor.pixels import CHECKS, Note
from softpq.doctor.shapes import shape_of_sides
from softpq.errors import ReadError
from softpq.io.content import check_type
from softpq.io.format import ReadOptions, machine_memory
from softpq.io.formats.coco import is_truth
from softpq.io.formats.coco_results import is_results
from softpq.io.image import LabelImage
from softpq.io.loading import Loaded, load
from softpq.io.pairing import Pair, Pairing
from softpq.io.pairs import paired_by_name
from softpq.io.remarks import noticed
from softpq.table.labels import as_labels
from softpq.table.layered import mask_notes
from softpq.table.masks import Masks
from softpq.table.overlap import Overlap
from softpq.table.tables import fingerprint_of_side

if TYPE_CHECKING:
    from softpq._files import Location

TOO_LARGE = 1 << 30
"""Bytes of two images beyond which they are not read as a whole."""


@dataclass(frozen=True)
class Finding:
    """Something to look at: about which images, what it is, and what to do."""

    images: tuple[str, ...]
    what: str
    advice: str
    model: str = ""

    def __str__(self) -> str:
        shown = ", ".join(self.images[:3]) + (f" and {len(self.images) - 3} more" if len(self.images) > 3 else "")
        about = " / ".join(text for text in (self.model, shown) if text)
        return f"{about}: {self.what} {self.advice}" if about else f"{self.what} {self.advice}"


class Examiner:
    """Looks at pairs of images and gathers what seems wrong.

    Parameters
    ----------
    limit
        Look at so many pairs at most.
    """

    def __init__(self, limit: int) -> None:
        self._left = limit
        self._lock = threading.Lock()
        self._notes: dict[tuple[str, Note], list[str]] = defaultdict(list)
        self._seen: dict[str, list[str]] = defaultdict(list)

    def observe(self, result: ImageResult, loaded: Loaded, overlap: Overlap) -> None:
        """Look at a pair that was just scored."""
        with self._lock:
            self._left -= 1
            if self._left < 0:
                return
        self.look(result.name, loaded, overlap, result.model)

    def look(self, name: str, loaded: Loaded, overlap: Overlap | None = None, model: str = "") -> None:
        """Look at a pair that was read."""
        found = list(_notes_on(loaded, overlap))
        prints = [fingerprint_of_side(side) for side in (loaded.truth, loaded.pred)]
        with self._lock:
            for note in found:
                self._notes[model, note].append(name)
            for side, print_of_side in zip(("truth", "pred"), prints, strict=True):
                seen = self._seen[print_of_side]
                seen += [text for text in [f"{name} ({side})"] if text not in seen]

    def note(self, name: str, what: str, advice: str, model: str = "") -> None:
        """Say something of an image."""
        with self._lock:
            self._notes[model, (what, advice)].append(name)

    def findings(self, scored: Container[str] | None = None) -> list[Finding]:
        """What seems wrong; with images that were scored in the end, of those alone."""
        several = len({model for model, _ in self._notes}) > 1
        alike: dict[tuple[str, str], list[tuple[Note, list[str]]]] = defaultdict(list)
        for (model, note), looked_at in self._notes.items():
            if names := [name for name in looked_at if scored is None or name in scored]:
                alike[model, kind_of(note, names)].append((note, names))
        found = [
            Finding(tuple(name for _, names in some for name in names), *of_several(some), model if several else "")
            for (model, _), some in alike.items()
        ]
        return [*found, *_duplicates(self._seen)]


@dataclass(frozen=True)
class Examination:
    """What seems wrong, the gravest first; and how many of all pairs were looked at."""

    findings: tuple[Finding, ...]
    looked_at: int
    pairs: int

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)


def examine(
    truth: Location,
    pred: Location | Mapping[str, Location],
    *,
    seconds: float | None = None,
    axes: str | None = None,
    channel: int | None = None,
    memory: str | int | None = None,
) -> Examination:
    """Look at folders and say what seems wrong.

    Parameters
    ----------
    truth, pred
        Folders, globs such as ``"leaves/*/gt.png"``, or files; of several models, a mapping from their names.
    seconds
        Begin no other pair after so long; None looks at all.
    axes, channel
        What the axes of files are, and which of several channels holds the labels.
    memory
        Larger files are refused; an eighth of the machine's by default.

    See Also
    --------
    softpq.evaluate_dataset : Scores what was looked at.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> here = pathlib.Path(tempfile.mkdtemp())
    >>> for side in ("truth", "pred"):
    ...     (here / side).mkdir()
    ...     np.save(here / side / "a.npy", np.array([[1, 1, 0, 2]]))
    >>> examine(here / "truth", here / "pred").findings[0].what
    'truth and prediction are identical.'
    """
    models: Mapping[str, Location] = pred if isinstance(pred, Mapping) else {"": pred}
    if (odd := _odd_files(truth, models)) is not None:
        return Examination(tuple(odd), len(models), len(models))
    limit = machine_memory() // 8 if memory is None else parse_size(memory)  # pixels are in memory several times
    options = ReadOptions(limit, axes=axes, channel=channel)
    pairings = paired_by_name(truth, models, options)
    examiner = Examiner(0)
    pairs = [(model, pair) for model, pairing in pairings.items() for pair in pairing.pairs if pair.pred is not None]
    pairs.sort(key=lambda one: one[1].name)  # all models of an image, then the next
    ends, looked_at = time.monotonic() + (math.inf if seconds is None else seconds), 0
    for model, pair in pairs:
        if looked_at and time.monotonic() > ends:
            break
        _look_at(pair, examiner, options, model)
        looked_at += 1
    found = [*_of_names(truth, models, pairings), *examiner.findings()]
    return Examination(tuple(sorted(found, key=_gravity)), looked_at, len(pairs))


def _odd_files(truth: Location, models: Mapping[str, Location]) -> list[Finding] | None:
    """What is odd in COCO files; None where these are none."""
    paths = [Path(truth), *map(Path, models.values())]
    if not all(path.is_file() and path.suffix.lower() == ".json" for path in paths):
        return None
    if not is_truth(paths[0]) or not all(map(is_results, paths[1:])):
        return None
    from softpq.doctor.coco import odd_in_coco

    found = ((model, odd_in_coco(paths[0], Path(place))) for model, place in models.items())
    return [Finding((), what, advice, model=model) for model, odd in found for what, advice in odd]


def _of_names(truth: Location, models: Mapping[str, Location], pairings: Mapping[str, Pairing]) -> Iterator[Finding]:
    for model, pairing in pairings.items():
        found = [
            *named_the_other_way(str(truth), str(models[model])),
            *_partners(pairing.missing, pairing.unused, paired=any(pair.pred is not None for pair in pairing.pairs)),
            *(Finding((), f"{said[0].upper()}{said[1:]}", "") for said in noticed(pairing)),
        ]
        yield from (replace(one, model=model) for one in found)


_GRAVE = (
    "identical",
    "given as truth",
    "no prediction",
    "all pairs are wrong",
    "looks like",
    "shape",
    "axes",
    "another",
    "cannot be",
)
"""Words of findings that change a score most."""


def _gravity(finding: Finding) -> tuple[bool, int]:
    return not any(word in finding.what for word in _GRAVE), -len(finding.images)


def _look_at(pair: Pair, examiner: Examiner, options: ReadOptions, model: str) -> None:
    try:
        stored = _large_parts(pair, options)
        if stored is not None:
            for note in (("the images are large; their pixels were not looked at.", "Try a part of them."),
                         *shape_of_sides(*stored), *_not_stored(*stored)):  # fmt: skip
                examiner.note(pair.name, *note, model)
            return
        examiner.look(pair.name, load(pair, options=options), model=model)
    except (ReadError, OSError, ValueError, TypeError) as error:
        examiner.note(pair.name, f"{str(error).rstrip('.')}.", "Mend or remove this file.", model)
    except Exception as error:  # one file must not end the look at all others
        examiner.note(
            pair.name, f"it could not be looked at ({type(error).__name__}).", "Mend or remove this file.", model
        )


def _large_parts(pair: Pair, options: ReadOptions) -> tuple[Any, Any] | None:
    """Both arrays, not read, if they are too large to be."""
    images = [image for image in (pair.truth, pair.pred) if isinstance(image, LabelImage) and image.has_parts]
    if len(images) < 2:
        return None
    try:
        truth, pred = (image.open_parts(options) for image in images)
    except ReadError:
        return None  # reading it as a whole works, or says why not
    return (truth, pred) if truth.nbytes + pred.nbytes > TOO_LARGE else None


def _not_stored(truth: Any, pred: Any) -> Iterator[Note]:
    for side, array in (("truth", truth), ("pred", pred)):
        for note in array.notes():
            yield f"{side}: {note}.", _LOST_CHUNKS


_OTHER_SIZES = "If that is so, resample one of them; if not, correct the file."
_LOST_CHUNKS = "That is right where nothing is; if writing was ended early, write them again."


def _notes_on(loaded: Loaded, overlap: Overlap | None) -> Iterator[Note]:
    for note in loaded.notes:
        yield f"{note}.", _LOST_CHUNKS if "chunks" in note else _OTHER_SIZES if "pixel sizes" in note else ""
    if isinstance(loaded.truth, Masks) or isinstance(loaded.pred, Masks):
        yield from ((f"{note}.", "") for note in mask_notes(overlap or Overlap.from_masks(loaded.truth, loaded.pred)))
        return
    for labels in (loaded.truth, loaded.pred):
        check_type(np.asarray(labels))
    truth, pred = as_labels(loaded.truth, "truth"), as_labels(loaded.pred, "pred")
    yield from shape_of_sides(truth, pred)
    if truth.shape == pred.shape and truth.size:
        table = overlap or Overlap.from_labels(np.maximum(truth, 0), np.maximum(pred, 0))
        for check in CHECKS:
            yield from check(truth, pred, table)


def named_the_other_way(truth: str, pred: str) -> Iterator[Finding]:
    """Names of truth on the second place and of a prediction on the first."""
    of_truth, of_pred = (
        re.compile(r"(^|[^a-z])(gt|truth|reference|ground)", re.I),
        re.compile(r"pred|model|output", re.I),
    )
    first, second = (re.split(r"[*?]", text)[0] or text for text in (truth, pred))
    if of_pred.search(first) and of_truth.search(second) and not of_truth.search(first) and not of_pred.search(second):
        yield Finding((), f"{truth} is given as truth and {pred} as prediction.", "Are the two arguments swapped?")


_BY_TABLE = ", pairs='pairs.csv', with the columns truth and pred"


def _partners(missing: list[str], unused: list[str], *, paired: bool) -> Iterator[Finding]:
    if missing:
        how = 'score with missing="empty" or missing="skip"' if paired else f"give a table of pairs{_BY_TABLE}"
        advice = f"Rename them, or {how}."
        yield Finding(tuple(missing), "no prediction was found.", advice)
    if unused:
        yield Finding(tuple(unused), "these predictions have no truth image.", "Do the folders belong together?")


def _duplicates(hashes: dict[str, list[str]]) -> Iterator[Finding]:
    for names in hashes.values():
        images = {name.rsplit(" ", 1)[0] for name in names}
        if len(images) > 1:
            yield Finding(tuple(names), "these images are the same, pixel by pixel.", "Is one of them a copy?")
