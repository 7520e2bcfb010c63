"""Node.js, called from tests."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest


def node(*arguments: str, facts: Mapping[str, Any], given: str = "") -> str:
    """What it prints; ``facts`` is what the head of a page would tell the scripts."""
    program = shutil.which("node", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if program is None:
        pytest.skip("needs Node.js, which is not installed")
    environment = {**os.environ, "SOFTPQ_FACTS": json.dumps(facts)}
    done = subprocess.run(
        [program, *arguments], capture_output=True, text=True, check=False, env=environment, input=given
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
