"""What is done to every pair of images of a dataset."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import softpq
from softpq.backends import tiles
from softpq.evaluate import Evaluation, evaluate_labels, evaluate_overlap, split_components, wants_bands
from softpq.io import LabelImage, ReadError
from softpq.io.checks import MANY_PIECES, check_instances
from softpq.io.classes import Classes, ClassMaps
from softpq.io.sources import read_pair
from softpq.io.stored import opened
from softpq.labels import band_reach
from softpq.matching import check_threshold
from softpq.metrics import METRICS, OF_BANDS
from softpq.metrics.softpq import Settings, check_choice
from softpq.overlap import Overlap
from softpq.score import Score

if TYPE_CHECKING:
    from numpy.typing import NDArray

ClassScores = Mapping[str, Mapping[str, Score]]
Progress = Callable[[int, int], None]
Count = Callable[[LabelImage, LabelImage, float | None], Overlap]


MOST_PACKED = 20_000
"""No image takes more than so many times the size of its file; small files are not worth opening twice."""


def _may_need(path: Path, nbytes: int) -> bool:
    """Whether a file may hold large images; those that leave out empty parts always may."""
    return path.is_dir() or path.suffix.lower() in (".h5", ".hdf5", ".hdf") or path.stat().st_size > nbytes


@dataclass(frozen=True)
class Job:
    """What to compute for every pair of images."""

    metrics: tuple[str, ...] | None = None
    settings: Settings = field(default_factory=Settings)
    threshold: float = 0.5
    boundary: float | None = None
    split: bool = False
    keep_objects: bool = False
    keep_tables: bool = False
    classes: str | None = None
    memory: int = field(default=10**9, repr=False)  # what does not change a number is not in the fingerprint
    threads: int = field(default=1, repr=False)

    def check(self) -> None:
        """Raise what is wrong for all images before the first is read."""
        for name in self.metrics or ():
            check_choice(name, tuple(METRICS), "metrics")
        check_threshold(self.threshold, "threshold")
        if self.boundary is not None:
            band_reach(self.boundary, None, (1,))
        if self.classes is None:
            return
        if self.split and "," not in self.classes:
            raise ValueError("classes must be images where labels are split, as pieces have new labels; got a list.")
        _ = self.class_maps

    def key(self, *files: Path) -> str:
        """A fingerprint of version, settings and the content of the files, those of the classes included."""
        digest = hashlib.blake2b(repr((softpq.__version__, self, list(METRICS))).encode(), digest_size=20)
        for file in (*files, *self.class_maps.files()) if self.classes else files:
            inside = sorted(path for path in file.rglob("*") if path.is_file()) if file.is_dir() else [file]
            for path in inside:
                digest.update(os.fsencode(path.relative_to(file)))
                with path.open("rb") as content:
                    while part := content.read(1 << 20):
                        digest.update(part)
        return digest.hexdigest()

    @cached_property
    def class_maps(self) -> ClassMaps:
        """Where the classes of labels come from."""
        return ClassMaps(self.classes or "auto")

    def run(
        self, name: str, truth: LabelImage, pred: LabelImage | None, progress: Progress | None = None
    ) -> tuple[Evaluation, ClassScores]:
        """Read one pair and score it, whole and by class; a missing prediction is an empty one.

        What is too large is counted in parts, if nothing needs the whole image; ``progress`` is told of the parts.
        """
        if pred is not None and self.is_large(truth, pred):
            return self.run_in_parts(truth, pred, progress=progress), {}
        labels, found = self.arrays(truth, pred)
        try:
            evaluation = self._evaluated(labels, found)
            if self.classes is None:
                return evaluation, {}
            sides = [self.class_maps.of(name, "truth", truth, labels)]
            sides.append(self.class_maps.of(name, "pred", pred, found) if pred else {})
            return evaluation, self._by_class(evaluation, (labels, found), sides)
        except (ValueError, TypeError) as error:
            raise ReadError(str(error)) from error

    def can_run_in_parts(self, truth: LabelImage, pred: LabelImage | None) -> bool:
        """Whether the files can be read in parts, and nothing that is asked for needs the whole image."""
        parts = pred is not None and truth.stored is not None and pred.stored is not None
        return parts and not self.split and self.classes is None and self.settings.reading != "released"

    def is_large(self, truth: LabelImage, pred: LabelImage) -> bool:
        """Whether the images are better counted in parts."""
        smallest = self.memory // 2 // MOST_PACKED
        if not any(_may_need(image.path, smallest) for image in (truth, pred)) or not self.comes_in_parts(truth, pred):
            return False
        return opened(truth).nbytes + opened(pred).nbytes > self.memory // 2

    def comes_in_parts(self, truth: LabelImage, pred: LabelImage | None) -> bool:
        """Whether these very files, too, can be read in parts."""
        if not self.can_run_in_parts(truth, pred):
            return False
        try:
            return all(opened(image) for image in (truth, pred) if image is not None)
        except (ReadError, OSError):
            return False  # reading it as a whole works, or says why not

    def run_in_parts(
        self, truth: LabelImage, pred: LabelImage, count: Count | None = None, progress: Progress | None = None
    ) -> Evaluation:
        """Count a pair in parts, and score it."""
        count = count or partial(self._count_tiles, progress=progress)
        try:
            overlap = count(truth, pred, None)
            tables = {}
            if wants_bands(self.metrics, self.boundary):
                tables = dict.fromkeys(OF_BANDS, count(truth, pred, 0.02 if self.boundary is None else self.boundary))
        except (ValueError, TypeError) as error:
            raise ReadError(str(error)) from error
        for image, ids in ((truth, overlap.truth_ids), (pred, overlap.pred_ids)):
            if len(ids) == 1 and int(ids[0]) in MANY_PIECES:
                raise ReadError(
                    f"{image.path.name} looks like a binary mask: its only label is {ids[0]}. If that is one object, "
                    "pass more --memory, so that the image is read as a whole"
                )
        return evaluate_overlap(
            overlap, metrics=self.metrics, settings=self.settings, threshold=self.threshold, tables=tables
        )

    def _count_tiles(
        self, truth: LabelImage, pred: LabelImage, boundary: float | None, progress: Progress | None = None
    ) -> Overlap:
        return tiles.overlap(
            opened(truth), opened(pred), memory=self.memory, threads=self.threads, boundary=boundary, progress=progress
        )

    def arrays(self, truth: LabelImage, pred: LabelImage | None) -> tuple[NDArray[Any], NDArray[Any]]:
        """Read the two label images, as they are scored."""
        labels, found = read_pair(truth, pred or truth)
        if pred is None:
            found = np.zeros(labels.shape, np.uint8)
        try:
            return self._prepared(labels, truth), self._prepared(found, pred or truth)
        except (ValueError, TypeError) as error:
            raise ReadError(str(error)) from error

    def _by_class(
        self, evaluation: Evaluation, arrays: tuple[NDArray[Any], NDArray[Any]], classes: list[Classes]
    ) -> ClassScores:
        """Score each class by itself: objects of other classes are not there."""
        names = sorted({name for side in classes for name in side.values()} - {""})
        return {name: self._of_class(name, evaluation, arrays, classes).scores for name in names}

    def _of_class(
        self, name: str, evaluation: Evaluation, arrays: tuple[NDArray[Any], NDArray[Any]], classes: list[Classes]
    ) -> Evaluation:
        overlap = evaluation.overlap
        members = [np.array([k for k, v in side.items() if v == name], np.uint64) for side in classes]
        if not wants_bands(self.metrics, self.boundary) and self.settings.reading != "released":
            keep = [np.isin(ids, m) for ids, m in zip((overlap.truth_ids, overlap.pred_ids), members, strict=True)]
            table = overlap.restricted(keep[0], keep[1])
            return evaluate_overlap(
                table, metrics=list(evaluation.scores), settings=self.settings, threshold=self.threshold
            )
        only = [np.where(np.isin(a, m.astype(a.dtype)), a, 0) for a, m in zip(arrays, members, strict=True)]
        return self._evaluated(only[0], only[1])

    def _prepared(self, labels: NDArray[Any], image: LabelImage) -> NDArray[Any]:
        if self.split:
            return split_components(labels.astype(np.uint8) if labels.dtype == bool else labels)
        try:
            check_instances(labels, split_components)
        except ReadError as error:
            raise ReadError(f"{image.path.name} {error}") from error
        return labels

    def _evaluated(self, truth: NDArray[Any], pred: NDArray[Any]) -> Evaluation:
        return evaluate_labels(
            truth,
            pred,
            metrics=self.metrics,
            settings=self.settings,
            threshold=self.threshold,
            boundary=self.boundary,
            threads=1,
        )
