"""Errors speak the language of the door: the command line of options, Python of arguments."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
from commands import call
from zoo import PRED, TRUTH, write
from zoo_codes import street
from zoo_formats import APART
from zoo_odd import painted

from softpq import evaluate_dataset
from softpq.cli.language import in_options

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
ARGUMENT = re.compile(r"\b[a-z_]+=(True|False|None|\"|'|\(|\d)")


def nifti(spacing: float) -> Callable[[Path], None]:
    def save(path: Path) -> None:
        import nibabel

        nibabel.save(nibabel.Nifti1Image(TRUTH[0][None].astype(np.int16), np.diag([1, spacing, 1, 1])), path)

    return save


def channels(path: Path) -> None:
    tifffile.imwrite(path, np.stack([TRUTH[0], PRED[0]]), ome=True, metadata={"axes": "CYX"})


MESSAGES: dict[str, tuple[dict[str, Any], dict[str, Any], str, str]] = {
    "a mask": ({"a.png": np.where(APART[0] > 0, 255, 0).astype(np.uint8)}, {"a.tif": APART[0]}, "split_components=True",
               "--split-components"),
    "classes": ({"a.tif": np.where(APART[0] > 0, 1 + APART[0] % 2, 0)}, {"a.tif": APART[0]}, "check=False",
                "--no-check"),
    "codes": ({"a.tif": street(TRUTH[0], 256)}, {}, "check=False", "--no-check"),
    "colours": ({"a.png": painted(APART[0])}, {}, "split_components=True", "--split-components"),
    "channels": ({"a.tif": channels}, {}, "channel=0 to 1", "--channel 0 to 1"),
    "one side with channels": ({"a.npy": np.stack([TRUTH[0], PRED[0]])}, {}, "channel=0 to 1", "--channel 0 to 1"),
    "geometry": ({"a.nii.gz": nifti(3)}, {"a.nii.gz": nifti(1)}, 'geometry="ignore"', "--geometry ignore"),
    "memory": ({"a.png": np.ones((4000, 4000), np.uint16)}, {}, 'memory="64GB"', "--memory 64GB"),
    "nothing paired": ({"x.tif": TRUTH[0], "y.tif": TRUTH[1]}, {"1.tif": TRUTH[0], "2.tif": TRUTH[1]},
                       'pairs="pairs.csv"', "--pairs pairs.csv"),
    "negative labels": ({"a.npy": TRUTH[0].astype(int) - 1}, {}, "ignore=(pred < 0)", "--ignore-masks FOLDER"),
    "missing after Cellpose": (
        {"a_cp_masks.tif": PRED[0], "b_cp_masks.tif": PRED[1]},
        {"a.tif": TRUTH[0], "b.tif": TRUTH[1], "c.tif": TRUTH[2]}, 'missing="empty"', "--missing empty",
    ),
}  # fmt: skip
"""Files of the prediction and of the truth (one label image by default), what Python says, and the command line."""


@pytest.mark.parametrize("name", MESSAGES)
def test_every_door_has_its_language(name: str, tmp_path: Path) -> None:
    pred, truth, in_python, on_the_line = MESSAGES[name]
    for folder, files in (("t", truth or {"a.tif": TRUTH[0]}), ("p", pred)):
        (tmp_path / folder).mkdir()
        for file, what in files.items():
            write(tmp_path / folder / file, what)
    limit = {"memory": "1MB"} if name == "memory" else {}
    said = " ".join(said_in_python(tmp_path, **limit))
    assert in_python in said
    assert not OPTION.search(said), said
    options = ["--memory", "1MB"] if limit else []
    shown = " ".join(call("evaluate", tmp_path / "t", tmp_path / "p", *options).output.split())
    assert on_the_line in shown
    assert not ARGUMENT.search(shown.replace("l=0.05, h=0.5", "")), shown


def said_in_python(folder: Path, **options: Any) -> list[str]:
    try:
        results = evaluate_dataset(folder / "t", folder / "p", **options)
    except Exception as error:
        return [str(error)]
    return [*results.notes, *(failure.reason for failure in results.failures)]


@pytest.mark.parametrize(
    ("python", "line"),
    [
        ("iou_low must be between 0 and 1; got 2", "--iou-low must be between 0 and 1; got 2"),
        ("memory must be a size such as 1GB; got lots", "--memory must be a size such as 1GB; got lots"),
        ("truth must hold one label per object", "truth must hold one label per object"),
        ("names a file outside; allow_outside=True reads it", "names a file outside; --allow-outside reads it"),
        ("evaluate with keep_tables=True.", "evaluate with --keep-tables."),
        ("Pass more, such as max_dets=500, to count them.", "Pass more, such as --max-dets 500, to count them."),
        ("by softpq.average_precision with boxes=True", "by softpq coco with --boxes"),
        ("a=1 and nonsense=True stay", "a=1 and nonsense=True stay"),
    ],
)
def test_arguments_become_options(python: str, line: str) -> None:
    assert in_options(python) == line


def test_no_message_of_the_library_names_an_option() -> None:
    source = Path(__file__).parents[2] / "src" / "softpq"
    found = [
        f"{path.name}: {line.strip()}"
        for path in source.rglob("*.py")
        if "cli" not in path.parts and path.parent.name != "paper"
        for line in path.read_text().splitlines()
        if re.search(r"[\"' (]--[a-z][a-z-]+", line) and "``softpq --help``" not in line
    ]
    assert not found
