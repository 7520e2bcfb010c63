"""The command line, called from tests."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from click.testing import CliRunner

from softpq.cli import main

_SEPARATELY = {"mix_stderr": False} if "mix_stderr" in inspect.signature(CliRunner).parameters else {}
"""Older versions of click put what is an error among the rest unless told otherwise."""


@dataclass
class Called:
    """How a command ended, and what it said; ``output`` is all of it."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def output(self) -> str:
        return self.stdout + self.stderr


def call(*arguments: object) -> Called:
    """Run softpq with these arguments."""
    result = CliRunner(**_SEPARATELY).invoke(main, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return Called(result.exit_code, result.stdout, result.stderr)
