"""Sums of a table, counted natively, against the same written out."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import label_pairs

from softpq import Overlap, Settings, _core
from softpq.metrics import METRICS
from softpq.table.exact import exact_sum

FINITE = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


@given(values=st.lists(FINITE, max_size=30))
def test_a_sum_is_rounded_once(values: list[float]) -> None:
    assert exact_sum(np.array(values)) == math.fsum(values)


@given(values=st.lists(st.integers(1, 10**6), max_size=40), scale=st.integers(1, 10**6))
def test_the_order_of_a_sum_does_not_matter(values: list[int], scale: int) -> None:
    shares = np.array(values) / scale
    assert exact_sum(shares) == exact_sum(shares[::-1]) == math.fsum(shares)


def test_halves_go_to_the_even_number_unless_something_is_left() -> None:
    half = 2.0**-53
    assert exact_sum([1.0, half]) == 1.0
    assert exact_sum([1.0, half, 1e-30]) == exact_sum([1e-30, half, 1.0]) == 1.0 + 2.0**-52
    assert exact_sum([]) == 0.0


@given(pair=label_pairs())
def test_ious_are_one_division_each(pair: tuple[np.ndarray, np.ndarray]) -> None:
    table = Overlap.from_labels(*pair)
    unions = table.truth_areas[table.pair_truth] + table.pred_areas[table.pair_pred] - table.pair_pixels
    assert table.pair_iou.tolist() == (table.pair_pixels / unions).tolist()
    assert not len(table.pair_iou) or not table.pair_iou.flags.writeable


@given(pair=label_pairs(), threshold=st.sampled_from([0.0, 0.2, 1 / 3, 0.5, 0.75, 1.0]), strict=st.booleans())
def test_candidates_are_pairs_from_the_threshold_on(
    pair: tuple[np.ndarray, np.ndarray], threshold: float, strict: bool
) -> None:
    table = Overlap.from_labels(*pair)
    found, contested = _core.candidates(*table.pairs, table.pair_iou, threshold, strict)
    wanted = [k for k, iou in enumerate(table.pair_iou) if iou > threshold or (iou == threshold and not strict)]
    assert found.tolist() == wanted
    several = [len(set(side[wanted].tolist())) < len(wanted) for side in (table.pair_truth, table.pair_pred)]
    assert contested == any(several)


@given(pair=label_pairs(), low=st.sampled_from([0.0, 0.1, 0.4]))
def test_soft_pairs_are_divided_by_how_many_their_object_has(pair: tuple[np.ndarray, np.ndarray], low: float) -> None:
    table, settings = Overlap.from_labels(*pair), Settings(low, 0.5)
    parts = METRICS["softpq"].score(table, vars(settings)).parts
    matched = set(_core.candidates(*table.pairs, table.pair_iou, 0.5, False)[0].tolist())
    soft = [k for k, iou in enumerate(table.pair_iou) if low < iou < 0.5]
    of_object = Counter(table.pair_truth[soft].tolist())
    sums = [table.pair_iou[k] / math.sqrt(of_object[int(table.pair_truth[k])] + 1) for k in soft]
    if len(matched) == parts["matched"]:  # at 0.5 two halves may want one object
        assert (parts["soft"], parts["soft_iou"]) == (len(soft), math.fsum(sums))
        assert parts["matched_iou"] == math.fsum(table.pair_iou[sorted(matched)])


def test_a_divisor_must_be_a_positive_number() -> None:
    table = Overlap.from_labels([1, 1, 1, 1], [1, 2, 3, 4])
    for wrong in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match=r"penalty must return positive numbers; got .* for n=4"):
            METRICS["softpq"](table, penalty=lambda n, wrong=wrong: wrong)


def _segments(truth: np.ndarray, pred: np.ndarray, background: bool) -> Counter[tuple[int, int]]:
    """Pixels of every pair of segments, pixel by pixel; without those where truth is background unless it is judged."""
    return Counter(
        (t, p) for t, p in zip(truth.ravel().tolist(), pred.ravel().tolist(), strict=True) if background or t
    )


@given(pair=label_pairs(), background=st.booleans())
def test_partitions_are_those_of_the_pixels(pair: tuple[np.ndarray, np.ndarray], background: bool) -> None:
    table = Overlap.from_labels(*pair)
    judged = background and bool(table.n_truth or table.n_pred)
    pieces = _segments(*pair, judged)
    truth, pred = Counter[int](), Counter[int]()
    for (t, p), pixels in pieces.items():
        truth[t] += pixels
        pred[p] += pixels
    bits = _core.segment_bits(*table.pairs, table.background, judged)
    assert bits[0] == pytest.approx(math.fsum(n * math.log2(truth[t] / n) for (t, _), n in pieces.items()), abs=1e-9)
    assert bits[1] == pytest.approx(math.fsum(n * math.log2(pred[p] / n) for (_, p), n in pieces.items()), abs=1e-9)
    assert bits[2] == sum(pieces.values())
    together = _core.segment_pairs(*table.pairs, table.background, judged)
    assert together == tuple(sum(n * (n - 1) for n in side.values()) for side in (pieces, truth, pred))


@given(pair=label_pairs())
def test_aji_takes_the_best_partner_of_each_object(pair: tuple[np.ndarray, np.ndarray]) -> None:
    table = Overlap.from_labels(*pair)
    parts = METRICS["aji"](table).parts
    intersection, union, unused = 0, int(table.truth_areas.sum()), np.ones(table.n_pred)
    for truth in range(table.n_truth):
        pairs = np.flatnonzero(table.pair_truth == truth)
        if not len(pairs):
            continue
        best = max((table.pair_iou[k], table.pair_pixels[k]) for k in pairs)
        twins = [k for k in pairs if (table.pair_iou[k], table.pair_pixels[k]) == best]
        intersection += int(best[1])
        union += int(table.pred_areas[table.pair_pred[twins[0]]] - best[1])
        unused[table.pair_pred[twins]] *= 1 - 1 / len(twins)
    assert parts["intersection"] == intersection
    assert parts["union"] == pytest.approx(union + math.fsum(table.pred_areas * unused), rel=1e-15)


@pytest.mark.parametrize("place", [0, 1, 2, 3, 4])
def test_a_column_that_does_not_fit_is_refused(place: int) -> None:
    columns = list(Overlap.from_labels([1, 1, 2], [1, 2, 2]).pairs)
    columns[place] = columns[place][:1]
    with pytest.raises(ValueError, match=r"same length|no such object"):
        _core.pair_ious(*columns)


def test_several_metrics_of_one_table_share_their_sums() -> None:
    table = Overlap.from_labels([1, 1, 2, 0], [1, 1, 0, 3])
    for names in (
        ("pq", "f1", "recall"),
        ("vi", "vi_split"),
        ("adapted_rand_error", "adapted_rand_recall"),
        ("iou", "dice"),
    ):
        first, *others = (METRICS[name](table).parts for name in names)
        assert all(other is first for other in others)
