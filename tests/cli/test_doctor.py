"""softpq doctor: several models, all pairs, findings with the command that mends them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
from commands import call
from zoo import PRED, TRUTH, Layout, lay

from softpq.doctor import examine
from softpq.synthetic import cells


def test_a_clean_set_of_any_size_is_fine(tmp_path: Path) -> None:
    scenes = [cells((40, 40), 4, seed=k, fates={}, ghosts=0).truth.astype(np.uint16) for k in range(205)]
    moved = [np.where(scene == 1, 0, scene) for scene in scenes]
    names = tuple(f"i{k:03d}" for k in range(205))
    done = call("doctor", *Layout(lay({"{n}.npy": scenes}, names), lay({"{n}.npy": moved}, names)).write(tmp_path))
    assert "Looked at 205 of 205 pairs." in done.stdout
    assert "Only the first" not in done.stdout


def test_several_models_are_looked_at_and_named(tmp_path: Path) -> None:
    truth, good = Layout(lay({"{n}.tif": TRUTH}), lay({"{n}.tif": PRED})).write(tmp_path)
    _, copy = Layout({}, lay({"{n}.tif": TRUTH})).write(tmp_path / "other")
    done = call("doctor", truth, f"good={good}", f"copy={copy}")
    assert done.exit_code == 1
    first = done.stdout.splitlines()[0]
    assert "copy / " in first
    assert "truth and prediction are identical" in first
    assert "Looked at 6 of 6 pairs." in done.stdout


def test_findings_come_with_the_command_that_mends_them(tmp_path: Path) -> None:
    missing = {name: labels for name, labels in lay({"{n}.tif": PRED}).items() if "001" not in name}
    done = call("doctor", *Layout(lay({"{n}.tif": TRUTH}), missing).write(tmp_path))
    assert done.exit_code == 1
    commands = re.findall(r"softpq (evaluate .*)", done.stdout)
    assert any("--missing empty" in command for command in commands)
    assert all(call(*shlex.split(command), "--metrics", "pq").exit_code == 0 for command in commands[:1])


def test_no_time_is_one_pair(tmp_path: Path) -> None:
    truth, pred = Layout(lay({"{n}.tif": TRUTH}), lay({"{n}.tif": PRED})).write(tmp_path)
    assert examine(truth, pred, seconds=0).looked_at == 1
    done = call("doctor", truth, pred, "--seconds", "0")
    assert "Looked at 1 of 3 pairs; --seconds gives it more time." in done.stdout
