"""Names that no list foresaw: what all names of a side share says nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from softpq.io.words import BOTH, PRED, TRUTH, kind_of_word

Names = tuple[str, ...]


def shared_words(truth: Names, pred: Names) -> tuple[dict[str, str], dict[str, str], Names] | None:
    """Words that all names of a side share in front or at the end are not part of the name.

    Only where one side has no words of its own but such as masks or pred: plateA_01 is not plateB_01.

    Returns
    -------
    partners, called, taken_off
        Name of the truth -> of its partner, and what both are called; the words.
    """
    if min(len(truth), len(pred)) < 2:
        return None
    cut = [_common(side) for side in (truth, pred)]
    words = [tuple(word for end in ends for word in _words(end)) for ends in cut]
    own = [[word for word in words[k] if word not in words[1 - k]] for k in (0, 1)]
    telling = [[word for word in side if kind_of_word(word.lower()) not in (TRUTH, PRED, BOTH)] for side in own]
    if all(telling) or not any(own):
        return None
    cores = [{_inner(name, ends): name for name in side} for side, ends in zip((truth, pred), cut, strict=True)]
    if len(cores[0]) < len(truth) or len(cores[1]) < len(pred) or not cores[0].keys() & cores[1].keys():
        return None
    partners = {name: cores[1][core] for core, name in cores[0].items() if core in cores[1]}
    taken_off = tuple(dict.fromkeys(word for side in own for word in side))
    return partners, {name: core for core, name in cores[0].items()}, taken_off


def _inner(name: str, ends: tuple[str, str]) -> str:
    return name[len(ends[0]) : len(name) - len(ends[1])].strip("_-. ")


def _words(text: str) -> Iterator[str]:
    return (word for word in re.split(r"[_\-. /]+|(?<=[a-zA-Z])(?=\d)", text) if word)


def _common(names: tuple[str, ...]) -> tuple[str, str]:
    """What all names have in front and at the end, cut at words; numbers stay."""
    front = _shared([re.split(r"(?<=[_\-. /])|\0", re.sub(r"(?<=[a-zA-Z])(?=\d)", "\0", name)) for name in names])
    rest = [name[len(front) :] for name in names]
    end = _shared([list(reversed(re.split(r"(?=[_\-. /])", name))) for name in rest], backwards=True)
    return front, end


def _shared(pieces: list[list[str]], backwards: bool = False) -> str:
    found: list[str] = []
    for same in zip(*(one[:-1] for one in pieces), strict=False):
        if len(set(same)) > 1 or re.fullmatch(r"[_\-. /]*\d+[_\-. /]*", same[0]):
            break
        found.append(same[0])
    return "".join(reversed(found) if backwards else found)
