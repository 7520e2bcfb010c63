"""What can go wrong outside of the program, in words for those who meet it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any


class ReadError(Exception):
    """A file that cannot be used; the message is one line and says why.

    Examples
    --------
    >>> import softpq
    >>> try:
    ...     softpq.io.read_labels("nowhere.tif")
    ... except softpq.ReadError as error:
    ...     print(error)
    nowhere.tif does not exist
    """


class TruthError(ReadError):
    """The truth, or the mask that belongs to it, cannot be used: no model can be scored on this image."""


class NotesWarning(UserWarning):
    """The file of notes could not be written to; what is computed is complete."""


class Ambiguous(ReadError):
    """Folders of which nobody can say what is meant; ``instead`` are places that do, by those given, the best first."""

    def __init__(self, what: str, instead: tuple[Mapping[str, str], ...], advice: str = "") -> None:
        listed = " or ".join(" and ".join(f'"{one}"' for one in places.values()) for places in instead[:3])
        given = " and ".join(f'"{place}"' for place in (instead[0] if instead else ()))
        super().__init__(f"{what} Pass {listed} instead of {given}." if instead else f"{what} {advice}".strip())
        self.what, self.instead, self.advice = what, instead, advice


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
