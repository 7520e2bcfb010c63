"""Which models a call names, and globs that a shell expanded."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from softpq.cli.running import UsageError


def places_of(truth: str | None, pred: tuple[str, ...], pairs: str | None) -> tuple[str, tuple[str, ...]]:
    """Where images are; a table of pairs says it by itself, and has a column for each model."""
    if truth is not None and pred:
        return truth, pred
    if pairs is None:
        missing = "TRUTH" if truth is None else "PRED..."
        raise UsageError(f"{missing} is missing: softpq evaluate TRUTH PRED..., or --pairs FILE; see --help.")
    from softpq.io.pairs import models_in

    return truth or ".", tuple(f"{name}=." for name in models_in(pairs))


def models_of(pred: Sequence[str]) -> dict[str, str]:
    """Name -> place; ``name=path`` names a model, else its folder does."""
    from softpq.io.naming import model_names

    split = [_split(text) for text in pred]
    given = iter(model_names([place for name, place in split if not name]))
    named: dict[str, str] = {}
    for name, place in split:
        called = name or next(given)
        if called in named:
            raise UsageError(f"Two models are called {called}; name them with NAME=PATH.")
        named[called] = place
    return named


def _split(text: str) -> tuple[str, str]:
    """The name of a model, if one is given, and its place."""
    name, sign, place = text.partition("=")
    if sign and not name:
        raise UsageError(f"{text} names no model; NAME=PATH is expected.")
    parent = Path(text).parent
    if not sign or "/" in name or Path(text).exists() or (parent.is_dir() and parent != Path()):
        return "", text
    return name, place


def check_expanded(truth: str, pred: Sequence[str], command: str = "evaluate") -> None:
    """Say so if a shell has turned a glob into many files, which would be many models.

    Raises
    ------
    UsageError
        With the command that was meant.
    """
    files = [Path(text) for text in pred]
    if len(files) < 2 or not all(file.is_file() for file in files):
        return
    folders = list(dict.fromkeys(file.parent for file in files))
    if Path(truth).is_dir() and len(folders) == 1 and _holds_several(truth):
        _refuse(len(files), command, truth, _glob(files))
    if Path(truth).is_file() and len(folders) == 2 and Path(truth).parent == folders[0]:
        first = [Path(truth), *(file for file in files if file.parent == folders[0])]
        second = [file for file in files if file.parent == folders[1]]
        if len(first) >= 2 and abs(len(first) - len(second)) <= len(first) // 2:
            _refuse(len(files), command, _glob(first), _glob(second))


def _holds_several(folder: str) -> bool:
    from softpq.io.sources import open_source

    return len(open_source(folder, look=False)) > 1


def _glob(files: Sequence[Path]) -> str:
    """A glob that fits these files: what they share in front and at the end."""
    names = [file.name for file in files]
    front = _shared(names).rstrip("0123456789")
    end = _shared([name[::-1] for name in names])[::-1]
    end = end[min((k for k, sign in enumerate(end) if sign in "_-."), default=len(end)) :]
    return f"{files[0].parent}/{front}*{end}"


def _shared(texts: Sequence[str]) -> str:
    """What all texts begin with."""
    first, last = min(texts), max(texts)
    same = next((k for k, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    return first[:same]


def _refuse(count: int, command: str, truth: str, pred: str) -> None:
    raise UsageError(
        f"PRED must be models; got {count} files of one folder, one model each: was a glob without quotes expanded? "
        f"Run: softpq {command} {shlex.quote(truth)} {shlex.quote(pred)}"
    )
