"""Files of notes (--resume) that are damaged, hostile, or cannot be written: at worst, images are scored again."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
import tifffile
from commands import call

from softpq import evaluate_dataset
from softpq.dataset.resume import _check_of
from softpq.synthetic import cells

LABELS = cells((60, 80), 20, seed=2).truth.astype(np.uint16)


@pytest.fixture
def dataset(tmp_path: Path) -> tuple[Path, Path]:
    for folder in ("truth", "pred"):
        (tmp_path / folder).mkdir()
        tifffile.imwrite(tmp_path / folder / "good.tif", LABELS)
    return tmp_path / "truth", tmp_path / "pred"


def test_pipes_with_the_name_of_a_text_are_passed_over(dataset: tuple[Path, Path]) -> None:
    """Texts are opened to see what they are: a pipe would wait for ever."""
    truth, pred = dataset
    os.mkfifo(truth / "notes.txt")
    os.mkfifo(pred / "table.csv")
    assert evaluate_dataset(truth, pred).images


@pytest.mark.parametrize(
    ("old", "new"),
    [(r'"tp": \d+', '"tq": 1'), (r'"tp": \d+', '"tp": null'), (r'"tp": \d+', '"tp": "6"'),
     (r'"tp": \d+', '"tp": 1e400'), (r'"n_truth": \d+', '"n": 1'), (r'"iou_sum": [\d.]+', '"iou_sum": 60.5')],
)  # fmt: skip
@pytest.mark.parametrize("checked", [True, False])
def test_notes_with_other_values_are_passed_over(
    old: str, new: str, checked: bool, dataset: tuple[Path, Path], tmp_path: Path
) -> None:
    """A bit that fell over; or somebody who made the fingerprint fit, whose numbers must at least be numbers."""
    truth, pred = dataset
    log = tmp_path / "log"
    expected = evaluate_dataset(truth, pred, resume=log).rows()
    lines = []
    for line in log.read_text().splitlines():
        line = re.sub(old, new, line)
        if checked and line.startswith('{"key"'):
            item = json.loads(line)
            line = json.dumps({**item, "check": _check_of(item["image"])})
        lines.append(line)
    log.write_text("\n".join(lines))
    found = evaluate_dataset(truth, pred, resume=log).rows()
    assert found == expected or (checked and "60.5" in new)


def test_a_note_of_a_file_with_endless_numbers_is_passed_over(dataset: tuple[Path, Path], tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text('{"file": "x", "stamps": [[Infinity, 1, 1]], "content": "y"}\n')
    assert evaluate_dataset(*dataset, resume=log).images


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_costs_the_notes_and_not_the_scores(
    dataset: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    truth, pred = dataset
    real = Path.open
    full = {"log": Path("/dev/full")}
    monkeypatch.setattr(Path, "open", lambda self, *how, **more: real(full.get(self.name, self), *how, **more))
    done = call("evaluate", truth, pred, "--resume", tmp_path / "log", "--metrics", "pq", "--jobs", "1")
    assert done.exit_code == 1
    assert "pooled over all objects" in done.stdout
    said = " ".join(done.stderr.split())
    assert "could not be written to, No space left on device: what came after is not noted" in said


def test_a_file_that_holds_no_notes_is_not_written_to(dataset: tuple[Path, Path]) -> None:
    """Somebody gave the truth, or saved results, by mistake."""
    truth, pred = dataset
    files = [next(truth.iterdir()), truth.parent / "results.json"]
    files[1].write_text('{"format": "softpq results 5"}')
    for file in files:
        before = file.read_bytes()
        with pytest.raises(ValueError, match="resume must be a file of notes"):
            evaluate_dataset(truth, pred, resume=file)
        assert file.read_bytes() == before
