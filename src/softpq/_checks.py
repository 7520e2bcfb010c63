"""Checks of plain arguments. No heavy imports: the command line uses them, too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any, TypeVar

T = TypeVar("T")


def check_choice(value: object, choices: Iterable[str], name: str, also: str = "") -> None:
    """Raise an error that lists the choices unless the value is one of them.

    Examples
    --------
    >>> check_choice("up", ("left", "right"), "side")
    Traceback (most recent call last):
    ValueError: side must be one of "left", "right"; got 'up'.
    """
    choices = tuple(choices)
    if value not in choices:
        listed = ", ".join(f'"{choice}"' for choice in choices) + (f" {also}" if also else "")
        raise ValueError(f"{name} must be one of {listed}; got {value!r}.")


def made_once(make: Any, options: Mapping[str, Any]) -> Any:
    """Call a function with ``lru_cache``, lists as tuples; with options that cannot be remembered, what it wraps."""
    fixed = {name: tuple(value) if type(value) is list else value for name, value in options.items()}
    try:
        hash(tuple(fixed.values()))
    except TypeError:
        return make.__wrapped__(**options)
    return make(**fixed)


class Unknown(KeyError):
    """A name that is not there; the message says what is."""

    def __str__(self) -> str:
        return str(self.args[0])


def unknown(name: object, known: Iterable[str], what: str) -> Unknown:
    """The error for a name that is not there, with what was probably meant.

    Examples
    --------
    >>> print(unknown("PQ", ("softpq", "pq"), "metric"))
    No metric is called 'PQ'; did you mean 'pq'?
    """
    listed = list(known)
    close = get_close_matches(str(name).lower(), listed, 1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(listed)}."
    return Unknown(f"No {what} is called {name!r}; {hint}")


def looked_up(values: Mapping[str, T], name: str, what: str) -> T:
    """Return a value by its name, or say what was probably meant."""
    if name not in values:
        raise unknown(name, values, what)
    return values[name]


def check_threshold(value: float, name: str) -> float:
    """Return a threshold as a float or raise; 0 to 1, both allowed."""
    if type(value) is not float and not isinstance(value, Real):
        raise TypeError(f"{name} must be a number between 0 and 1; got {value!r}.")
    if not 0 <= value <= 1:  # also false for NaN
        raise ValueError(f"{name} must be between 0 and 1; got {value}.")
    return float(value)


def check_whole(value: int, name: str, least: int = 1) -> int:
    """Return a whole number or raise.

    Examples
    --------
    >>> check_whole(0, "threads")
    Traceback (most recent call last):
    ValueError: threads must be a whole number of at least 1; got 0.
    """
    if not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}; got {value}.")
    return int(value)


def how_many(count: int, noun: str) -> str:
    """A number of things, to be read.

    Examples
    --------
    >>> how_many(1, "image"), how_many(2000, "class")
    ('1 image', '2,000 classes')
    """
    ending = "" if count == 1 else "es" if noun.endswith(("s", "ch")) else "s"
    return f"{count:,} {noun}{ending}"


_UNITS = {
    "": 1, "B": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KB": 10**3, "MB": 10**6, "GB": 10**9,
    "TB": 10**12, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40,
}  # fmt: skip


def shown_size(nbytes: int) -> str:
    """Return bytes to be read.

    Examples
    --------
    >>> shown_size(512), shown_size(60_000), shown_size(1_500_000_000)
    ('512 B', '60 kB', '1.5 GB')
    """
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if nbytes >= unit:
            return f"{nbytes / unit:,.3g} {name}"
    return f"{nbytes} B"


def parse_size(text: str | int, name: str = "memory") -> int:
    """Return bytes.

    Examples
    --------
    >>> parse_size("1GB"), parse_size("512 MiB"), parse_size(1000)
    (1000000000, 536870912, 1000)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", str(text))
    size = int(float(found[1]) * _UNITS.get(found[2].upper(), 0)) if found else 0
    if size < 1:
        raise ValueError(f"{name} must be a size such as 1GB or 500MB; got {text!r}.")
    return size


def parse_axes(text: str) -> str:
    """Return axes that somebody asked for, in capitals.

    Examples
    --------
    >>> parse_axes("tzyx")
    'TZYX'
    """
    axes = text.upper()
    if not re.fullmatch(r"[TCZYX]+", axes) or len(set(axes)) < len(axes) or "YX" not in axes.replace("Z", ""):
        raise ValueError(f"axes must be letters of T, C, Z, Y, X, each once, such as ZYX or TYX; got {text!r}.")
    return axes
