"""Code blocks of README and docs: where they stand, and how they are run."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    if not {"_build", "made"} & set(path.parts)
)

NOT_RUN = {
    "tcp://scheduler": "needs the scheduler of a cluster",
    "dask_jobqueue": "needs SLURM",
    "dask_kubernetes": "needs Kubernetes",
    "LocalCluster(n_workers=8": "eight processes; tests/scale/test_dask.py has two",
    "@metric(formula": "a sketch of a metric; tests/metrics has many",
}
"""What a block or line holds that cannot be run here -> why."""


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, its line, and whether it wants torch."""

    page: str
    line: int
    language: str
    text: str
    torch: bool

    @property
    def reason(self) -> str:
        return next((why for part, why in NOT_RUN.items() if part in self.text and self.language == "python"), "")


def blocks_of(page: str) -> Iterator[Block]:
    text = (ROOT / page).read_text(encoding="utf-8")
    for found in re.finditer(r"^(<!-- run with torch -->\n)?```([^\n`]*)\n(.*?)^```$", text, re.M | re.S):
        line = text[: found.start()].count("\n") + 1
        yield Block(page, line, found[2].strip(), found[3], found[1] is not None)


def commands_of(block: Block) -> list[list[str]]:
    """The commands of a block without a language; lines of text have none."""
    lines = [line for line in block.text.splitlines() if re.match(r"(softpq|pip|make) ", line)]
    return [shlex.split(line, comments=True) for line in lines if not any(part in line for part in NOT_RUN)]


def run(block: Block, names: dict[str, Any]) -> None:
    """Run Python; hold what its comments and outputs say against what comes out."""
    if ">>>" in block.text:
        shown = re.findall(r"^>>> (.*)\n([^>].*)$", block.text, re.M)
        for expression, expected in shown:
            agrees(eval(expression, names), expected, block)
        return
    lines = block.text.splitlines()
    for node in ast.parse(block.text).body:
        source = ast.get_source_segment(block.text, node) or ""
        if not isinstance(node, ast.Expr):
            exec(compile(source, f"{block.page}:{block.line}", "exec"), names)
            continue
        value = eval(compile(source, f"{block.page}:{block.line}", "eval"), names)
        comment = lines[(node.end_lineno or 1) - 1][node.end_col_offset or 0 :].partition("#")[2].strip()
        if re.match(r"\d|truth: \d|tensor\(", comment):
            agrees(value, comment, block)


def agrees(value: Any, shown: str, block: Block) -> None:
    """Every number that is shown must be what comes out, to as many digits as are shown."""
    expected = re.findall(r"\d+\.?\d*", shown.split(": SoftPQ")[0].split(": all")[0])
    found = [float(number) for number in re.findall(r"\d+\.?\d*(?:e-\d+)?", repr(value))]
    wrong = f"{block.page}:{block.line}: {shown} is shown, {value!r} comes out"
    for number, actual in zip(expected, found, strict=False):
        digits = len(number.partition(".")[2])
        assert round(actual, digits) == float(number), wrong
    assert len(found) >= len(expected), wrong
