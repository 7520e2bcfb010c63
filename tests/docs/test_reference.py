"""What is public is documented: each name has an example, stands in the reference, and says what its values mean."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import softpq

DOCS = Path(__file__).parents[2] / "docs"
HOMES = ["softpq", "softpq.metrics", "softpq.plots", "softpq.io", "softpq.synthetic"]
HOMES += [f"softpq.compat.{tool}" for tool in ("stardist", "cellpose", "softpq")]
RETURNED = ["softpq.explain.objects.Objects", "softpq.dataset.image_result.ImageResult"]
RETURNED += [f"softpq.dataset.statistics.{name}" for name in ("Interval", "Comparison")]
RETURNED += ["softpq.dataset.winners.WinnerMap", "softpq.dataset.planning.Needed"]
"""What public functions return, and nobody imports."""


def listed(home: str) -> Iterator[tuple[str, Any]]:
    """The public functions and classes of a module, by the name that users write."""
    module = importlib.import_module(home)
    for name in getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")]):
        found = getattr(module, name)
        own = hasattr(module, "__all__") or getattr(found, "__module__", "") == home
        if own and (inspect.isclass(found) or inspect.isfunction(found)):
            yield f"{home}.{name}", found


def public() -> Iterator[tuple[str, Any]]:
    known: list[Any] = []
    for home in HOMES:
        for name, found in listed(home):
            if found not in known:
                known.append(found)
                yield name, found
    for name in RETURNED:
        home, _, last = name.rpartition(".")
        yield name, getattr(importlib.import_module(home), last)


def methods(name: str, kind: type) -> Iterator[tuple[str, Any]]:
    for method in (method for method in dir(kind) if not method.startswith("_")):
        found = inspect.getattr_static(kind, method)
        ours = any(method in vars(base) for base in kind.__mro__ if base.__module__.startswith("softpq"))
        if ours and (inspect.isfunction(found) or isinstance(found, classmethod | staticmethod)):
            yield f"{name}.{method}", getattr(kind, method)


PUBLIC = dict(public())
DEFINED = PUBLIC | {
    name: found for owner, kind in PUBLIC.items() if inspect.isclass(kind) for name, found in methods(owner, kind)
}


@pytest.mark.parametrize("name", DEFINED)
def test_every_public_definition_has_an_example(name: str) -> None:
    text = inspect.getdoc(DEFINED[name]) or ""
    assert ">>>" in text, f"{name} has no example"
    assert re.search(r">>>.*\n(?!\s*$)", text), f"{name} has an example that shows nothing"


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_stands_in_the_reference(name: str) -> None:
    page = (DOCS / "reference" / "api.md").read_text()
    home, _, last = name.rpartition(".")
    if name in RETURNED:
        home, last = "softpq", name.removeprefix("softpq.")
    parts = re.split(r"\.\. currentmodule:: (\S+)\n", page)
    under = " ".join(text for module, text in zip(parts[1::2], parts[2::2], strict=True) if module == home)
    assert re.search(rf"^   {re.escape(last)}$", under, re.M), f"{name} is not listed in reference/api.md"


@pytest.mark.parametrize(
    "name", [name for name in softpq.metrics.__all__ if name not in ("METRICS", "Metric", "by_size")]
)
def test_every_metric_says_its_range(name: str) -> None:
    text = inspect.getdoc(getattr(softpq.metrics, name)) or ""
    assert re.search(r"[Ff]rom 0 |bits", text), f"{name} must say from where to where it goes"


def test_every_metric_stands_in_the_table_of_metrics() -> None:
    page = (DOCS / "metrics.md").read_text()
    assert [name for name in softpq.metrics.METRICS if f"`{name}`" not in page] == []


def test_every_option_of_the_command_line_is_told() -> None:
    from softpq.cli.evaluate import evaluate

    page = "".join(path.read_text() for path in DOCS.glob("*.md"))
    options = {name for option in evaluate.params for name in option.opts if name.startswith("--")}
    assert sorted(name for name in options if name not in page and name not in ("--help", "--jobs", "--quiet")) == []
