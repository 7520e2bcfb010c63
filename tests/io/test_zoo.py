"""Two folders as tools and data sets leave them: scored right, or refused with a command that then works."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from commands import call
from zoo import ZOO, Layout
from zoo_codes import CODES_ZOO, NOBODY_CAN_TELL
from zoo_formats import FORMATS_ZOO
from zoo_odd import ODD_AND_UNKNOWN, ODD_ZOO

from softpq import evaluate_dataset

ALL = {**ZOO, **FORMATS_ZOO, **CODES_ZOO, **ODD_ZOO}
UNKNOWN = {**NOBODY_CAN_TELL, **ODD_AND_UNKNOWN}
RIGHT = {name: layout for name, layout in ALL.items() if not layout.needs}
REFUSED = {name: layout for name, layout in ALL.items() if layout.needs}


def expected(layout: Layout) -> dict[str, float]:
    truth, pred = layout.arrays
    options = {"metrics": ["pq", "softpq"], "ignore": layout.ignore, "check": False}
    return evaluate_dataset(truth, {"m": pred}, **options).pooled("m")


@pytest.mark.parametrize("name", RIGHT)
def test_scored_right_without_a_command(name: str, tmp_path: Path) -> None:
    layout = RIGHT[name]
    truth, pred = layout.write(tmp_path)
    results = evaluate_dataset(truth, pred, metrics=["pq", "softpq"])
    assert not results.failures
    assert len(results.images) == len(layout.arrays[0])
    assert results.pooled(results.models[0]) == expected(layout)


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_a_command_that_works(name: str, tmp_path: Path) -> None:
    layout = REFUSED[name]
    truth, pred = layout.write(tmp_path)
    refused = call("evaluate", truth, pred, *layout.options)
    said = " ".join(refused.output.split())
    assert refused.exit_code != 0
    assert layout.needs in said
    commands = re.findall(r"softpq (evaluate .*?)(?= or: | Run: |$)", said)
    found = []
    for command in commands:
        done = call(*shlex.split(command), "--json", "-", "--metrics", "pq,softpq")
        if done.exit_code == 0:
            found += json.loads(done.stdout)["pooled"].values()
    assert expected(layout) in found


@pytest.mark.parametrize("name", UNKNOWN)
def test_refused_where_nobody_can_tell(name: str, tmp_path: Path) -> None:
    layout = UNKNOWN[name]
    refused = call("evaluate", *layout.write(tmp_path))
    assert refused.exit_code == 2
    assert layout.needs in " ".join(refused.output.split())


def test_most_layouts_need_no_command() -> None:
    assert len(ALL) >= 175
    assert len(RIGHT) >= 150
