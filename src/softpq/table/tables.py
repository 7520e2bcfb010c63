"""The tables of an image, as they are kept beside its scores and written to files and pages: one way for all."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.table.overlap import Overlap

if TYPE_CHECKING:
    from numpy.typing import NDArray

Column = tuple[str, Callable[[Overlap], Any], str]

COLUMNS: tuple[Column, ...] = (
    ("nTruth", lambda table: [table.n_truth], "i4"),
    ("nPred", lambda table: [table.n_pred], "i4"),
    ("nPairs", lambda table: [len(table.pair_pixels)], "i4"),
    ("background", lambda table: [table.background], "i8"),
    ("truthAreas", lambda table: table.truth_areas, "i8"),
    ("predAreas", lambda table: table.pred_areas, "i8"),
    ("pairTruth", lambda table: table.pair_truth, "i4"),
    ("pairPred", lambda table: table.pair_pred, "i4"),
    ("pairPixels", lambda table: table.pair_pixels, "i8"),
    ("truthIds", lambda table: table.truth_ids, "u8"),
    ("predIds", lambda table: table.pred_ids, "u8"),
)
"""Name, how to find it, and type of each column that is written."""


@dataclass(frozen=True)
class Tables:
    """What the scores of one image were computed from.

    Attributes
    ----------
    objects
        One object per label.
    pieces
        One object per connected piece, as the ``released`` reading looks at them; None where it is the same.

    Examples
    --------
    >>> tables = Tables(Overlap.from_labels([1, 1, 0], [1, 2, 0]))
    >>> Tables.from_json(tables.to_json()) == tables
    True
    """

    objects: Overlap
    pieces: Overlap | None = None

    @property
    def of_released(self) -> Overlap:
        """The table of the ``released`` reading."""
        return self.pieces or self.objects

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON: columns as compressed text."""
        data, columns = packed([self.objects, *([] if self.pieces is None else [self.pieces])])
        return {"columns": columns, "data": as_text(data)}

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Tables:
        """Read what :meth:`to_json` made."""
        tables = unpacked(zlib.decompress(base64.b64decode(found["data"])), found["columns"])
        return cls(tables[0], tables[1] if len(tables) > 1 else None)


def packed(tables: Sequence[Overlap], more: Sequence[Column] = ()) -> tuple[bytes, list[tuple[str, str, int]]]:
    """Return the columns of all tables, one after the other, and name, type and length in bytes of each column.

    Parameters
    ----------
    tables
        One or several.
    more
        Columns beyond those of COLUMNS.
    """
    found = []
    for name, of, dtype in (*COLUMNS, *more):
        parts = [np.asarray(of(table)) for table in tables]
        kind, data = _stored(np.concatenate(parts).astype(dtype) if parts else np.zeros(0, dtype))
        found.append((name, kind, data))
    return b"".join(data for _, _, data in found), [(name, kind, len(data)) for name, kind, data in found]


def _stored(column: NDArray[Any]) -> tuple[str, bytes]:
    """The kind and the bytes of a column, little-endian; counts in as few bytes as hold them."""
    if column.dtype == np.int64:
        column = column.astype("<u4" if int(column.max(initial=0)) < 2**32 else "<f8")
    return f"{column.dtype.kind}{column.dtype.itemsize}", column.astype(column.dtype.newbyteorder("<")).tobytes()


def unpacked(data: bytes, columns: Sequence[Sequence[Any]]) -> list[Overlap]:
    """Read what :func:`packed` made."""
    found, at = {}, 0
    for name, kind, length in columns:
        found[name] = np.frombuffer(data[at : at + length], f"<{kind}")
        at += length
    ends = {side: np.cumsum(found[side], dtype=np.int64) for side in ("nTruth", "nPred", "nPairs")}
    tables = []
    for k, background in enumerate(found["background"].tolist()):
        truth, pred, pairs = (slice(int(end[k - 1]) if k else 0, int(end[k])) for end in ends.values())
        tables.append(
            Overlap(
                found["truthIds"][truth].astype(np.uint64),
                found["truthAreas"][truth].astype(np.int64),
                found["predIds"][pred].astype(np.uint64),
                found["predAreas"][pred].astype(np.int64),
                found["pairTruth"][pairs].astype(np.int64),
                found["pairPred"][pairs].astype(np.int64),
                found["pairPixels"][pairs].astype(np.int64),
                int(background),
            )
        )
    return tables


def as_text(data: bytes) -> str:
    """Return bytes, compressed, as text."""
    return base64.b64encode(zlib.compress(data, 6)).decode()


def fingerprint(labels: NDArray[Any]) -> str:
    """Return a short text that tells one label image from another: shape and labels, whatever their type.

    Examples
    --------
    >>> fingerprint(np.array([1, 2], np.uint8)) == fingerprint(np.array([1, 2], np.int64))
    True
    """
    digest = hashlib.blake2b(repr(labels.shape).encode(), digest_size=8)
    small = labels.size == 0 or (labels.max() < 2**32 and labels.min() >= 0)
    digest.update(np.ascontiguousarray(labels.astype("<u4" if small else "<u8", copy=False)).data)
    return digest.hexdigest()


def fingerprint_of_objects(ids: NDArray[np.uint64], areas: NDArray[np.int64], pixels: int) -> str:
    """Return a short text that tells the objects of an image from others: labels, areas, size of the image.

    Examples
    --------
    >>> one, other = (Overlap.from_labels([1, 1, 2], pred) for pred in ([1, 0, 0], [3, 3, 3]))
    >>> prints = {fingerprint_of_objects(table.truth_ids, table.truth_areas, table.pixels) for table in (one, other)}
    >>> len(prints)
    1
    """
    digest = hashlib.blake2b(repr(pixels).encode(), digest_size=8)
    digest.update(np.ascontiguousarray(ids).data)
    digest.update(np.ascontiguousarray(areas).data)
    return digest.hexdigest()


def fingerprint_of_all(parts: list[str]) -> str:
    """Return one text for several fingerprints."""
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()
