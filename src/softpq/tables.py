"""The tables of an image, kept beside its scores so that a report can compute everything anew."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.overlap import Overlap

if TYPE_CHECKING:
    from numpy.typing import NDArray

_COLUMNS = tuple(field.name for field in fields(Overlap) if field.name != "background")


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
        return {"objects": _packed(self.objects), "pieces": None if self.pieces is None else _packed(self.pieces)}

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Tables:
        """Read what :meth:`to_json` made."""
        return cls(_unpacked(found["objects"]), None if found["pieces"] is None else _unpacked(found["pieces"]))


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


def fingerprint_of_all(parts: list[str]) -> str:
    """Return one text for several fingerprints."""
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()


def _packed(overlap: Overlap) -> dict[str, Any]:
    columns = [np.asarray(getattr(overlap, name)) for name in _COLUMNS]
    raw = b"".join(column.astype("<u8").tobytes() for column in columns)
    text = base64.b64encode(zlib.compress(raw, 6)).decode()
    return {"background": overlap.background, "lengths": [len(column) for column in columns], "columns": text}


def _unpacked(found: Mapping[str, Any]) -> Overlap:
    flat = np.frombuffer(zlib.decompress(base64.b64decode(found["columns"])), "<u8")
    pieces = np.split(flat, np.cumsum(found["lengths"])[:-1])
    typed: dict[str, Any] = {
        name: piece.astype(np.uint64 if name.endswith("_ids") else np.int64)
        for name, piece in zip(_COLUMNS, pieces, strict=True)
    }
    return Overlap(**typed, background=int(found["background"]))
