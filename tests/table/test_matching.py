"""Matching: against every possible matching of small graphs, and against a dense solver on larger ones."""

from __future__ import annotations

import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from strategies import label_pairs

from softpq import Overlap, _core, match
from softpq.table.matching import most_pairs


def best_by_trying(edges: list[tuple[int, int, float]]) -> tuple[int, float]:
    """Most edges, then largest sum, by trying all matchings."""
    if not edges:
        return 0, 0.0
    (row, column, weight), rest = edges[0], edges[1:]
    count, total = best_by_trying([e for e in rest if e[0] != row and e[1] != column])
    return max(best_by_trying(rest), (count + 1, total + weight))


@st.composite
def graphs(draw: st.DrawFn) -> list[tuple[int, int, float]]:
    pairs = draw(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=11, unique=True))
    return [(row, column, draw(st.integers(1, 8)) / 8) for row, column in sorted(pairs)]


def no_ties(row: np.ndarray) -> np.ndarray:
    return np.zeros(len(row), np.uint32)


@given(graphs())
def test_small_graphs_by_trying_everything(edges: list[tuple[int, int, float]]) -> None:
    row, column = (np.array([e[k] for e in edges], np.int64) for k in (0, 1))
    weight = np.array([e[2] for e in edges], np.float64)
    chosen = _core.best_edges(6, 6, row, column, weight, no_ties(row)).astype(bool)
    assert len(set(row[chosen])) == len(set(column[chosen])) == chosen.sum()
    count, total = best_by_trying(edges)
    assert chosen.sum() == count == _core.most_pairs(6, 6, row, column)
    assert weight[chosen].sum() == pytest.approx(total)


@pytest.mark.parametrize("density", [0.01, 0.05, 0.3])
@pytest.mark.parametrize("shape", [(60, 60), (90, 40), (40, 90)])
def test_larger_graphs_with_a_dense_solver(density: float, shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    for _ in range(5):
        weights = np.where(rng.random(shape) < density, rng.integers(1, 50, shape) / 50, 0)
        row, column = (np.ascontiguousarray(side) for side in np.nonzero(weights))
        chosen = _core.best_edges(*shape, row, column, weights[row, column], no_ties(row)).astype(bool)
        dense = linear_sum_assignment(-weights - 1000 * (weights > 0))
        expected = weights[dense][weights[dense] > 0]
        assert chosen.sum() == len(expected)
        assert weights[row, column][chosen].sum() == pytest.approx(expected.sum())


def test_a_path_as_long_as_the_graph() -> None:
    """Every row may take its own column or the next; the last row only the first column. No recursion may overflow."""
    n = 20_000
    row = np.r_[np.repeat(np.arange(n), 2), n].astype(np.int64)
    column = np.r_[np.c_[np.arange(n), np.arange(1, n + 1)].ravel(), 0].astype(np.int64)
    assert _core.most_pairs(n + 1, n + 1, row, column) == n + 1
    assert _core.best_edges(n + 1, n + 1, row, column, np.ones(len(row)), no_ties(row)).sum() == n + 1


@given(label_pairs(), st.integers(1, 20), st.booleans())
def test_matches_are_one_to_one_and_reach_the_threshold(
    pair: tuple[np.ndarray, np.ndarray], twentieths: int, strict: bool
) -> None:
    matching = match(Overlap.from_labels(*pair), twentieths / 20, strict=strict)
    assert len(set(matching.truth_ids)) == len(set(matching.pred_ids)) == matching.tp
    assert np.all(matching.ious > twentieths / 20 if strict else matching.ious >= twentieths / 20)
    assert matching.tp + matching.fn == matching.overlap.n_truth
    assert matching.tp + matching.fp == matching.overlap.n_pred


@given(label_pairs())
def test_above_a_half_matches_need_no_choice(pair: tuple[np.ndarray, np.ndarray]) -> None:
    overlap = Overlap.from_labels(*pair)
    assert match(overlap, 0.5, strict=True).tp == int((overlap.pair_iou > 0.5).sum())


def test_two_equal_halves_are_one_match() -> None:
    overlap = Overlap.from_labels([1, 1, 1, 1], [1, 1, 2, 2])
    assert (match(overlap).tp, match(overlap).fp) == (1, 1)
    assert match(overlap, strict=True).tp == 0


def test_most_pairs_come_before_the_best_pair() -> None:
    """Prediction 1 fits truth 1 best (0.8), but then truth 2 stays without a partner."""
    overlap = Overlap.from_pairs([1, 1, 2, 0, 1], [1, 2, 1, 2, 0], [40, 8, 9, 10, 1])
    matching = match(overlap, 0.05)
    assert matching.truth_ids.tolist() == [1, 2]
    assert matching.pred_ids.tolist() == [2, 1]


def test_how_many_pairs_there_can_be() -> None:
    overlap = Overlap.from_labels([1, 1, 2, 2, 3], [1, 2, 2, 3, 3])
    assert most_pairs(overlap, np.arange(len(overlap.pair_iou))) == 3
    assert most_pairs(overlap, np.array([], np.int64)) == 0


def test_labels_of_partners_stand_beside_each_other() -> None:
    found = match(Overlap.from_labels([7, 7, 9, 4], [30, 30, 20, 0]))
    assert sorted(zip(found.truth_ids.tolist(), found.pred_ids.tolist(), strict=True)) == [(7, 30), (9, 20)]


def test_a_matching_describes_itself() -> None:
    assert repr(match(Overlap.from_labels([1, 2], [1, 0]), strict=True)) == "Matching(IoU > 0.5: tp=1, fp=0, fn=1)"


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_thresholds_are_between_0_and_1(threshold: float) -> None:
    with pytest.raises(ValueError, match="threshold must be between 0 and 1"):
        match(Overlap.from_labels([1], [1]), threshold)


def test_edges_outside_of_the_graph_are_refused() -> None:
    with pytest.raises(ValueError, match="outside of the graph"):
        _core.most_pairs(1, 1, np.array([5]), np.array([0]))


def test_a_table_is_freed_when_it_is_no_longer_used() -> None:
    """Without waiting for the garbage collector: a run over thousands of images must not pile tables up."""
    overlap = Overlap.from_labels([1, 1, 2], [1, 1, 0])
    watched = weakref.ref(overlap)
    assert match(overlap).iou_sum == 1.0
    del overlap
    assert watched() is None
