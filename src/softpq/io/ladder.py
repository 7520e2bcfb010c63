"""Rules that pair names, from the strictest on: the first that uses no name twice and pairs more than all before it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from softpq.io.general import shared_words
from softpq.io.words import LEVELS, TOOLS, numbered, reduced, stamps_of

KEPT, REDUCED, JOINED, DROPPED = "kept", "reduced", "joined", "dropped"
"""What becomes of the folders of a name: compared as they are; without words such as masks; as words of the name, where
one side has no folders; not compared."""

SAME = LEVELS[0]
"""The rule of which nothing needs to be said."""

STAMPS = len(LEVELS) - 1
"""The one that leaves out dates and hashes."""


class Key(NamedTuple):
    """What is compared: the folders, the name, and the part of cells that the file is of."""

    folders: str
    core: str
    compartment: str = ""

    def __str__(self) -> str:
        if not self.folders and not self.compartment:
            return self.core
        return "/".join(part for part in (self.folders, self.core) if part) + (
            f"_{self.compartment}" if self.compartment else ""
        )


@dataclass(frozen=True)
class Rule:
    """How names are turned into what is compared."""

    level: int
    folders: str = KEPT

    @property
    def name(self) -> str:
        """In words."""
        return LEVELS[self.level] + _FOLDERS_SAID[self.folders]


_FOLDERS_SAID = {
    KEPT: "",
    REDUCED: ", folders without such words",
    JOINED: ", folders as part of names",
    DROPPED: ", folders left out",
}
RULES = (
    *(Rule(level, folders) for folders in (KEPT, REDUCED) for level in range(len(LEVELS))),
    Rule(5, JOINED),
    *(Rule(level, DROPPED) for level in range(len(LEVELS))),
)


@dataclass(frozen=True)
class Side:
    """The names of one side, and what is known of all of them."""

    names: tuple[str, ...]
    channel: bool = False
    compartments: bool = False

    @classmethod
    def of(cls, names: Iterable[str]) -> Side:
        """Look at the names of a side."""
        listed = tuple(names)
        channel = any(re.search(r"_0000$", name) for name in listed) and not any(
            re.search(r"_0001(_|$)", name) for name in listed
        )
        return cls(listed, channel, any(compartment_of(name) for name in listed))

    def keys(self, rule: Rule, *, compartments: bool) -> dict[Key, list[str]]:
        """Key -> the names that have it."""
        found: dict[Key, list[str]] = {}
        for name in self.names:
            key = key_of(name, rule, self.channel)
            if not compartments and key.compartment:
                key = Key(key.folders, key.core)
            found.setdefault(key, []).append(name)
        return found


@lru_cache(maxsize=1 << 17)
def key_of(name: str, rule: Rule, channel: bool = False) -> Key:
    """What is compared of a name; a bland one (gt, GroundTruth) gives way to its folder.

    Examples
    --------
    >>> print(key_of("01_GT/SEG/man_seg002", Rule(4, REDUCED)), key_of("Zebrafish_1/GroundTruth", Rule(2, REDUCED)))
    01/002 Zebrafish_1
    """
    folders, _, last = name.rpartition("/")
    if rule.folders == KEPT and (rule.level == 0 or (rule.level == 1 and "." not in last)):
        return Key(folders, last)
    found = reduced(last, rule.level, channel)
    if rule.folders == KEPT:
        return Key(folders, found.core or last, found.compartment if found.core else "")
    parts = [core for part in folders.split("/") if (core := _folder(part))] if folders else []
    core = found.core or (parts.pop() if parts else "" if folders else last)
    if rule.level >= 5:
        parts = [numbered(part) for part in parts]
    compartment = compartment_of(name)
    if rule.folders == JOINED:
        return Key("", re.sub(r"[_\-. ]+", "_", "_".join([*parts, core])), compartment)
    return Key("" if rule.folders == DROPPED else "/".join(parts), core, compartment)


@lru_cache(maxsize=1 << 17)
def compartment_of(name: str) -> str:
    """The part of cells that a file is of: its name says so, or the folder it lies in.

    Examples
    --------
    >>> compartment_of("a_nuclei"), compartment_of("cells/a"), compartment_of("a")
    ('nuclei', 'cells', '')
    """
    folders, _, last = name.rpartition("/")
    return reduced(last).compartment or (reduced(folders.rpartition("/")[2]).compartment if folders else "")


@lru_cache(maxsize=1 << 12)
def _folder(name: str) -> str:
    """A folder without words such as masks; ST is the silver truth of the Cell Tracking Challenge."""
    return re.sub(r"^(\d+)_ST$", r"\1", reduced(name).core)


@dataclass(frozen=True)
class Match:
    """What a rule makes of two sides: name of the truth -> of its partner; and what both are called."""

    rule: str
    partners: dict[str, str]
    called: dict[str, str]
    taken_off: tuple[str, ...] = ()


@dataclass(frozen=True)
class Clash:
    """A rule that could pair more, if it did not use a name several times: on which side, and an example of them."""

    side: str
    called: str
    names: tuple[str, ...]
    pairs: int
    rule: Rule


def climb(truth: Iterable[str], pred: Iterable[str]) -> tuple[Match, Clash | None]:
    """Pair two sides by their names.

    Returns
    -------
    match
        Of the best rule.
    clash
        Of a rule that could pair more, if names were not ambiguous.
    """
    first, second = Side.of(truth), Side.of(pred)
    best, clash = Match(SAME, {}, {name: name for name in first.names}), None
    in_folders = any("/" in name for name in (*first.names, *second.names))
    for rule in RULES if in_folders else RULES[: len(LEVELS)]:
        if len(best.partners) == len(first.names):
            break
        found = _tried(rule, first, second)
        if isinstance(found, Clash):
            clash = found if clash is None or found.pairs > clash.pairs else clash
        elif found is not None and len(found.partners) > len(best.partners):
            best = found
    general = shared_words(first.names, second.names) if not best.partners else None
    best = Match("names without what all of a side share", *general) if general else best
    return best, clash if clash is not None and clash.pairs > len(best.partners) else None


def _tried(rule: Rule, truth: Side, pred: Side) -> Match | Clash | None:
    compare = (rule.level >= 2 or rule.folders != KEPT) and truth.compartments and pred.compartments
    sides = [side.keys(rule, compartments=compare) for side in (truth, pred)]
    if rule.folders in (JOINED, DROPPED) and not _may_drop(truth, pred):
        return None
    common = sides[0].keys() & sides[1].keys()
    for side, keys in zip(("truth", "pred"), sides, strict=True):
        twice = [key for key in keys if len(keys[key]) > 1]
        shared = [key for key in twice if key in common]
        if twice:
            if rule.level == STAMPS:
                return None  # then dates tell images apart
            chosen = shared[0] if shared else twice[0]
            return Clash(side, str(chosen), tuple(keys[chosen]), len(common), rule)
    if rule.folders == DROPPED and _only_numbers(sides) and max(len(_folders(truth)), len(_folders(pred))) > 1:
        return None
    called = {names[0]: str(key) for key, names in sides[0].items()}
    if len(set(called.values())) < len(called):
        called = {name: name for name in called}
    partners = {sides[0][key][0]: sides[1][key][0] for key in sides[0] if key in common}
    if rule.level == STAMPS:
        partners = {one: other for one, other in partners.items() if _may_be_one(one, other)}
    if rule.folders in (REDUCED, JOINED) and (clash := _other_sets(rule, partners, truth, pred)):
        return clash
    return Match(rule.name, partners, called, _taken_off(rule, partners, truth.channel or pred.channel))


def _other_sets(rule: Rule, partners: dict[str, str], truth: Side, pred: Side) -> Clash | None:
    """Whether a side has the same names in folders beside, of another model or annotator: nobody would be told."""
    inside = Rule(rule.level, REDUCED)
    for side, names, paired in (("truth", truth, set(partners)), ("pred", pred, set(partners.values()))):
        cores: dict[Key, list[str]] = {}
        for name in names.names:
            key = key_of(name, Rule(rule.level, DROPPED), names.channel)
            cores.setdefault(Key(key.folders, key.core), []).append(name)
        for key, several in cores.items():
            mine = [name for name in several if name in paired]
            if len(mine) == 1 and len(several) > 1 and not key_of(mine[0], inside, names.channel).folders:
                return Clash(side, str(key), tuple(several), len(partners), rule)
    return None


def _may_be_one(truth: str, pred: str) -> bool:
    """Whether dates and hashes are those of one side only, or the same: those of two days are two images."""
    stamps = [stamps_of(name.rpartition("/")[2]) for name in (truth, pred)]
    return not all(stamps) or stamps[0] == stamps[1]


def _folders(side: Side) -> set[str]:
    """The folders of a side, without words such as masks."""
    return {key_of(name, Rule(4, REDUCED)).folders for name in side.names}


def _may_drop(truth: Side, pred: Side) -> bool:
    """Folders may be left out where one side has none of its own: plates and splits must stay apart."""
    return not (_folders(truth) - {""} and _folders(pred) - {""})


def _only_numbers(sides: list[dict[Key, list[str]]]) -> bool:
    """A number alone is a name in one folder only."""
    return all(re.fullmatch(r"\d*", key.core) for keys in sides for key in keys)


def _taken_off(rule: Rule, partners: dict[str, str], channel: bool) -> tuple[str, ...]:
    """Words that were taken off of paired names."""
    if rule.level < 2:
        return ()
    found: dict[str, None] = {}
    for pair in list(partners.items())[:100]:
        for name in pair:
            found |= dict.fromkeys(reduced(name.rpartition("/")[2], rule.level, channel).words)
    return tuple(found)


def how_said(match: Match) -> str:
    """The rule, in words; nothing if names are the same."""
    if match.rule == SAME:
        return ""
    tool = next((TOOLS[word] for word in match.taken_off if word in TOOLS), "")
    words = f" ({', '.join(match.taken_off[:6])})" if match.taken_off else ""
    return f"as {tool}: {match.rule}{words}" if tool else f"by {match.rule}{words}"
