"""What happened to each object, in a word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from softpq import _core
from softpq.settings import Settings
from softpq.table.credits import matched_and_soft

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softpq.table.overlap import Overlap

Side = Literal["truth", "pred"]
SIDES: tuple[Side, Side] = ("truth", "pred")


@dataclass(frozen=True)
class Verdict:
    """A word for what happened to an object, and all that is known of it.

    Attributes
    ----------
    side, name
        The word, and for which side.
    colour, ink
        In pictures and on dark ground, where lines have a dark halo; on white, at least 3:1. Near the palette of Okabe
        and Ito: told apart by colour-blind readers.
    meaning
        The object ...
    rank
        Which error is looked at first; 0 is none, or one that is seen from the other side.
    sign
        One character, so that nothing is told by colour alone.
    """

    side: Side
    name: str
    colour: tuple[int, int, int]
    ink: tuple[int, int, int]
    meaning: str
    rank: int = 0
    sign: str = ""


_GREEN, _YELLOW, _BLUE = (0, 190, 138), (240, 228, 66), (60, 150, 255)
_PINK, _ORANGE, _WHITE = (235, 105, 200), (240, 110, 10), (255, 255, 255)
_LILAC = (190, 160, 255)
_ON_WHITE = {_GREEN: (0, 158, 115), _YELLOW: (176, 144, 0), _BLUE: (0, 100, 210), _PINK: (210, 95, 180),
             _ORANGE: (170, 30, 20), _WHITE: (70, 76, 84), _LILAC: (95, 35, 140)}  # fmt: skip
_SIGNS = {"matched": "✓", "partial": "≈", "split": "÷", "fragment": "÷", "merged": "∪", "merger": "∪", "missed": "∅",
          "ghost": "+", "duplicate": "="}  # fmt: skip


def _verdict(side: Side, name: str, colour: tuple[int, int, int], meaning: str, rank: int = 0) -> Verdict:
    return Verdict(side, name, colour, _ON_WHITE[colour], meaning, rank, _SIGNS[name])


VERDICTS = (
    _verdict("truth", "matched", _GREEN, "is in the one-to-one matching at iou_high"),
    _verdict("truth", "partial", _YELLOW, "has one soft partner: found, but not well enough", 5),
    _verdict("truth", "split", _BLUE, "has several soft partners, or is spread over several objects", 3),
    _verdict("truth", "merged", _PINK, "lies mostly in a prediction that has other objects, too", 2),
    _verdict("truth", "missed", _ORANGE, "was not found", 1),
    _verdict("pred", "matched", _GREEN, "is in the one-to-one matching at iou_high"),
    _verdict("pred", "partial", _YELLOW, "has one soft partner: right place, but not well enough"),
    _verdict("pred", "merger", _PINK, "covers several objects"),
    _verdict("pred", "fragment", _BLUE, "lies mostly in an object that has other predictions, too"),
    _verdict("pred", "ghost", _WHITE, "is where nothing is", 4),
    _verdict(
        "pred", "duplicate", _LILAC, "is a second one of an object that has its match; only where objects overlap", 6
    ),
)
"""All verdicts; those of a side are in the order of the codes that :func:`verdict_codes` gives."""


def verdicts_of(side: Side) -> tuple[str, ...]:
    """Names of the verdicts of one side, by code.

    Examples
    --------
    >>> verdicts_of("pred")
    ('matched', 'partial', 'merger', 'fragment', 'ghost', 'duplicate')
    """
    return tuple(verdict.name for verdict in VERDICTS if verdict.side == side)


COLOURS = {verdict.name: verdict.colour for verdict in VERDICTS}
"""Verdict -> RGB."""


def verdict_counts(overlap: Overlap, settings: Settings | None = None) -> dict[tuple[str, str], int]:
    """Return (side, verdict) -> number of objects, without zeros.

    Examples
    --------
    >>> from softpq import Overlap
    >>> verdict_counts(Overlap.from_labels([1, 1, 2, 2], [1, 1, 1, 1]))
    {('truth', 'matched'): 1, ('truth', 'merged'): 1, ('pred', 'matched'): 1}
    """
    found: dict[tuple[str, str], int] = {}
    for side, codes in zip(SIDES, verdict_codes(overlap, settings or Settings()), strict=True):
        counts = np.bincount(codes).tolist()
        found |= {(side, name): count for name, count in zip(verdicts_of(side), counts, strict=False) if count}
    return found


def verdict_codes(overlap: Overlap, settings: Settings) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Places in the lists of verdicts of the objects of truth and of pred; the rule is in native/verdicts.hpp."""
    matched, soft, _ = matched_and_soft(overlap, settings.iou_low, settings.iou_high)
    return _core.verdicts(*overlap.pairs, matched, soft, _again(overlap, matched, settings.iou_high))


def _again(overlap: Overlap, matched: NDArray[np.bool_], iou_high: float) -> NDArray[np.bool_]:
    """Pairs that would match, with truth objects that are matched with another; on label images they are fragments."""
    if overlap.is_plain:
        return np.zeros(len(matched), bool)
    has_match = np.zeros(overlap.n_truth, bool)
    has_match[overlap.pair_truth[matched]] = True
    found: NDArray[np.bool_] = ~matched & (overlap.pair_iou >= iou_high) & has_match[overlap.pair_truth]
    return found
