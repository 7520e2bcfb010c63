"""What to run instead, where most images fail for one reason that an option mends."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from softpq.cli.running import called_with, called_with_more

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from softpq.dataset.image_result import Failure

MOST = 3
"""Commands that are shown."""


def remedies(failures: Sequence[Failure], scored: int, truth: str, models: Mapping[str, str]) -> list[str]:
    """Commands, the likeliest first; none unless at least half of the images failed so."""
    found: dict[str, int] = {}
    for failure in failures:
        place = truth if failure.of_truth else models.get(failure.model, "")
        for command in (*_with_options(failure.reason), *_with_names(failure.reason, place)):
            found[command] = found.get(command, 0) + 1
    return [command for command, count in found.items() if command and count >= scored][:MOST]


def _with_options(reason: str) -> Iterator[str]:
    if "split_components=True" in reason:
        yield called_with_more("--split-components")
    if "looks like class x " in reason:
        yield called_with_more("--no-check")
    if channels := re.search(r"channel=0 to (\d)", reason):
        for channel in range(int(channels[1]) + 1):
            yield called_with_more("--channel", str(channel))


def _with_names(reason: str, place: str) -> Iterator[str]:
    """Of containers with several arrays: which one; what is called raw or images comes last."""
    from softpq.io.formats import suffix_of
    from softpq.io.words import IMAGE, reduced

    found = re.match(r"(\S.*?) (?:holds|is) .*say which as \S+:NAME; there are (.*)", reason)
    if not found or not place:
        return
    names = sorted(found[2].split(", "), key=lambda name: IMAGE in reduced(name.rpartition("/")[2]).kinds)
    where = _glob(Path(place), found[1], suffix_of(Path(found[1])))
    for name in names:
        yield called_with({place: f"{where}:{name}"})


def _glob(place: Path, file: str, suffix: str) -> str:
    """The files of a place that end so."""
    if not place.is_dir() or place.name == file:
        return str(place)
    return f"{place}/{'*' if (place / file).exists() else '**/*'}{suffix}"
