"""How commands end: an exit code, and one line where something is wrong."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

P = ParamSpec("P")

FINE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


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
        except KeyboardInterrupt:
            say_error("Interrupted; what was noted with --resume stays.")
            code = INTERRUPTED
        _leave(code)

    return command


def _leave(code: int) -> None:
    """End the process; also while decoders, which cannot be interrupted, are still at work on other threads."""
    sys.stdout.flush()
    sys.stderr.flush()
    if code == INTERRUPTED and threading.active_count() > 1 and sys.stdout is sys.__stdout__:
        os._exit(code)
    sys.exit(code)


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(text)


def say_error(markup: str) -> None:
    """Print a line where errors go."""
    from rich.console import Console

    from softpq.io.format import printable

    Console(stderr=True, emoji=False).print(printable(markup), soft_wrap=True)
