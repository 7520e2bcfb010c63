"""The records of metrics: lists follow from them, options from signatures."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import pairwise
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import label_pairs

import softpq
from softpq import Overlap, match
from softpq.explain.thresholds import CURVES
from softpq.metrics import METRICS
from softpq.metrics._detection import matched_sums
from softpq.metrics._metric import Metric, metric, records_in
from softpq.metrics.score import Parts, ratio
from softpq.plan import Plan
from softpq.synthetic import cells

SCENE = cells()
OVERLAP = Overlap.from_labels(SCENE.truth, SCENE.pred)


def test_a_new_metric_follows_the_threshold_without_being_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was scored at 0.5, silently, unless it also stood in a second list."""

    @metric(lambda parts: ratio(parts, 2 * parts["tp"], parts["n_truth"] + parts["n_pred"]), name="found")
    def found(overlap: Overlap, *, threshold: float = 0.5, strict: bool = False) -> Parts:
        return matched_sums(overlap, threshold, strict)

    module = ModuleType(found.__module__)
    module.found = found  # type: ignore[attr-defined]
    (record,) = records_in(module)
    for threshold in (0.5, 0.8):
        plan = Plan(threshold=threshold)
        assert record.score(OVERLAP, plan.options).value == float(softpq.metrics.f1(OVERLAP, threshold=threshold))
    assert float(found(OVERLAP, threshold=0.8)) != float(found(OVERLAP))


@pytest.mark.parametrize("name", list(METRICS))
def test_every_option_of_a_plan_reaches_every_metric_that_names_it(name: str) -> None:
    record = METRICS[name]
    plan = Plan.of(threshold=0.8, strict=True, iou_low=0.2, iou_high=0.7, penalty="linear", priority="under")
    own = {option: value for option, value in plan.options.items() if option in record.options}
    score = record.score(OVERLAP, plan.options)
    assert score == record(OVERLAP, **own)
    assert {option: score.settings[option] for option in own} == own
    assert record.restored(score.parts, plan.options).value == pytest.approx(score.value, nan_ok=True)


def test_lists_of_metrics_follow_from_the_records() -> None:
    assert [name for name, record in METRICS.items() if record.usual] == [
        "softpq", "pq", "sq", "f1", "precision", "recall", "map", "accuracy_range", "iou",
    ]  # fmt: skip
    assert set(CURVES) == {
        name for name, record in METRICS.items() if "threshold" in record.options and not name.startswith("boundary")
    }
    assert all(isinstance(record, Metric) and name == record.name for name, record in METRICS.items())


def test_records_can_be_sent_elsewhere() -> None:
    assert all(pickle.loads(pickle.dumps(record)) is record for record in METRICS.values())


def test_the_sum_of_a_matching_is_that_of_its_pairs() -> None:
    """It was remembered by threshold, whatever the pairs."""
    found = match(OVERLAP, 0.5)
    fewer = replace(found, pairs=found.pairs[:3])
    assert found.iou_sum == pytest.approx(found.ious.sum())
    assert fewer.iou_sum == pytest.approx(found.ious[:3].sum())
    assert fewer.iou_sum < 3 < found.iou_sum


def test_counts_are_those_of_objects_whatever_metric_comes_first() -> None:
    """They came from the first metric that had some, also from boundary bands."""
    counts = []
    for names in (["pq", "boundary_pq"], ["boundary_pq", "pq"], ["boundary_pq"], ["aji"]):
        found = softpq.evaluate(SCENE.truth, SCENE.pred, metrics=names, boundary=1)
        counts.append((found["tp"], found["fp"], found["fn"]))
        dataset = softpq.evaluate_dataset([SCENE.truth], [SCENE.pred], metrics=names, boundary=1)
        counts.append(tuple(dataset.rows()[0][name] for name in ("tp", "fp", "fn")))
    assert set(counts) == {(236, 81, 64)}


def test_of_equal_sums_aji_plus_takes_the_larger_intersection() -> None:
    """Both predictions have an IoU of a quarter with the object; one shares 10 pixels with it, the other 5."""
    for first, second in ((1, 2), (2, 1)):
        overlap = Overlap.from_pairs([1, 1, 0, 0], [first, second, first, second], [10, 5, 25, 5])
        assert overlap.pair_iou.tolist() == [0.25, 0.25]
        assert float(METRICS["aji_plus"](overlap)) == 10 / 50


@given(label_pairs(), st.lists(st.integers(1, 12), min_size=1, max_size=3, unique=True).map(sorted))
def test_every_object_is_of_one_size(pair: tuple[np.ndarray, np.ndarray], bounds: list[int]) -> None:
    overlap = Overlap.from_labels(*pair)
    parts = softpq.metrics.by_size(overlap, bounds)
    edges = [0, *bounds, np.inf]
    assert sum(part.n_pred for part in parts.values()) == overlap.n_pred
    for (low, high), part in parts.items():
        assert (low, high) in pairwise(edges)
        inside = (overlap.truth_areas >= low) & (overlap.truth_areas < high)
        assert part.truth_ids.tolist() == overlap.truth_ids[inside].tolist()


def test_a_prediction_goes_with_the_object_it_overlaps_most() -> None:
    overlap = Overlap.from_labels([1, 1, 2, 2, 2, 2, 2, 0, 0, 0], [0, 5, 5, 5, 5, 5, 5, 0, 8, 8])
    parts = softpq.metrics.by_size(overlap, [3])
    assert parts[0, 3].pred_ids.tolist() == [8]
    assert parts[3, np.inf].pred_ids.tolist() == [5]


@pytest.mark.parametrize("bounds", [[], [0], [3, 3], [5, 3], [-1, 3]])
def test_sizes_must_ascend(bounds: list[int]) -> None:
    with pytest.raises(ValueError, match="bounds must be positive areas in ascending order"):
        softpq.metrics.by_size(softpq.Overlap.from_labels([1, 1], [1, 0]), bounds)
