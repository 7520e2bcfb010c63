"""The tables of an image, as they are kept beside its scores and written to files and pages: one way for all."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.table.atoms import Atoms
from softpq.table.images import Images
from softpq.table.known import Known
from softpq.table.masks import Masks
from softpq.table.overlap import Overlap
from softpq.table.pieces import pieces_overlap

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


def _atoms(column: str) -> Callable[[Overlap], Any]:
    """How to find a column of the atoms; there are none where objects do not overlap."""
    return lambda table: [] if table.is_plain else getattr(table.atoms, column)


ATOM_COLUMNS: tuple[Column, ...] = (
    ("nAtoms", lambda table: [0 if table.is_plain else len(table.atoms.pixels)], "i4"),
    ("atomPixels", _atoms("pixels"), "i8"),
    ("atomTruths", lambda table: np.diff(_atoms("truth_offsets")(table)), "i4"),
    ("atomPreds", lambda table: np.diff(_atoms("pred_offsets")(table)), "i4"),
    ("atomTruth", _atoms("truth"), "i4"),
    ("atomPred", _atoms("pred"), "i4"),
)
"""Those that are written, too, if objects overlap in some table."""


@dataclass(frozen=True)
class Tables:
    """What the scores of one image were computed from.

    Attributes
    ----------
    objects
        One object per label.
    pieces
        One object per connected piece, as the ``released`` reading looks at them; None where it is the same.
    known
        Classes and scores of the objects, if somebody knows them.

    Examples
    --------
    >>> tables = Tables(Overlap.from_labels([1, 1, 0], [1, 2, 0]))
    >>> Tables.from_json(tables.to_json()) == tables
    True
    """

    objects: Overlap
    pieces: Overlap | None = None
    known: Known | None = None

    @classmethod
    def of(
        cls,
        overlap: Overlap,
        images: Images | None,
        classes: Sequence[Mapping[int, str] | None] = (None, None),
        *,
        strict: bool = False,
    ) -> Tables:
        """Find what can be found where the images are at hand: connected pieces, classes, scores.

        Parameters
        ----------
        overlap
            The table.
        images
            What it was counted from.
        classes
            Label -> class of truth and of pred, where those are not masks that know it.
        strict
            How it was counted.
        """
        if images is None:
            return cls(overlap)
        truth, pred, ignore = images
        known = Known.of(overlap, truth, pred, classes)
        if images.has_masks:
            return cls(overlap, known=known)
        pieces = pieces_overlap(truth, pred, ignore=ignore, strict=strict)
        return cls(overlap, None if pieces.same_but_for_labels(overlap) else pieces, known)

    @property
    def of_released(self) -> Overlap:
        """The table of the ``released`` reading."""
        return self.pieces or self.objects

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON: columns as compressed text."""
        data, columns = packed([self.objects, *([] if self.pieces is None else [self.pieces])])
        found: dict[str, Any] = {"columns": columns, "data": as_text(data)}
        return found if self.known is None else {**found, "known": self.known.to_json()}

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Tables:
        """Read what :meth:`to_json` made."""
        tables = unpacked(from_text(found["data"], found["columns"]), found["columns"])
        known = Known.from_json(found["known"]) if "known" in found else None
        return cls(tables[0], tables[1] if len(tables) > 1 else None, known)


OTHERS = "hasAcross"
"""Column that tells which tables have another one, of all classes together; those come after all tables."""


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
    across = [table.across for table in tables if table.across is not None]
    if across:
        more = (*more, (OTHERS, lambda table: [table.across is not None], "u1"))
        tables = [*tables, *across]
    layered = () if all(table.is_plain for table in tables) else ATOM_COLUMNS
    for name, of, dtype in (*COLUMNS, *layered, *more):
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
    under = _unpacked_atoms(found) if "nAtoms" in found else [None] * len(found["background"])
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
                under[k],
            )
        )
    return _joined(tables, found[OTHERS].tolist()) if OTHERS in found else tables


def _joined(tables: list[Overlap], has_other: list[int]) -> list[Overlap]:
    """Tables with those of all classes together, which come last."""
    count = len(tables) - sum(has_other)
    others = iter(tables[count:])
    return [
        replace(table, across=next(others)) if has else table
        for table, has in zip(tables[:count], has_other[:count], strict=True)
    ]


def _unpacked_atoms(found: Mapping[str, NDArray[Any]]) -> list[Atoms | None]:
    """The atoms of each table; None where objects do not overlap."""
    at_atom, at_truth, at_pred = 0, 0, 0
    atoms: list[Atoms | None] = []
    for count in found["nAtoms"].tolist():
        here = slice(at_atom, at_atom + count)
        truth_ends, pred_ends = (
            np.concatenate([[0], np.cumsum(found[name][here], dtype=np.int64)]) for name in ("atomTruths", "atomPreds")
        )
        truth = found["atomTruth"][at_truth : at_truth + truth_ends[-1]].astype(np.int32)
        pred = found["atomPred"][at_pred : at_pred + pred_ends[-1]].astype(np.int32)
        pixels = found["atomPixels"][here].astype(np.int64)
        atoms.append(Atoms(truth_ends, truth, pred_ends, pred, pixels) if count else None)
        at_atom, at_truth, at_pred = at_atom + count, at_truth + int(truth_ends[-1]), at_pred + int(pred_ends[-1])
    return atoms


MOST_BYTES = 1 << 31
"""Of what is unpacked from text."""


def from_text(text: str, columns: Sequence[Sequence[Any]]) -> bytes:
    """Return the bytes of columns, whose last items are their lengths; no more is unpacked than they say.

    Raises
    ------
    ValueError
        If there are others.
    """
    expected = sum(int(length) for column in columns for length in column[2:])
    if not 0 <= expected <= MOST_BYTES:
        raise ValueError(f"columns must have at most {MOST_BYTES} bytes; they claim {expected}.")
    data = zlib.decompressobj().decompress(base64.b64decode(text), expected + 1)
    if len(data) != expected:
        raise ValueError(f"columns must have as many bytes as they claim, {expected}; they have others.")
    return data


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


def fingerprint_of_side(side: Any) -> str:
    """Return a short text that tells one label image, or masks, from others."""
    if not isinstance(side, Masks):
        return fingerprint(np.asarray(side))
    digest = hashlib.blake2b(repr(side.shape).encode(), digest_size=8)
    for column in (*side.runs(), side.scores, side.classes, side.crowd, side.ids):
        digest.update(b"none" if column is None else np.ascontiguousarray(column).tobytes() + b"|")
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
