"""XML of strangers: without definitions of its own, which may unpack to anything, or name other files."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from softpq.errors import ReadError
from softpq.io.format import Place


def tree_of(place: Place, what: str) -> ElementTree.Element:
    """The root of a file.

    Raises
    ------
    ReadError
        If it is no XML, or defines entities.
    """
    place.check_size(20 * place.path.stat().st_size)
    try:
        text = place.path.read_bytes().decode("utf-8-sig")
        if "<!" in text.replace("<!--", "").replace("<![CDATA[", ""):
            raise ReadError(f"is not safe to read as {what}: it has definitions of its own")
        return ElementTree.fromstring(text)
    except (ElementTree.ParseError, UnicodeDecodeError, ValueError) as error:
        raise ReadError(f"cannot be read as {what}: it is no XML") from error


def begins_with(path: Path, *words: str) -> bool:
    """Whether the beginning of a file has all these words."""
    with path.open("rb") as file:
        head = file.read(1 << 14).decode("utf-8", "replace")
    return all(word in head for word in words)
