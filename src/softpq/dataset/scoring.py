"""What is done to every pair of images of a dataset: read, check, count, score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.counting import count
from softpq.dataset.confusion import Confused, confused_in
from softpq.dataset.image_result import ClassScores, ImageResult
from softpq.errors import ReadError, TruthError
from softpq.evaluation import Evaluation, evaluate_images, evaluate_tables
from softpq.io.classes import Classes, ClassMaps, classes_of
from softpq.io.content import check_type
from softpq.io.format import Content, ReadOptions, machine_memory
from softpq.io.image import Image, LabelImage
from softpq.io.loading import Loaded, load
from softpq.io.pairing import Pair
from softpq.io.stored import AsMask, StoredArray
from softpq.plan import Plan
from softpq.table.content import NotLabels, check_content
from softpq.table.labels import as_ignore
from softpq.table.masks import Masks
from softpq.table.pieces import split_components

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softpq.table.overlap import Overlap

Progress = Callable[[int, int], None]
Count = Callable[..., "Overlap"]
Observer = Callable[["ImageResult", Loaded, "Overlap"], None]

SIDES = ("truth", "pred")
AS_IT_IS = "If it is right as it is, pass check=False"


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
            class_of = self._classes(task.model, task.pair, loaded)
            result = self._result(task, evaluation, self._by_class(class_of, evaluation, loaded), class_of)
            result = replace(result, confused=self._confused(class_of or self._agnostic(loaded), evaluation))
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
        ignore = self.plan.ignore if pair.ignore is None else AsMask(self._open(pair.ignore))
        truth, pred = self._open(pair.truth), self._open(pair.pred)
        options |= {"ignore": ignore, "strict": self.plan.strict, "memory": self.memory, "threads": self.threads}
        return count(truth, pred, **options)

    def _open(self, image: Image | None) -> StoredArray:
        if not isinstance(image, LabelImage):
            raise ReadError("an image in memory is not read in parts")
        return image.open_parts(self.reading)

    def _result(self, task: Task, evaluation: Evaluation, classes: ClassScores, class_of: Any = None) -> ImageResult:
        return ImageResult.of(
            task.pair.name,
            task.model,
            evaluation,
            classes=classes,
            class_of=class_of or (None, None),
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
        return bool(self._parts_of(pair))

    def _parts_of(self, pair: Pair) -> list[StoredArray]:
        """The files of a pair, opened to be read in parts; none, if that cannot be or would not help."""
        plan, images = self.plan, [pair.truth, pair.pred, *([pair.ignore] if pair.ignore else [])]
        if plan.split_components or plan.classes is not None or plan.settings.reading == "released":
            return []
        if not all(isinstance(image, LabelImage) and image.has_parts for image in images):
            return []
        try:
            return [self._open(image) for image in images]
        except (ReadError, OSError):
            return []  # reading it as a whole works, or says why not

    def is_large(self, pair: Pair) -> bool:
        """Whether the images are better counted in parts."""
        images = [image for image in (pair.truth, pair.pred) if isinstance(image, LabelImage)]
        if not any(image.may_hold(self.memory // 2) for image in images):
            return False
        return sum(array.nbytes for array in self._parts_of(pair)[:2]) > self.memory // 2

    def load(self, pair: Pair, truth: Content | None = None) -> Loaded:
        """Read the two label images, as they are scored."""
        loaded = load(pair, truth, self.reading, geometry=self.plan.geometry)
        self._check_suspects(loaded, pair)
        try:
            labels = self._prepared(loaded.truth, pair.truth)
            ignore = self._ignored(loaded)
        except (ReadError, ValueError, TypeError) as error:
            raise TruthError(str(error)) from error
        pred = self._prepared(loaded.pred, pair.pred or pair.truth)
        return replace(loaded, truth=labels, pred=pred, ignore=ignore)

    def _check_suspects(self, loaded: Loaded, pair: Pair) -> None:
        """Refuse files that say they are hardly label images, as :func:`check_content` does for arrays."""
        if not self.plan.check or self.plan.split_components:
            return
        sides = ((TruthError, pair.truth), (ReadError, pair.pred or pair.truth))
        for (kind, image), found in zip(sides, loaded.suspects, strict=True):
            if found:
                raise kind(f"{image.shown} {found} {AS_IT_IS}")

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
        options: Any = {"ignore": loaded.ignore, "threads": self.threads, "stated": stated, "told": loaded.told}
        return evaluate_images(loaded.truth, loaded.pred, plan, **options)

    def _classes(self, model: str, pair: Pair, loaded: Loaded) -> list[Classes] | None:
        """Label -> class of truth and of pred, if it was asked for."""
        if self.class_maps is None:
            return None
        given = zip(loaded.classes, (loaded.truth, loaded.pred), strict=True)
        known = [classes_of(side) if classes is None else classes for classes, side in given]
        sides = [self.class_maps.of(pair.name, "truth", pair.truth, loaded.truth, known[0])]
        sides.append(
            self.class_maps.of(pair.name, "pred", pair.pred, loaded.pred, known[1], model=model) if pair.pred else {}
        )
        return sides

    def _agnostic(self, loaded: Loaded) -> list[Classes]:
        """The classes that both sides know by themselves, where they do not decide what matches."""
        found = [classes_of(side) for side in (loaded.truth, loaded.pred)] if self.plan.class_agnostic else [None]
        return [] if None in found else [side for side in found if side is not None]

    def _by_class(self, sides: list[Classes] | None, evaluation: Evaluation, loaded: Loaded) -> ClassScores:
        """Score each class by itself: objects of other classes are not there."""
        if sides is None:
            return {}
        names = sorted({name for side in sides for name in side.values()} - {""})
        return {name: self._of_class(name, evaluation, loaded, sides).scores for name in names}

    def _confused(self, sides: list[Classes], evaluation: Evaluation) -> Confused:
        """Which classes are taken for which others."""
        return confused_in(evaluation.overlap, sides, self.plan.threshold, strict=self.plan.strict) if sides else {}

    def _of_class(self, name: str, evaluation: Evaluation, loaded: Loaded, classes: list[Classes]) -> Evaluation:
        overlap = evaluation.overlap
        members = [np.array([k for k, v in side.items() if v == name], np.uint64) for side in classes]
        if not self.plan.wants_bands and self.plan.settings.reading != "released":
            keep = [np.isin(ids, m) for ids, m in zip((overlap.truth_ids, overlap.pred_ids), members, strict=True)]
            return evaluate_tables(overlap.restricted(keep[0], keep[1]), self.plan)
        truth, pred = (_only(side, ids) for side, ids in zip((loaded.truth, loaded.pred), members, strict=True))
        return self._evaluated(replace(loaded, truth=truth, pred=pred))


def _only(side: Any, ids: NDArray[np.uint64]) -> Any:
    """The objects with these ids."""
    if isinstance(side, Masks):
        return side.select(np.isin(side.numbers, ids.astype(np.int64)))
    return np.where(np.isin(side, ids.astype(side.dtype)), side, 0)


def _blamed(error: Exception, pair: Pair) -> ReadError:
    """The error with the name of the file; those of counting begin with the side that is to blame."""
    kind = TruthError if str(error).startswith("truth must") else ReadError
    if not isinstance(error, NotLabels):
        return kind(str(error))
    image = pair.truth if error.side == "truth" else pair.pred or pair.truth
    return kind(f"{image.shown} {error.found} {AS_IT_IS}")


def _in_pieces(labels: NDArray[Any], *, check: bool) -> NDArray[np.uint64]:
    """Label connected components; those of intensities are pixels."""
    pieces = split_components(labels)
    count, covered = int(pieces.max(initial=0)), np.count_nonzero(pieces)
    if check and count >= 1000 and covered < 3 * count and 2 * covered > pieces.size:
        raise ReadError(f"looks like intensities: its {count} pieces have {covered / count:.1f} pixels on average")
    return pieces
