"""The front door."""

from __future__ import annotations

import json
import math
import pickle
import subprocess
import sys

import numpy as np
import pytest

import softpq
from softpq.metrics import METRICS

BANDS = {name for name, metric in METRICS.items() if metric.reads == "bands"}

TRUTH = np.array([[1, 1, 1, 0], [2, 2, 0, 3]])
PRED = np.array([[5, 5, 0, 0], [6, 6, 6, 0]])


def test_an_evaluation_is_a_mapping_of_all_metrics_and_counts() -> None:
    evaluation = softpq.evaluate(TRUTH, PRED)
    assert set(evaluation) == set(METRICS) - BANDS | {"tp", "fp", "fn", "n_truth", "n_pred", "n_soft"}
    assert set(softpq.evaluate(TRUTH, PRED, boundary=1)) == set(evaluation) | BANDS
    assert (evaluation["tp"], evaluation["fp"], evaluation["fn"]) == (2, 0, 1)
    assert evaluation["pq"] == pytest.approx(2 * (2 / 3 + 2 / 3) / 5)
    assert evaluation["softpq"] == softpq.score(TRUTH, PRED)
    assert dict(evaluation) == evaluation
    with pytest.raises(TypeError):
        evaluation["pq"] = 1.0  # type: ignore[index]


def test_metrics_can_be_chosen() -> None:
    assert list(softpq.evaluate(TRUTH, PRED, metrics=["dice"])) == ["dice", "tp", "fp", "fn", "n_truth", "n_pred"]
    with pytest.raises(ValueError, match='metrics must be one of "softpq", "pq"'):
        softpq.evaluate(TRUTH, PRED, metrics=["nonsense"])


def test_the_threshold_moves_the_classic_metrics_only() -> None:
    strict, usual = softpq.evaluate(TRUTH, PRED, threshold=0.9), softpq.evaluate(TRUTH, PRED)
    assert strict["pq"] == 0 == strict["tp"]
    assert strict["softpq"] == usual["softpq"]
    assert strict["map"] == usual["map"]


def test_presets_are_thresholds() -> None:
    for preset, (low, high) in softpq.PRESETS.items():
        assert softpq.score(TRUTH, PRED, preset=preset) == softpq.score(TRUTH, PRED, iou_low=low, iou_high=high)


def test_the_released_reading_splits_labels_first() -> None:
    truth = np.array([[1, 0, 1]])
    assert softpq.evaluate(truth, truth, reading="released").scores["softpq"].parts["n_truth"] == 2
    assert softpq.evaluate(truth, truth, reading="released")["n_truth"] == 1


def test_undefined_is_nan_null_or_what_one_asks_for() -> None:
    nothing = np.zeros((3, 3), int)
    evaluation = softpq.evaluate(nothing, nothing)
    assert math.isnan(evaluation["pq"])
    assert json.loads(evaluation.to_json())["pq"] is None
    assert math.isnan(softpq.score(nothing, nothing))
    assert softpq.score(nothing, nothing, empty=1.0) == 1.0
    assert softpq.score(nothing, nothing, reading="released", empty=1.0) == 1.0
    assert softpq.score(nothing, nothing, reading="released") == 0.0


def test_an_evaluation_shows_itself() -> None:
    evaluation = softpq.evaluate(TRUTH, PRED)
    assert "SoftPQ: l=0.05, h=0.5, sqrt, over, text" in repr(evaluation)
    assert evaluation._repr_html_().startswith("<iframe")
    assert pickle.loads(pickle.dumps(evaluation)) == evaluation


def brute_components(image: np.ndarray) -> np.ndarray:
    """Flood fill, in memory order."""
    out, number = np.zeros(image.shape, np.uint64), 0
    for start in np.argwhere(image):
        if out[tuple(start)]:
            continue
        number += 1
        stack = [tuple(start)]
        while stack:
            at = stack.pop()
            if out[at]:
                continue
            out[at] = number
            for step in np.ndindex(*(3,) * image.ndim):
                near = tuple(a + s - 1 for a, s in zip(at, step, strict=True))
                if all(0 <= c < n for c, n in zip(near, image.shape, strict=True)) and image[near] == image[at]:
                    stack.append(near)
    return out


@pytest.mark.parametrize("shape", [(30,), (9, 11), (1, 40), (40, 1), (4, 5, 6), (2, 3, 2, 4), (0, 3)])
def test_components_are_those_of_a_flood_fill(shape: tuple[int, ...]) -> None:
    for seed in range(5):
        image = np.random.default_rng(seed).integers(0, 4, shape)
        assert np.array_equal(softpq.split_components(image), brute_components(image))
        assert np.array_equal(softpq.split_components(image.T), brute_components(image.T))


def test_the_package_starts_light() -> None:
    """Nothing heavy is imported before it is used."""
    code = "import softpq, sys; print(' '.join(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"scipy", "matplotlib", "PIL", "tifffile", "imagecodecs", "pandas", "torch", "dask", "zarr", "rich"}
    assert not heavy & set(loaded)


def test_the_released_reading_takes_ignore_like_the_others() -> None:
    truth = np.array([[5, 5, 0, 1, 1, 0]] * 2)
    pred = np.array([[1, 1, 0, 2, 2, 0], [1, 1, 0, 2, 0, 0]])
    for label in (1, 5):
        by_label = softpq.score(truth, pred, ignore=label, reading="released")
        assert by_label == softpq.score(truth, pred, ignore=truth == label, reading="released")
    assert softpq.score([-1, 1], [1, 1], ignore=-1, reading="released") == 1.0
    with pytest.raises(ValueError, match="truth must not hold negative labels; found -1"):
        softpq.score([-1, 1], [1, 1], reading="released")
    with pytest.raises(ValueError, match="labels must not hold negative labels"):
        softpq.split_components([-1, 1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: softpq.match(TRUTH, PRED), "overlap must be an Overlap"),
        (lambda: softpq.sweep(TRUTH, PRED), "overlap must be an Overlap"),
        (lambda: softpq.score(TRUTH, PRED, iou_low="low"), "iou_low must be a number between 0 and 1; got 'low'"),
    ],
)
def test_wrong_types_are_named(call, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()
