"""What the page carries: a head of plain JSON, and columns of numbers as compressed text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

import softpq
from softpq._checks import how_many
from softpq.dataset.policy import LEFT_OUT
from softpq.dataset.results import Results
from softpq.metrics import METRICS
from softpq.report.facts import facts_of
from softpq.report.methods import BIBTEX, methods_sentence
from softpq.report.tables import as_latex, as_markdown, grid_of
from softpq.table.known import Known
from softpq.table.overlap import Overlap
from softpq.table.tables import Tables, as_text, fingerprint_of_all, packed

if TYPE_CHECKING:
    from softpq.report.pictures import Pictures


class Payload:
    """Results as the page wants them: ``head`` is JSON, ``blobs`` are texts by name."""

    def __init__(
        self,
        results: Results,
        pictures: Pictures,
        command: str = "",
        warnings: tuple[str, ...] = (),
        author: str = "",
        note: str = "",
        metrics: Sequence[str] | None = None,
    ) -> None:
        self.results = results
        self.metrics = metrics or [name for name in results.metrics if METRICS[name].usual] or results.metrics[:10]
        self.author = author
        self.note = note
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
        metrics = [name for name in self.metrics if name in results.metrics]
        place = {name: k for k, name in enumerate(self.names)}
        return {
            "version": softpq.__version__,
            "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            "command": self.command,
            "author": self.author,
            "note": self.note,
            "settings": settings_to_json(results),
            "threshold": results.plan.threshold,
            "strict": results.plan.strict,
            "level": results.headline.level,
            "seed": results.headline.seed,
            "groups": [results.groups.get(name) for name in self.names],
            "facts": facts_of(overlap=self.overlap, by_class=self.by_class),
            "overlap": self.overlap,
            "classNames": self.class_names,
            "refused": self._refused(),
            "names": self.names,
            "models": [self._model(model, place) for model in self.models],
            "metrics": metrics,
            "lowerIsBetter": sorted(name for name in results.metrics if METRICS[name].less_is_better),
            "summary": {model: self._summary(model, metrics) for model in self.models},
            "ranking": self._ranking(),
            "tables": self._tables(metrics),
            "alerts": self._alerts(),
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
        blob, columns = self._columns([table.objects.whole for table in tables])
        pieces_blob, pieces_columns = self._columns([tables[k].of_released for k in others])
        return {
            "name": model,
            "images": [place[image.name] for image in images],
            "blob": blob,
            "columns": columns,
            "byClass": [k for k, table in enumerate(tables) if table.objects.across is not None],
            **self._known(tables),
            "piecesOf": others,
            "piecesBlob": pieces_blob,
            "piecesColumns": pieces_columns,
            "values": {name: [_rounded(image.scores[name].value) for image in images] for name in self.results.metrics},
        }

    def _known(self, tables: Sequence[Tables]) -> dict[str, Any]:
        """Classes and scores of the objects, where some are known: class 0 is none."""
        if all(table.known is None for table in tables):
            return {}
        code = {name: k for k, name in enumerate(["", *self.class_names])}
        columns: dict[str, list[float]] = {"truthClass": [], "predClass": [], "predScore": []}
        for table in tables:
            known, overlap = table.known or Known(), table.objects
            columns["truthClass"] += [code.get(name, 0) for name in known.truth_classes or [""] * overlap.n_truth]
            columns["predClass"] += [code.get(name, 0) for name in known.pred_classes or [""] * overlap.n_pred]
            columns["predScore"] += known.scores or [math.nan] * overlap.n_pred
        kinds = {"truthClass": "u2", "predClass": "u2", "predScore": "f8"}
        data = [(name, kind, np.array(columns[name], f"<{kind}").tobytes()) for name, kind in kinds.items()]
        blob = self.add_blob(as_text(b"".join(part for _, _, part in data)))
        return {"knownBlob": blob, "knownColumns": [(name, kind, len(part)) for name, kind, part in data]}

    @property
    def by_class(self) -> bool:
        """Whether objects of different classes make no pairs in some image."""
        return any(i.tables and i.tables.objects.across is not None for i in self.results.images)

    @cached_property
    def class_names(self) -> list[str]:
        """All classes that objects have; a single one is no news."""
        known = [image.tables.known for image in self.results.images if image.tables and image.tables.known]
        sides = [side for one in known for side in (one.truth_classes, one.pred_classes) if side is not None]
        names = sorted({name for side in sides for name in side} - {""})
        return names if len(names) > 1 else []

    def _columns(self, tables: Sequence[Overlap]) -> tuple[str, list[tuple[str, str, int]]]:
        """Put the columns of all tables, one after the other, into a blob; say where each is."""
        data, columns = packed(tables)
        return self.add_blob(as_text(data)), columns

    def add_blob(self, text: str) -> str:
        """Keep a text and return its name."""
        name = f"blob-{len(self.blobs)}"
        self.blobs[name] = text
        return name

    def _summary(self, model: str, metrics: Sequence[str]) -> dict[str, dict[str, list[float | None]]]:
        found: dict[str, dict[str, list[float | None]]] = {}
        for metric in metrics:
            found[metric] = {}
            for over in ("pooled", "mean"):
                interval = self.results.interval(metric, model, over=over)
                found[metric][over] = [_rounded(v) for v in (interval.value, interval.low, interval.high)]
            common = self.results.on_common()
            found[metric]["common"] = [_rounded(common.pooled(model)[metric])] if common.images else [None]
        return found

    def _tables(self, metrics: Sequence[str]) -> dict[str, str]:
        """The table for a paper, as the command line writes it."""
        if not self.results.on_common().images:
            return {}
        grid = grid_of(self.results, metrics)
        return {"Markdown": as_markdown(grid), "LaTeX": as_latex(grid)}

    def _ranking(self) -> list[int]:
        """Positions of the models, the best one first, on the images that all have."""
        order = self.results.ranking("softpq") if "softpq" in self.results.metrics else []
        return sorted(range(len(self.models)), key=lambda k: order.index(self.models[k]) if order else k)

    @cached_property
    def overlap(self) -> bool:
        """Whether objects overlap in some image."""
        tables = [image.table() for image in self.results.images]
        return any(table is not None and not table.is_partition for table in tables)

    def _refused(self) -> list[str]:
        """Metrics that were wanted and need one object per pixel."""
        wanted = [metric for metric in self.results.plan.wanted if metric.needs_partition]
        return [metric.name for metric in wanted if metric.name not in self.results.metrics]

    def _alerts(self) -> list[str]:
        """What must be known before anything is read."""
        counts = {model: len(self.results.of(model)) for model in self.models}
        if len({frozenset(image.name for image in self.results.of(model)) for model in self.models}) > 1:
            listed = ", ".join(f"{model} {count}" for model, count in counts.items())
            common = len(self.results.on_common().images) // len(self.models)
            return [
                f"The models were not scored on the same images ({listed}): their scores are not comparable. Ranks, "
                f"differences and the best are of the {common} images that all have."
            ]
        lost = [note.partition(f" {LEFT_OUT}")[0] for note in self.results.notes if LEFT_OUT in note]
        if lost:
            shown = ", ".join(lost[:5]) + (", ..." if lost[5:] else "")
            total = len(lost) + len({image.name for image in self.results.images})
            were = "was" if len(lost) == 1 else "were"
            return [f"{len(lost)} of {total} images {were} left out for all models: {shown}."]
        return []

    def _warnings(self) -> list[str]:
        found = []
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
                entry = [name, how_many(len(texts), "image"), fingerprint_of_all(texts)]
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
        found["truth"] = self._labels(found["truth"])
        found["preds"] = {model: self._labels(labels) for model, labels in found["preds"].items()}
        return found

    def _labels(self, labels: tuple[str, str]) -> dict[str, str]:
        return {"dtype": labels[0], "blob": self.add_blob(labels[1])}


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


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 7)
