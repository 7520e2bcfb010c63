"""Damaged files of every format: one line each, no traceback, no hang, no crash. ``make fuzz`` does it for an hour."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
from commands import call
from damage import LABELS, VOLUME, WRITERS, Corpus

from softpq.errors import ReadError
from softpq.io.format import ReadOptions
from softpq.io.image import images_in
from softpq.table.masks import Masks

FILES = int(os.environ.get("SOFTPQ_FUZZ_FILES", "150"))
"""Of each format."""

VOLUMES = {"imagej.tif", "ome.ome.tif", "volume.nii", "volume.nii.gz", "raw.nrrd", "packed.nrrd"}
SECONDS = 20
LIMIT = 50_000_000


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    def late(*_: Any) -> None:
        raise AssertionError(f"not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(tmp_path_factory.mktemp("honest"))


def look_at(path: Path) -> None:
    """Read everything there is, whole and in parts; only one kind of error may come out, and it is one line."""
    said = ""
    try:
        for image in images_in(path):
            labels = image.read(ReadOptions(LIMIT)).labels
            if isinstance(labels, np.ndarray):
                assert labels.nbytes <= LIMIT
            elif not isinstance(labels, Masks):
                labels.masks((40, 52))
            if image.has_parts:
                stored = image.open_parts(ReadOptions(LIMIT))
                stored[tuple(slice(0, min(size, 30)) for size in stored.shape)]
    except (ReadError, OSError) as error:
        said = str(error)
    assert "\n" not in said


@pytest.mark.parametrize("name", list(WRITERS))
def test_readers_say_one_line(name: str, corpus: Corpus, tmp_path: Path) -> None:
    rng = random.Random(f"{name} {os.environ.get('SOFTPQ_FUZZ_SEED', 0)}")
    for k in range(FILES):
        target = tmp_path / f"{k}_{name}"
        corpus.damage(name, target, rng)
        with at_most(SECONDS):
            look_at(target)


@pytest.mark.parametrize("door", ["evaluate", "html", "doctor"])
def test_every_door_survives_a_folder_of_damage(door: str, corpus: Corpus, tmp_path: Path) -> None:
    """All formats side by side, each damaged several times, and one honest pair."""
    rng = random.Random(f"{door} {os.environ.get('SOFTPQ_FUZZ_SEED', 0)}")
    truth, pred = tmp_path / "truth", tmp_path / "pred"
    truth.mkdir()
    pred.mkdir()
    for name in WRITERS:
        if name in ("runs.csv", "rows.csv", "stack.npy", "conic.npy", "tissue.npz", "shapes.xml"):
            continue  # they are given as files, and hold several images
        suffix = "".join(Path(name).suffixes[-2:]) if name.endswith(".gz") else Path(name).suffix
        for k in range(max(2, FILES // 10)):
            stem = f"{k}_{name.replace('.', '_')}"
            tifffile.imwrite(truth / f"{stem}.tif", VOLUME if name in VOLUMES else LABELS)
            corpus.damage(name, pred / f"{stem}{suffix}", rng)
    for folder in (truth, pred):
        tifffile.imwrite(folder / "honest.tif", LABELS)
    options = {"evaluate": [], "html": ["--html", str(tmp_path / "page.html")], "doctor": []}[door]
    command = "doctor" if door == "doctor" else "evaluate"
    with at_most(30 * SECONDS):
        memory = [] if command == "doctor" else ["--memory", "100MB"]
        result = call(command, truth, pred, *memory, *options)
    assert result.exit_code == 1, result.output
    assert "Traceback" not in result.output
    if door == "html":
        assert (tmp_path / "page.html").exists()
