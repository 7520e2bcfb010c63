"""What is wrong with many files in one way is said once."""

from __future__ import annotations

import re

from softpq.doctor.pixels import Note


def of_several(some: list[tuple[Note, list[str]]]) -> Note:
    """What is said of images whose notes differ in numbers: those of the first, which is named."""
    (what, advice), names = some[0]
    if len({note for (note, _), _ in some}) == 1:
        return what, advice
    return f"{what.rstrip('.')} (in {names[0]}; in the others there are other numbers).", advice


def kind_of(note: Note, names: list[str]) -> str:
    """What is said, but for names and numbers: what is wrong with many files is said once, of the first."""
    return re.sub(r"\d[\d.,]*", "#", "\n".join(note).replace(names[0].rpartition("/")[2], "{}"))
