"""Functions that take the options of a record say so in full: in their signature and in their documentation."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def takes(*records: tuple[type, Iterable[str]]) -> Callable[[F], F]:
    """Spell out ``**options``: the signature gets their names and defaults, ``{options}`` in the text what they mean.

    Parameters
    ----------
    records
        A dataclass, which documents its fields under *Attributes*, and the names of those that are options.
    """

    def wrap(function: F) -> F:
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        options = [_parameter(record, name) for record, names in records for name in names]
        function.__signature__ = signature.replace(parameters=[*own, *options])  # type: ignore[attr-defined]
        if function.__doc__:
            text = "\n".join(section for record, names in records for section in _sections(record, set(names)))
            function.__doc__ = function.__doc__.replace("    {options}", text)
        return function

    return wrap


def _parameter(record: type, name: str) -> inspect.Parameter:
    default = (
        inspect.signature(record).parameters[name].default if name in inspect.signature(record).parameters else None
    )
    kind = record.__annotations__.get(name, inspect.Parameter.empty)
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _sections(record: type, names: set[str]) -> list[str]:
    """The paragraphs of the documentation that are about these names."""
    _, _, attributes = (record.__doc__ or "").partition("Attributes\n    ----------\n")
    attributes = re.split(r"\n\n    \w+\n    -+\n", attributes)[0].rstrip()
    found = re.findall(r"^    (\w[\w, ]*)\n((?:^        .*\n?|^\n)+)", attributes + "\n", re.M)
    return [f"    {heading}\n{text.rstrip()}" for heading, text in found if set(heading.split(", ")) & names]


def check_names(options: Iterable[str], known: Iterable[str]) -> None:
    """Raise an error that names what was probably meant, if there is no such option."""
    for name in options:
        if name not in known:
            close = get_close_matches(name, list(known), 1, 0.7)
            hint = f" Did you mean {close[0]}?" if close else f" There are {', '.join(known)}."
            raise TypeError(f"{name} is not an option.{hint}")
