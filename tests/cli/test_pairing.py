"""Pairing on the command line: a dry run, a table of pairs, globs that a shell expanded, names of models."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from commands import call
from zoo import PRED, TRUTH, Layout, lay

from softpq import evaluate_dataset
from softpq.io.naming import model_names


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    return Layout(lay({"{n}.tif": TRUTH}), lay({"{n}_cp_masks.tif": PRED})).write(tmp_path)


def test_a_dry_run_shows_the_pairs_and_scores_nothing(folders: tuple[Path, Path]) -> None:
    done = call("evaluate", "--dry-run", *folders)
    assert done.exit_code == 0
    assert "wells_000  truth/wells_000.tif  pred/wells_000_cp_masks.tif" in done.stdout
    assert "as Cellpose output" in done.stdout
    assert "softpq " not in done.stdout
    (folders[1] / "wells_001_cp_masks.tif").unlink()
    done = call("evaluate", "--dry-run", *folders)
    assert done.exit_code == 1
    assert "truth/wells_001.tif  (none)" in done.stdout


def test_what_a_dry_run_writes_is_a_table_of_pairs(folders: tuple[Path, Path], tmp_path: Path) -> None:
    table = tmp_path / "pairs.csv"
    assert call("evaluate", "--dry-run", *folders, "--csv", table).exit_code == 0
    by_table = evaluate_dataset(*folders, pairs=table, metrics=["pq"])
    assert by_table.pooled("pred") == evaluate_dataset(*folders, metrics=["pq"]).pooled("pred")
    assert call("evaluate", *folders, "--pairs", table, "--metrics", "pq").exit_code == 0


def test_a_table_of_pairs_decides_against_all_names(folders: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text("truth,pred\nwells_000.tif,wells_001_cp_masks.tif\nwells_001.tif,\n")
    results = evaluate_dataset(*folders, pairs=tmp_path / "pairs.csv", metrics=["pq"])
    expected = evaluate_dataset([TRUTH[0]], {"m": [PRED[1]]}, metrics=["pq"]).pooled("m")
    assert results.pooled("pred") == expected
    assert [failure.name for failure in results.failures] == ["wells_001"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("a,b\n1,2\n", "must have a column truth"),
        ("truth,other\nwells_000.tif,x\n", "must have a column pred or pred; got truth, other"),
        ("truth,pred\na.tif,b.tif\na.tif,c.tif\n", "must name every file once in a column; truth has a.tif 2 times"),
        ("truth,pred\na.tif,b.tif\nc.tif,b.tif\n", "must name every file once in a column; pred has b.tif 2 times"),
        ("", "must have a column truth"),
    ],
)
def test_tables_that_are_wrong(folders: tuple[Path, Path], tmp_path: Path, table: str, message: str) -> None:
    (tmp_path / "pairs.csv").write_text(table)
    done = call("evaluate", *folders, "--pairs", tmp_path / "pairs.csv")
    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())


def test_what_is_not_there_costs_its_image(folders: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text('{"x": 1}')
    lines = [
        "truth,pred",
        "wells_000.tif,wells_000_cp_masks.tif",
        "wells_001.tif,nowhere.tif",
        "wells_002.tif,bad.json",
    ]
    (tmp_path / "pairs.csv").write_text("\n".join(lines))
    done = call("evaluate", *folders, "--pairs", tmp_path / "pairs.csv", "--metrics", "pq")
    said = " ".join(done.output.split())
    assert done.exit_code == 1
    assert "1 image" in said
    assert "nowhere.tif is not there, though pairs.csv names it" in said
    assert "bad.json has a format that is not known" in said


def test_a_glob_without_quotes_is_recognised(folders: tuple[Path, Path]) -> None:
    truth, pred = folders
    for arguments in ([truth, *sorted(pred.iterdir())], [*sorted(truth.iterdir()), *sorted(pred.iterdir())]):
        done = call("evaluate", *arguments)
        assert done.exit_code == 2
        said = " ".join(done.stderr.split())
        assert "was a glob without quotes expanded?" in said
        command = shlex.split(said.partition("Run: softpq ")[2])
        assert call(*command, "--metrics", "pq").exit_code == 0


def test_single_files_are_models_where_the_truth_is_one(folders: tuple[Path, Path]) -> None:
    truth, pred = folders
    assert call("evaluate", truth / "wells_000.tif", *sorted(pred.iterdir())[:2], "--metrics", "pq").exit_code == 0


@pytest.mark.parametrize(
    ("places", "names"),
    [
        (["A/masks", "B/masks"], ["A", "B"]),
        (["unet/*.tif", "cellpose/*_cp_masks.png"], ["unet", "cellpose"]),
        (["runs/1/pred/*.tif", "runs/2/pred/*.tif"], ["1", "2"]),
        (["out/*/a.png", "out/*/b.png"], ["a", "b"]),
        (["A/masks", "A/labels"], ["A/masks", "A/labels"]),
        (["x/1/a/masks", "y/1/a/masks"], ["x/1/a/masks", "y/1/a/masks"]),
        (["v.h5:a", "v.h5:b"], ["a", "b"]),
    ],
)
def test_names_of_models(places: list[str], names: list[str]) -> None:
    assert model_names(places) == names


def test_windows_does_not_expand_quoted_globs(monkeypatch: pytest.MonkeyPatch) -> None:
    from softpq.cli import main

    seen: dict[str, object] = {}
    monkeypatch.setattr("click.Group.main", lambda self, *args, **options: seen.update(options))
    main.main()
    assert seen["windows_expand_args"] is False


def test_the_help_of_evaluate_is_in_groups() -> None:
    said = call("evaluate", "--help").stdout
    places = [said.index(f"\n{group}:") for group in ("What to score", "SoftPQ and other metrics", "Output", "Work")]
    assert places == sorted(places)
    assert "Other options" not in said
    assert said.index("--pairs") < said.index("--iou-low") < said.index("--html") < said.index("--jobs")
