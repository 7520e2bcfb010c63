"""Scores by class, with intervals, and confused classes: the same in every output."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from commands import call

from softpq import Results, evaluate_dataset, match
from softpq.synthetic import cells
from softpq.table.overlap import Overlap

IMAGES = 32


def kinds(labels: np.ndarray, wrong: int) -> np.ndarray:
    """A class for each object; every so many is of another."""
    found = np.where(labels > 0, 1 + labels % 2, 0)
    return np.where((labels > 0) & (labels % wrong == 0), 3 - found, found).astype(np.uint8)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("t", "p", "tc", "pc"):
        (tmp_path / name).mkdir()
    for k in range(IMAGES):
        scene = cells((64, 64), 14, seed=k, fates={"missed": 0.2, "split": 0.1}, ghosts=1)
        np.save(tmp_path / "t" / f"i{k}.npy", scene.truth)
        np.save(tmp_path / "p" / f"i{k}.npy", scene.pred)
        np.save(tmp_path / "tc" / f"i{k}.npy", kinds(scene.truth, 10**6))
        np.save(tmp_path / "pc" / f"i{k}.npy", kinds(scene.pred, 3))
    return tmp_path


def classes_of(folder: Path) -> str:
    return f"{folder / 'tc'},{folder / 'pc'}"


def slowly(folder: Path) -> dict[tuple[str, str], int]:
    """Matches by class, counted one by one."""
    found: Counter[tuple[str, str]] = Counter()
    for k in range(IMAGES):
        truth, pred, *maps = (np.load(folder / name / f"i{k}.npy") for name in ("t", "p", "tc", "pc"))
        matching = match(Overlap.from_labels(truth, pred), 0.5)
        for one, other in zip(matching.truth_ids, matching.pred_ids, strict=True):
            sides = zip((truth, pred), (one, other), maps, strict=True)
            first, second = (str(np.bincount(own[labels == label]).argmax()) for labels, label, own in sides)
            found[first, second] += 1
    return dict(found)


def test_intervals_of_classes_are_in_every_output(folder: Path) -> None:
    call_of = ["evaluate", folder / "t", folder / "p", "--classes", classes_of(folder), "--metrics", "softpq,pq"]
    tables = [part for suffix in ("md", "tex", "csv") for part in ("--table", folder / f"o.{suffix}")]
    for k in (0, 2, 4):
        done = call(*call_of, *tables[k : k + 2], "--json", folder / "r.json", "--csv", f"{folder}/out/")
        assert done.exit_code == 0, done.output
    results = Results.from_json(folder / "r.json")
    rows = list(csv.DictReader((folder / "o.csv").read_text().splitlines()))
    stored = json.loads((folder / "r.json").read_text())["classes"]
    for name in ("1", "2"):
        for metric in ("softpq", "pq"):
            found = results.of_class(name).interval(metric, "p")
            assert found.low < found.value < found.high
            text = f"{found.value:.3f} ({found.low:.3f}, {found.high:.3f})"
            assert text in (folder / "o.md").read_text()
            assert text in (folder / "o.tex").read_text()
            (row,) = [one for one in rows if (one["class"], one["metric"]) == (name, metric)]
            assert [float(row[end]) for end in ("value", "low", "high")] == [found.value, found.low, found.high]
            (row,) = [one for one in stored if (one["class"], one["metric"]) == (name, metric)]
            assert [row[end] for end in ("value", "low", "high")] == [found.value, found.low, found.high]
            assert f"{found.value:.4f}" in done.stdout
            assert f"{found.low:.3f}-{found.high:.3f}".replace("0.", ".") in done.stdout
    assert "p, class 1" in (folder / "o.md").read_text()


def test_confused_classes_are_counted_whatever_the_class(folder: Path) -> None:
    expected = slowly(folder)
    results = evaluate_dataset(folder / "t", folder / "p", classes=classes_of(folder), metrics=["pq"])
    table = results.confused()
    assert {(one, other): n for one, row in table.items() for other, n in row.items()} == expected
    assert expected["1", "2"] > 0
    results.to_json(folder / "r.json")
    assert Results.from_json(folder / "r.json").confused() == table
    assert sum(row["matches"] for row in results.rows("confused")) == sum(expected.values())


def test_confused_classes_are_printed_and_noted(folder: Path) -> None:
    call_of = ["evaluate", folder / "t", folder / "p", "--classes", classes_of(folder), "--metrics", "softpq,pq"]
    shown = [call(*call_of, "--resume", folder / "log.jsonl").stdout for _ in range(2)]
    assert shown[0] == shown[1]
    assert "matches by class, truth down" in " ".join(shown[0].split())
    assert str(slowly(folder)["1", "2"]) in shown[0]
    assert call(*call_of, "--csv", f"{folder}/out/").exit_code == 0
    assert (folder / "out" / "confused.csv").read_text().startswith("model,truth,pred,matches\n")
