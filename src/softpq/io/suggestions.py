"""Which globs would pair two folders whose names nobody could pair: what stands before and behind the names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from glob import escape
from pathlib import Path, PurePosixPath

from softpq.io.sources import Source

MOST_NAMES, MOST_WORDS, MOST = 200, 3, 3
"""Files that are looked at; words that are taken off; suggestions."""

Pattern = tuple[str, str, str]
"""The folder, and what stands before and behind the name."""


def suggested(truth: Source, pred: Source) -> list[dict[str, str]]:
    """Return globs for places, the best first: those that give most names to both sides, and take off the least.

    Returns
    -------
    places
        For each suggestion, what to pass instead of the folders.
    """
    if not truth.place or not pred.place:
        return []
    sides = [_patterns(source) for source in (truth, pred)]
    found = []
    for first, cores in sides[0].items():
        for second, others in sides[1].items():
            common = cores & others
            whole = [len(names) == min(len(side), MOST_NAMES) for names, side in ((cores, truth), (others, pred))]
            same = _are_the_same(cores, others, whole) and not _differ_in_number(first, second)
            if same and not _same_files(truth, pred):
                found.append((-len(common), len("".join(first + second)), first, second))
    best = sorted(found)
    most = best[0][0] if best else 0
    chosen = [(first, second) for common, _, first, second in best if common == most]
    return [_places((truth, first), (pred, second)) for first, second in _unlike(chosen)]


def _are_the_same(truth: set[str], pred: set[str], whole: list[bool]) -> bool:
    """Whether names are those of the same images: most of both.

    They must be all, where they are numbers alone, which any two series share, or where a glob leaves out files of its
    side, which are of another model or annotator then; it may be one side.
    """
    if not all(whole) or all(core.isdigit() for core in truth):
        return any(whole) and truth == pred
    return 2 * len(truth & pred) >= max(len(truth), len(pred)) and len(truth & pred) >= 2


def _differ_in_number(truth: Pattern, pred: Pattern) -> bool:
    """Whether what is taken off says that these are others: site 1 is not site 2."""
    sides = [[word for word in _words(pattern) if re.search(r"\d", word)] for pattern in (truth, pred)]
    kinds = [{re.sub(r"\d+", "", word): word for word in words} for words in sides]
    return any(kinds[0][kind] != kinds[1][kind] for kind in kinds[0].keys() & kinds[1].keys())


def _words(pattern: Pattern) -> list[str]:
    """What is taken off in front of a name and behind it, without its suffix."""
    folder, before, behind = pattern
    return re.split(
        r"[_\-. /*]+", f"{folder} {before} {re.sub(r'(?:[.][A-Za-z][A-Za-z0-9]{0,6})+$', '', behind)}".lower()
    )


def _same_files(truth: Source, pred: Source) -> bool:
    """Whether one folder lies in the other: what both list would be paired with itself."""
    one, other = (Path(source.place).resolve() for source in (truth, pred))
    return one == other or one in other.parents or other in one.parents


def _unlike(chosen: list[tuple[Pattern, Pattern]]) -> list[tuple[Pattern, Pattern]]:
    """The shortest for each suffix: others take more off than is needed."""
    kept: list[tuple[Pattern, Pattern]] = []
    for one in chosen:
        if not any(all(_within(a, b) for a, b in zip(other, one, strict=True)) for other in kept):
            kept.append(one)
    return kept[:MOST]


def _within(less: Pattern, more: Pattern) -> bool:
    return less[0] == more[0] and more[1].startswith(less[1]) and more[2].endswith(less[2])


def _patterns(source: Source) -> dict[Pattern, set[str]]:
    """Pattern -> the names that it gives; folders are part of names, unless there is only one."""
    paths = [PurePosixPath(source.inside.get(name, name)) for name in list(source)[:MOST_NAMES]]
    folders = {path.parent.as_posix() for path in paths}
    depths = {len(path.parts) for path in paths}
    found: dict[Pattern, set[str]] = {}
    for path in paths if len(folders) == 1 or len(depths) == 1 else []:
        one = len(folders) == 1
        parent = "" if str(path.parent) == "." else f"{path.parent.as_posix()}/"
        folder = escape(parent) if one else "*/" * (len(path.parts) - 1)
        for before, core, behind in _cuts(path.name):
            found.setdefault((folder, before, behind), set()).add(core if one else parent + core)
    return {pattern: cores for pattern, cores in found.items() if len(cores) >= 2}


def _cuts(name: str) -> Iterator[tuple[str, str, str]]:
    """A file name without some words in front and at the end, and those; the suffix is always off."""
    stem, suffix = name, ""
    while (found := re.fullmatch(r"(.+)(\.[A-Za-z][A-Za-z0-9]{0,6})", stem)) and len(suffix) < 16:
        stem, suffix = found[1], found[2] + suffix
    words = re.split(r"(?<=[_\-. ])|(?=[_\-. ])", stem)
    for first in range(min(MOST_WORDS * 2 + 1, len(words)) + 1):
        for last in range(max(first + 1, len(words) - 2 * MOST_WORDS), len(words) + 1):
            core = "".join(words[first:last])
            if core.strip("_-. ") == core and core:
                yield "".join(words[:first]), core, "".join(words[last:]) + suffix


def _places(*sides: tuple[Source, Pattern]) -> dict[str, str]:
    """Place -> glob."""
    return {
        source.place: f"{source.place}/{folder}{escape(before)}*{escape(behind)}"
        for source, (folder, before, behind) in sides
    }
