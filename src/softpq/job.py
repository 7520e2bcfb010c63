"""What is done to every pair of images of a dataset."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import softpq
from softpq.evaluate import Evaluation, evaluate_labels, evaluate_overlap, split_components, wants_bands
from softpq.io import LabelImage, ReadError
from softpq.io.checks import check_instances
from softpq.io.classes import Classes, ClassMaps
from softpq.io.sources import read_pair
from softpq.labels import band_reach
from softpq.matching import check_threshold
from softpq.metrics import METRICS
from softpq.metrics.softpq import Settings, check_choice
from softpq.score import Score

if TYPE_CHECKING:
    from numpy.typing import NDArray

ClassScores = Mapping[str, Mapping[str, Score]]


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
                digest.update(path.read_bytes())
        return digest.hexdigest()

    @cached_property
    def class_maps(self) -> ClassMaps:
        """Where the classes of labels come from."""
        return ClassMaps(self.classes or "auto")

    def run(self, name: str, truth: LabelImage, pred: LabelImage | None) -> tuple[Evaluation, ClassScores]:
        """Read one pair and score it, whole and by class; a missing prediction is an empty one."""
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
