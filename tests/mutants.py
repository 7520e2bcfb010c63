"""Change the core in small ways, and see whether a test notices: ``make mutants``.

A mutant is one change of one place: a comparison, an operator, a number, or truth for pred. For each, the tests of the
core that run through its line, the fastest first, run in a process of their own, on a copy of the package. Survivors
are listed; those that change nothing one can see stand in EXPLAINED, with the reason. The exit code is 1 if another
one survives.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutants_explained import EXPLAINED

ROOT = Path(__file__).parents[1]
CORE = (
    "table/labels.py", "table/overlap.py", "table/partial.py", "table/matching.py", "table/ties.py", "table/tables.py",
    "metrics/score.py", "metrics/_softpq.py", "metrics/_panoptic.py", "metrics/_detection.py", "metrics/_aggregated.py",
    "metrics/_foreground.py", "metrics/_information.py", "metrics/_by_size.py", "metrics/_boundary.py",
    "explain/verdicts.py", "explain/objects.py", "explain/repairs.py", "explain/surface.py", "explain/thresholds.py",
)  # fmt: skip
TESTS = ["tests/table", "tests/metrics", "tests/explain", "tests/test_evaluation.py"]
"""What should notice; with few examples for every law. Real images are in the tests of the whole."""

LEFT_OUT = ["--deselect=tests/table/test_content.py", "--deselect=tests/metrics/test_golden_peers.py"]

RUN = """
import sys
sys.meta_path[:] = [one for one in sys.meta_path if "ScikitBuild" not in type(one).__name__]  # an editable install
import pathlib, softpq, pytest
assert softpq.__file__.startswith(sys.argv[1]), softpq.__file__
names = pathlib.Path(sys.argv[2]).read_text().split("\\n")
class Order:
    def pytest_collection_modifyitems(self, items):
        wanted = {name: place for place, name in enumerate(names)}
        items[:] = sorted((one for one in items if one.nodeid in wanted), key=lambda one: wanted[one.nodeid])
files = sorted({name.partition("::")[0] for name in names})
sys.exit(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *files], plugins=[Order()]))
"""
"""The tests that a file names, in its order, on the copy of the package that stands first in the path."""

LOOK = """
import sys, time, coverage, pytest
cov = coverage.Coverage(data_file=None, include=["*/softpq/*"], config_file=False)
cov.set_option("run:disable_warnings", ["no-data-collected"])  # tests that run nothing of the package
class Watch:
    found = {}
    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        cov.erase(); cov.start(); start = time.perf_counter()
        try:
            return (yield)
        finally:
            cov.stop(); data = cov.get_data()
            lines = {file: data.lines(file) for file in data.measured_files()}
            self.found[item.nodeid] = (time.perf_counter() - start, lines)
watch = Watch()
code = pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[2:]], plugins=[watch])
import json
json.dump(watch.found, open(sys.argv[1], "w"))
sys.exit(code)
"""
"""Runs tests, and writes which lines each of them runs through, and how long it takes."""


def reason_for(found: str) -> str:
    """Why a survivor changes nothing; empty if nobody knows."""
    place, _, change = found.partition(" ")
    name, _, line = place.rpartition(":")
    code = (ROOT / "src" / "softpq" / name).read_text().splitlines()[int(line) - 1].strip()
    if name == "explain/verdicts.py" and re.search(r"\(\d+, \d+, \d+\)", code):
        return "a colour that nobody can tell from the other"
    return EXPLAINED.get((name, code, change), "")


_COMPARE = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
_OPERATE = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.BitAnd: ast.BitOr,
            ast.BitOr: ast.BitAnd, ast.FloorDiv: ast.Mult}  # fmt: skip
_SIDES = {"truth": "pred", "pred": "truth"}


class Mutator(ast.NodeTransformer):
    """Counts the places that can be changed, and changes the one that is asked for."""

    def __init__(self, wanted: int = -1) -> None:
        self.seen, self.wanted, self.change = 0, wanted, ""

    def _here(self, node: ast.AST, text: str) -> bool:
        self.seen += 1
        if self.seen - 1 != self.wanted:
            return False
        self.change = f"{getattr(node, 'lineno', 0)} {text}"
        return True

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        kind = type(node.ops[0])
        if kind in _COMPARE and self._here(node, f"{kind.__name__} -> {_COMPARE[kind].__name__}"):
            node.ops[0] = _COMPARE[kind]()
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        kind = type(node.op)
        if kind in _OPERATE and self._here(node, f"{kind.__name__} -> {_OPERATE[kind].__name__}"):
            node.op = _OPERATE[kind]()
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, (ast.USub, ast.Invert)) and self._here(node, "a sign is gone"):
            return node.operand
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if type(node.value) is int and self._here(node, f"{node.value} -> {node.value + 1}"):
            return ast.copy_location(ast.Constant(node.value + 1), node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        other = next((node.attr.replace(a, b) for a, b in _SIDES.items() if a in node.attr.split("_")), None)
        if other is not None and self._here(node, f"{node.attr} -> {other}"):
            node.attr = other
        return node


def without_texts(tree: ast.Module) -> ast.Module:
    """Annotations and documentation are not code."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module)) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        if isinstance(node, ast.FunctionDef):
            node.returns = None
            for argument in (*node.args.args, *node.args.kwonlyargs):
                argument.annotation = None
        if isinstance(node, ast.AnnAssign):
            node.annotation = ast.copy_location(ast.Constant("Any"), node.annotation)
    return tree


