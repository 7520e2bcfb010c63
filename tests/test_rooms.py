"""The house: imports go one way, files and functions stay small, the public surface is declared, examples hold."""

from __future__ import annotations

import ast
import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

import softpq

SOURCE = Path(softpq.__file__).parent
ROOT = SOURCE.parents[1]
MODULES = sorted(m.name for m in pkgutil.walk_packages([str(SOURCE)], "softpq.") if not m.name.endswith("._core"))

MAY_IMPORT = {
    "_core": "",
    "errors": "",
    "_checks": "",
    "_files": "",
    "_documented": "",
    "settings": "_checks",
    "table": "_core _checks errors",
    "metrics": "table settings _core _checks",
    "explain": "metrics table settings errors _checks _core _files",
    "synthetic": "_checks",
    "plan": "metrics settings table _checks _documented",
    "io": "table errors _files _checks _core",
    "scale": "io table errors _checks",
    "counting": "scale table",
    "evaluation": "explain plan metrics table settings _checks _documented _files",
    "dataset": "evaluation counting scale explain plan metrics io table settings errors _core _checks _documented "
    "_files",
    "detection": "metrics settings io table errors _core _checks",
    "adapters": "metrics settings table errors _checks",
    "compat": "evaluation metrics table _checks",
    "plots": "dataset explain table errors",
    "doctor": "detection dataset io table errors _checks _files",
    "report": "dataset evaluation explain plan metrics io table settings errors _checks _documented _files",
    "paper": "dataset explain metrics plots synthetic table settings _files",
    "__main__": "cli",
    "cli": "paper report doctor detection plots dataset evaluation explain io metrics synthetic settings errors "
    "_checks _files",
}
"""Room -> the rooms below it that it may look into. What is not listed is above, or none of its business."""

UPWARDS = {
    ("evaluation", "report"): "Evaluation.report and its view in notebooks are methods, because users expect them",
    ("dataset", "report"): "Results.report, likewise",
}
"""The exceptions, by name."""


def room_of(module: str) -> str:
    return module.split(".")[1]


def path_of(module: str) -> Path:
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin)


def imported_by(module: str) -> set[str]:
    """Rooms that a module imports, at the top or inside of functions, by statement or by string."""
    found = set()
    for node in ast.walk(ast.parse(path_of(module).read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "softpq":
            names = [node.module] if node.module != "softpq" else [f"softpq.{alias.name}" for alias in node.names]
            found |= {room_of(name) for name in names}
        if isinstance(node, ast.Import):
            found |= {room_of(alias.name) for alias in node.names if alias.name.startswith("softpq.")}
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and re.fullmatch(r"softpq\.[\w.]+", node.value)
        ):
            found.add(room_of(node.value))
    return found & set(MAY_IMPORT)


@pytest.mark.parametrize("module", MODULES)
def test_imports_only_go_down(module: str) -> None:
    here = room_of(module)
    allowed = {here, *MAY_IMPORT[here].split()} | {there for room, there in UPWARDS if room == here}
    assert imported_by(module) <= allowed


def test_no_two_rooms_import_each_other() -> None:
    for room, below in MAY_IMPORT.items():
        assert all(room not in MAY_IMPORT[other].split() for other in below.split())


@pytest.mark.parametrize("module", ["softpq", *MODULES])
def test_examples_hold(module: str) -> None:
    if module == "softpq.adapters.torchmetrics":
        pytest.importorskip("torchmetrics", reason="needs torch: make test-torch")
    assert doctest.testmod(importlib.import_module(module)).failed == 0


# ---------------------------------------------------------------- what is public


def test_the_stub_declares_what_the_package_offers() -> None:
    stub = ast.parse((SOURCE / "__init__.pyi").read_text())
    declared = {alias.asname for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert declared == set(softpq.__all__)
    for name in softpq.__all__:
        assert getattr(softpq, name) is not None
        assert name in dir(softpq)


def test_no_module_hides_behind_a_function_of_its_package() -> None:
    for name in ("softpq", *MODULES):
        package = importlib.import_module(name) if path_of(name).name == "__init__.py" else None
        inside = {module.rsplit(".", 1)[1] for module in MODULES if module.rsplit(".", 1)[0] == name}
        offered = set(getattr(package, "__all__", ()))
        assert not {one for one in inside & offered if callable(getattr(package, one))}, name


def test_functions_of_the_package_can_be_replaced() -> None:
    """Also once every module is imported."""
    for module in MODULES:
        if module != "softpq.adapters.torchmetrics":
            importlib.import_module(module)
    with mock.patch("softpq.score", return_value=7.0):
        assert softpq.score([1], [1]) == 7.0
    assert softpq.score([1], [1]) == 1.0


def test_public_modules_need_no_import_of_their_own() -> None:
    code = "import softpq; softpq.plots.plot_surface, softpq.synthetic.cells, softpq.io.read_labels, softpq.metrics.pq"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_help_imports_nothing_heavy() -> None:
    heavy = {"numpy", "rich", "tifffile", "PIL", "matplotlib"}
    code = f"import sys, softpq.cli; assert not {heavy} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


# ---------------------------------------------------------------- how large things are

LIMITS = {"src": 300, "native": 400, "tests": 400, "benchmarks": 300, "docs": 300}


@pytest.mark.skipif(not (ROOT / "native").is_dir(), reason="the package is not in its source tree")
def test_files_are_short() -> None:
    for folder, most in LIMITS.items():
        for suffix in ("py", "js", "mjs", "hpp", "cpp"):
            for path in (ROOT / folder).rglob(f"*.{suffix}"):
                assert len(path.read_text().splitlines()) - lines_of_examples(path) <= most, path


def lines_of_examples(path: Path) -> int:
    """Examples and what else to see are documentation: they do not make a file harder to hold in one's head."""
    if path.suffix != ".py":
        return 0
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    nodes = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, documented)]
    texts = [ast.get_docstring(node) or "" for node in nodes]
    last = [re.split(r"\n(?=(?:See Also|Examples)\n-)", text, maxsplit=1)[1:] for text in texts]
    return sum(len(text.splitlines()) + 1 for texts in last for text in texts)


@pytest.mark.parametrize("module", MODULES)
def test_functions_are_short(module: str) -> None:
    for node in ast.walk(ast.parse(path_of(module).read_text())):
        if isinstance(node, ast.FunctionDef):
            documentation = ast.get_docstring(node, clean=False)
            lines = (node.end_lineno or 0) - node.lineno + 1 - (len(documentation.splitlines()) if documentation else 0)
            assert lines <= 40, node.name
