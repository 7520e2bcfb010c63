"""Messages of the library speak Python; here they are said in options."""

from __future__ import annotations

import re
from functools import lru_cache

PHRASES = {
    "softpq.average_precision": "softpq coco",
    "softpq.Masks.from_stack": "Masks.from_stack in Python",
    "iou_low must not exceed iou_high": "--iou-low must not exceed --iou-high",
    "check=False": "--no-check",
    "strict=False": "--no-strict",
    "ignore=(truth < 0)": "--ignore-masks FOLDER",
    "ignore=(pred < 0)": "--ignore-masks FOLDER",
    "(softpq.split_components, or split_components=True)": "(--split-components does)",
}
"""What is said in another way."""

_ARGUMENT = re.compile(r"\b([a-z]+(?:_[a-z]+)*)=(True\b|\"[^\"]*\"|'[^']*'|\d+\b)")
_SUBJECT = re.compile(r"^([a-z]+(?:_[a-z]+)*)(?= (?:must|needs|is not)\b)")


def in_options(text: str) -> str:
    """A message with options in place of arguments.

    Examples
    --------
    >>> in_options('resample it, or pass geometry="ignore"'), in_options("iou_low must be between 0 and 1; got 2")
    ('resample it, or pass --geometry ignore', '--iou-low must be between 0 and 1; got 2')
    """
    for python, spoken in PHRASES.items():
        text = text.replace(python, spoken)
    return _SUBJECT.sub(_named, _ARGUMENT.sub(_with_value, text))


def _named(found: re.Match[str]) -> str:
    return _option(found[1]) or found[0]


def _with_value(found: re.Match[str]) -> str:
    option = _option(found[1])
    if not option:
        return found[0]
    return option if found[2] == "True" else f"{option} {found[2].strip(chr(34) + chr(39))}"


def _option(name: str) -> str:
    """How an argument is called on the command line; empty if it is no option."""
    return _options().get(name, "")


@lru_cache(maxsize=1)
def _options() -> dict[str, str]:
    """Argument -> option, of the commands that score."""
    import click

    from softpq.cli.coco import coco
    from softpq.cli.evaluate import evaluate

    found = [param for command in (evaluate, coco) for param in command.params if isinstance(param, click.Option)]
    return {max(param.opts, key=len).strip("-").replace("-", "_"): max(param.opts, key=len) for param in found}
