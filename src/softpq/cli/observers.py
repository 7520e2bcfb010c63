"""What looks at images while they are scored, for the report."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softpq.cli.running import UsageError

if TYPE_CHECKING:
    from softpq.dataset.results import Results

LOOKED_AT = 50
"""Pairs that the doctor looks at for a report."""


class Observers:
    """What looks at images while they are scored, so that a report need not read them again."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.options = options
        self.all: tuple[Any, ...] = ()
        if options["html_path"] is not None:
            from softpq.doctor import Examiner
            from softpq.report.pictures import Kept
            from softpq.report.room import Room

            self.examiner, self.kept = Examiner(LOOKED_AT), Kept(options["max_images"])
            self.note = _note(options["note"])
            Room.of(options["max_size"], "--max-size")  # said before the work, not after it
            self.all = (self.examiner.observe, self.kept.observe)

    def write_report(self, results: Results, truth: str, models: Mapping[str, str], shown: Sequence[str]) -> None:
        """Write the page, with what the doctor finds in the first images."""
        from softpq.doctor import named_the_other_way
        from softpq.report import write_report

        swapped = [
            f"{model}: {found}" for model, place in models.items() for found in named_the_other_way(truth, place)
        ]
        write_report(
            results,
            self.options["html_path"],
            title=self.options["title"] or "/".join(Path(truth).parts[-2:]) or Path.cwd().name,
            author=self.options["author"],
            note=self.note,
            images=self.options["images"],
            max_images=self.options["max_images"],
            command=shlex.join(["softpq", *map(_told, sys.argv[1:])]),
            warnings=[*swapped, *self._warnings(results)],
            kept=self.kept,
            metrics=shown,
            max_size=self.options["max_size"],
            channels=self.options["channels"],
        )

    def _warnings(self, results: Results) -> list[str]:
        """What seems wrong with images that were scored, and of how many pairs that is known."""
        found = [str(one) for one in self.examiner.findings({image.name for image in results.images})]
        pairs = len(results.images)
        if found and pairs > LOOKED_AT:
            found.append(f"{LOOKED_AT} of {pairs:,} pairs were looked at for warnings; softpq doctor looks at more.")
        return found


def _told(argument: str) -> str:
    """A part of the command for others to read: where a folder lies in whose home is left out."""
    name, sign, place = argument.rpartition("=")
    path = Path(place)
    if not path.is_absolute():
        return argument
    here = Path.cwd()
    near = path.relative_to(here).as_posix() if path.is_relative_to(here) else "/".join(("…", *path.parts[-2:]))
    return f"{name}{sign}{near}"


def _note(path: Path | None) -> str:
    """The text of a file, which is read before anything is scored."""
    if path is None:
        return ""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise UsageError(f"--note must be a text file; {path} cannot be read: {reason}.") from None
