"""Ids of images: whole numbers mostly; texts, which some tools write, stand in columns as numbers of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from threading import Lock
from typing import Any

from softpq.io.format import printable
from softpq.io.json_fields import whole

Id = int | str

FIRST = -(2**62)
"""The number of the first text; no file has such ids."""

_texts: list[str] = []
_numbers: dict[str, int] = {}
_lock = Lock()


def id_in(item: Any, key: str, name: str) -> Id:
    """The id of an image, as an object of JSON has it.

    Raises
    ------
    ReadError
        If it is neither a number nor a name; a number in quotes is a mistake.
    """
    found = item.get(key) if isinstance(item, dict) else None
    if not isinstance(found, str) or re.fullmatch(r"\s*([-+]?\d+)?\s*", found):
        return whole(item, key, name)
    return printable(found)


def number_of_id(one: Id) -> int:
    """The number that stands for an id, in this process.

    Examples
    --------
    >>> number_of_id(7), shown_id(number_of_id("aachen_000000_000019"))
    (7, 'aachen_000000_000019')
    """
    if isinstance(one, int):
        return one
    with _lock:
        if one not in _numbers:
            _numbers[one] = FIRST + len(_texts)
            _texts.append(one)
        return _numbers[one]


def shown_id(number: int) -> Id:
    """The id that a number stands for."""
    return _texts[number - FIRST] if 0 <= number - FIRST < len(_texts) else number


def ids_in_order(numbers: Iterable[int]) -> list[int]:
    """The same in the order of their ids: numbers, then texts; numbers of texts come as they are met."""
    return sorted(numbers, key=lambda number: order_of_id(shown_id(number)))


def order_of_id(one: Id) -> tuple[bool, Any]:
    """By which ids are sorted."""
    return isinstance(one, str), one
