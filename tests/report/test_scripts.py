"""The source of the page."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import softpq
from softpq.report.page import FIRST, in_order, script
from softpq.report.payload import FACTS

SCRIPTS = Path(softpq.__file__).parent / "report" / "scripts"


def test_modules_are_joined_into_one() -> None:
    joined = script()
    assert not re.search(r"^\s*(import|export)\b", joined, re.M)
    assert "</script" not in joined
    names = {path.relative_to(SCRIPTS).as_posix() for path in SCRIPTS.rglob("*.js")}
    assert set(in_order(FIRST)) == names  # none is forgotten


def test_the_arithmetic_of_the_page_passes_its_own_tests() -> None:
    node = shutil.which("node", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if node is None:
        pytest.skip("needs Node.js, which is not installed")
    tests = sorted(str(path) for path in Path(__file__).parent.glob("*.test.mjs"))
    environment = {**os.environ, "SOFTPQ_FACTS": json.dumps(FACTS)}
    done = subprocess.run([node, "--test", *tests], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout


def test_the_page_has_no_second_list_of_what_python_knows() -> None:
    """Colours, presets and the like come in the head; a penalty and a repair are functions, and none is missing."""
    joined = script()
    for verdict in FACTS["verdicts"]:
        assert ",".join(map(str, verdict["colour"])) not in joined.replace(" ", "")
    for preset in FACTS["presets"]:
        assert not re.search(rf"\b{preset}:", joined)
    for name in (*FACTS["penalties"], *FACTS["repairs"]):
        assert re.search(rf'"?{re.escape(name)}"?:', joined)
