"""The paper's experiments: every number beside those behind its figures."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from conftest import SHARED

from softpq.paper import scenes
from softpq.paper.experiments import EXPERIMENTS

RECORDED = ("penalty_functions", *(name for name in EXPERIMENTS if name != "oversegmentation_fragments"))


def recorded(name: str) -> list[dict[str, str]]:
    with (SHARED / "figures" / f"{name}.csv").open() as file:
        return list(csv.DictReader(file))


@pytest.mark.shared
@pytest.mark.parametrize("name", dict.fromkeys(RECORDED))
def test_every_number_behind_the_figures(name: str) -> None:
    ours, theirs = EXPERIMENTS[name](), recorded(name)
    assert len(ours) == len(theirs)
    compared = 0
    for row, expected in zip(ours, theirs, strict=True):
        for column in set(row) & set(expected):
            if column == "case":
                assert row[column] == expected[column]
                continue
            assert float(row[column]) == pytest.approx(float(expected[column]), abs=1e-9), (name, column)
            compared += 1
    assert compared >= 4 * len(theirs)


@pytest.mark.shared
def test_the_scenes_of_the_first_figure_pixel_by_pixel() -> None:
    with np.load(SHARED / "figures" / "fig1_scenes.npz") as drawn:
        for name, (truth, pred) in scenes.limitations().items():
            assert np.array_equal(truth, drawn[f"{name}_gt"])
            assert np.array_equal(pred, drawn[f"{name}_pred"])
