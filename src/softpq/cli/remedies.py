"""What to run instead, where most images fail for one reason that an option mends."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from softpq.cli.running import called_with_more

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from softpq.dataset.image_result import Failure


def remedies(failures: Sequence[Failure], scored: int) -> list[str]:
    """Commands, the likeliest first; none unless at least half of the images failed so."""
    found: dict[tuple[str, ...], int] = {}
    for failure in failures:
        for options in _options(failure.reason):
            found[options] = found.get(options, 0) + 1
    likely = [options for options, count in found.items() if count >= scored]
    return [command for options in likely[:3] if (command := called_with_more(*options))]


def _options(reason: str) -> Iterable[tuple[str, ...]]:
    if "--split-components" in reason:
        yield ("--split-components",)
    if channels := re.search(r"--channel 0 to (\d)", reason):
        for channel in range(int(channels[1]) + 1):
            yield ("--channel", str(channel))
