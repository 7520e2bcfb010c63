"""What right classes would bring."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from coco_scenes import scene, written
from commands import call
from hypothesis import given
from hypothesis import strategies as st

import softpq
from softpq import Masks, Settings
from softpq.explain.classes import classes_corrected
from softpq.table.images import Images

TRUTH = Masks.from_labels([[1, 1, 2, 2, 3, 3]], classes=["worm", "egg", "egg"])


def test_an_object_that_was_found_under_another_name_is_found_then() -> None:
    pred = TRUTH.with_(classes=["egg", "egg", "egg"])
    gains = softpq.evaluate(TRUTH, pred).attribution()
    assert gains["classes corrected"]["pq"] == pytest.approx(1 - 2 / 3)
    assert softpq.evaluate(TRUTH, pred, class_agnostic=True).attribution().keys() == gains.keys() - {
        "classes corrected"
    }


def test_without_classes_there_is_nothing_to_correct() -> None:
    bare = TRUTH.with_(classes=None)
    for sides in ((TRUTH, bare), (bare, bare), ([[1, 1]], [[1, 1]])):
        assert "classes corrected" not in softpq.evaluate(*sides).attribution()


def test_what_is_right_stays_as_it_is() -> None:
    """The worm fits the egg even better; it has found the worm, and so it is one."""
    truth = Masks.from_layers([[[1, 1, 1, 1, 0]], [[0, 1, 1, 1, 0]]], classes=["worm", "egg"])
    pred = Masks.from_labels([[0, 1, 1, 1, 0]], classes=["worm"])
    gains = softpq.evaluate(truth, pred).attribution()
    assert gains["classes corrected"] == {"softpq": 0, "pq": 0, "f1": 0}


@given(st.integers(0, 2**32).map(np.random.default_rng))
def test_matches_never_become_fewer(random: np.random.Generator) -> None:
    sides = []
    for count in random.integers(0, 5, 2):
        stack = np.zeros((count, 5, 6), bool)
        for mask in stack:
            y, x, h, w = random.integers(0, 4, 4)
            mask[y : y + h + 1, x : x + w + 1] = True
        kinds = [f"kind {k}" for k in random.integers(0, 3, count)]
        sides.append(Masks.from_list(list(stack), shape=(5, 6), classes=kinds))
    evaluation = softpq.evaluate(*sides)
    corrected = classes_corrected(evaluation.overlap, Images.of(*sides), Settings())
    assert corrected is not None
    assert softpq.evaluate(corrected)["tp"] >= evaluation["tp"]
    together = softpq.evaluate(*sides, class_agnostic=True)
    assert softpq.evaluate(corrected)["tp"] <= together["tp"]


def test_a_dataset_says_what_right_classes_would_bring(tmp_path: Path) -> None:
    truth, results = scene(3, images=6, most=8)
    for result in results:
        result["category_id"] = 2
    paths = written(tmp_path, truth, results)
    called = call("evaluate", *paths)
    assert called.exit_code == 0, called.output
    assert "right classes" in called.stdout
