"""Files that are complete or not there."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

Location = str | Path


class atomic_file:  # used like open()
    """Open a file for writing that appears only when it is complete.

    A link is followed; what is no regular file (a pipe, a device) is written to as it is, and ``-`` is standard output.
    """

    def __init__(self, path: Location) -> None:
        self._standard = str(path) == "-"
        target = Path(path).resolve() if Path(path).is_symlink() else Path(path)
        self._target = target
        self._direct = target.exists() and not target.is_file()
        self._part = target if self._direct else target.with_name(f".{target.name[:200]}.{os.getpid()}.part")

    def __enter__(self) -> Any:
        if self._standard:
            return sys.stdout
        self._file = self._part.open(
            "w", newline="", encoding="utf-8", errors="backslashreplace"
        )  # halves of surrogates
        return self._file

    def __exit__(self, kind: object, *error: object) -> None:
        if self._standard:
            sys.stdout.flush()
            return
        self._file.close()
        if self._direct:
            return
        try:
            if kind is None:
                self._part.replace(self._target)
        finally:
            self._part.unlink(missing_ok=True)


def plain_cell(value: Any) -> Any:
    """Return what can stand in a cell of a table: texts that a spreadsheet would take for a formula are quoted.

    Examples
    --------
    >>> plain_cell("=1+1"), plain_cell("cell 1"), plain_cell(-3)
    ("'=1+1", 'cell 1', -3)
    """
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
