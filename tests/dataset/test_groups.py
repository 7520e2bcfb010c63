"""Images that belong together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import call
from made_up import write_models

from softpq import ReadError, Results, evaluate_dataset
from softpq.dataset.groups import groups_of


def test_groups_from_a_mapping_a_table_and_a_pattern(tmp_path: Path) -> None:
    names = ["p1_a", "p1_b", "p2_a"]
    expected = {"p1_a": "p1", "p1_b": "p1", "p2_a": "p2"}
    (tmp_path / "g.csv").write_text("image,group\n" + "".join(f"{k},{v}\n" for k, v in expected.items()))
    assert groups_of(names, expected) == groups_of(names, tmp_path / "g.csv") == groups_of(names, "^(p.)") == expected
    assert groups_of(names, None) == {}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"p1_a": "x"}, "2 have none, such as p1_b"),
        ("(p1)", "1 have none, such as p2_a"),
        ("p1", "one pair of brackets"),
        ("(p1", "a CSV file or a pattern such as"),
        ("nothing.csv", "cannot be read as a table of groups"),
    ],
)
def test_what_are_no_groups(given: object, said: str) -> None:
    with pytest.raises(ReadError, match=said):
        groups_of(["p1_a", "p1_b", "p2_a"], given)  # type: ignore[arg-type]


def test_groups_are_the_units_behind_every_door(tmp_path: Path) -> None:
    write_models(tmp_path, 12, truth=0.0, good=0.1, poor=0.4)
    pattern = r"image_(\d)"  # image_1, image_10 and image_11 are one
    results = evaluate_dataset(tmp_path / "truth", {name: tmp_path / name for name in ("good", "poor")}, groups=pattern)
    assert results.compare("good", "poor", "pq").units == 10
    assert Results.from_json(results.to_json()).compare("good", "poor", "pq") == results.compare("good", "poor", "pq")
    places = [tmp_path / name for name in ("truth", "good", "poor")]
    called = call("evaluate", *places, "--groups", pattern, "--json", tmp_path / "r.json")
    assert called.exit_code == 0
    assert "Units: groups." in called.stdout
    assert json.loads((tmp_path / "r.json").read_text())["groups"]["image_11"] == "1"
    wrong = call("evaluate", *places, "--groups", "(x)")
    assert wrong.exit_code == 2
    assert "groups must name a group for every image" in " ".join(wrong.stderr.split())
