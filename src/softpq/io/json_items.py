"""JSON files piece by piece: the items of their lists, one after the other, without holding the whole file."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from softpq.errors import ReadError

_CHUNK = 1 << 20
_SPACE = re.compile(r"[ \t\n\r]*")
_SIGNS = frozenset('{}[],:"')


Watcher = Callable[[str, int, int], None]
"""Is told the name of a file, how many of its bytes are read, and how many there are."""

_watchers: list[Watcher] = []


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """Tell somebody how far reading is, as long as this lasts."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)


class Start:
    """Stands before the items of a list, so that empty ones are seen."""


START = Start()


def items_of(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield what a JSON file holds: (key, START) and (key, item) for lists, (key, value) for all else.

    The key is empty where the whole file is a list.

    Raises
    ------
    ReadError
        If it is no JSON, is cut off, or is too deep.
    """
    with path.open("rb") as file:
        yield from _Reader(file, path.name, path.stat().st_size).walk()


class _Reader:
    """A window on the text of a file that moves on as its pieces are taken."""

    def __init__(self, file: Any, name: str, size: int) -> None:
        self.file, self.name, self.size = file, name, size
        self.decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self.scan = json.JSONDecoder().raw_decode
        self.text = ""
        self.at = 0
        self.done = False

    def walk(self) -> Iterator[tuple[str, Any]]:
        opening = self.sign()
        if opening == "[":
            yield from self.listed("")
        elif opening == "{":
            yield from self.mapped()
        else:
            raise ReadError("is not JSON: it begins with neither { nor [")
        if self.peek():
            raise ReadError("is not JSON: something follows its end")

    def mapped(self) -> Iterator[tuple[str, Any]]:
        if self.peek() == "}":
            self.at += 1
            return
        while True:
            key = self.value()
            if not isinstance(key, str) or self.sign() != ":":
                raise ReadError("is not JSON: a key is expected")
            if self.peek() == "[":
                self.at += 1
                yield from self.listed(key)
            else:
                yield key, self.value()
            if self.follows("}"):
                return

    def listed(self, key: str) -> Iterator[tuple[str, Any]]:
        yield key, START
        if self.peek() == "]":
            self.at += 1
            return
        while True:
            yield key, self.value()
            if self.text.startswith(",", self.at):  # as nearly always
                self.at += 1
            elif self.follows("]"):
                return

    def follows(self, closing: str) -> bool:
        """Whether the end of a list is reached; otherwise a comma is."""
        sign = self.sign()
        if sign not in (",", closing):
            raise ReadError(
                "is not JSON: it is cut off" if not sign else f"is not JSON: {sign!r} stands between values"
            )
        return sign == closing

    def sign(self) -> str:
        found = self.peek()
        self.at += len(found)
        return found

    def peek(self) -> str:
        """Return the next character that is no space; nothing at the end."""
        while True:
            self.at += self.text.startswith(" ", self.at)  # as most write them
            if (sign := self.text[self.at : self.at + 1]) in _SIGNS:
                return sign
            found = _SPACE.match(self.text, self.at)
            self.at = found.end() if found else self.at
            if self.at < len(self.text):
                return self.text[self.at]
            if not self.more():
                return ""

    def more(self, size: int = _CHUNK) -> bool:
        """Read on; what was taken is let go."""
        if self.done:
            return False
        raw = self.file.read(size)
        self.done = not raw
        for watcher in _watchers:
            watcher(self.name, self.file.tell(), self.size)
        try:
            self.text = self.text[self.at :] + self.decode(raw, self.done)
        except UnicodeDecodeError:
            raise ReadError("is not JSON: it is no text in UTF-8") from None
        self.at = 0
        return True

    def value(self) -> Any:
        self.peek()
        while True:
            try:
                found, end = self.scan(self.text, self.at)
            except RecursionError:
                raise ReadError("is too deep: lists in lists without end") from None
            except ValueError as error:
                wrong = error
            else:
                if end < len(self.text) or self.done:  # a number may go on
                    self.at = end
                    return found
                wrong = ValueError("cut off")
            if not self.more(max(_CHUNK, len(self.text) - self.at)):
                if not _is_cut(wrong, self.text):
                    raise ReadError(f"is not JSON: {str(wrong).partition(': line')[0][:80]}") from None
                raise ReadError("is not JSON: it is cut off")


def _is_cut(wrong: ValueError, text: str) -> bool:
    """Whether a value is wrong as the text ends in it."""
    if not isinstance(wrong, json.JSONDecodeError):
        return str(wrong) == "cut off"
    ends = wrong.pos >= len(text) - 1 and text[wrong.pos : wrong.pos + 1] not in ("]", "}")
    return ends or wrong.msg.startswith("Unterminated string")
