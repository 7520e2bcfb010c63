"""Results as JSON, CSV and DataFrames: a schema, the same columns whatever the data, the same values everywhere."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from made_up import write_models

from softpq import Results, evaluate_dataset
from softpq.dataset.rows import KINDS

SCHEMA = Path(__file__).parents[2] / "docs" / "results.schema.json"


def strict_json(text: str) -> Any:
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


def check(results: Results, **options: Any) -> Any:
    found = strict_json(results.to_json(**options))
    jsonschema.Draft202012Validator(strict_json(SCHEMA.read_text())).validate(found)
    lengths = {len(column) for column in found["images"].values()}
    assert lengths == {len(results.images)}
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("saved")
    write_models(place, 8, good=0.05, poor=0.5)
    return place


def test_what_is_written_follows_the_schema(folder: Path) -> None:
    """One model, several, with tables, groups, classes, failures, an undefined image, or nothing at all."""
    models = {"good": folder / "good", "poor": folder / "poor"}
    check(evaluate_dataset(folder / "truth", folder / "good"))
    both = evaluate_dataset(folder / "truth", models, keep_tables=True, groups="image_([0-9])")
    assert "tables" in check(both)
    assert "tables" not in check(both, keep_tables=False)
    assert check(both)["units"] == {"kind": "groups", "count": 8}
    labels = {str(k): "ab"[k % 2] for k in range(1, 30)}
    (folder / "classes.json").write_text(
        json.dumps({f"image_{k}": {"truth": labels, "pred": labels} for k in range(8)})
    )
    by_class = evaluate_dataset(folder / "truth", models, classes=str(folder / "classes.json"))
    assert {row["class"] for row in check(by_class)["classes"]} == {"a", "b"}
    nothing = np.zeros((4, 4), int)
    empty = evaluate_dataset([nothing], [nothing])
    assert check(empty)["images"]["pq"] == [None]
    missing = evaluate_dataset({"a": nothing + 1, "b": nothing + 1}, {"a": nothing + 1})
    assert [row["name"] for row in check(missing)["failures"]] == ["b"]


def test_columns_do_not_depend_on_the_data(folder: Path, tmp_path: Path) -> None:
    perfect = np.array([[1, 1, 0], [0, 2, 2]])
    found = [
        evaluate_dataset([perfect], [perfect]),
        evaluate_dataset([perfect] * 2, {"a": [perfect * 0, perfect], "b": [perfect[::-1], perfect]}),
        evaluate_dataset(folder / "truth", {"good": folder / "good", "poor": folder / "poor"}),
    ]
    for kind in KINDS:
        heads = set()
        for results in found:
            results.to_csv(tmp_path / "x.csv", kind)
            heads.add((tmp_path / "x.csv").read_text().splitlines()[0])
            assert list(results.to_pandas(kind).columns) == heads.copy().pop().split(",")
        assert len(heads) == 1, kind


def test_equal_values_from_csv_pandas_json_and_rows(folder: Path, tmp_path: Path) -> None:
    results = evaluate_dataset(folder / "truth", {"good": folder / "good", "poor": folder / "poor"})
    in_json = strict_json(results.to_json())
    for kind in KINDS:
        results.to_csv(tmp_path / "x.csv", kind)
        from_csv = list(csv.DictReader((tmp_path / "x.csv").read_text().splitlines()))
        from_pandas = results.to_pandas(kind).to_dict("records")
        rows = results.rows(kind)
        for a, b, c in zip(rows, from_csv, from_pandas, strict=True):
            for name, value in a.items():
                if isinstance(value, str):
                    assert value == b[name] == c[name]
                elif math.isnan(value):
                    assert b[name] == ""
                    assert math.isnan(c[name])
                else:
                    assert value == float(b[name]) == c[name]
    of_json = {"models": in_json["models"], "pairs": in_json["comparisons"]}
    for kind, listed in of_json.items():
        for a, b in zip(results.rows(kind), listed, strict=True):
            assert all(b[name] == (None if isinstance(v, float) and math.isnan(v) else v) for name, v in a.items())
    for k, row in enumerate(results.rows()):
        assert all(in_json["images"][name][k] == value for name, value in row.items())


def test_a_thousand_images_take_less_than_a_megabyte(folder: Path) -> None:
    from dataclasses import replace

    few = evaluate_dataset(folder / "truth", folder / "good")
    rng = np.random.default_rng(0)
    many = [replace(few.images[int(rng.integers(8))], name=f"image_with_a_name_{k:04d}") for k in range(1000)]
    assert len(replace(few, images=tuple(many)).to_json()) < 1_000_000


@pytest.mark.parametrize(
    ("text", "said"),
    [("{}", "results that softpq wrote"), ("[1]", "results that softpq wrote"), ("{", "Expecting"),
     ('{"format": "softpq results 4"}', "must be of the format 'softpq results 5'; got"),
     ('{"format": "softpq results 5"}', "plan")],
)  # fmt: skip
def test_what_are_no_results(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "r.json").write_text(text)
    with pytest.raises((ValueError, KeyError), match=said):
        Results.from_json(tmp_path / "r.json")
