"""Numbers of JSON objects; errors name the object and what it has instead."""

from __future__ import annotations

import math
from typing import Any

from softpq.errors import ReadError
from softpq.io.format import printable


def whole(item: Any, key: str, name: str, least: int | None = None, most: int | None = None) -> int:
    """Return a whole number of a JSON object.

    Raises
    ------
    ReadError
        If it is missing, or something else.
    """
    if not isinstance(item, dict):
        raise ReadError(f"{name} must be an object with {key}; got {type(item).__name__}")
    value = item.get(key)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not -(2**63) <= value < 2**63:
        raise ReadError(f"{name} must have a whole number as {key}; got {printable(repr(value)[:40])}")
    if least is not None and value < least:
        raise ReadError(f"{name} must have {_article(key)} {key} of at least {least}; got {value}")
    if most is not None and value > most:
        raise ReadError(f"{name} must have {_article(key)} {key} of at most {most:,}; got {value}")
    return value


def _article(key: str) -> str:
    return "an" if key[:1] in "aeiou" else "a"


def number_of(item: dict[str, Any], key: str, name: str) -> float:
    """Return a finite number of a JSON object.

    Raises
    ------
    ReadError
        If it is missing, or something else.
    """
    value = item.get(key)
    too_large = isinstance(value, int) and abs(value) > 2**1000
    if not isinstance(value, int | float) or isinstance(value, bool) or too_large or not math.isfinite(value):
        raise ReadError(f"{name} must have a number as {key}; got {printable(repr(value)[:40])}")
    return float(value)
