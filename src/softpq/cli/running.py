"""How commands end: an exit code, and one line where something is wrong."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import ParamSpec

import click

P = ParamSpec("P")

FINE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


class RememberingCommand(click.Command):
    """A command that knows what it was called with, to say what to call instead."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Remember, then parse."""
        ctx.meta["softpq.called"] = [ctx.info_name or "", *args]
        return super().parse_args(ctx, args)


def called_with(instead: Mapping[str, str]) -> str:
    """The command that is running, with other places; empty if those given are not known."""
    context = click.get_current_context(silent=True)
    called = [] if context is None else list(context.meta.get("softpq.called", []))
    for place, other in instead.items():
        found = [(k, text, name) for k, text in enumerate(called) for name in (text, text.partition("=")[2])
                 if name and Path(name) == Path(place)]  # fmt: skip
        if not found:
            return ""
        k, text, name = found[0]
        called[k] = text.removesuffix(name) + other
    return shlex.join(["softpq", *called]) if called else ""


def called_with_more(*options: str) -> str:
    """The command that is running, with further options; empty if that is not known, or has them."""
    context = click.get_current_context(silent=True)
    called = [] if context is None else list(context.meta.get("softpq.called", []))
    return shlex.join(["softpq", *called, *options]) if called and options[0] not in called else ""


def called_with_option(option: str) -> bool:
    """Whether the command that is running was given an option."""
    context = click.get_current_context(silent=True)
    called = [] if context is None else context.meta.get("softpq.called", [])
    return any(text == option or text.startswith(f"{option}=") for text in called)


class UsageError(Exception):
    """The call makes no sense; the message says why."""


def ends_with_code(run: Callable[P, int]) -> Callable[P, None]:
    """Let a function that returns an exit code end the process; expected errors are one line and code 2."""

    @wraps(run)
    def command(*args: P.args, **options: P.kwargs) -> None:
        from softpq.errors import ReadError

        try:
            _import_numbers()
            code = run(*args, **options)
        except (UsageError, ReadError, ValueError, OSError, ImportError) as error:
            first, *others = _spoken(error)
            say_error(f"[red]Error:[/] {_escaped(first)}")
            for other in others:
                say_error(_escaped(other))
            code = USAGE
        except KeyboardInterrupt:
            say_error(f"Interrupted{'; what was noted stays' if called_with_option('--resume') else ''}.")
            code = INTERRUPTED
        _leave(code)

    return command


def _import_numbers() -> None:
    """Import what all commands need; an interrupt ends the process at once, as half an import cannot be mended."""
    if threading.current_thread() is not threading.main_thread() or "numpy" in sys.modules:
        return
    before = signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    try:
        import numpy  # noqa: F401
    finally:
        signal.signal(signal.SIGINT, before)


def _spoken(error: Exception) -> list[str]:
    """An error in the language of the command line; each command that could be run in its place has a line."""
    from softpq.cli.language import in_options
    from softpq.errors import Ambiguous

    if isinstance(error, Ambiguous):
        commands = [command for one in error.instead[:3] if (command := called_with(one))]
        if commands:
            return [f"{error.what} Run: {commands[0]}", *(f"or: {command}" for command in commands[1:])]
    return [in_options(str(error))]


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


def said_none(problems: Sequence[str]) -> bool:
    """Say all of them; whether there are none."""
    for problem in problems:
        say_error(_escaped(problem))
    return not problems


@contextmanager
def problems_with_notes() -> Iterator[list[str]]:
    """What went wrong with notes on the way; it is said at the end."""
    from softpq.errors import NotesWarning

    found: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", NotesWarning)
        yield found
    for warning in caught:
        if issubclass(warning.category, NotesWarning):
            found.append(str(warning.message))
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


@contextmanager
def whoever_reads() -> Iterator[None]:
    """Print to somebody who may leave, such as head: what is to be written is written all the same."""
    try:
        yield
    except (BrokenPipeError, SystemExit):  # rich makes the second of the first
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  # until the process ends
