"""Cellpose's ``_cp_outlines.txt``: a line for each object, x,y,x,y,... of the pixels on its edge."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, Format, Place
from softpq.io.formats.hovernet import Contours

FARTHEST = 1 << 31
"""Pixels from the corner of an image."""


def is_outlines(path: Path) -> bool:
    """Whether a text begins with pixels, x,y,x,y,..., each beside the one before it."""
    with path.open("rb") as file:
        head = file.read(4096)
    line, end, _ = head.strip().partition(b"\n")
    words = line.split(b",") if end or len(head) < 4096 else line.split(b",")[:-1]
    if len(words) < 6 or not all(word.strip().isdigit() and len(word) < 12 for word in words):
        return False
    pixels = np.array([int(word) for word in words[: len(words) // 2 * 2]]).reshape(-1, 2)
    return bool((np.abs(np.diff(pixels, axis=0)) <= 1).all())


def read(place: Place) -> Content:
    """Read the outlines; how large the image is, the other side knows.

    Raises
    ------
    ReadError
        If a line is no list of pixels.
    """
    place.check_size(20 * place.path.stat().st_size)
    lines = place.path.read_text(encoding="utf-8", errors="replace").splitlines()
    rings = [_ring(line, number) for number, line in enumerate(lines, start=1) if line.strip()]
    return Content(Contours([[ring] for ring in rings], place.options.limit))


def _ring(line: str, number: int) -> np.ndarray:
    words = [word.strip() for word in line.split(",")]
    if len(words) % 2 or not all(word.isascii() and word.isdigit() and int(word) < FARTHEST for word in words):
        raise ReadError(f"must hold x,y,x,y,... in every line, in whole pixels; line {number} is something else")
    return np.array([int(word) for word in words], np.float64).reshape(-1, 2)


FORMAT = Format("outlines of Cellpose", (".txt",), read, claims=is_outlines)
