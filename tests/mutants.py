"""Change the core in small ways, and see whether a test notices: ``make mutants``.

A mutant is one change of one place: a comparison, an operator, a number, or truth for pred. For each, the tests of the
core run in a process of their own, on a copy of the package. Survivors are listed; those that change nothing one can
see stand in EXPLAINED, with the reason. The exit code is 1 if another one survives.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
CORE = (
    "table/labels.py", "table/overlap.py", "table/partial.py", "table/matching.py", "table/ties.py", "table/tables.py",
    "metrics/score.py", "metrics/_softpq.py", "metrics/_panoptic.py", "metrics/_detection.py", "metrics/_aggregated.py",
    "metrics/_foreground.py", "metrics/_information.py", "metrics/_by_size.py", "metrics/_boundary.py",
    "explain/verdicts.py", "explain/objects.py", "explain/repairs.py", "explain/surface.py", "explain/thresholds.py",
)  # fmt: skip
TESTS = {
    "table": ["tests/table", "tests/test_evaluation.py", "tests/metrics/test_golden_readings.py"],
    "explain": ["tests/explain", "tests/table/test_ties.py", "tests/test_evaluation.py"],
    "metrics": ["tests/metrics", "tests/test_evaluation.py"],
}
"""Room -> what should notice; with few examples for every law. Real images are in the tests of the whole."""

LEFT_OUT = ["--deselect=tests/table/test_content.py", "--deselect=tests/metrics/test_golden_peers.py"]

RUN = """
import sys
sys.meta_path[:] = [one for one in sys.meta_path if "ScikitBuild" not in type(one).__name__]  # an editable install
import softpq, pytest
assert softpq.__file__.startswith(sys.argv[1]), softpq.__file__
sys.exit(pytest.main(sys.argv[2:]))
"""
"""Tests, on the copy of the package that stands first in the path."""

EXPLAINED: dict[tuple[str, str, str], str] = {
    (
        "metrics/_aggregated.py",
        "choices = np.bincount(truth[twin], minlength=overlap.n_truth)",
        "n_truth -> n_pred",
    ): "only the counts of objects that occur are looked at",
    (
        "explain/repairs.py",
        "is_matched = np.zeros(overlap.n_pred + 1, bool)",
        "1 -> 2",
    ): "the last place stands for the background, wherever it is",
    (
        "table/labels.py",
        'if isinstance(values, list | tuple) and len(values) and all(getattr(one, "ndim", 0) >= 2 for one in values):',
        "0 -> 1",
    ): "what has no dimensions has fewer than two either way",
    (
        "explain/objects.py",
        "for axis in range(arrays[0].ndim):",
        "0 -> 1",
    ): "both images have as many dimensions",
    (
        "explain/verdicts.py",
        "_ON_WHITE = {_GREEN: (0, 158, 115), _YELLOW: (176, 144, 0), _BLUE: (0, 100, 210), _PINK: (210, 95, 180),",
        "176 -> 177",
    ): "a colour that nobody can tell from the other",
    (
        "explain/verdicts.py",
        '_verdict("truth", "partial", _YELLOW, "has one soft partner: found, but not well enough", 5),',
        "5 -> 6",
    ): "it is looked at last either way",
    (
        "explain/surface.py",
        "not main.any() or int(np.bincount(side[main]).max()) == 1 for side in (overlap.pair_truth, overlap.pair_pred)",
        "1 -> 2",
    ): "label images then take the way of masks that overlap, which is slower and gives the same",
    (
        "table/tables.py",
        "return base64.b64encode(zlib.compress(data, 6)).decode()",
        "6 -> 7",
    ): "how hard bytes are packed",
    (
        "table/tables.py",
        "digest = hashlib.blake2b(repr(labels.shape).encode(), digest_size=8)",
        "8 -> 9",
    ): "a fingerprint of any length tells images apart",
    (
        "table/tables.py",
        'column = column.astype("<u4" if int(column.max(initial=0)) < 2**32 else "<f8")',
        "0 -> 1",
    ): "no column needs fewer than four bytes",
    (
        "table/tables.py",
        "kind, data = _stored(np.concatenate(parts).astype(dtype) if parts else np.zeros(0, dtype))",
        "0 -> 1",
    ): "without a table nothing is read from the columns",
    (
        "table/labels.py",
        'if labels.dtype.kind == "u" or not labels.size or labels.min() >= 0:',
        "GtE -> Gt",
    ): "what has no negative label comes out as it is either way",
}
"""File, line of code and change -> why no test can notice it."""


def reason_for(found: str) -> str:
    """Why a survivor changes nothing; empty if nobody knows."""
    place, _, change = found.partition(" ")
    name, _, line = place.rpartition(":")
    code = (ROOT / "src" / "softpq" / name).read_text().splitlines()[int(line) - 1].strip()
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


def survives(name: str, place: int, lane: Path) -> str:
    """Make one mutant in a copy of the package, and test it; return what it is if nobody noticed."""
    source = ROOT / "src" / "softpq" / name
    mutator = Mutator(place)
    tree = mutator.visit(without_texts(ast.parse(source.read_text())))
    target = lane / "softpq" / name
    target.write_text(ast.unparse(ast.fix_missing_locations(tree)))
    try:
        environment = {
            **os.environ,
            "PYTHONPATH": f"{lane}{os.pathsep}{ROOT / 'tests'}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "SOFTPQ_EXAMPLES": "25",
        }
        command = [
            sys.executable,
            "-c",
            RUN,
            str(lane),
            "-x",
            "-q",
            "-p",
            "no:cacheprovider",
            *TESTS[name.split("/")[0]],
            *LEFT_OUT,
        ]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=900)
        if done.returncode > 1:
            raise RuntimeError(f"{name}:{mutator.change}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        return f"{name}:{mutator.change}" if done.returncode == 0 else ""
    except subprocess.TimeoutExpired:
        return ""  # it does not come to an end: noticed
    finally:
        shutil.copy(source, target)


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
        lanes = [make_lane(Path(folder), k) for k in range(options.lanes)]
        free = list(lanes)

        def work(one: tuple[str, int]) -> str:
            lane = free.pop()
            try:
                return survives(*one, lane)
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
