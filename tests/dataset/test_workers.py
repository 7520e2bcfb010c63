"""Processes that score images: the same results as threads, whatever happens to them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_up import write_models

from softpq import Results, evaluate_dataset
from softpq.dataset import local, workers
from softpq.dataset.noted import image_to_json

DIES = """
import os, softpq.dataset.workers as workers
score = workers.score_unit
def score_unit(tasks, scorer):
    if any(task.pair.name == "image_3" and task.model == "poor" for task in tasks):
        os._exit(1)
    return score(tasks, scorer)
workers.score_unit = score_unit
workers.serve()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six images and two models, one of which has a broken file and one file less."""
    write_models(tmp_path, good=0.1, poor=0.4)
    (tmp_path / "poor" / "image_1.tif").write_bytes(b"II*\0")
    (tmp_path / "poor" / "image_2.tif").unlink()
    return tmp_path


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """All but the first image are scored by processes."""
    monkeypatch.setattr(local, "MANY", 1)
    monkeypatch.setattr(local, "FIRST", 0.0)
    monkeypatch.setattr(local, "WORTH", 0.0)
    return monkeypatch


def scored(folder: Path, **options: Any) -> Results:
    models = {name: folder / name for name in ("good", "poor")}
    return evaluate_dataset(folder / "truth", models, jobs=2, **options)


def count_units(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many tasks each unit of work has that a process is asked to do."""
    found: list[int] = []
    score = workers.Worker.score

    def counted(self: workers.Worker, tasks: list[Any]) -> Any:
        found.append(len(tasks))
        return score(self, tasks)

    monkeypatch.setattr(workers.Worker, "score", counted)
    return found


@pytest.mark.parametrize("options", [{}, {"keep_tables": True}, {"keep_objects": True, "metrics": ["pq", "aji"]}])
def test_processes_give_what_threads_give(folder: Path, at_once: pytest.MonkeyPatch, options: dict[str, Any]) -> None:
    units = count_units(at_once)
    ours = scored(folder, **options)
    assert sorted(units) == [1, 2, 2, 2, 2]  # the models of an image go together; one file is missing
    at_once.undo()
    theirs = scored(folder, **options)
    assert [image_to_json(i) for i in ours.images] == [image_to_json(i) for i in theirs.images]
    assert ours.notes == theirs.notes
    assert [(i.name, i.model, i.scores, i.fingerprints, i.pair) for i in ours.images] == [
        (i.name, i.model, i.scores, i.fingerprints, i.pair) for i in theirs.images
    ]
    assert [(f.name, f.model, f.reason, f.of_truth) for f in ours.failures] == [
        (f.name, f.model, f.reason, f.of_truth) for f in theirs.failures
    ]
    assert [i.tables for i in ours.images] == [i.tables for i in theirs.images]
    if "keep_objects" in options:
        rows = [
            [(image.name, *objects["verdict"], *objects["area"]) for image, objects in r.objects]
            for r in (ours, theirs)
        ]
        assert rows[0] == rows[1]


def test_a_process_that_dies_costs_one_image_of_one_model(folder: Path, at_once: pytest.MonkeyPatch) -> None:
    at_once.setattr(workers, "SERVE", DIES)
    results = scored(folder)
    died = [(f.name, f.model) for f in results.failures if "ended the process" in f.reason]
    assert died == [("image_3", "poor")]
    assert "image_3" in {image.name for image in results.of("good")}
    assert len(results.images) == 6 + 3


def test_where_no_process_can_be_started_threads_do_the_work(folder: Path, at_once: pytest.MonkeyPatch) -> None:
    at_once.setattr(workers, "SERVE", "raise SystemExit")
    assert len(scored(folder).images) == 6 + 4


def test_what_cannot_be_sent_stays_here(folder: Path, at_once: pytest.MonkeyPatch) -> None:
    units = count_units(at_once)
    assert len(scored(folder, penalty=lambda n: n + 1.0).images) == 10
    seen: list[str] = []
    scored(folder, observers=(lambda result, loaded, overlap: seen.append(result.name),))
    images = {f"{k}": np.array([[1, 1, 0, 2]]) for k in range(6)}
    assert len(evaluate_dataset(images, images, jobs=2).images) == 6
    assert len(seen) == 10
    assert units == []


def test_a_script_needs_no_guard(folder: Path) -> None:
    """Processes that Python starts by itself would run the script again."""
    script = folder / "script.py"
    script.write_text(
        "from softpq import evaluate_dataset\nfrom softpq.dataset import local\n"
        "local.MANY, local.FIRST, local.WORTH = 1, 0.0, 0.0\n"
        "print(len(evaluate_dataset('truth', 'good', jobs=2).images))\n"
    )
    found = subprocess.run([sys.executable, script], cwd=folder, capture_output=True, text=True, timeout=120)
    assert (found.stdout, found.stderr) == ("6\n", "")


SLOWLY = """
import sys, time
from softpq.cli import main
from softpq.dataset import local, workers
local.MANY, local.FIRST, local.WORTH = 1, 0.0, 0.0
workers.SERVE = "import time, softpq.dataset.workers as w; old = w.score_unit;" \
    "w.score_unit = lambda *a, **k: (open('working', 'w').close(), time.sleep(600)); w.serve()"
sys.argv = ["softpq", "evaluate", "truth", "good", "-j", "2", "--resume", "log.jsonl"]
main()
"""


def test_an_interrupt_ends_all_processes(folder: Path) -> None:
    heard = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), "start_new_session": True}
    process = subprocess.Popen(
        [sys.executable, "-c", SLOWLY], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **heard
    )
    while process.poll() is None and not (folder / "working").exists():
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, "Interrupted" in errors, "Traceback" in errors) == (130, True, False)
    assert any(is_gone(process.pid) for _ in range(600))  # the system may take a moment


def is_gone(group: int) -> bool:
    """Whether no process of a group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    time.sleep(0.05)
    return False
