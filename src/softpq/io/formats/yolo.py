"""YOLO segmentation: one text file an image; lines of a class and corners in fractions of the image, maybe a score."""

from __future__ import annotations

import codecs
import math
import re
from pathlib import Path

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, Format, Place
from softpq.io.formats.beside import size_beside
from softpq.io.outlines import Outline, Outlines

ROUNDED = 1e-3
"""How far a corner may lie outside, as numbers were rounded."""


def is_yolo(path: Path) -> bool:
    """Whether a text file begins with a line of numbers, or has nothing in it: an image without objects.

    Lines of a class alone, which are written for masks without an outline, may come before it.
    """
    numbers = _first_numbers(path)
    return numbers == [] or (len(numbers) == 5 and numbers[0] >= 0 and numbers[0].is_integer())


def is_fractions(path: Path) -> bool:
    """Whether it begins with a class and corners of an outline, without any doubt."""
    numbers = _first_numbers(path, 7)
    return len(numbers) == 7 and is_yolo(path) and all(0 <= number <= 1 for number in numbers[1:])


def has_numbers(path: Path) -> bool:
    """Whether a line has several numbers, or there is nothing at all: outlines are meant, right or wrong."""
    with path.open("rb") as file:
        lines = file.read(4096).split(b"\n")
    return not any(map(bytes.strip, lines)) or any(_count_numbers(line) >= MEANT for line in lines)


MEANT = 4
"""Numbers of a line that is no text."""


def _count_numbers(line: bytes) -> int:
    return sum(re.fullmatch(rb"[-+.\deE]*\d[-+.\deE]*,?", word) is not None for word in line.split())


def _first_numbers(path: Path, count: int = 5) -> list[float]:
    """The first numbers of the first line that has some; not a number, if it begins with something else."""
    with path.open("rb") as file:
        head = file.read(4096).removeprefix(codecs.BOM_UTF8)
    lines = [line.split()[:count] for line in head.split(b"\n") if line.strip()]
    first = next((line for line in lines if len(line) > 2), lines[0] if lines else [])
    try:
        return [float(word) for word in first]
    except ValueError:
        return [math.nan]


def read(place: Place) -> Content:
    """Read the outlines; how large the image is, the other side knows."""
    place.check_size(20 * place.path.stat().st_size)
    try:
        lines = place.path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise ReadError("is not text in UTF-8") from error
    objects = [_object(line, number) for number, line in enumerate(lines, start=1) if line.strip()]
    if len({one.score is None for one in objects}) > 1:
        raise ReadError("must have a score on all of its lines or on none; some have one")
    return Content(Outlines(objects, relative=True, pictured=size_beside(place)), stated=True)


def _object(line: str, number: int) -> Outline:
    name = f"line {number}"
    try:
        kind, *values = (float(word) for word in line.split())
    except ValueError:
        raise ReadError(f"{name} must be numbers: class x y x y ...; it is not") from None
    if not kind.is_integer() or kind < 0:
        raise ReadError(f"{name} must begin with the number of a class; got {kind:g}")
    score = values.pop() if len(values) % 2 else None
    if score is not None and not (math.isfinite(score) and 0 <= score <= 1):
        raise ReadError(f"{name} must have a score from 0 to 1 at its end; got {score:g}")
    if not values:
        return Outline([], str(int(kind)), score)  # a mask without an outline: an object without pixels
    if len(values) == 4:
        raise ReadError(f"{name} has a box and no outline; boxes alone are no masks")
    if len(values) < 6:
        raise ReadError(f"{name} must have at least three corners; got {len(values) // 2}")
    if (wrong := next((value for value in values if not -ROUNDED <= value <= 1 + ROUNDED), None)) is not None:
        raise ReadError(f"{name} must have corners from 0 to 1; got {wrong:g}")
    return Outline([np.array(values).reshape(-1, 2)], str(int(kind)), score)


FORMAT = Format("YOLO", (".txt",), read, claims=is_yolo)
