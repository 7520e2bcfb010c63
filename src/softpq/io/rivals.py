"""Files of one folder that are of one image: raw images beside their labels, copies of the truth, several formats."""

from __future__ import annotations

import re
from collections import Counter
from glob import escape
from pathlib import Path

from softpq.errors import Ambiguous
from softpq.io.formats import suffix_of
from softpq.io.image import LabelImage
from softpq.io.ladder import REDUCED, Clash, Key, Rule, key_of
from softpq.io.listing import Entry, LeftOut, kind_of
from softpq.io.sources import SURE, Source
from softpq.io.words import BOTH, IMAGE, OF_ANY_PRED, OF_OBJECTS, PRED, TRUTH, reduced

_ORDER = {"truth": (TRUTH, BOTH, "", PRED, IMAGE), "pred": (PRED, BOTH, "", TRUTH, IMAGE)}
"""What is taken for a side if there are several; the rest is raw, or of the other side."""

_ANY = Rule(4, REDUCED)


def with_namesakes(truth: Source, pred: Source) -> tuple[Source, Source]:
    """Take back what is called something else (markers, colour, slide): a word may be a part of a name.

    It is where the other side has it, too, and there is no other file of that image.
    """
    back = [_namesakes(*sides) for sides in ((truth, pred), (pred, truth))]
    return _taken_back(truth, back[0]), _taken_back(pred, back[1])


def _namesakes(own: Source, other: Source) -> list[Entry]:
    if not own.left_out.doubtful or not other.place:
        return []
    names = [*other, *(entry.stem for entry in other.left_out.doubtful)]
    called = {name[:end] for name in names for end in _ends(name)}
    siblings = Counter(key_of(name, _ANY) for name in (*own, *(entry.stem for entry in own.left_out.doubtful)))
    doubtful = [entry for entry in own.left_out.doubtful if entry.stem in called]
    return [entry for entry in doubtful if siblings[key_of(entry.stem, _ANY)] == 1 and entry.stem not in own]


def _ends(name: str) -> list[int]:
    """Where a name may end without words that follow."""
    first = name.rfind("/") + 1
    return [len(name), *(first + found.start() for found in re.finditer(r"[_\-. ]", name[first:]))]


def _taken_back(source: Source, entries: list[Entry]) -> Source:
    if not entries:
        return source
    again = {entry.inside for entry in entries}
    left_out = LeftOut(
        {why: [one for one in names if one not in again] for why, names in source.left_out.reasons.items()}
    )
    left_out.reasons = {why: names for why, names in left_out.reasons.items() if names}
    images = {**source, **{entry.stem: LabelImage(entry.stem, entry.place) for entry in entries}}
    inside = {**source.inside, **{entry.stem: entry.inside for entry in entries}}
    return Source(dict(sorted(images.items())), source.place, inside, left_out)


def without_rivals(source: Source, side: str) -> Source:
    """Leave out what is not of this side, where another file of the same image is."""
    if not source.place:
        return source
    groups: dict[Key, list[str]] = {}
    for name in source:
        groups.setdefault(key_of(name, _ANY), []).append(name)
    left: dict[str, str] = {}
    for group in groups.values():
        if len(group) > 1:
            left |= _losers(group, side)
    left |= _raw_images(groups, left) | _raw_movies(source)
    if not left:
        return source
    kept = Source({name: image for name, image in source.items() if name not in left}, source.place, source.inside)
    kept.left_out.reasons |= {reason: list(names) for reason, names in source.left_out.reasons.items()}
    for name, reason in left.items():
        kept.left_out.add(reason, source.inside[name])
    return kept


_BESIDE = "beside label images of theirs"


def _losers(group: list[str], side: str) -> dict[str, str]:
    """Those that give way, and why; nobody, if that cannot be said."""
    ranks = {name: _ORDER[side].index(kind_of(name)) if kind_of(name) in _ORDER[side] else 9 for name in group}
    best = [name for name in group if ranks[name] == min(ranks.values())]
    best = [name for name in best if _says_objects(name)] or best
    if any(_is_other_set(name, best[0]) for name in group if name not in best):
        return {}
    return {name: _BESIDE if kind_of(name) in ("", IMAGE) else "of the other side" if len(best) == 1 else _BESIDE
            for name in group if name not in best}  # fmt: skip


