"""Which classes are taken for which others: objects are matched whatever their class, and matches are counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from softpq.io.classes import Classes
from softpq.table.class_pairs import classes_of_matches
from softpq.table.matching import match
from softpq.table.overlap import Overlap

Confused = Mapping[str, Mapping[str, int]]
"""Class of truth -> class of the prediction -> matched objects; an empty name is no class."""


def confused_in(overlap: Overlap, classes: Sequence[Classes], threshold: float, *, strict: bool) -> Confused:
    """Count matches of one image, whatever the classes of the two objects, by these classes.

    Parameters
    ----------
    overlap
        Of both sides.
    classes
        Label -> class, of each.
    threshold, strict
        Of matches.

    Examples
    --------
    >>> overlap = Overlap.from_labels([1, 1, 2], [5, 5, 6])
    >>> confused_in(overlap, ({1: "worm", 2: "egg"}, {5: "worm", 6: "worm"}), 0.5, strict=False)
    {'egg': {'worm': 1}, 'worm': {'worm': 1}}
    """
    return _as_table(Counter(classes_of_matches(match(overlap.whole, threshold, strict=strict), classes)))


def summed(tables: Iterable[Confused]) -> Confused:
    """The sum over images."""
    found: Counter[tuple[str, str]] = Counter()
    for table in tables:
        found.update({(one, other): count for one, row in table.items() for other, count in row.items()})
    return _as_table(found)


def _as_table(found: Mapping[tuple[str, str], int]) -> Confused:
    table: dict[str, dict[str, int]] = {}
    for (one, other), count in sorted(found.items()):
        table.setdefault(one, {})[other] = count
    return table
