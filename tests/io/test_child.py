"""The process that reads what decoders may choke on: it may hang or die, and takes nothing from the present folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from softpq.errors import ReadError
from softpq.io import read_labels
from softpq.synthetic import cells

LABELS = cells((60, 80), 20, seed=2).truth.astype(np.uint16)


def test_a_decoder_that_hangs_costs_one_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that reads it is ended, and the next file is read by another."""
    from softpq.io import child

    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["labels"] = LABELS
    monkeypatch.setattr(child, "PATIENCE", 0.2)
    monkeypatch.setattr(child, "SLOWEST", 1e20)
    monkeypatch.setattr(child, "_idle", [])
    monkeypatch.setattr(child, "SERVE", "import time; time.sleep(1000)")
    with pytest.raises(ReadError, match="does not come to an end"):
        read_labels(tmp_path / "a.h5")
    monkeypatch.undo()
    assert np.array_equal(read_labels(tmp_path / "a.h5"), LABELS)


def test_a_decoder_that_dies_costs_one_image(tmp_path: Path) -> None:
    from softpq.io import child

    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["labels"] = LABELS
    read_labels(tmp_path / "a.h5")
    child._idle[-1]._process.kill()
    child._idle[-1]._process.wait()
    with pytest.raises(ReadError, match="ended the process that tried to"):
        read_labels(tmp_path / "a.h5")
    assert np.array_equal(read_labels(tmp_path / "a.h5"), LABELS)


def test_what_lies_in_the_present_folder_is_not_imported(tmp_path: Path) -> None:
    """Somebody unpacks what strangers sent, and calls softpq there: a file of theirs may be called json.py."""
    for side in ("truth", "pred"):
        (tmp_path / side).mkdir()
        with h5py.File(tmp_path / side / "a.h5", "w") as file:
            file["labels"] = LABELS
    for module in ("json", "numpy", "softpq", "h5py"):
        (tmp_path / f"{module}.py").write_text("open('imported', 'w').close()\nraise SystemExit\n")
    program = Path(sys.executable).with_name("softpq")
    found = subprocess.run([program, "evaluate", "truth", "pred"], cwd=tmp_path, capture_output=True, text=True)
    assert not (tmp_path / "imported").exists()
    assert found.returncode == 0, found.stderr