def places_in(path: Path) -> int:
    counter = Mutator()
    counter.visit(without_texts(ast.parse(path.read_text())))
    return counter.seen


class Tests:
    """Which tests run through which line: those that could notice a change of it, the fastest first."""

    def __init__(self, folder: Path) -> None:
        found = folder / "lines.json"
        command = [sys.executable, "-c", LOOK, str(found), *TESTS, *LEFT_OUT]
        subprocess.run(command, cwd=ROOT, env=_environment(ROOT / "src"), check=True, stdout=subprocess.DEVNULL)
        self._of: dict[tuple[str, int], list[tuple[float, str]]] = {}
        self._everywhere: dict[str, list[tuple[float, str]]] = {}
        for test, (seconds, files) in json.loads(found.read_text()).items():
            for file, lines in files.items():
                name = file.rpartition("/softpq/")[2]  # the tree may lie in a folder of that name
                self._everywhere.setdefault(name, []).append((seconds, test))
                for line in lines:
                    self._of.setdefault((name, line), []).append((seconds, test))

    def fastest(self, count: int) -> list[str]:
        """Some tests of all modules."""
        every = {test: seconds for listed in self._everywhere.values() for seconds, test in listed}
        return sorted(every, key=lambda test: every[test])[:count]

    def of(self, name: str, line: int) -> list[str]:
        """Of a line that runs when the module is read, all tests of the module."""
        return [test for _, test in sorted(self._of.get((name, line)) or self._everywhere.get(name, []))]


def _environment(first: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": f"{first}{os.pathsep}{ROOT / 'tests'}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "SOFTPQ_EXAMPLES": "25",
    }


def survives(name: str, place: int, lane: Path, tests: Tests) -> str:
    """Make one mutant in a copy of the package, and test it; return what it is if nobody noticed."""
    source = ROOT / "src" / "softpq" / name
    mutator = Mutator(place)
    tree = mutator.visit(without_texts(ast.parse(source.read_text())))
    target = lane / "softpq" / name
    target.write_text(ast.unparse(ast.fix_missing_locations(tree)))
    try:
        done = tested(lane, tests.of(name, int(mutator.change.partition(" ")[0])))
        if done.returncode not in (0, 1, 2, 4, 5):
            raise RuntimeError(f"{name}:{mutator.change}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        return f"{name}:{mutator.change}" if done.returncode in (0, 5) else ""
    except subprocess.TimeoutExpired:
        return ""  # it does not come to an end: noticed
    finally:
        shutil.copy(source, target)


def tested(lane: Path, names: list[str]) -> subprocess.CompletedProcess[str]:
    """Run these tests, in this order, on the copy of a lane."""
    wanted = lane / "tests.txt"
    wanted.write_text("\n".join(names))
    command = [sys.executable, "-c", RUN, str(lane), str(wanted)]
    return subprocess.run(command, cwd=ROOT, env=_environment(lane), capture_output=True, text=True, timeout=900)


def check_unchanged(lane: Path, tests: Tests) -> None:
    """Without a change nothing may fail: else every mutant would seem to be noticed."""
    done = tested(lane, tests.fastest(500))
    if done.returncode != 0:
        raise RuntimeError(f"the tests fail without a change: {done.stdout[-2000:]}{done.stderr[-2000:]}")


def make_lane(folder: Path, k: int) -> Path:
    """A copy of the package, native code included, that one process at a time works on."""
    import softpq._core

    lane = folder / str(k)
    shutil.copytree(ROOT / "src" / "softpq", lane / "softpq", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(Path(softpq._core.__file__), lane / "softpq")
    return lane


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lanes", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    everywhere = [(name, place) for name in CORE for place in range(places_in(ROOT / "src" / "softpq" / name))]
    chosen = random.Random(options.seed).sample(everywhere, min(options.count, len(everywhere)))
    print(f"{len(chosen)} of {len(everywhere)} places")
    with tempfile.TemporaryDirectory() as folder:
        tests = Tests(Path(folder))
        lanes = [make_lane(Path(folder), k) for k in range(options.lanes)]
        check_unchanged(lanes[0], tests)
        free = list(lanes)

        def work(one: tuple[str, int]) -> str:
            lane = free.pop()
            try:
                return survives(*one, lane, tests)
            finally:
                free.append(lane)

        alive = []
        with ThreadPoolExecutor(len(lanes)) as pool:
            for done, found in enumerate(pool.map(work, chosen), 1):
                if found:
                    alive.append(found)
                    print(f"{done}: {found}", flush=True)
    unexplained = [found for found in alive if not reason_for(found)]
    for found in sorted(alive):
        print(f"survived: {found} ({reason_for(found) or 'nobody knows why'})", flush=True)
    print(f"{len(chosen) - len(alive)} of {len(chosen)} were noticed, {len(alive) - len(unexplained)} are explained")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
