"""Look before scoring: what is often wrong with two folders of label images, in plain sentences."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.evaluate import split_components
from softpq.io import LabelImage, ReadError
from softpq.io.checks import is_foreground_mask
from softpq.io.sources import open_source, pair_up, read_pair
from softpq.io.spacing import stated_spacing
from softpq.io.stored import opened
from softpq.labels import as_labels
from softpq.metrics import METRICS
from softpq.overlap import Overlap
from softpq.tables import fingerprint

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from softpq.files import Location

FEW_PIXELS = 10
"""Objects of fewer pixels are likely specks."""


@dataclass(frozen=True)
class Finding:
    """Something to look at: about which images, what it is, and what to do."""

    images: tuple[str, ...]
    what: str
    advice: str

    def __str__(self) -> str:
        shown = ", ".join(self.images[:3]) + (f" and {len(self.images) - 3} more" if len(self.images) > 3 else "")
        return f"{shown}: {self.what} {self.advice}" if self.images else f"{self.what} {self.advice}"


def examine(truth: Location, pred: Location, *, limit: int = 200) -> list[Finding]:
    """Look at two folders and say what seems wrong.

    Parameters
    ----------
    truth, pred
        Folders, globs or files, as for :func:`softpq.evaluate_folders`.
    limit
        Look at so many pairs at most.
    """
    pairing = pair_up(open_source(truth), open_source(pred))
    findings = [*_named_the_other_way(str(truth), str(pred)), *_partners(pairing.missing, pairing.unused)]
    notes: dict[tuple[str, str], list[str]] = defaultdict(list)
    hashes: dict[str, list[str]] = defaultdict(list)
    for name, truth_image, pred_image in pairing.pairs[:limit]:
        if pred_image is None:
            continue
        for finding in _look_at(name, truth_image, pred_image, hashes):
            notes[finding].append(name)
    findings += [Finding(tuple(names), what, advice) for (what, advice), names in notes.items()]
    findings += _duplicates(hashes)
    if len(pairing.pairs) > limit:
        findings.append(Finding((), f"Only the first {limit} of {len(pairing.pairs)} pairs were looked at.", ""))
    return findings


def _named_the_other_way(truth: str, pred: str) -> Iterator[Finding]:
    """Names of truth on the second place and of a prediction on the first."""
    of_truth, of_pred = (
        re.compile(r"(^|[^a-z])(gt|truth|reference|ground)", re.I),
        re.compile(r"pred|model|output", re.I),
    )
    first, second = (re.split(r"[*?]", text)[0] or text for text in (truth, pred))
    if of_pred.search(first) and of_truth.search(second) and not of_truth.search(first) and not of_pred.search(second):
        yield Finding((), f"{truth} is given as truth and {pred} as prediction.", "Are the two arguments swapped?")


def _partners(missing: list[str], unused: list[str]) -> Iterator[Finding]:
    if missing:
        yield Finding(tuple(missing), "no prediction was found.", "Rename them, or score with --missing empty or skip.")
    if unused:
        yield Finding(tuple(unused), "these predictions have no truth image.", "Do the folders belong together?")


TOO_LARGE = 1 << 30
"""Bytes of two images beyond which they are not read as a whole."""


def _unread(truth: LabelImage, pred: LabelImage) -> Iterator[tuple[str, str]]:
    """What can be told of stored arrays without reading them."""
    for side, image in (("truth", truth), ("pred", pred)):
        missing, chunks, value = opened(image).missing_chunks() if image.stored else (0, 0, 0)
        if missing:
            yield (
                f"{missing} of {chunks} chunks of {side} are not stored and stand for {value}.",
                "That is right where nothing is; if writing was ended early, write them again.",
            )


def _is_too_large(truth: LabelImage, pred: LabelImage) -> bool:
    if truth.stored is None or pred.stored is None:
        return False
    return opened(truth).nbytes + opened(pred).nbytes > TOO_LARGE


def _look_at(name: str, truth: LabelImage, pred: LabelImage, hashes: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    try:
        yield from _unread(truth, pred)
        if _is_too_large(truth, pred):
            yield "the images are large; their pixels were not looked at.", "Try a part of them."
            yield from _shape(opened(truth), opened(pred))
            return
        sides = read_pair(truth, pred)
        for side, labels in zip(("truth", "pred"), sides, strict=True):
            if is_foreground_mask(labels, split_components):
                yield (
                    f"{side} looks like a binary mask: one label in many pieces.",
                    "Label its connected components, or pass --split-components.",
                )
        t, p = as_labels(sides[0], "truth"), as_labels(sides[1], "pred")
    except (ReadError, OSError, ValueError, TypeError) as error:
        yield f"{str(error).rstrip('.')}.", "Mend or remove this file."
        return
    hashes[fingerprint(t)].append(f"{name} (truth)")
    hashes[fingerprint(p)].append(f"{name} (pred)")
    yield from _shape(t, p)
    yield from _spacing(truth.path, pred.path)
    if t.shape == p.shape and t.size:
        overlap = Overlap.from_labels(np.maximum(t, 0), np.maximum(p, 0))
        for check in CHECKS:
            yield from check(t, p, overlap)


def _duplicates(hashes: dict[str, list[str]]) -> Iterator[Finding]:
    for names in hashes.values():
        images = {name.rsplit(" ", 1)[0] for name in names}
        if len(images) > 1:
            yield Finding(tuple(names), "these images are the same, pixel by pixel.", "Is one of them a copy?")


def _shape(truth: Any, pred: Any) -> Iterator[tuple[str, str]]:
    if truth.shape == pred.shape:
        return
    if sorted(truth.shape) == sorted(pred.shape):
        yield (
            f"the axes are in another order: truth {truth.shape}, pred {pred.shape}.",
            "Transpose one of them before scoring.",
        )
    elif (
        len(truth.shape) == len(pred.shape)
        and len({round(a / b, 2) for a, b in zip(truth.shape, pred.shape, strict=True)}) == 1
    ):
        yield (
            f"the images have another pixel size: truth {truth.shape}, pred {pred.shape}.",
            "Resample the prediction (nearest neighbour) to the truth.",
        )
    else:
        yield f"the shapes differ: truth {truth.shape}, pred {pred.shape}.", "They cannot be compared."


def _spacing(truth: Path, pred: Path) -> Iterator[tuple[str, str]]:
    """Pixel sizes that the files state and that differ."""
    sizes = [stated_spacing(path) for path in (truth, pred)]
    if sizes[0] and sizes[1] and not np.allclose(sizes[0], sizes[1], rtol=1e-3):
        shown = [" x ".join(f"{size:g}" for size in side) for side in sizes if side]
        yield (
            f"the files state different pixel sizes: truth {shown[0]}, pred {shown[1]}.",
            "If that is so, resample one of them; if not, correct the file.",
        )


def _identical(truth: NDArray[Any], pred: NDArray[Any], overlap: Overlap) -> Iterator[tuple[str, str]]:
    if truth.any() and np.array_equal(truth, pred):
        yield "truth and prediction are identical.", "Was the truth given twice?"


def _negative(truth: NDArray[Any], pred: NDArray[Any], overlap: Overlap) -> Iterator[tuple[str, str]]:
    for side, labels in (("truth", truth), ("pred", pred)):
        if labels.dtype.kind == "i" and labels.min() < 0:
            yield f"{side} holds negative labels.", f"Leave those pixels out with ignore=({side} < 0)."


def _pieces(truth: NDArray[Any], pred: NDArray[Any], overlap: Overlap) -> Iterator[tuple[str, str]]:
    for side, labels, count in (("truth", truth, overlap.n_truth), ("pred", pred, overlap.n_pred)):
        pieces = int(split_components(np.maximum(labels, 0)).max(initial=0))
        if count > 1 and pieces > 1.05 * count:
            yield (
                f"{side} has labels that are not connected.",
                "One label is one object; if pieces are meant to be objects, pass --split-components.",
            )


def _specks(truth: NDArray[Any], pred: NDArray[Any], overlap: Overlap) -> Iterator[tuple[str, str]]:
    for side, areas in (("truth", overlap.truth_areas), ("pred", overlap.pred_areas)):
        if (areas < FEW_PIXELS).any():
            yield f"{side} has objects of fewer than {FEW_PIXELS} pixels.", "Each counts as much as a large one."


def _shift(truth: NDArray[Any], pred: NDArray[Any], overlap: Overlap) -> Iterator[tuple[str, str]]:
    """A prediction that fits clearly better when it is moved by one pixel."""
    now = float(METRICS["iou"](overlap))
    if not 0 < now < 1 or min(truth.shape) < 8:
        return
    for axis in range(truth.ndim):
        for step in (-1, 1):
            moved = np.roll(pred, step, axis)
            then = float(METRICS["iou"](Overlap.from_labels(np.maximum(truth, 0), np.maximum(moved, 0))))
            if 1 - then < 0.6 * (1 - now):
                yield (
                    f"the prediction fits better when it is moved by {step} pixel along axis {axis}.",
                    "Look for an offset between the two, such as counting from 0 or 1.",
                )


def _swapped(truth: NDArray[Any], pred: NDArray[Any], overlap: Overlap) -> Iterator[tuple[str, str]]:
    """Nothing to find, but something was found."""
    if overlap.n_truth == 0 and overlap.n_pred > 0 and not truth.any():
        yield "truth is empty and the prediction is not.", "If this is not so, the two arguments may be swapped."


CHECKS = (_identical, _negative, _pieces, _specks, _shift, _swapped)
