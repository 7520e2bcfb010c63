"""What is done to every pair of images of a dataset: read, check, count, score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.counting import count
from softpq.dataset.image_result import ClassScores, ImageResult
from softpq.errors import ReadError, TruthError
from softpq.evaluation import Evaluation, evaluate_images, evaluate_tables
from softpq.io.classes import Classes, ClassMaps
from softpq.io.content import check_type
from softpq.io.format import Content, ReadOptions, machine_memory
from softpq.io.image import Image, LabelImage
from softpq.io.pairing import Loaded, Pair, load
from softpq.plan import Plan
from softpq.table.content import NotLabels, check_content
from softpq.table.labels import as_ignore
from softpq.table.masks import Masks
from softpq.table.pieces import split_components

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softpq.io.stored import StoredArray
    from softpq.table.overlap import Overlap

Progress = Callable[[int, int], None]
Count = Callable[..., "Overlap"]
Observer = Callable[["ImageResult", Loaded, "Overlap"], None]

SIDES = ("truth", "pred")

MOST_PACKED = 20_000
"""No image takes more than so many times the size of its file; small files are not worth opening twice."""


@dataclass(frozen=True)
class Task:
    """One image and one model."""

    model: str
    pair: Pair


@dataclass(frozen=True)
class Scorer:
    """What is done to a pair, and what is kept of it.

    Attributes
    ----------
    plan
        What to compute.
    memory
        In bytes; pairs that need more than half of it are counted in parts.
    limit
        Bytes that one file may unpack to; None for what the machine allows.
    threads
        For one pair.
    keep_objects, keep_tables, keep_overlaps
        What to keep beside the scores.
    class_maps
        Where the classes of labels come from.
    observers
        Are shown every result with its images and its table, while those are in memory.
    """

    plan: Plan
    memory: int
    limit: int | None = None
    threads: int = 1
    keep_objects: bool = False
    keep_tables: bool = False
    keep_overlaps: bool = False
    class_maps: ClassMaps | None = None
    observers: tuple[Observer, ...] = ()

    def score(
        self, task: Task, truth: Callable[[], Content] | None = None, progress: Progress | None = None
    ) -> ImageResult:
        """Read one pair and score it, whole and by class; a missing prediction is an empty one.

        What is too large is counted in parts, if nothing needs the whole image; ``progress`` is told of the parts.
        ``truth`` returns what the truth holds, if somebody has read it.
        """
        if self.is_large(task.pair):
            return self.score_parts(task, progress=progress)
        loaded = self.load(task.pair, truth() if truth is not None else None)
        try:
            evaluation = self._evaluated(loaded)
            result = self._result(task, evaluation, self._by_class(task.pair, evaluation, loaded))
        except (ValueError, TypeError) as error:
            raise _blamed(error, task.pair) from error
        result = replace(result, notes=loaded.notes + evaluation.notes, spread=loaded.spread)
        return self._shown(result, loaded, evaluation.overlap)

    def _shown(self, result: ImageResult, loaded: Loaded, overlap: Overlap) -> ImageResult:
        """Show the result to observers; what goes wrong there is noted, and costs no score."""
        notes = list(result.notes)
        for observe in self.observers:
            try:
                observe(result, loaded, overlap)
            except Exception as error:
                notes.append(f"it could not be looked at closer: {type(error).__name__}")
        return replace(result, notes=tuple(notes))

    def score_parts(self, task: Task, count_pair: Count | None = None, progress: Progress | None = None) -> ImageResult:
        """Count a pair in parts, and score it; ``count_pair`` counts it elsewhere."""
        pair, plan = task.pair, self.plan
        counted = count_pair or partial(self._count_parts, progress=progress)
        stored = [self._open(image) for image in (pair.truth, pair.pred)]
        try:
            overlap = counted(pair)
            found = check_content(stored[0], stored[1], overlap) if plan.check else ()
            bands = counted(pair, boundary=plan.reach, spacing=plan.spacing) if plan.wants_bands else None
        except (ValueError, TypeError) as error:
            raise _blamed(error, pair) from error
        result = self._result(task, evaluate_tables(overlap, plan, bands=bands), {})
        said = [f"{side}: {note}" for side, array in zip(SIDES, stored, strict=True) for note in array.notes()]
        return replace(result, notes=(*said, *found), spread=any(array.spread for array in stored))

    def _count_parts(self, pair: Pair, **options: Any) -> Overlap:
        ignore = self.plan.ignore if pair.ignore is None else _AsMask(self._open(pair.ignore))
        truth, pred = self._open(pair.truth), self._open(pair.pred)
        options |= {"ignore": ignore, "strict": self.plan.strict, "memory": self.memory, "threads": self.threads}
        return count(truth, pred, **options)

    def _open(self, image: Image | None) -> StoredArray:
        if not isinstance(image, LabelImage):
            raise ReadError("an image in memory is not read in parts")
        return image.open_parts(self.reading)

    def _result(self, task: Task, evaluation: Evaluation, classes: ClassScores) -> ImageResult:
        return ImageResult.of(
            task.pair.name,
            task.model,
            evaluation,
            classes=classes,
            pair=task.pair if evaluation.images is not None else None,
            keep_objects=self.keep_objects,
            keep_tables=self.keep_tables,
            keep_overlap=self.keep_overlaps,
        )

    @cached_property
    def reading(self) -> ReadOptions:
        """How files are read."""
        plan = self.plan
        return ReadOptions(
            self.limit or machine_memory() // 2, plan.allow_outside, plan.require_chunks, plan.axes, plan.channel
        )

    def has_parts(self, pair: Pair) -> bool:
        """Whether these files can be read in parts, and nothing that is asked for needs the whole image."""
        plan, images = self.plan, [pair.truth, pair.pred, *([pair.ignore] if pair.ignore else [])]
        if plan.split_components or plan.classes is not None or plan.settings.reading == "released":
            return False
        try:
            return all(
                isinstance(image, LabelImage) and image.has_parts and image.open_parts(self.reading) for image in images
            )
        except (ReadError, OSError):
            return False  # reading it as a whole works, or says why not

    def is_large(self, pair: Pair) -> bool:
        """Whether the images are better counted in parts."""
        smallest = self.memory // 2 // MOST_PACKED
        images = [image for image in (pair.truth, pair.pred) if isinstance(image, LabelImage)]
        if not any(_may_need(image.path, smallest) for image in images) or not self.has_parts(pair):
            return False
        return sum(image.open_parts(self.reading).nbytes for image in images) > self.memory // 2

    def load(self, pair: Pair, truth: Content | None = None) -> Loaded:
        """Read the two label images, as they are scored."""
        loaded = load(pair, truth, self.reading, geometry=self.plan.geometry)
        try:
            labels = self._prepared(loaded.truth, pair.truth)
            ignore = self._ignored(loaded)
        except (ReadError, ValueError, TypeError) as error:
            raise TruthError(str(error)) from error
        pred = self._prepared(loaded.pred, pair.pred or pair.truth)
        return replace(loaded, truth=labels, pred=pred, ignore=ignore)

    def _ignored(self, loaded: Loaded) -> NDArray[np.bool_] | None:
        """The mask of ignored pixels: those of a label, and those of a file."""
        if self.plan.ignore is None:
            return loaded.ignore
        if isinstance(loaded.truth, Masks):
            raise TypeError(f"ignore must be masks where truth is masks; got the label {self.plan.ignore}.")
        by_label = as_ignore(self.plan.ignore, loaded.truth)
        assert by_label is not None
        return by_label.view(bool) if loaded.ignore is None else by_label.view(bool) | loaded.ignore

    def _prepared(self, labels: Any, image: Image) -> Any:
        try:
            if isinstance(labels, Masks):
                if self.plan.split_components:
                    raise ReadError("holds masks that may overlap; split_components is for label images")
                return labels
            if not self.plan.split_components:
                check_type(labels)
                return labels
            return _in_pieces(labels.astype(np.uint8) if labels.dtype == bool else labels, check=self.plan.check)
        except (ReadError, ValueError, TypeError) as error:
            raise ReadError(f"{image.shown} {error}") from error

    def _evaluated(self, loaded: Loaded) -> Evaluation:
        plan = self.plan
        if plan.split_components:  # pieces were looked at when they were made
            plan = replace(plan, check=False)
        stated = (True, True) if plan.axes is not None else loaded.stated
        options: Any = {"ignore": loaded.ignore, "threads": self.threads, "stated": stated}
        return evaluate_images(loaded.truth, loaded.pred, plan, **options)

    def _by_class(self, pair: Pair, evaluation: Evaluation, loaded: Loaded) -> ClassScores:
        """Score each class by itself: objects of other classes are not there."""
        if self.class_maps is None:
            return {}
        given = zip(loaded.classes, (loaded.truth, loaded.pred), strict=True)
        known = [_classes_of(side) if classes is None else classes for classes, side in given]
        sides = [self.class_maps.of(pair.name, "truth", pair.truth, loaded.truth, known[0])]
        sides.append(self.class_maps.of(pair.name, "pred", pair.pred, loaded.pred, known[1]) if pair.pred else {})
        names = sorted({name for side in sides for name in side.values()} - {""})
        return {name: self._of_class(name, evaluation, loaded, sides).scores for name in names}

    def _of_class(self, name: str, evaluation: Evaluation, loaded: Loaded, classes: list[Classes]) -> Evaluation:
        overlap = evaluation.overlap
        members = [np.array([k for k, v in side.items() if v == name], np.uint64) for side in classes]
        if not self.plan.wants_bands and self.plan.settings.reading != "released":
            keep = [np.isin(ids, m) for ids, m in zip((overlap.truth_ids, overlap.pred_ids), members, strict=True)]
            return evaluate_tables(overlap.restricted(keep[0], keep[1]), self.plan)
        truth, pred = (_only(side, ids) for side, ids in zip((loaded.truth, loaded.pred), members, strict=True))
        return self._evaluated(replace(loaded, truth=truth, pred=pred))


def _classes_of(side: Any) -> Classes | None:
    """Id -> class of masks that know it."""
    if not isinstance(side, Masks) or side.classes is None:
        return None
    return {int(number): str(name) for number, name in zip(side.numbers, side.classes, strict=True)}


def _only(side: Any, ids: NDArray[np.uint64]) -> Any:
    """The objects with these ids."""
    if isinstance(side, Masks):
        return side.select(np.isin(side.numbers, ids.astype(np.int64)))
    return np.where(np.isin(side, ids.astype(side.dtype)), side, 0)


def _may_need(path: Path, nbytes: int) -> bool:
    """Whether a file may hold large images; those that leave out empty parts always may."""
    try:
        return path.is_dir() or path.suffix.lower() in (".h5", ".hdf5", ".hdf") or path.stat().st_size > nbytes
    except OSError:
        return False  # reading it will say why


def _blamed(error: Exception, pair: Pair) -> ReadError:
    """The error with the name of the file; those of counting begin with the side that is to blame."""
    kind = TruthError if str(error).startswith("truth must") else ReadError
    if not isinstance(error, NotLabels):
        return kind(str(error))
    image = pair.truth if error.side == "truth" else pair.pred or pair.truth
    return kind(f"{image.shown} {error.found} If it is right as it is, pass --no-check (check=False)")


def _in_pieces(labels: NDArray[Any], *, check: bool) -> NDArray[np.uint64]:
    """Label connected components; those of intensities are pixels."""
    pieces = split_components(labels)
    count, covered = int(pieces.max(initial=0)), np.count_nonzero(pieces)
    if check and count >= 1000 and covered < 3 * count and 2 * covered > pieces.size:
        raise ReadError(f"looks like intensities: its {count} pieces have {covered / count:.1f} pixels on average")
    return pieces


class _AsMask:
    """A stored array as a mask: what is not 0 is ignored."""

    def __init__(self, array: StoredArray) -> None:
        self._array, self.shape, self.dtype = array, array.shape, np.dtype(bool)

    def __getitem__(self, block: tuple[slice, ...]) -> NDArray[np.bool_]:
        inside: NDArray[np.bool_] = self._array[block] != 0
        return inside
