"""Run-length tables as Kaggle has them; the header says whether runs go down the columns, or along the rows."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, Format, Place
from softpq.io.formats.drawing import gathered, joined_runs
from softpq.table.masks import Masks

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Runs:
    """The objects of one image as runs, counted from 1."""

    objects: list[str]
    size: tuple[int, int] | None
    by_rows: bool = False
    limit: int = 1 << 34

    def extent(self) -> tuple[int, ...] | None:
        """The size in the table, if it has one."""
        return self.size

    def masks(self, shape: tuple[int, ...]) -> Masks:
        """Draw the runs."""
        if len(shape) != 2 or (self.size is not None and self.size != tuple(shape)):
            raise ReadError(f"is for images of {self.size}; the other side has {tuple(shape)}")
        if 4 * shape[0] * shape[1] > self.limit:
            raise ReadError(f"lies on {shape[0]} x {shape[1]} pixels, which need more memory than allowed")
        size = shape[0] * shape[1]
        if self.by_rows:
            return gathered([_along_rows(_counts(text, size, shape)) for text in self.objects], shape)
        counts = [{"size": list(shape), "counts": _counts(text, size, shape)} for text in self.objects]
        return Masks.from_rle(counts, shape=shape)


def _counts(text: str, size: int, shape: tuple[int, ...]) -> list[int]:
    """Runs of a table as run-lengths: pixels outside and inside, in turn."""
    starts, lengths = _runs(text)
    if (lengths > size - starts).any():  # not starts + lengths, which may run over
        raise ReadError(f"has a run beyond the end of its image of {shape[0]} x {shape[1]} pixels")
    order = np.argsort(starts, kind="stable")
    stops = np.maximum.accumulate((starts + lengths)[order])  # runs of one object may overlap
    firsts = np.maximum(starts[order], np.concatenate([[0], stops[:-1]]))
    edges = np.concatenate([[0], np.column_stack([firsts, np.maximum(stops, firsts)]).ravel(), [size]])
    return [int(length) for length in np.diff(edges)]


def _along_rows(counts: list[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where runs begin and end."""
    edges = np.cumsum(counts, dtype=np.int64)
    starts, stops = edges[: len(edges) // 2 * 2].reshape(-1, 2).T
    return joined_runs(starts[stops > starts], stops[stops > starts])


def _runs(text: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    try:
        numbers = np.array(text.split(), np.int64)
    except (ValueError, OverflowError) as error:
        raise ReadError("has runs that are not numbers") from error
    if len(numbers) % 2 or (len(numbers) and (numbers[::2].min() < 1 or numbers[1::2].min() < 0)):
        raise ReadError("has runs that are not pairs of start and length")
    return numbers[::2] - 1, numbers[1::2]


Table = dict[str, Runs]


@lru_cache(maxsize=4)
def _parsed(path: Path, changed: int, length: int) -> Table:
    """Read the table once for all of its images."""
    objects: dict[str, list[str]] = defaultdict(list)
    sizes: dict[str, tuple[int, int] | None] = {}
    csv.field_size_limit(1 << 30)
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = csv.DictReader(file)
            columns = _columns(list(rows.fieldnames or ()))
            for row in rows:
                name, text = row[columns.name], row[columns.runs] or ""
                sizes[name] = _size(row, columns)
                objects[name] += [text] if text.strip() else []
    except (KeyError, TypeError, ValueError, csv.Error, UnicodeDecodeError) as error:
        raise ReadError(_NO_TABLE) from error
    return {name: Runs(objects[name], size, columns.by_rows) for name, size in sizes.items()}


@dataclass(frozen=True)
class _Columns:
    """What the columns of a table are called, and which way its runs go."""

    name: str
    runs: str
    height: str
    width: str
    by_rows: bool


KNOWN = (
    _Columns("ImageId", "EncodedPixels", "Height", "Width", by_rows=False),  # Data Science Bowl 2018
    _Columns("id", "annotation", "height", "width", by_rows=True),  # Sartorius
    _Columns("id", "predicted", "height", "width", by_rows=True),  # what is submitted there
)
_NO_TABLE = (
    "is not a run-length table: it needs columns ImageId and EncodedPixels (runs down the columns) or id and "
    "annotation or predicted (runs along the rows)"
)


def _columns(names: list[str]) -> _Columns:
    for known in KNOWN:
        if known.name in names and known.runs in names:
            return known
    if "id" in names and {"encoding", "rle", "prediction_string"} & set(names):
        raise ReadError("is a table of masks, not of objects: all objects of an image are in one line")
    raise ReadError(_NO_TABLE)


def _size(row: dict[str, str], columns: _Columns) -> tuple[int, int] | None:
    return (int(row[columns.height]), int(row[columns.width])) if row.get(columns.height) else None


def _table(path: Path) -> Table:
    status = path.stat()
    return _parsed(path, status.st_mtime_ns, status.st_size)


def names(place: Place) -> list[str]:
    """List the images of the table."""
    return list(_table(place.path))


def read(place: Place) -> Content:
    """Return the runs of one image."""
    return Content(replace(list(_table(place.path).values())[place.index], limit=place.options.limit))


FORMAT = Format("run-length table", (".csv",), read, names=names, in_folders=False)
