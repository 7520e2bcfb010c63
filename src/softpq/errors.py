"""What can go wrong outside of the program, in words for those who meet it."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class ReadError(Exception):
    """A file that cannot be used; the message is one line and says why."""


class TruthError(ReadError):
    """The truth, or the mask that belongs to it, cannot be used: no model can be scored on this image."""


class Ambiguous(ReadError):
    """A folder of which nobody can say what is meant; ``instead`` are globs that do, the best first."""

    def __init__(self, what: str, place: str, instead: tuple[str, ...]) -> None:
        listed = " or ".join(f'"{one}"' for one in instead[:3])
        super().__init__(f'{what} Pass {listed} instead of "{place}".' if instead else what)
        self.what, self.place, self.instead = what, place, instead


class MissingExtra(ImportError):
    """A library that only some users need is not installed; the message says how to get it."""


def needs(package: str, extra: str, what: str) -> Any:
    """Import what an extra brings, or say how to get it.

    Parameters
    ----------
    package
        The module to import.
    extra
        Of softpq.
    what
        The beginning of a sentence: ``"Reading .zarr"``.
    """
    try:
        return import_module(package)
    except ImportError as error:
        raise MissingExtra(f"{what} needs an extra: pip install 'softpq[{extra}]'.") from error
