"""What the page carries: a head of plain JSON, and columns of numbers as compressed text."""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

import softpq
from softpq.evaluate import evaluate_labels
from softpq.image_result import ImageResult
from softpq.matching import tie_breaks
from softpq.metrics import ERRORS
from softpq.overlap import Overlap
from softpq.report.methods import BIBTEX, methods_sentence
from softpq.results import USUAL, Results
from softpq.runs import with_tables
from softpq.tables import fingerprint_of_all

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softpq.report.pictures import Pictures

Column = tuple[str, "NDArray[Any]"]


class Payload:
    """Results as the page wants them: ``head`` is JSON, ``blobs`` are texts by name."""

    def __init__(self, results: Results, pictures: Pictures, command: str, warnings: tuple[str, ...]) -> None:
        self.results = results
        self.pictures = pictures
        self.command = command
        self.warnings = warnings
        self.blobs: dict[str, str] = {}

    @cached_property
    def names(self) -> list[str]:
        """Names of all images, each once."""
        return list(dict.fromkeys(image.name for image in self.results.images))

    @cached_property
    def models(self) -> list[str]:
        """Models that have at least one image."""
        return [model for model in self.results.models if self.results.of(model)]

    def head(self) -> dict[str, Any]:
        """Return everything but the numbers of objects, and fill ``blobs``."""
        results = self.results
        metrics = [name for name in USUAL if name in results.metrics] or results.metrics[:10]
        place = {name: k for k, name in enumerate(self.names)}
        return {
            "version": softpq.__version__,
            "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            "command": self.command,
            "settings": settings_to_json(results),
            "threshold": results.threshold,
            "names": self.names,
            "models": [self._model(model, place) for model in self.models],
            "metrics": metrics,
            "lowerIsBetter": sorted(set(results.metrics) & ERRORS),
            "summary": {model: self._summary(model, metrics) for model in self.models},
            "comparisons": self._comparisons(),
            "classes": self._classes(metrics),
            "warnings": [*self._warnings(), *self._not_said_twice()],
            "failures": [[f.model, f.name, f.reason] for f in results.failures],
            "notes": list(results.notes),
            "methods": methods_sentence(results),
            "bibtex": BIBTEX,
            "fingerprints": self._fingerprints(),
            "pictures": [self._picture(picture, place) for picture in self.pictures.chosen()],
            "pictureNote": self.pictures.note(),
            "imageFingerprints": self._image_fingerprints(),
        }

    def _model(self, model: str, place: dict[str, int]) -> dict[str, Any]:
        images = self.results.of(model)
        tables = [image.tables for image in images if image.tables is not None]
        others = [k for k, table in enumerate(tables) if table.pieces is not None]
        blob, columns = self._columns([table.objects for table in tables])
        pieces_blob, pieces_columns = self._columns([tables[k].of_released for k in others])
        return {
            "name": model,
            "images": [place[image.name] for image in images],
            "blob": blob,
            "columns": columns,
            "piecesOf": others,
            "piecesBlob": pieces_blob,
            "piecesColumns": pieces_columns,
            "values": {name: [_rounded(image.scores[name].value) for image in images] for name in self.results.metrics},
        }

    def _columns(self, tables: Sequence[Overlap]) -> tuple[str, list[tuple[str, str, int]]]:
        """Put the columns of all tables, one after the other, into a blob; say where each is."""
        columns = columns_of(tables)
        raw = [(name, *as_stored(column)) for name, column in columns]
        blob = self.add_blob(b"".join(data for _, _, data in raw))
        return blob, [(name, kind, len(data)) for name, kind, data in raw]

    def add_blob(self, data: bytes) -> str:
        """Keep bytes as text and return their name."""
        name = f"blob-{len(self.blobs)}"
        self.blobs[name] = base64.b64encode(zlib.compress(data, 6)).decode()
        return name

    def _summary(self, model: str, metrics: Sequence[str]) -> dict[str, dict[str, list[float | None]]]:
        found: dict[str, dict[str, list[float | None]]] = {}
        for metric in metrics:
            found[metric] = {}
            for over in ("pooled", "mean"):
                interval = self.results.interval(metric, model, over=over)
                found[metric][over] = [_rounded(v) for v in (interval.value, interval.low, interval.high)]
        return found

    def _comparisons(self) -> list[dict[str, Any]]:
        if len(self.models) < 2 or "softpq" not in self.results.metrics:
            return []
        first, *rest = self.results.ranking()
        found = []
        for model in rest:
            if len({i.name for i in self.results.of(first)} & {i.name for i in self.results.of(model)}) < 2:
                continue  # one image tells nothing of chance
            gap = self.results.compare(model, first)
            values = (gap.difference.value, gap.difference.low, gap.difference.high, gap.p)
            found.append({"model": model, "first": first, "values": [_rounded(v) for v in values]})
        return found

    def _classes(self, metrics: Sequence[str]) -> dict[str, dict[str, list[float | None]]]:
        tables = {model: self.results.per_class(model) for model in self.models}
        found = {model: dict(table) for model, table in tables.items() if table}
        for model, table in found.items():
            table["mean of classes"] = self.results.class_mean(model)
        return {
            model: {label: [_rounded(row[name]) for name in metrics] for label, row in table.items()}
            for model, table in found.items()
        }

    def _warnings(self) -> list[str]:
        found = []
        counts = {model: len(self.results.of(model)) for model in self.models}
        if len({frozenset(image.name for image in self.results.of(model)) for model in self.models}) > 1:
            listed = ", ".join(f"{model} {count}" for model, count in counts.items())
            found.append(
                f"The models were not scored on the same images ({listed}): their scores are not comparable, and "
                "differences are of the images that both have."
            )
        for model in self.models:
            empty = self.results.undefined(model)
            if empty:
                shown = ", ".join(empty[:5]) + (" ..." if len(empty) > 5 else "")
                are = "image without any object is" if len(empty) == 1 else "images without any object are"
                found.append(f"{model}: {len(empty)} {are} undefined and left out of means: {shown}")
        return found

    def _not_said_twice(self) -> list[str]:
        """Warnings from outside, but for those of files that failed: their reasons are stated anyway."""
        reasons = [failure.reason for failure in self.results.failures]
        return [text for text in self.warnings if not any(reason in text for reason in reasons)]

    def _fingerprints(self) -> list[list[str]]:
        """Of the truth images, and of each model's predictions, together."""
        found = []
        for model in self.models:
            images = sorted(self.results.of(model), key=lambda image: image.name)
            for side, name in ((0, "truth"), (1, model)):
                texts = [f"{image.name} {image.fingerprints[side]}" for image in images if image.fingerprints]
                entry = [name, f"{len(texts)} image{'' if len(texts) == 1 else 's'}", fingerprint_of_all(texts)]
                if entry not in found:
                    found.append(entry)
        return found

    def _image_fingerprints(self) -> list[list[str]]:
        """Name, truth, and each model's prediction."""
        by_name: dict[str, list[str]] = {name: [name] for name in self.names}
        for image in self.results.images:
            if image.fingerprints is not None:
                row = by_name[image.name]
                row += [image.fingerprints[0]] if len(row) == 1 else []
                row.append(f"{image.model}: {image.fingerprints[1]}")
        return [row for row in by_name.values() if len(row) > 1]

    def _picture(self, picture: Any, place: dict[str, int]) -> dict[str, Any]:
        found = dict(picture)
        found["image"] = place[found.pop("name")]
        found["truth"] = self.add_blob(found["truth"])
        found["preds"] = {model: self.add_blob(data) for model, data in found["preds"].items()}
        return found


