"""The sums behind many scores as columns of bytes: a few hundred bytes per image, where plain JSON takes thousands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.metrics import METRICS
from softpq.table.tables import as_text, from_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softpq.metrics.score import Score

Scores = Mapping[str, "Score"]


def pack_scores(rows: Sequence[Scores]) -> dict[str, Any]:
    """The parts of all scores: one column for each part of each metric, equal columns once."""
    names = [(metric, part) for metric, score in rows[0].items() for part in score.parts] if rows else []
    stored: dict[tuple[str, bytes, bytes], list[list[str]]] = {}
    for metric, part in names:
        stored.setdefault(_stored([row[metric].parts[part] for row in rows]), []).append([metric, part])
    columns = [[keys, kind, len(lengths), len(data)] for (kind, lengths, data), keys in stored.items()]
    data = b"".join(lengths + data for _, lengths, data in stored)
    order = {metric: list(score.parts) for metric, score in rows[0].items()} if rows else {}
    return {"rows": len(rows), "parts": order, "columns": columns, "data": as_text(data)}


def _stored(values: Sequence[Any]) -> tuple[str, bytes, bytes]:
    """The kind of a column, the lengths of its lists if it has some, and its numbers."""
    if not isinstance(values[0], tuple):
        flat = _smallest(values)
        return flat.dtype.str[1:], b"", flat.tobytes()
    lengths, flat = _smallest([len(value) for value in values]), _smallest([n for value in values for n in value])
    return f"{flat.dtype.str[1:]} of lists {lengths.dtype.str[1:]}", lengths.tobytes(), flat.tobytes()


def _smallest(values: Sequence[float]) -> NDArray[Any]:
    """Whole numbers in as few bytes as hold them, others as they are; little-endian."""
    if any(isinstance(value, float) for value in values):
        return np.array(values, "<f8")
    column = np.array(values, np.int64)
    low, high = int(column.min(initial=0)), int(column.max(initial=0))
    kind = "i8" if low < 0 else next(kind for kind in ("u1", "u2", "u4", "i8") if high <= np.iinfo(kind).max)
    return column.astype(f"<{kind}")


def unpack_scores(packed: Mapping[str, Any], options: Mapping[str, Any], rows: int) -> list[dict[str, Score]]:
    """Read what :func:`pack_scores` made of so many rows."""
    if packed["rows"] != rows:
        raise ValueError(f"sums must be of {rows} rows; they are of {packed['rows']}.")
    data, at = from_text(packed["data"], packed["columns"]), 0
    parts: dict[str, dict[str, list[Any]]] = {}
    for keys, kind, before, length in packed["columns"]:
        lengths, at = data[at : at + before], at + before
        values, at = data[at : at + length], at + length
        column = _column(kind, lengths, values)
        for metric, part in keys:
            parts.setdefault(metric, {})[part] = column
    return [
        {
            metric: METRICS[metric].restored({part: parts[metric][part][k] for part in names}, options)
            for metric, names in packed["parts"].items()
        }
        for k in range(rows)
    ]


def _column(kind: str, lengths: bytes, values: bytes) -> list[Any]:
    own, _, of_lengths = kind.partition(" of lists ")
    flat: list[Any] = np.frombuffer(values, f"<{own}").tolist()
    if not of_lengths:
        return flat
    ends = np.cumsum(np.frombuffer(lengths, f"<{of_lengths}").astype(np.int64)).tolist()
    return [tuple(flat[start:end]) for start, end in zip([0, *ends[:-1]], ends, strict=True)]
