"""The house: imports only go down the list of rooms; examples in docstrings hold."""

from __future__ import annotations

import ast
import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import softpq

SOURCE = Path(softpq.__file__).parent
ROOMS = (
    "_core", "labels", "overlap", "tables", "score", "matching", "metrics", "objects", "attribution", "surface",
    "sweep", "evaluate", "statistics", "files", "image_result", "results", "io", "backends", "job", "runs",
    "dataset", "compat", "synthetic", "plots", "report", "paper", "demo", "doctor", "console", "commands", "cli",
)  # fmt: skip
MODULES = sorted(m.name for m in pkgutil.walk_packages([str(SOURCE)], "softpq.") if not m.name.endswith("._core"))


def room_of(module: str) -> str:
    return module.split(".")[1]


def imported_by(module: str) -> set[str]:
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    found = set()
    for node in ast.walk(ast.parse(Path(spec.origin).read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "softpq":
            names = [node.module] if node.module != "softpq" else [f"softpq.{alias.name}" for alias in node.names]
            found |= {room_of(name) for name in names if len(name.split(".")) > 1}
        if isinstance(node, ast.Import):
            found |= {room_of(a.name) for a in node.names if a.name.startswith("softpq.")}
    return found


@pytest.mark.parametrize("module", MODULES)
def test_imports_only_go_down(module: str) -> None:
    here = ROOMS.index(room_of(module))
    above = {room for room in imported_by(module) if room in ROOMS and ROOMS.index(room) > here}
    assert not above


@pytest.mark.parametrize("module", ["softpq", *MODULES])
def test_examples_hold(module: str) -> None:
    if module == "softpq.backends.torch":
        pytest.importorskip("torchmetrics", reason="needs torch: make test-torch")
    assert doctest.testmod(importlib.import_module(module)).failed == 0