def with_its_table(image: ImageResult) -> ImageResult:
    """The image with its tables, counted again if they were not kept."""
    if image.tables is not None:
        return image
    if image.arrays is None:
        raise ValueError(
            f"results must carry the table of every image for a report; {image.name} has none. "
            "Evaluate again with keep_tables=True."
        )
    truth, pred = image.arrays()
    return with_tables(image, evaluate_labels(truth, pred, metrics=["pq"]))


def settings_to_json(results: Results) -> dict[str, Any]:
    """The settings of SoftPQ; the page can only compute named penalties."""
    settings = results.settings
    if callable(settings.penalty):
        raise ValueError("penalty must be one of the named ones for a report; got a function.")
    return {
        "low": settings.iou_low,
        "high": settings.iou_high,
        "penalty": settings.penalty,
        "priority": settings.priority,
        "reading": settings.reading,
    }


def columns_of(tables: Sequence[Overlap]) -> list[Column]:
    """The columns of all tables, joined."""

    def joined(name: str, of: Any, dtype: str) -> Column:
        parts = [np.asarray(of(table)) for table in tables]
        return name, np.concatenate(parts).astype(dtype) if parts else np.zeros(0, dtype)

    return [
        joined("nTruth", lambda t: [t.n_truth], "i4"),
        joined("nPred", lambda t: [t.n_pred], "i4"),
        joined("nPairs", lambda t: [len(t.pair_pixels)], "i4"),
        joined("truthAreas", lambda t: t.truth_areas, "i8"),
        joined("predAreas", lambda t: t.pred_areas, "i8"),
        joined("pairTruth", lambda t: t.pair_truth, "i4"),
        joined("pairPred", lambda t: t.pair_pred, "i4"),
        joined("pairPixels", lambda t: t.pair_pixels, "i8"),
        joined("tieBreaks", _needed_tie_breaks, "f8"),
        joined("truthIds", lambda t: t.truth_ids, "u8"),
        joined("predIds", lambda t: t.pred_ids, "u8"),
    ]


def _needed_tie_breaks(table: Overlap) -> NDArray[np.float64]:
    """Zero where neither object has another pair: nothing to decide there, and zeros need no room."""
    alone = (np.bincount(table.pair_truth, minlength=1)[table.pair_truth] == 1) & (
        np.bincount(table.pair_pred, minlength=1)[table.pair_pred] == 1
    )
    return np.where(alone, 0.0, tie_breaks(table))


def as_stored(column: NDArray[Any]) -> tuple[str, bytes]:
    """The kind and the bytes of a column, little-endian; counts in as few bytes as hold them."""
    if column.dtype == np.int64:
        column = column.astype("<u4" if int(column.max(initial=0)) < 2**32 else "<f8")
    return f"{column.dtype.kind}{column.dtype.itemsize}", column.astype(column.dtype.newbyteorder("<")).tobytes()


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 7)
