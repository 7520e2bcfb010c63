"""What is known of SoftPQ's readings, as laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import label_pairs, relabelled, softpq_settings

from softpq import Overlap, metrics, score, split_components

Pair = tuple[np.ndarray, np.ndarray]


def softpq(pair: Pair, **settings: object) -> float:
    return float(metrics.softpq(Overlap.from_labels(*pair), **settings))  # type: ignore[arg-type]


@given(label_pairs(), st.integers(10, 20), st.sampled_from(("text", "figures", "unified")))
def test_equal_thresholds_are_pq(pair: Pair, twentieths: int, reading: str) -> None:
    at = twentieths / 20
    pq = float(metrics.pq(Overlap.from_labels(*pair), threshold=at))
    assert softpq(pair, iou_low=at, iou_high=at, reading=reading) == pytest.approx(pq, abs=1e-12, nan_ok=True)


@given(label_pairs(), softpq_settings())
def test_softpq_is_at_least_pq(pair: Pair, settings: dict) -> None:
    overlap = Overlap.from_labels(*pair)
    pq = float(metrics.pq(overlap, threshold=settings["iou_high"]))
    assert math.isnan(pq) or float(metrics.softpq(overlap, **settings)) >= pq - 1e-12


@given(label_pairs(), softpq_settings(readings=("text", "unified")))
def test_text_and_unified_never_exceed_one(pair: Pair, settings: dict) -> None:
    value = softpq(pair, **settings)
    assert math.isnan(value) or value <= 1 + 1e-12


def swap(settings: dict) -> dict:
    return settings | {"priority": "under" if settings["priority"] == "over" else "over"}


@given(label_pairs(), softpq_settings())
def test_over_on_one_side_is_under_on_the_other(pair: Pair, settings: dict) -> None:
    """For text and figures only where something matched: without a match they divide by the truth objects."""
    overlap = Overlap.from_labels(*pair)
    if settings["reading"] != "unified":
        assume(metrics.softpq(overlap, **settings).parts["matched"] > 0)
    other = float(metrics.softpq(Overlap.from_labels(pair[1], pair[0]), **swap(settings)))
    assert float(metrics.softpq(overlap, **settings)) == pytest.approx(other, abs=1e-12, nan_ok=True)


@given(label_pairs(), softpq_settings(readings=("unified",)))
def test_unified_never_rewards_a_ghost(pair: Pair, settings: dict) -> None:
    truth, pred = (np.append(image.ravel(), [0, 0]) for image in pair)
    haunted = pred.copy()
    haunted[-2:] = 9999
    without = softpq((truth, pred), **settings)
    assert math.isnan(without) or softpq((truth, haunted), **settings) <= without + 1e-12


@given(label_pairs(), softpq_settings(readings=("unified",)), st.data())
def test_unified_never_falls_when_an_object_is_made_perfect(pair: Pair, settings: dict, data: st.DataObject) -> None:
    """A truth object whose predictions touch nothing else gets a perfect prediction instead of them."""
    truth, pred = pair
    candidates = [
        label
        for label in np.unique(truth[truth > 0])
        if np.all(np.isin(truth[np.isin(pred, np.unique(pred[(truth == label) & (pred > 0)]))], (0, label)))
    ]
    assume(candidates)
    label = data.draw(st.sampled_from(candidates))
    partners = np.unique(pred[(truth == label) & (pred > 0)])
    better = np.where(np.isin(pred, partners), 0, pred)
    better[truth == label] = 9999
    assert softpq((truth, better), **settings) >= softpq((truth, pred), **settings) - 1e-12


@settings(max_examples=400)
@given(label_pairs(), softpq_settings(), st.integers(0, 99))
def test_relabelling_changes_nothing_at_any_threshold(pair: Pair, chosen: dict, seed: int) -> None:
    renamed = (relabelled(pair[0], seed), relabelled(pair[1], seed + 1))
    assert softpq(renamed, **chosen) == pytest.approx(softpq(pair, **chosen), abs=1e-9, nan_ok=True)


@pytest.mark.parametrize(
    ("truth", "pred", "high"),
    [([5, 5, 2, 2, 1, 1], [0, 4, 3, 0, 4, 3], 0.33), ([4, 4, 0, 0, 3, 3], [5, 1, 4, 5, 1, 4], 0.25)],
)
def test_ties_below_a_half_do_not_depend_on_labels(truth: list[int], pred: list[int], high: float) -> None:
    """Several matchings have the same IoU sum here, but not the same soft pairs."""
    for priority in ("over", "under"):
        chosen = {"iou_low": 0.05, "iou_high": high, "priority": priority}
        values = {
            round(softpq((relabelled(np.array(truth), k), relabelled(np.array(pred), 2 * k)), **chosen), 12)
            for k in range(60)
        }
        assert len(values) == 1


@given(label_pairs(), softpq_settings(readings=("released",)))
def test_released_looks_at_connected_components(pair: Pair, settings: dict) -> None:
    pieces = (split_components(pair[0]), split_components(pair[1]))
    assert score(*pair, **settings) == score(*pieces, **settings) == softpq(pieces, **settings)


def test_repairing_one_of_ten_objects_lowers_the_text_but_not_the_unified_reading() -> None:
    """Ten objects in thirds; then one of them is made perfect. The specification gives .500, .289 and .550."""
    truth = np.repeat(np.arange(1, 11), 3)
    thirds = np.arange(1, 31)
    repaired = thirds.copy()
    repaired[:3] = 1
    assert softpq((truth, thirds)) == pytest.approx(0.5)
    assert softpq((truth, repaired)) == pytest.approx(0.289, abs=5e-4)
    assert softpq((truth, repaired), reading="unified") == pytest.approx(0.55)


@pytest.mark.parametrize(
    ("penalty", "expected"), [("sqrt", 2**-0.5), ("linear", 0.5), ("log", 1.0), ("log-raw", 1 / math.log(2))]
)
def test_one_soft_match_is_divided_as_the_penalty_says(penalty: str, expected: float) -> None:
    truth, pred = np.array([1] * 10), np.array([1] * 4 + [0] * 6)
    assert softpq((truth, pred), penalty=penalty) == pytest.approx(0.4 * expected)


def test_a_penalty_of_ones_own() -> None:
    truth, pred = np.array([1] * 10), np.array([1] * 4 + [2] * 4 + [0] * 2)
    assert softpq((truth, pred), penalty=lambda n: n**2) == pytest.approx(0.8 / 4)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_a_penalty_must_be_positive(bad: float) -> None:
    with pytest.raises(ValueError, match="penalty must return positive numbers"):
        softpq((np.array([1] * 10), np.array([1] * 4 + [0] * 6)), penalty=lambda n: bad)
