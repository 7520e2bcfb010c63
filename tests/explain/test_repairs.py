"""What repairs bring: by hand on the paper's six scenes and on small ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from strategies import label_pairs

import softpq
from softpq import Overlap, metrics
from softpq.explain.repairs import REPAIRS, attribution
from softpq.settings import Settings
from softpq.table.ties import tie_breaks

NOTHING = dict.fromkeys(("softpq", "pq", "f1"), pytest.approx(0, abs=1e-12))


def gains(truth: np.ndarray, pred: np.ndarray) -> dict[str, dict[str, float]]:
    return softpq.evaluate(truth, pred).attribution()


def test_partial_scene() -> None:
    """One object of 10, 8 of them found: only a perfect outline brings something, 1 - 0.8."""
    found = gains(np.ones(10, int), np.r_[np.ones(8, int), 0, 0])
    assert found.pop("outlines perfect") == {"softpq": pytest.approx(0.2), "pq": pytest.approx(0.2), "f1": 0}
    assert all(gain == NOTHING for gain in found.values())


def test_split_scene() -> None:
    """8 + 2 of 10: PQ 2*0.8/3, F1 2/3, SoftPQ 2*(0.8 + 0.2/sqrt 2)/3; joined, all are 1."""
    found = gains(np.ones(10, int), np.r_[np.ones(8, int), 2, 2])
    assert found["splits joined"]["pq"] == pytest.approx(1 - 1.6 / 3)
    assert found["splits joined"]["f1"] == pytest.approx(1 / 3)
    assert found["splits joined"]["softpq"] == pytest.approx(1 - 2 * (0.8 + 0.2 / 2**0.5) / 3)
    assert found["ghosts removed"] == found["misses found"] == found["merges separated"] == NOTHING


def test_partial_and_ghost_scene() -> None:
    """0.8 of the object and a ghost: PQ and SoftPQ 1.6/3; without the ghost 0.8, F1 from 2/3 to 1."""
    found = gains(np.r_[np.ones(10, int), 0, 0, 0], np.r_[np.ones(8, int), 0, 0, 9, 9, 9])
    for metric in ("pq", "softpq"):
        assert found["ghosts removed"][metric] == pytest.approx(0.8 - 1.6 / 3)
        assert found["outlines perfect"][metric] == pytest.approx(2 / 3 - 1.6 / 3)
    assert found["ghosts removed"]["f1"] == pytest.approx(1 / 3)


def test_merged_scene() -> None:
    """Two objects of 6 and 4 under one prediction of 10: PQ 2*0.6/3; separated, both are perfect."""
    found = gains(np.repeat([1, 2], [6, 4]), np.ones(10, int))
    assert found["merges separated"]["pq"] == pytest.approx(1 - 1.2 / 3)
    assert found["merges separated"]["f1"] == pytest.approx(1 / 3)
    assert found["splits joined"] == found["misses found"] == NOTHING


def test_missed_object() -> None:
    """One perfect, one missed: F1 2/3 -> 1."""
    found = gains(np.repeat([1, 2], [6, 4]), np.repeat([1, 0], [6, 4]))
    assert found["misses found"] == dict.fromkeys(("softpq", "pq", "f1"), pytest.approx(1 / 3))


def test_a_perfect_image_has_nothing_to_gain() -> None:
    truth = np.repeat([0, 1, 2], 5)
    assert all(gain == NOTHING for gain in gains(truth, truth).values())


@given(label_pairs())
def test_repairs_of_the_table_keep_the_truth(pair: tuple[np.ndarray, np.ndarray]) -> None:
    overlap = Overlap.from_labels(*pair)
    for repair in REPAIRS.values():
        repaired = repair(overlap, softpq.Settings())
        assert repaired.truth_areas.tolist() == overlap.truth_areas.tolist()
        assert repaired.pixels == overlap.pixels


@given(label_pairs())
def test_what_repairs_promise(pair: tuple[np.ndarray, np.ndarray]) -> None:
    """Each repair leaves nothing of its kind, and F1 and PQ never fall where they must not."""
    overlap, settings = Overlap.from_labels(*pair), softpq.Settings()
    verdicts = {name: repair(overlap, settings) for name, repair in REPAIRS.items()}
    outlines = softpq.match(verdicts["outlines perfect"])
    assert (outlines.ious == 1).sum() >= softpq.match(overlap).tp
    for name in ("misses found", "ghosts removed", "outlines perfect"):
        before, after = float(metrics.f1(overlap)), float(metrics.f1(verdicts[name]))
        assert np.isnan(before) or np.isnan(after) or after >= before - 1e-12
    assert set(attribution(overlap)) == set(REPAIRS)


def test_completed_partials() -> None:
    """4 of 10 found, no match at 0.5: completed, everything is perfect."""
    found = gains(np.ones(10, int), np.r_[np.ones(4, int), np.zeros(6, int)])
    assert found["partials completed"]["f1"] == found["partials completed"]["pq"] == pytest.approx(1)
    assert found["outlines perfect"] == found["misses found"] == NOTHING


@given(label_pairs())
def test_completed_partials_are_perfect_and_nothing_else_of_the_truth_changes(
    pair: tuple[np.ndarray, np.ndarray],
) -> None:
    """The obvious way, pixel by pixel: a new label below each partial object; its partial partner is gone elsewhere."""
    truth, pred = pair
    overlap = Overlap.from_labels(truth, pred)
    rows = softpq.evaluate(overlap).objects
    partial = {side: {int(v) for v, s, w in zip(rows["id"], rows["side"], rows["verdict"], strict=True)
                      if s == side and w == "partial"} for side in ("truth", "pred")}  # fmt: skip
    again = pred.astype(np.int64).copy()
    for label in partial["truth"]:
        for other in partial["pred"]:
            both = np.sum((truth == label) & (pred == other))
            if both / np.sum((truth == label) | (pred == other)) > 0.05:
                again[pred == other] = 0
    for label in partial["truth"]:
        again[truth == label] = pred.max(initial=0) + label + 1
    expected = Overlap.from_labels(truth, again)
    repaired = REPAIRS["partials completed"](overlap, softpq.Settings())
    assert float(metrics.softpq(repaired)) == pytest.approx(float(metrics.softpq(expected)), abs=1e-12, nan_ok=True)
    assert sorted(repaired.pred_areas.tolist()) == sorted(expected.pred_areas.tolist())


def separated(truth: np.ndarray, pred: np.ndarray) -> tuple[Overlap, Overlap]:
    overlap = Overlap.from_labels(truth, pred)
    return overlap, REPAIRS["merges separated"](overlap, softpq.Settings())


def test_what_lies_beside_stays_with_the_largest_piece_then_with_that_of_larger_iou() -> None:
    _, after = separated(np.repeat([1, 2, 0], [6, 4, 3]), np.ones(13, int))
    assert after.pred_areas[after.pair_pred].tolist() == [9, 4]
    _, after = separated(np.repeat([1, 2, 0], [6, 4, 3]), np.repeat([0, 1], [2, 11]))
    assert (after.pair_pixels.tolist(), after.pred_areas[after.pair_pred].tolist()) == ([4, 4], [4, 7])


@pytest.mark.parametrize("labels", [(1, 2), (2, 1)])
def test_pieces_that_tie_are_told_apart_as_matches_are(labels: tuple[int, int]) -> None:
    """Two objects of 6, each with 4 in the prediction; one of them has another prediction."""
    one, other = labels
    before, after = separated(np.repeat([one, other, 0], [6, 6, 3]), np.repeat([7, 1, 0, 1], [2, 8, 2, 3]))
    merged = before.pair_pixels == 4
    kept = before.pair_truth[merged][np.argmax(tie_breaks(before)[merged])]
    whole = after.pair_pixels == 4
    assert after.pred_areas[after.pair_pred[whole]][after.pair_truth[whole] == kept].tolist() == [7]


def test_what_a_merger_touches_stays_with_its_largest_object() -> None:
    """Cut along the objects that it covers mostly; a bit of a third one is no object of it."""
    truth = np.array([1] * 10 + [2] * 8 + [3] * 10)
    pred = np.array([1] * 10 + [1] * 8 + [1] * 2 + [0] * 8)
    found = gains(truth, pred)["merges separated"]["softpq"]
    before = 2 * (10 / 20 + (8 / 20 + 2 / 28) / 2**0.5) / 4
    after = 2 * (10 / 12 + 1 + 2 / 20 / 2**0.5) / 5
    assert found == pytest.approx(after - before)


def test_what_is_as_much_as_l_is_no_partner_that_could_be_completed() -> None:
    """By hand: the third prediction shares a tenth with the third object, and is soft for the first one alone."""
    shared = np.array([[3, 0, 5], [6, 2, 0], [0, 4, 5], [4, 4, 2]])
    truth, pred = np.nonzero(shared)
    table = Overlap.from_pairs(truth.astype(np.uint64), pred.astype(np.uint64), shared[truth, pred])
    assert table.pair_iou[-1] == 0.1
    areas = [REPAIRS["partials completed"](table, Settings(low, 0.5)).pred_areas.tolist() for low in (0.1, 0.0999)]
    assert areas == [[4, 10, 8, 10], [8, 12, 8]]
