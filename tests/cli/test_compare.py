"""softpq compare and softpq plan: results of earlier runs."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from commands import call
from made_up import write_models
from reference import SHARED

MODELS = {"good": 0.05, "fair": 0.25, "poor": 0.5}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file of results for each model, with tables, and one of all without."""
    place = tmp_path_factory.mktemp("runs")
    write_models(place, 9, **MODELS)
    for name in MODELS:
        done = call(
            "evaluate", place / "truth", place / name, "-q", "--json", place / "runs" / f"{name}.json", "--keep-tables"
        )
        assert done.exit_code == 0, done.output
    call("evaluate", place / "truth", *(place / name for name in MODELS), "-q", "--json", place / "bare.json")
    return place


def ranking(text: str) -> list[str]:
    """The lines of the table of models."""
    lines = text.splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("rank"))
    return lines[start : start + 5]


def test_files_of_one_model_each_are_compared_as_one_run_would(runs: Path) -> None:
    at_once = call("evaluate", runs / "truth", *(runs / name for name in MODELS))
    for places in ([runs / "runs"], [runs / "runs" / f"{name}.json" for name in MODELS], [runs / "bare.json"]):
        done = call("compare", *places)
        assert done.exit_code == 0, done.output
        assert ranking(done.stdout) == ranking(at_once.stdout)
        assert ", p ." in done.stdout
    assert "Over l from 0 and h from 0.5 on, good is best at" in call("compare", runs / "runs").stdout.replace(
        "\n", " "
    )
    assert "Who wins at other thresholds is not known: write results with --keep-tables." in done.stdout.replace(
        "\n", " "
    )


def test_other_questions_to_the_same_files(runs: Path) -> None:
    done = call(
        "compare", runs / "runs", "--metrics", "pq,f1", "--rank-by", "f1", "--over", "mean", "--threshold", "0.8"
    )
    assert done.exit_code == 0, done.output
    anew = call("evaluate", runs / "truth", *(runs / name for name in MODELS), "--metrics", "pq,f1", "--rank-by", "f1",
                "--over", "mean", "--threshold", "0.8")  # fmt: skip
    assert ranking(done.stdout) == ranking(anew.stdout)
    assert "3 models by f1" in done.stdout
    refused = call("compare", runs / "bare.json", "--threshold", "0.8")
    assert (refused.exit_code, "--keep-tables" in refused.stderr) == (2, True)
    grouped = call("compare", runs / "runs", "--groups", "image_([0-4])|image_[5-8]")
    assert (grouped.exit_code, "groups must name a group for every image" in grouped.stderr) == (2, True)
    grouped = call("compare", runs / "runs", "--groups", "(image)")
    assert grouped.exit_code == 0
    assert "Units: groups. Too few groups for an interval or a test." in grouped.stdout
    assert "1 group cannot separate 3 models" in grouped.stdout


def test_files_that_cannot_be_compared(runs: Path, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('{"format": "other"}')
    (tmp_path / "cut.json").write_text((runs / "bare.json").read_text()[:2000])
    (tmp_path / "empty").mkdir()
    one = runs / "runs" / "good.json"
    call("evaluate", runs / "truth", runs / "good", "-q", "--json", tmp_path / "at7.json", "--iou-high", "0.7")
    for arguments, said in (
        ([tmp_path / "other.json"], "holds no results that can be read"),
        ([tmp_path / "cut.json"], "holds no results that can be read"),
        ([tmp_path / "empty"], "holds no .json file"),
        ([tmp_path / "nowhere.json"], "does not exist"),
        ([one, f"other={tmp_path / 'at7.json'}"], "iou_high is 0.5 in one and 0.7 in the other"),
        ([f"name={runs / 'bare.json'}"], "has 3 models; one name is not enough"),
        ([one, "--rank-by", "nothing"], "nothing"),
        ([one, "--keep-tables"], "give --json, too"),
    ):
        done = call("compare", *arguments)
        assert done.exit_code == 2, (arguments, done.output)
        assert said in done.stderr.replace("\n", " "), (arguments, done.stderr)
        assert "Traceback" not in done.output


def test_models_of_one_name_are_called_after_their_files(runs: Path, tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / f"{name}.json").write_bytes((runs / "runs" / "good.json").read_bytes())
    done = call("compare", tmp_path)
    assert done.exit_code == 0, done.output
    assert "first" in done.stdout
    assert "second" in done.stdout
    named = call("compare", f"A={tmp_path / 'first.json'}", f"B={tmp_path / 'second.json'}")
    assert [line.split()[1] for line in ranking(named.stdout)[1:3]] == ["A", "B"]


def test_tables_go_to_standard_output_or_a_folder(runs: Path, tmp_path: Path) -> None:
    done = call("compare", runs / "runs", "--csv", "-")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert len(rows) == 27
    assert "rank" in done.stderr
    assert len(json.loads(call("compare", runs / "runs", "--json", "-").stdout)["models"]) > 3
    assert call("compare", runs / "runs", "--table", "-").stdout.startswith("| model | softpq |")
    assert call("compare", runs / "runs", "--csv", f"{tmp_path}/out/").exit_code == 0
    written = sorted(path.stem for path in (tmp_path / "out").iterdir())
    assert written == ["classes", "confused", "images", "models", "pairs"]
    both = call("compare", runs / "runs", "--csv", "-", "--json", "-")
    assert (both.exit_code, "Only one of" in both.stderr) == (2, True)


def test_level_seed_and_sizes(runs: Path) -> None:
    narrow, wide = (call("compare", runs / "runs", "--level", level).stdout for level in ("0.8", "0.99"))
    assert ": 80 % interval" in narrow
    assert ": 99 % interval" in wide
    sized = call("evaluate", runs / "truth", runs / "good", "--sizes", "30,60", "--metrics", "f1")
    assert all(text in sized.stdout for text in ("below 30", "30 to 60", "from 60"))
    assert call("evaluate", runs / "truth", runs / "good", "--sizes", "60,30").exit_code == 2
    assert call("compare", runs / "runs", "--level", "1").exit_code == 2


def test_plan_tells_how_many_images(runs: Path, tmp_path: Path) -> None:
    done = call("plan", runs / "runs", "--difference", "0.02", "--plot", tmp_path / "curve.png")
    assert done.exit_code == 0, done.output
    assert "good and poor:" in done.stdout
    assert "Images for a difference of 0.02 in softpq, mean, with 80 % power at 5 %" in done.stdout
    assert (tmp_path / "curve.png").stat().st_size > 1000
    few = int(call("plan", runs / "runs", "--difference", "0.2").stdout.split("good and poor: ")[1].split(" ")[0])
    many = int(done.stdout.split("good and poor: ")[1].split(" ")[0].replace(",", ""))
    assert few < many
    for arguments, said in (
        ([runs / "runs" / "good.json"], "two models to plan with"),
        ([runs / "runs", "--rank-by", "x"], "x"),
    ):
        refused = call("plan", *arguments, "--difference", "0.02")
        assert (refused.exit_code, said in refused.stderr) == (2, True), refused.output
    assert call("plan", runs / "runs", "--difference", "0").exit_code == 2


@pytest.mark.shared
def test_five_models_fit_one_screen() -> None:
    data = SHARED / "data" / "dsb2018"
    done = call("evaluate", data / "gt", *sorted(data.glob("pred_*")))
    assert len(done.stdout.splitlines()) <= 40
    assert max(map(len, done.stdout.splitlines())) <= 80
