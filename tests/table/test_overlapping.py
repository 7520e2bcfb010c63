"""Tables of masks that overlap: counted as runs, with atoms, equal to looking at every pixel."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from overlapping import SCENES, atoms_by_pixel, masks_of, stacks
from strategies import label_pairs

from softpq import Masks, Overlap
from softpq.metrics import METRICS
from softpq.table.atoms import Atoms, Layers
from softpq.table.credits import matched_and_soft


def counted(truth: np.ndarray, pred: np.ndarray, **options: object) -> Overlap:
    return Overlap.from_masks(Masks.from_stack(truth), Masks.from_stack(pred), **options)


def pairs_of(overlap: Overlap) -> list[list[int]]:
    return [list(row) for row in zip(*(c.tolist() for c in overlap.as_tuple()[4:7]), strict=True)]


@given(stacks(), st.integers(1, 3))
def test_counts_are_those_of_every_pixel(stack: tuple[np.ndarray, np.ndarray], threads: int) -> None:
    truth, pred = stack
    overlap = counted(truth, pred, threads=threads)
    flat = [side.reshape(len(side), int(np.prod(side.shape[1:]))).astype(int) for side in stack]
    shared = flat[0] @ flat[1].T
    assert overlap.truth_areas.tolist() == flat[0].sum(axis=1).tolist()
    assert overlap.pred_areas.tolist() == flat[1].sum(axis=1).tolist()
    assert pairs_of(overlap) == [[t, p, shared[t, p]] for t, p in np.argwhere(shared)]
    any_truth, any_pred = flat[0].any(axis=0), flat[1].any(axis=0)
    assert overlap.covered.truth == any_truth.sum()
    assert overlap.covered.pred == any_pred.sum()
    assert overlap.covered.both == (any_truth & any_pred).sum()
    assert overlap.background == (~any_truth & ~any_pred).sum()
    assert overlap.pixels == any_truth.size
    assert overlap.truth_alone.tolist() == (flat[0] * ~any_pred).sum(axis=1).tolist()
    assert overlap.pred_alone.tolist() == (flat[1] * ~any_truth).sum(axis=1).tolist()


@given(stacks())
def test_atoms_are_those_of_every_pixel(stack: tuple[np.ndarray, np.ndarray]) -> None:
    overlap = counted(*stack)
    found = overlap.atoms.rows()
    assert {(tuple(t), tuple(p)): n for t, p, n in found} == atoms_by_pixel(*stack)
    assert [row[:2] for row in found] == sorted(row[:2] for row in found)
    assert overlap.is_partition == all(len(t) < 2 and len(p) < 2 for t, p, _ in found)
    assert Overlap.from_atoms(overlap.truth_ids, overlap.pred_ids, overlap.atoms, overlap.background) == overlap


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene["name"])
def test_scenes_of_the_reference_are_counted_as_they_say(scene: dict) -> None:
    truth, pred = (masks_of(scene[side], scene["shape"]) for side in ("truth", "pred"))
    overlap = Overlap.from_masks(truth, pred)
    assert [overlap.truth_areas.tolist(), overlap.pred_areas.tolist()] == scene["areas"]
    assert pairs_of(overlap) == sorted(scene["pairs"])
    assert sorted(list(row) for row in overlap.atoms.rows()) == sorted(scene["atoms"])
    covered = overlap.covered
    assert [covered.truth, covered.pred, covered.both] == [scene[k] for k in ("union_truth", "union_pred", "both")]


@given(label_pairs())
def test_label_images_give_the_same_table_as_labels_layers_and_stacks(pair: tuple[np.ndarray, np.ndarray]) -> None:
    if pair[0].ndim < 2:
        pair = (pair[0][np.newaxis], pair[1][np.newaxis])
    expected = Overlap.from_labels(*pair)
    sides = [Masks.from_labels(side) for side in pair]
    assert Overlap.from_masks(*sides) == expected
    assert Overlap.from_masks(pair[0], sides[1]) == Overlap.from_masks(sides[0], pair[1]) == expected
    stacked = [Masks.from_stack(side.to_stack(), ids=side.ids) for side in sides]
    assert Overlap.from_masks(*stacked) == expected
    layered = [Masks.from_layers([side]).with_(ids=masks.ids) for side, masks in zip(pair, sides, strict=True)]
    assert Overlap.from_masks(*layered) == expected
    assert expected.is_partition


@given(stacks(), st.data())
def test_a_part_of_the_objects_is_counted_as_if_the_others_were_not_there(
    stack: tuple[np.ndarray, np.ndarray], data: st.DataObject
) -> None:
    keep = [np.array(data.draw(st.lists(st.booleans(), min_size=len(s), max_size=len(s))), bool) for s in stack]
    overlap = counted(*stack)
    expected = Overlap.from_masks(*(Masks.from_stack(s).select(k) for s, k in zip(stack, keep, strict=True)))
    expected = expected.renumbered(overlap.truth_ids[keep[0]], overlap.pred_ids[keep[1]])
    assert overlap.restricted(*keep).background == expected.background
    with_atoms = pickle.loads(pickle.dumps(overlap))
    for table in (overlap, with_atoms):
        part = table.restricted(*keep)
        assert pairs_of(part) == pairs_of(expected)
        assert part.atoms == expected.atoms
        assert part.is_partition == expected.is_partition


@given(stacks())
def test_tiles_of_masks_add_up(stack: tuple[np.ndarray, np.ndarray]) -> None:
    whole = counted(*stack)
    cut = stack[0].shape[-1] // 2
    tiles = [counted(*(side[..., part] for side in stack)) for part in (slice(cut), slice(cut, None))]
    assert tiles[0] + tiles[1] == whole
    assert sum(reversed(tiles)) == whole


@given(stacks())
def test_tables_of_masks_survive_swapping_and_pickling(stack: tuple[np.ndarray, np.ndarray]) -> None:
    overlap = counted(*stack)
    assert overlap.swapped == counted(stack[1], stack[0])
    assert overlap.swapped.swapped == overlap
    assert pickle.loads(pickle.dumps(overlap)) == overlap
    assert pickle.loads(pickle.dumps(overlap)).swapped == overlap.swapped


def test_objects_go_by_their_ids() -> None:
    stack = np.array([[[1, 1, 1, 0]], [[0, 1, 0, 0]]], bool)
    overlap = Overlap.from_masks(Masks.from_stack(stack, ids=[9, 0]), Masks.from_stack(stack))
    assert (overlap.truth_ids.tolist(), overlap.truth_areas.tolist()) == ([0, 9], [1, 3])
    assert isinstance(overlap.under, Layers)
    moved = overlap.renumbered([5, 3], [2, 1])
    assert isinstance(moved.under, Atoms)
    assert (moved.truth_ids.tolist(), moved.truth_areas.tolist()) == ([3, 5], [3, 1])
    assert moved.pred_areas.tolist() == [1, 3]


def test_an_empty_mask_is_an_object_without_pixels() -> None:
    overlap = counted(np.zeros((2, 3, 3), bool), np.ones((1, 3, 3), bool))
    assert (overlap.n_truth, overlap.truth_areas.tolist(), len(overlap.pair_pixels)) == (2, [0, 0], 0)


def test_shapes_of_both_sides_must_agree() -> None:
    with pytest.raises(ValueError, match=r"same shape; got \(2, 2\) and \(2, 3\)"):
        counted(np.ones((1, 2, 2), bool), np.ones((1, 2, 3), bool))


@given(label_pairs(), st.data())
def test_ignored_pixels_count_nowhere_as_with_labels(pair: tuple[np.ndarray, np.ndarray], data: st.DataObject) -> None:
    truth, pred = (side if side.ndim > 1 else side[np.newaxis] for side in pair)
    seed, strict = data.draw(st.integers(0, 99)), data.draw(st.booleans())
    ignore = np.random.default_rng(seed).random(truth.shape) < 0.5
    boundary = data.draw(st.sampled_from([None, 1, 2]))
    expected = Overlap.from_labels(truth, pred, ignore=ignore, strict=strict, boundary=boundary)
    found = Overlap.from_masks(truth, Masks.from_labels(pred), ignore=ignore, strict=strict, boundary=boundary)
    region = Masks.from_list([ignore])
    assert found == Overlap.from_masks(truth, Masks.from_labels(pred), ignore=region, strict=strict, boundary=boundary)
    assert found == expected


def test_crowds_are_no_objects_and_what_lies_on_them_is_forgiven() -> None:
    truth = Masks.from_labels([[1, 1, 2, 2, 2, 2, 0, 0]], crowd=[0, 1], classes=["a", "b"])
    pred = Masks.from_labels([[1, 1, 2, 2, 2, 0, 0, 3]])
    overlap = Overlap.from_masks(truth, pred)
    assert (overlap.truth_ids.tolist(), overlap.pred_ids.tolist()) == ([1], [1, 3])
    assert Overlap.from_masks(truth, pred.with_(classes=["a", "b", "b"])).pred_ids.tolist() == [1, 3]
    assert Overlap.from_masks(truth, pred.with_(classes=["a", "a", "a"])).pred_ids.tolist() == [1, 2, 3]


@given(stacks())
def test_bands_are_those_of_each_mask_by_itself(stack: tuple[np.ndarray, np.ndarray]) -> None:
    bands = []
    for side in stack:
        alone = [Overlap.from_labels(mask.astype(int), mask.astype(int), boundary=1) for mask in side]
        bands.append([int(table.truth_areas.sum()) for table in alone])
    found = counted(*stack, boundary=1)
    assert [found.truth_areas.tolist(), found.pred_areas.tolist()] == bands


def test_masks_that_are_nested_too_deep_for_atoms_are_scored_from_their_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    nested = np.tril(np.ones((4, 4), bool))[:, np.newaxis]
    plain = METRICS["softpq"](Overlap.from_atoms(*_ids(4, 3), counted(nested, nested[1:]).atoms))
    monkeypatch.setattr("softpq.table.atoms.MOST_MEMBERS", 3)
    overlap = counted(nested, nested[1:])
    assert METRICS["softpq"](overlap) == plain
    assert METRICS["pq"](overlap).value == pytest.approx(6 / 7)
    with pytest.raises(ValueError, match="masks must be nested less deep; got 4 and 3"):
        _ = overlap.atoms


def _ids(*counts: int) -> list[np.ndarray]:
    return [np.arange(1, count + 1).astype(np.uint64) for count in counts]


@given(stacks(8), st.sampled_from([0.0, 0.05, 0.3]), st.sampled_from([0.3, 0.5, 0.9]))
def test_credits_from_runs_are_those_of_atoms(
    stack: tuple[np.ndarray, np.ndarray], iou_low: float, iou_high: float
) -> None:
    from_runs = counted(*stack)
    ids = (from_runs.truth_ids, from_runs.pred_ids)
    from_atoms = Overlap.from_atoms(*ids, from_runs.atoms, from_runs.background)
    if not from_runs.is_partition and not any(
        (areas == 0).any() for areas in (from_runs.truth_areas, from_runs.pred_areas)
    ):
        assert isinstance(from_atoms.under, Atoms)
    for one, other in zip(
        *(matched_and_soft(table, iou_low, iou_high) for table in (from_runs, from_atoms)), strict=True
    ):
        assert np.array_equal(one, other)


def test_pixels_that_many_pairs_share_are_given_once() -> None:
    """Twenty equal predictions in one object: too many to count each number of claims by itself."""
    truth = np.ones((1, 3, 50), bool)
    pred = np.zeros((20, 3, 50), bool)
    pred[:, :, :20] = True
    overlap = counted(truth, pred)
    _, soft, credit = matched_and_soft(overlap, 0.05, 0.5)
    assert soft.sum() == 20
    assert credit.sum() == pytest.approx(60 / 150, abs=1e-9)
