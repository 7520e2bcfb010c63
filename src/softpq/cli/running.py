"""How commands end: an exit code, and one line where something is wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

P = ParamSpec("P")

FINE, FAILED, USAGE = 0, 1, 2


class UsageError(Exception):
    """The call makes no sense; the message says why."""


def ends_with_code(run: Callable[P, int]) -> Callable[P, None]:
    """Let a function that returns an exit code end the process; expected errors are one line and code 2."""

    @wraps(run)
    def command(*args: P.args, **options: P.kwargs) -> None:
        from softpq.errors import ReadError

        try:
            code = run(*args, **options)
        except (UsageError, ReadError, ValueError, OSError, ImportError) as error:
            say_error(f"[red]Error:[/] {_escaped(str(error))}")
            code = USAGE
        sys.exit(code)

    return command


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def say_error(markup: str) -> None:
    """Print a line where errors go."""
    from rich.console import Console

    Console(stderr=True, emoji=False).print(markup, soft_wrap=True)
