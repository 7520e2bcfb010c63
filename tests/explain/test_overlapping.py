"""Verdicts and repairs of objects that overlap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from overlapping import stacks
from strategies import label_pairs

from softpq import Masks, Overlap, Settings, sweep
from softpq.explain.layered_repairs import OVERLAPPING_REPAIRS
from softpq.explain.objects import objects_of
from softpq.explain.repairs import REPAIRS, attribution
from softpq.metrics import METRICS
from softpq.table.tables import Tables


def counted(stack: tuple[np.ndarray, np.ndarray]) -> Overlap:
    return Overlap.from_masks(Masks.from_stack(stack[0]), Masks.from_stack(stack[1]))


def squares(*corners: tuple[int, int, int]) -> np.ndarray:
    found = np.zeros((len(corners), 20, 20), bool)
    for mask, (top, left, size) in zip(found, corners, strict=True):
        mask[top : top + size, left : left + size] = True
    return found


def test_a_second_prediction_of_a_matched_object_is_a_duplicate() -> None:
    overlap = counted((squares((2, 2, 10)), squares((2, 2, 9), (2, 2, 10), (15, 15, 4))))
    verdicts = objects_of(overlap)["verdict"].tolist()
    assert verdicts == ["matched", "duplicate", "matched", "ghost"]


def test_two_halves_on_a_label_image_are_no_duplicates() -> None:
    halves = Overlap.from_labels([[1, 1, 1, 1]], [[1, 1, 2, 2]])
    assert "duplicate" not in objects_of(halves)["verdict"]


def test_removing_duplicates_brings_what_they_cost() -> None:
    overlap = counted((squares((2, 2, 10)), squares((2, 2, 10), (2, 2, 10), (2, 2, 9))))
    gains = attribution(overlap)
    assert gains["duplicates removed"]["pq"] == pytest.approx(0.5)
    assert gains["ghosts removed"]["pq"] == 0
    assert gains["outlines perfect"]["pq"] == pytest.approx(0)


def test_missed_objects_under_others_are_found_as_copies() -> None:
    truth = squares((0, 0, 10), (8, 8, 10))
    found = OVERLAPPING_REPAIRS["misses found"](counted((truth, truth[:1])), Settings())
    assert METRICS["pq"](found).value == 1


def test_a_merged_prediction_is_cut_along_the_objects() -> None:
    truth = squares((0, 0, 6), (0, 5, 6))
    both = (truth[0] | truth[1])[np.newaxis]
    cut = OVERLAPPING_REPAIRS["merges separated"](counted((truth, both)), Settings())
    assert METRICS["pq"](cut).value == 1
    assert not cut.is_partition


def test_fragments_are_united() -> None:
    truth = np.concatenate([squares((0, 0, 10)), squares((14, 14, 4)), squares((14, 14, 4))])
    parts = np.zeros((2, 20, 20), bool)
    parts[0, :6, :10], parts[1, 4:10, :10] = True, True
    joined = OVERLAPPING_REPAIRS["splits joined"](counted((truth, parts)), Settings(iou_high=0.7))
    assert joined.pred_areas.tolist() == [100]


@given(label_pairs())
def test_repairs_of_atoms_agree_with_those_of_label_images(pair: tuple[np.ndarray, np.ndarray]) -> None:
    overlap, settings = Overlap.from_labels(*pair), Settings(iou_low=0.1)
    for name in ("splits joined", "merges separated", "ghosts removed"):
        one, other = (repairs[name](overlap, settings) for repairs in (REPAIRS, OVERLAPPING_REPAIRS))
        for metric in ("softpq", "pq"):
            assert METRICS[metric](one).value == pytest.approx(METRICS[metric](other).value, abs=1e-12, nan_ok=True)


@given(stacks())
def test_repaired_tables_count_every_pixel_once(stack: tuple[np.ndarray, np.ndarray]) -> None:
    overlap = counted(stack)
    for repair in OVERLAPPING_REPAIRS.values():
        repaired = repair(overlap, Settings())
        assert repaired.pixels == overlap.pixels
        assert repaired.truth_areas.tolist() == overlap.truth_areas.tolist()
    if not overlap.is_partition:
        assert list(attribution(overlap)) == list(OVERLAPPING_REPAIRS)


@given(stacks(), stacks())
def test_saved_tables_keep_their_atoms(
    one: tuple[np.ndarray, np.ndarray], other: tuple[np.ndarray, np.ndarray]
) -> None:
    tables = Tables(counted(one), counted(other))
    assert Tables.from_json(tables.to_json()) == tables


def test_a_perfect_prediction_of_nested_objects_has_nothing_to_repair() -> None:
    nested = squares((0, 0, 12), (2, 2, 5), (8, 8, 3))
    gains = attribution(counted((nested, nested)))
    assert all(gain == 0 for metrics in gains.values() for gain in metrics.values())


def test_little_of_a_matched_object_is_no_duplicate() -> None:
    """Its second object is fitted by nothing, and nothing is a copy of it."""
    truth = np.zeros((2, 1, 40), bool)
    truth[0, 0, :20], truth[1, 0, 10:22] = True, True
    pred = np.zeros((3, 1, 40), bool)
    pred[0, 0, :20], pred[1, 0, 18:30], pred[2, 0, :18] = True, True, True
    assert objects_of(counted((truth, pred)))["verdict"].tolist()[2:] == ["matched", "partial", "duplicate"]


def test_a_copy_of_exactly_half_is_a_duplicate() -> None:
    overlap = counted(
        (squares((2, 2, 10)), np.stack([squares((2, 2, 10))[0], squares((2, 2, 10))[0] & (np.arange(20) < 7)]))
    )
    assert overlap.pair_iou.tolist() == [1.0, 0.5]
    assert objects_of(overlap)["verdict"].tolist() == ["matched", "matched", "duplicate"]


@pytest.mark.parametrize("seed", range(20))
def test_a_surface_of_overlapping_objects_is_made_of_its_points(seed: int) -> None:
    """Also where upper thresholds lie below 0.5, and lower ones above some of the upper ones."""
    rng = np.random.default_rng(seed)
    truth, pred = (Masks.from_stack(rng.random((4, 1, 6)) < 0.5) for _ in range(2))
    overlap = Overlap.from_masks(truth, pred)
    lows, highs = [0.0, 0.2, 0.35, 0.5], [0.3, 0.35, 0.5, 0.8]
    values = sweep(overlap, lows, highs).values
    for i, low in enumerate(lows):
        for j, high in enumerate(highs):
            if low <= high:
                assert values[i, j] == METRICS["softpq"](overlap, iou_low=low, iou_high=high).value
            else:
                assert np.isnan(values[i, j])


def test_a_surface_leaves_nothing_behind() -> None:
    rng = np.random.default_rng(1)
    overlap = Overlap.from_masks(*(Masks.from_stack(rng.random((5, 9, 9)) < 0.4) for _ in range(2)))
    before = len(overlap._known)
    sweep(overlap)
    assert len(overlap._known) == before