def _is_other_set(name: str, best: str) -> bool:
    """Whether a file lies in a folder beside that of the best, and may be of another model."""
    folder, other = (one.rpartition("/")[0] for one in (name, best))
    beside = folder and other and not f"{folder}/".startswith(f"{other}/") and not f"{other}/".startswith(f"{folder}/")
    unsaid = kind_of(name) in ("", BOTH) and kind_of(best) in ("", BOTH, PRED) and not _says_objects(best)
    copied = kind_of(name) == BOTH and _says(best, OF_ANY_PRED)  # masks beside predictions: a copied data set
    return bool(beside) and unsaid and not copied


def _says_objects(name: str) -> bool:
    """Whether a file or a folder of it is called instances and the like."""
    return _says(name, OF_OBJECTS)


def _says(name: str, words: tuple[str, ...]) -> bool:
    return any(word in words for part in name.split("/") for word in reduced(part).words)


def _raw_images(groups: dict[Key, list[str]], left: dict[str, str]) -> dict[str, str]:
    """If most files of a kind lie beside labels, they all are raw images: what is missing, is."""
    found: dict[str, str] = {}
    for kind in ("", IMAGE):
        own = [name for group in groups.values() for name in group if kind_of(name) == kind]
        raw = [name for name in own if left.get(name) == _BESIDE]
        found |= dict.fromkeys(own, _BESIDE) if own and 2 * len(raw) >= len(own) else {}
    return found


def _raw_movies(source: Source) -> dict[str, str]:
    """Frames in a folder 01 beside 01_GT or 01_RES, as the Cell Tracking Challenge has them."""
    above = {"/".join(parts[:k]) for name in source if (parts := name.split("/")) for k in range(1, len(parts))}
    raw = {folder for folder in above if any(f"{folder}{end}" in above for end in ("_GT", "_ST", "_RES"))}
    return dict.fromkeys((name for name in source if name.rpartition("/")[0] in raw), _BESIDE)


def one_format(source: Source) -> Source:
    """Where an image lies in several formats in folders of their own, take the first of those that are sure."""
    groups: dict[Key, list[str]] = {}
    for name in source:
        groups.setdefault(key_of(name, _ANY), []).append(name)
    left: list[str] = []
    for group in groups.values():
        suffixes = {name: suffix_of(Path(source.inside.get(name, ""))) for name in group}
        if len(group) > 1 and len(set(suffixes.values())) == len(group) and set(suffixes.values()) & set(SURE):
            order = sorted(group, key=lambda name: SURE.index(suffixes[name]) if suffixes[name] in SURE else len(SURE))
            left += order[1:]
    if not left:
        return source
    kept = Source({name: image for name, image in source.items() if name not in left}, source.place, source.inside)
    kept.left_out.reasons |= source.left_out.reasons
    for name in left:
        kept.left_out.add("of the same name in another format", source.inside[name])
    return kept


def ambiguous(clash: Clash, source: Source) -> Ambiguous:
    """The error that says what could be meant, and how to say so."""
    shown = [source.inside.get(name, name) for name in clash.names]
    listed = ", ".join(shown[:4]) + (", ..." if shown[4:] else "")
    where = source.place or f"the {clash.side}"
    what = f"{where} must hold one file for each image; {len(shown)} of them would be {clash.called!r}: {listed}."
    patterns = [pattern for name in clash.names if (pattern := _pattern(name, source))]
    fitting = {p: sum(_pattern(name, source) == p for name in source) for p in dict.fromkeys(patterns)}
    ordered = sorted(fitting, key=lambda pattern: -fitting[pattern])
    return Ambiguous(what, tuple({source.place: f"{source.place}/{pattern}"} for pattern in ordered))


def _pattern(name: str, source: Source) -> str:
    """The path of a file with a star for what it is called."""
    path = Path(source.inside.get(name, ""))
    core = reduced(path.name.removesuffix(suffix_of(path))).core
    if not core or core not in path.name:
        return ""
    before, _, after = path.name.partition(core)
    parents = "" if str(path.parent) == "." else f"{escape(path.parent.as_posix())}/"
    return f"{parents}{escape(before)}*{escape(after)}"
