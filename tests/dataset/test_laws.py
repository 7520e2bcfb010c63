"""Laws through every door: perfect, relabelled, sides exchanged, scaled, in tiles; Python, command line, page."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from commands import call
from made_up import tied_scene
from nodejs import node
from strategies import relabelled

from softpq import Overlap, count, score, synthetic
from softpq.report.facts import FACTS

SCENES = {
    "cells": (lambda s: (s.truth, s.pred))(synthetic.cells((60, 70), 25, seed=1)),
    "volume": (lambda s: (s.truth, s.pred))(synthetic.cells((8, 40, 30), 20, seed=2)),
    **{f"ties {k}": tied_scene(np.random.default_rng(k), 1 + k % 4) for k in range(12)},
}
SETTINGS = [(1 / 7, "over"), (1 / 3, "under"), (0.5, "over")]
OTHER = {"over": "under", "under": "over"}
LAWS = ("relabelled", "scaled", "exchanged")


def changed(law: str, truth: np.ndarray, pred: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if law == "relabelled":
        return relabelled(truth, 3), relabelled(pred, 4)
    if law == "scaled":
        thrice = np.ones((3,) * truth.ndim, int)
        return np.kron(truth, thrice), np.kron(pred, thrice)
    return relabelled(pred, 5), relabelled(truth, 6)


def expected(name: str, high: float, priority: str, reading: str) -> float:
    return score(*SCENES[name], iou_high=high, priority=priority, reading=reading, check=False)


def readings(law: str) -> tuple[str, ...]:
    """Only the unified reading is the same for exchanged sides when nothing matches."""
    return ("unified",) if law == "exchanged" else ("text", "figures", "unified")


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("name", SCENES)
def test_python(name: str, law: str) -> None:
    pair = changed(law, *SCENES[name])
    for high, priority in SETTINGS:
        for reading in readings(law):
            asked = OTHER[priority] if law == "exchanged" else priority
            found = score(*pair, iou_high=high, priority=asked, reading=reading, check=False)
            assert found == pytest.approx(expected(name, high, priority, reading), abs=1e-12)
    assert score(SCENES[name][0], relabelled(SCENES[name][0], 1), check=False) == 1.0


@pytest.mark.parametrize("name", SCENES)
def test_tiles(name: str, tmp_path: Path) -> None:
    truth, pred = SCENES[name]
    np.save(tmp_path / "truth.npy", truth)
    np.save(tmp_path / "pred.npy", pred)
    whole = Overlap.from_labels(truth, pred)
    assert count(tmp_path / "truth.npy", tmp_path / "pred.npy", memory="20kB", threads=1) == whole


@pytest.mark.parametrize("law", [*LAWS, "perfect", "tiles"])
def test_the_command_line(law: str, tmp_path: Path) -> None:
    for side in ("truth", "pred"):
        (tmp_path / side).mkdir()
    for name, (truth, pred) in SCENES.items():
        pair = (truth, relabelled(truth, 1)) if law == "perfect" else (truth, pred)
        pair = changed(law, *pair) if law in LAWS else pair
        for side, labels in zip(("truth", "pred"), pair, strict=True):
            np.save(tmp_path / side / f"{name}.npy", labels)
    more = ["--memory", "60kB", "-j", 1] if law == "tiles" else []
    for high, priority in SETTINGS:
        for reading in readings(law):
            asked = OTHER[priority] if law == "exchanged" else priority
            done = call(
                "evaluate", tmp_path / "truth", tmp_path / "pred", "--iou-high", high, "--priority", asked, "--reading",
                reading, "--metrics", "softpq", "--json", tmp_path / "r.json", "--no-check", "-q", *more,
            )  # fmt: skip
            assert done.exit_code == 0, done.output
            found = json.loads((tmp_path / "r.json").read_text())["images"]
            assert len(found["image"]) == len(SCENES)
            for name, softpq in zip(found["image"], found["softpq"], strict=True):
                value = 1.0 if law == "perfect" else expected(name, high, priority, reading)
                assert softpq == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("law", [*LAWS, "perfect"])
def test_the_page(law: str) -> None:
    pairs = [(truth, truth) if law == "perfect" else changed(law, truth, pred) for truth, pred in SCENES.values()]
    names = ("truth_areas", "pred_areas", "pair_truth", "pair_pred", "pair_pixels")
    tables = [Overlap.from_labels(*pair) for pair in pairs]
    given = [{name: getattr(table, name).tolist() for name in names} for table in tables]
    script = Path(__file__).parents[1] / "report" / "ties.mjs"
    for scene, page in zip(SCENES, json.loads(node(str(script), given=json.dumps(given), facts=FACTS)), strict=True):
        for at in page["at"]:
            if at["reading"] not in readings(law):
                continue
            priority = OTHER[at["priority"]] if law == "exchanged" else at["priority"]
            value = 1.0 if law == "perfect" else expected(scene, at["high"], priority, at["reading"])
            assert at["value"] == pytest.approx(value, abs=1e-12)
