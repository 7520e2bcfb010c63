"""The paper's experiments: every number beside those behind its figures."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from commands import call
from made_up import write_models
from reference import SHARED

from softpq.paper import scenes
from softpq.paper.claims import Claim, all_claims
from softpq.paper.experiments import EXPERIMENTS
from softpq.paper.figures import FIGURES

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


def test_the_whole_paper(tmp_path: Path) -> None:
    """With a small dataset of our own: every figure as PNG and SVG, every table, one page."""
    write_models(tmp_path, good=0.2)
    result = call("paper", tmp_path / "out", "--data", tmp_path / "truth", tmp_path / "good")
    assert result.exit_code == 0, result.output
    page = (tmp_path / "out" / "index.html").read_text()
    for name in (*FIGURES, "7_real_images", "8_thresholds"):
        assert (tmp_path / "out" / f"{name}.png").stat().st_size > 5000
        assert f"{name}.svg" in page
    for name in EXPERIMENTS:
        assert (tmp_path / "out" / f"{name}.csv").exists()
    assert "does not hold" in page
    assert "6 images" in page
    assert "<script" not in page


@pytest.fixture(scope="module")
def claims() -> dict[tuple[str, str], Claim]:
    tables = {name: make() for name, make in EXPERIMENTS.items()}
    return {(claim.sentence, claim.reading): claim for claim in all_claims(tables)}


EXPECTED = {
    "With l = h = 0.5 SoftPQ is PQ.": {"text": True, "figures": True, "unified": True, "released": False},
    "SoftPQ is never below PQ.": {"text": True, "figures": True, "unified": True},
    "Under erosion SoftPQ declines most smoothly.": {"text": True, "figures": True, "unified": True, "released": True},
    "The decline at 100 % over-segmentation is modest.": {"text": False, "figures": True, "unified": True},
    "The priority tells splits from merges.": {"text": False, "figures": True, "unified": True, "released": True},
    "Linear and logarithmic penalties are sharp, the square root is gradual.": {"text": False, "figures": False},
    "SoftPQ rises smoothly as l is lowered.": {"text": False, "figures": False},
    "Ghosts are penalised.": {"text": False, "figures": False, "unified": True},
    "l = 0.25 is a useful balance that tells errors apart.": {"text": False, "figures": False, "unified": False},
    "The logarithmic penalty ln(n+1) penalises.": {"text": False, "figures": False, "unified": False},
}


@pytest.mark.parametrize("sentence", list(EXPECTED))
def test_which_claims_hold(sentence: str, claims: dict[tuple[str, str], Claim]) -> None:
    for reading, holds in EXPECTED[sentence].items():
        assert claims[sentence, reading].holds == holds, claims[sentence, reading]


def test_the_numbers_of_the_specification(claims: dict[tuple[str, str], Claim]) -> None:
    modest = "The decline at 100 % over-segmentation is modest."
    assert "0.617" in claims[modest, "text"].found
    assert "0.925" in claims[modest, "figures"].found
    assert "equals PQ on 6 of 6" in claims["l = 0.25 is a useful balance that tells errors apart.", "text"].found


def test_the_shape_of_the_curves() -> None:
    """PQ falls to 0 at once, SoftPQ never does within the experiment."""
    rows = EXPERIMENTS["erosion_single"]()
    assert min(row["text_over"] for row in rows) > 0.05
    assert {row["PQ"] for row in rows[11:]} == {0.0}
    fragments = EXPERIMENTS["oversegmentation_fragments"]()
    assert [row["n_pred"] for row in fragments] == [25, 50, 75, 100, 125]
