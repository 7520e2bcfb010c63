"""A run that goes on: what is done is known at once, and what has changed is not taken for done."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from made_up import write_models

from softpq import evaluate_dataset
from softpq.dataset import resume


def scored(folder: Path) -> float:
    models = {name: folder / name for name in ("a", "b")}
    results = evaluate_dataset(folder / "truth", models, metrics=["pq"], resume=folder / "log.jsonl")
    return results.pooled("a")["pq"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_models(tmp_path, 4, a=0.2, b=0.5)
    return tmp_path


def read_files(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files whose content is looked at from now on."""
    found: list[str] = []
    look = resume._content

    def noted(file: Path) -> str:
        found.append(f"{file.parent.name}/{file.name}")
        return look(file)

    monkeypatch.setattr(resume, "_content", noted)
    return found


def test_files_are_read_once_and_not_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = read_files(monkeypatch)
    first = scored(folder)
    assert len(seen) == len(set(seen)) == 12  # the truth once for both models
    seen.clear()
    assert scored(folder) == first
    assert seen == []


def test_a_file_that_was_touched_is_read_and_known_by_its_content(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = scored(folder)
    file = folder / "a" / "image_1.tif"
    os.utime(file, ns=(1, 1))
    seen = read_files(monkeypatch)
    lines = len((folder / "log.jsonl").read_text().splitlines())
    assert scored(folder) == first
    assert seen == ["a/image_1.tif"]
    assert len((folder / "log.jsonl").read_text().splitlines()) <= lines + 3  # no image was scored again


def test_another_content_of_the_same_length_and_time_is_noticed(folder: Path) -> None:
    first = scored(folder)
    file, other = folder / "a" / "image_1.tif", folder / "a" / "image_2.tif"
    before = file.stat()
    shutil.copy(other, file)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert scored(folder) != first


def test_damaged_lines_are_passed_over(folder: Path) -> None:
    first = scored(folder)
    with (folder / "log.jsonl").open("a") as log:
        log.write('{"file": "x"}\n{"file": "x", "stamps": 3, "content": 1}\n{"key": 3}\n[1]\n3\n')
    assert scored(folder) == first
