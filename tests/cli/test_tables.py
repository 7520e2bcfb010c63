"""The table for a paper: the same values as everywhere."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from commands import call
from made_up import write_models

from softpq import Results


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_models(tmp_path, 30, truth=0.0, **{"good_one": 0.05, "poor & bad": 0.5})
    return tmp_path


def test_equal_values_from_all_doors(folder: Path) -> None:
    """Terminal, Markdown, LaTeX, CSV, JSON and Python."""
    places = [folder / name for name in ("truth", "good_one", "poor & bad")]
    files = {suffix: folder / f"out.{suffix}" for suffix in ("md", "tex", "csv")}
    for suffix, path in files.items():
        done = call("evaluate", *places, "--metrics", "softpq,pq,vi", "--table", path, "--json", folder / "r.json")
        assert done.exit_code == 0, (suffix, done.output)
    results = Results.from_json(folder / "r.json")
    rows = list(csv.DictReader(files["csv"].read_text().splitlines()))
    for model in ("good_one", "poor & bad"):
        for metric in ("softpq", "pq", "vi"):
            interval = results.interval(metric, model)
            (row,) = [one for one in rows if one["model"] == model and one["metric"] == metric]
            assert [float(row[name]) for name in ("value", "low", "high")] == [
                interval.value,
                interval.low,
                interval.high,
            ]
            text = f"{interval.value:.3f} ({interval.low:.3f}, {interval.high:.3f})"
            assert text in files["md"].read_text()
            assert text in files["tex"].read_text()
            assert f"{interval.value:.4f}" in done.stdout
            assert json.loads((folder / "r.json").read_text())["pooled"][model][metric] == interval.value
    tex = files["tex"].read_text()
    assert "good\\_one" in tex
    assert "poor \\& bad" in tex
    assert "\\toprule" in tex
    assert re.search(r"\\textbf\{0\.\d+", tex)
    assert "vi $\\downarrow$" in tex
    assert "Instance segmentation was evaluated with SoftPQ" in files["md"].read_text()
    assert [one["model"] for one in rows if one["best"] == "1" and one["metric"] == "vi"] == ["good_one"]


def test_other_suffixes_are_refused_before_the_work(folder: Path) -> None:
    done = call("evaluate", folder / "truth", folder / "good_one", "--table", folder / "out.docx")
    assert (done.exit_code, "--table must end with .md, .tex or .csv" in done.stderr) == (2, True)
