"""Which files of a folder may hold labels: those of known formats, but what says it is something else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from softpq.errors import ReadError
from softpq.io.format import composed, printable
from softpq.io.formats import FORMATS, format_of, suffix_of_name
from softpq.io.formats.cellpose_outlines import is_outlines
from softpq.io.formats.yolo import has_numbers, is_fractions
from softpq.io.formats.zarr import is_store
from softpq.io.json_keys import is_empty_list
from softpq.io.words import BOTH, IMAGE, OTHER, PRED, TRUTH, kind_of_word, reduced

SHARED = (".json", ".csv", ".xml", ".zip", ".txt", ".gz")
"""Suffixes that many files have: the content is asked."""

IN_FOLDERS = {suffix for known in FORMATS for suffix in known.suffixes} - set(SHARED)
"""Suffixes of label images."""

_ENDINGS = tuple(IN_FOLDERS)

DEEPEST = 12
"""Folders in each other."""

_RUBBISH = ("__MACOSX", "Thumbs.db", "desktop.ini")


@dataclass
class LeftOut:
    """Files of a folder that are not taken: why, and how many; and those that are known, and only called otherwise."""

    reasons: dict[str, list[str]] = field(default_factory=dict)
    doubtful: list[Entry] = field(default_factory=list)

    def add(self, reason: str, name: str) -> None:
        """Note a file."""
        self.reasons.setdefault(reason, []).append(name)

    def __str__(self) -> str:
        said = []
        for reason, names in self.reasons.items():
            said.append(f"{len(names)} {reason} ({printable(names[0])}{', ...' if names[1:] else ''})")
        return ", ".join(said)


@dataclass(frozen=True)
class Entry:
    """A file below a folder: where it is, its path from there, and whether it is known to be a plain file."""

    place: str
    inside: str
    plain: bool = False

    @cached_property
    def path(self) -> Path:
        """Where it is."""
        return Path(self.place)

    @cached_property
    def suffix(self) -> str:
        """As it is known."""
        return suffix_of_name(self.inside.rpartition("/")[2])

    @cached_property
    def stem(self) -> str:
        """The path from the folder, without the suffix; letters with signs are one character, as on no Mac."""
        return composed(printable(self.inside[: -len(self.suffix)] if self.suffix else self.inside))


def label_files(folder: Path) -> tuple[list[Entry], LeftOut]:
    """List what may hold labels below a folder, and what does not.

    Raises
    ------
    ReadError
        If there is nothing.
    """
    left_out = LeftOut()
    entries = list(walked(os.path.abspath(folder)))
    known = [entry for entry in entries if entry.suffix in IN_FOLDERS]
    shared = [entry for entry in entries if entry.suffix in SHARED and (entry.plain or entry.path.is_file())]
    known += [entry for entry in shared if _is_known(entry, tables=False)]
    labels = [entry for entry in known if kind_of(entry.stem) != OTHER and not _is_image(entry)]
    labels = _texts_beside(labels, shared) or labels
    labels += _empty_lists(labels, shared)
    tables = [] if labels else [entry for entry in shared if _is_known(entry, tables=True)]
    labels = labels or tables or known
    if not labels:
        raise ReadError(
            f"{folder} holds no label images; {_there_are(entries)}known are {', '.join(sorted(IN_FOLDERS))}, and "
            f"{', '.join(SHARED[:-1])} with labels or outlines in them"
        )
    taken, those_known = {entry.inside for entry in labels}, {entry.inside for entry in known}
    left_out.doubtful = [entry for entry in known if entry.inside not in taken]
    for entry in entries:
        if entry.inside not in taken:
            reason = "that say they are something else" if entry.inside in those_known else "of other formats"
            left_out.add(reason, entry.inside)
    return sorted(labels, key=lambda entry: entry.inside), left_out


def walked(folder: str, inside: str = "", seen: frozenset[str] = frozenset()) -> Iterator[Entry]:
    """All files below; a Zarr store is a file. Links that lead in circles end."""
    here = os.path.realpath(folder)
    if here in seen or len(seen) > DEEPEST:
        return
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if entry.name.startswith(".") or entry.name in _RUBBISH:
            continue
        name = inside + entry.name
        if not _is_folder(entry) or entry.name.lower().endswith(_ENDINGS) or is_store(Path(entry.path)):
            yield Entry(entry.path, name, plain=entry.is_file(follow_symlinks=False))
        elif not os.path.exists(os.path.join(entry.path, ".zmetadata")):
            yield from walked(entry.path, f"{name}/", seen | {here})


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_known(entry: Entry, *, tables: bool) -> bool:
    """Whether the content is that of a format; tables and texts only where there is nothing else."""
    try:
        found = format_of(entry.path)
    except (ReadError, OSError):
        return False
    return tables != (found.in_folders and found.claims is not None and entry.suffix != ".txt")


def _texts_beside(labels: list[Entry], shared: list[Entry]) -> list[Entry]:
    """Texts that hold outlines (of YOLO, of Cellpose), where all else has no word of its own: raw images.

    Beside some that certainly do, those that are empty, or have numbers, are meant to: images without objects, and
    files that are wrong, which is said when they are read.
    """
    texts = [entry for entry in shared if entry.suffix == ".txt" and _own_name(entry).lower() not in _LISTS]
    if not texts or any(kind_of(entry.stem) for entry in labels):
        return []
    certain = [entry for entry in texts if is_outlines(entry.path) or is_fractions(entry.path)]
    if not certain or 2 * len(certain) < len(labels):
        return []
    folders = {entry.stem.rpartition("/")[0] for entry in certain}
    raw = {entry.stem for entry in labels}
    beside = [entry for entry in texts if entry.stem in raw or entry.stem.rpartition("/")[0] in folders]
    return [entry for entry in texts if entry in certain or (entry in beside and has_numbers(entry.path))]


def _empty_lists(labels: list[Entry], shared: list[Entry]) -> list[Entry]:
    """JSON lists with nothing in them, beside lists of masks: images in which nothing was found."""
    if not any(entry.suffix == ".json" and format_of(entry.path).name == "Segment Anything" for entry in labels):
        return []
    return [entry for entry in shared if entry.suffix == ".json" and entry not in labels and is_empty_list(entry.path)]


_LISTS = ("classes", "labels", "names", "obj", "train", "val", "valid", "test", "readme", "license", "notes", "log")
"""Names of texts that lie beside outlines and are lists, or are read by people."""


def _own_name(entry: Entry) -> str:
    return entry.stem.rpartition("/")[2]


def _is_image(entry: Entry) -> bool:
    """Whether a file lies in a folder of images, or is only called images, raw or data; img0 is no such folder."""
    if kind_of(entry.stem) != IMAGE:
        return False
    *folders, name = entry.stem.split("/")
    own = reduced(name)
    inside = [found for folder in folders if IMAGE in (found := reduced(folder)).kinds]
    return not own.core or (IMAGE not in own.kinds and not all(found.core.isdigit() for found in inside))


def _there_are(entries: list[Entry]) -> str:
    suffixes = sorted({entry.suffix or "no suffix" for entry in entries})
    return f"its files have {', '.join(suffixes[:5])}; " if suffixes else "it is empty; "


@lru_cache(maxsize=1 << 16)
def kind_of(stem: str) -> str:
    """What a path says of its file: of truth, of predictions, of either, an image, something else; or nothing.

    Examples
    --------
    >>> kind_of("01_GT/SEG/man_seg002"), kind_of("images/a_cp_masks"), kind_of("images/a"), kind_of("a_flows")
    ('truth', 'pred', 'image', 'other')
    """
    *folders, name = stem.split("/")
    own = reduced(name)
    if not own.words and not folders:
        return ""
    if own.words and kind_of_word(own.words[0]) == OTHER:
        return OTHER
    for kinds in (own.kinds, *(reduced(folder).kinds for folder in reversed(folders))):
        for kind in (PRED, TRUTH):
            if kind in kinds:
                return kind
    return _weaker(own.kinds, [reduced(folder).kinds for folder in folders])


def _weaker(own: set[str], folders: list[set[str]]) -> str:
    for kind in (BOTH, IMAGE):
        if kind in own:
            return kind
    for kinds in reversed(folders):
        for kind in (OTHER, IMAGE, BOTH):
            if kind in kinds:
                return kind
    return ""
