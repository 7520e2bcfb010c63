"""Finished images, one JSON line each, so that a run that was ended can go on.

What identifies a result is the content of its files. That is read once: a file that has not been touched since, as its
system says, is not read again.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import softpq
from softpq._files import Location
from softpq.dataset.image_result import Failure, ImageResult
from softpq.dataset.noted import image_from_json, image_to_json, is_usable
from softpq.dataset.scoring import Scorer, Task
from softpq.errors import ReadError
from softpq.io.format import check_regular
from softpq.io.formats.beside import picture_of
from softpq.io.image import Image, LabelImage
from softpq.table.tables import fingerprint_of_side


class Log:
    """Notes results under what identifies them: version, plan, content of the files, names.

    Parameters
    ----------
    path
        The file; None notes nothing.
    scorer
        What is done to every pair.
    """

    def __init__(self, path: Location | None, scorer: Scorer) -> None:
        self._path, self._scorer = None if path is None else Path(path), scorer
        self._keys: dict[tuple[str, str], str] = {}
        self._stamps: dict[tuple[str, str], list[Stamp]] = {}
        self._digests: dict[str, tuple[list[Stamp], str]] = {}
        self._lock = threading.Lock()
        self._file: Any = None
        self.problem = ""
        if self._path is None:
            self._known: dict[str, str] = {}
            return
        plan = scorer.plan
        asked = {**plan.to_dict(), "metrics": [metric.name for metric in plan.wanted], "version": softpq.__version__}
        self._asked = hashlib.blake2b(json.dumps(asked, sort_keys=True).encode(), digest_size=8).hexdigest()
        if self._path.exists() and not self._path.is_file():
            raise ValueError(f"resume must be a file; {self._path} is none.")
        self._known = self._read(_checked(self._path)) if self._path.exists() else {}

    def __enter__(self) -> Log:
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("ab", buffering=0)  # nothing waits to be written
            with self._saying_if_full():
                self._file.write(b"\n")
        return self

    def __exit__(self, *error: object) -> None:
        if self._file is not None:
            with self._saying_if_full():
                self._file.close()

    def _files(self, task: Task) -> list[Path]:
        pair, maps = task.pair, self._scorer.class_maps
        images = [image for image in (pair.truth, pair.pred, pair.ignore) if isinstance(image, LabelImage)]
        pictures = [path for image in images if image.path.suffix in _OUTLINES and (path := picture_of(image.path))]
        return [image.path for image in images] + pictures + ([] if maps is None else maps.files())

    def _key(self, task: Task) -> str | None:
        """What identifies the result; None if the files cannot be looked at."""
        pair = task.pair
        if (task.model, pair.name) not in self._keys:
            try:
                found = [self._looked_at(file) for file in self._files(task)]
                self._stamps[task.model, pair.name] = [stamp for stamps, _ in found for stamp in stamps]
                content = [digest for _, digest in found]
            except (OSError, ReadError):
                return None  # reading it will say why
            places = [_identity(image) for image in (pair.truth, pair.pred, pair.ignore)]
            self._keys[task.model, pair.name] = json.dumps([self._asked, content, task.model, pair.name, places])
        return self._keys[task.model, pair.name]

    def _looked_at(self, file: Path) -> tuple[list[Stamp], str]:
        """When a file was touched last, and a fingerprint of its content, which is read if that is not known."""
        stamps, place = _stamps(file), str(file)
        if place not in self._digests or self._digests[place][0] != stamps:
            self._digests[place] = stamps, _content(file)
            self._write({"file": place, "stamps": stamps, "content": self._digests[place][1]})
        return self._digests[place]

    def _changed(self, task: Task) -> bool:
        """Whether the files were written to since their content was looked at."""
        try:
            now = [stamp for file in self._files(task) for stamp in _stamps(file)]
            return now != self._stamps[task.model, task.pair.name]
        except (OSError, ReadError):
            return True

    def find(self, task: Task) -> ImageResult | None:
        """Return what was noted of this task, if its files are still the same and nothing is missing."""
        if self._path is None or self._scorer.keep_objects:
            return None
        line = self._known.get(self._key(task) or "")
        if line is None:
            return None
        try:
            found = json.loads(line)
            item = found["image"]
            if found["check"] != _check_of(item) or ("tables" not in item and self._scorer.keep_tables):
                return None
            result = image_from_json(item, self._scorer.plan)
            own = (result.model, result.name) == (task.model, task.pair.name)
            return result if own and is_usable(result) else None
        except Exception:  # a line that was damaged
            return None

    def add(self, task: Task, result: ImageResult | Failure) -> None:
        """Note a result; failures are tried again."""
        if self._file is None or isinstance(result, Failure) or result.spread:
            return
        key = self._key(task)
        if key is None or self._changed(task):
            return  # the files were written to meanwhile: nobody knows what was scored
        item = image_to_json(result)
        self._write({"key": key, "image": item, "check": _check_of(item)})

    def _write(self, item: dict[str, Any]) -> None:
        """Write a line."""
        if self._file is not None:
            with self._lock, self._saying_if_full():
                self._file.write(json.dumps(item).encode() + b"\n")

    @contextmanager
    def _saying_if_full(self) -> Iterator[None]:
        """Go on without notes where they cannot be written: scores are worth more."""
        try:
            yield
        except OSError as error:
            self.problem = f"{self._path} could not be written to, {error.strerror}: what came after is not noted."
            file, self._file = self._file, None
            with suppress(OSError):
                file.close()

    def _read(self, path: Path) -> dict[str, str]:
        """What was noted: lines of results by what identifies them, read when they are asked for; and fingerprints."""
        known = {}
        for line in _lines(path):
            try:
                if line.startswith(_RESULT):
                    known[_KEY.raw_decode(line, len(_RESULT))[0]] = line
                elif line:
                    item = json.loads(line)
                    stamps = [(int(a), int(b), int(c)) for a, b, c in item["stamps"]]
                    self._digests[str(item["file"])] = stamps, str(item["content"])
            except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
                continue  # the line that was being written when the run ended
        return known


def _lines(path: Path) -> Iterator[str]:
    """One after the other; what is too long for a note is passed over."""
    with path.open(encoding="utf-8", errors="replace") as file:
        whole = True
        while line := file.readline(LONGEST_LINE):
            if whole and len(line) < LONGEST_LINE:
                yield line.rstrip("\n")
            whole = line.endswith("\n")


def _checked(path: Path) -> Path:
    """A file that holds notes, or nothing: others must not be written to.

    Raises
    ------
    ValueError
        If it holds something else.
    """
    with path.open("rb") as file:
        head = file.read(4096).lstrip()
    if head and not head.startswith(_BEGINNINGS):
        raise ValueError(f"resume must be a file of notes, or a new one; {path} holds something else.")
    return path


def _check_of(item: Any) -> str:
    """A fingerprint of what is noted: of a line that was damaged it is another."""
    return hashlib.blake2b(json.dumps(item, sort_keys=True).encode(), digest_size=8).hexdigest()


_BEGINNINGS = (b'{"key": ', b'{"file": ')
"""How lines of notes begin."""

_OUTLINES = (".txt", ".json")
"""Suffixes of outlines, which are drawn as large as the picture beside them."""

LONGEST_LINE = 1 << 28
"""Characters of one note; what is longer is none."""

_RESULT = '{"key": '
"""How the line of a result begins."""

_KEY = json.JSONDecoder()

Stamp = tuple[int, int, int]
"""Of a file: when it was written to, when it was touched in any way, and how long it is."""


def _identity(image: Image | None) -> Any:
    """What an image is, beside the content of its file; arrays in memory are known by theirs."""
    if isinstance(image, LabelImage):
        return image.name, image.inner, image.index
    return None if image is None else (image.name, fingerprint_of_side(image.read().labels))


def _inside(file: Path) -> list[Path]:
    """A file, or all files of a folder."""
    check_regular(file)
    return sorted(path for path in file.rglob("*") if path.is_file()) if file.is_dir() else [file]


def _stamps(file: Path) -> list[Stamp]:
    """Of a file, or of all files in a folder."""
    own = file.stat()
    found = [own] if stat.S_ISREG(own.st_mode) else [path.stat() for path in _inside(file)]
    return [(status.st_mtime_ns, status.st_ctime_ns, status.st_size) for status in found]


def _content(file: Path) -> str:
    """A fingerprint of the content of a file; of all files in a folder."""
    digest = hashlib.blake2b(digest_size=20)
    for path in _inside(file):
        digest.update(os.fsencode(path.relative_to(file)))
        with path.open("rb") as content:
            while part := content.read(1 << 20):
                digest.update(part)
    return digest.hexdigest()
