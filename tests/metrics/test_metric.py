"""The records of metrics: lists follow from them, options from signatures."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import pairwise
from types import ModuleType
from typing import Any

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
from softpq.metrics.score import Parts, Score, ratio
from softpq.plan import Plan
from softpq.synthetic import cells

SCENE = cells()
OVERLAP = Overlap.from_labels(SCENE.truth, SCENE.pred)
AJI = [1, 1, 2, 2, 2, 0, 0], [1, 2, 1, 2, 0, 1, 2], [19, 2, 39, 16, 8, 2, 6]


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


def stacked(scores: list[Score]) -> dict[str, Any]:
    """Parts with one place per image; what is a list stays one."""
    columns = {key: [score.parts[key] for score in scores] for key in scores[0].parts}
    return {key: of if isinstance(of[0], tuple | list) else np.array(of) for key, of in columns.items()}


@pytest.mark.parametrize("name", list(METRICS))
@given(st.lists(label_pairs(), min_size=1, max_size=4))
def test_values_of_several_images_are_those_of_each(name: str, pairs: list) -> None:
    scores = [METRICS[name](Overlap.from_labels(*pair)) for pair in pairs]
    found = METRICS[name].values(stacked(scores), Plan().options)
    assert found.tolist() == pytest.approx([score.value for score in scores], abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", ["accuracy_range", "map", "sorted_ap", "adapted_rand_error", "vi"])
def test_values_of_real_looking_images_are_those_of_each(name: str) -> None:
    fields = [cells((96, 96), 1 + 12 * k, seed=k) for k in range(5)]
    scores = [METRICS[name](Overlap.from_labels(one.truth, one.pred)) for one in fields]
    found = METRICS[name].values(stacked(scores), Plan().options)
    assert found.tolist() == pytest.approx([score.value for score in scores], abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("scale", [1, 10**6])
def test_aji_plus_pairs_by_iou_however_large_the_objects(scale: int) -> None:
    """Pairs of largest IoU share fewer pixels than the others do."""
    truth, pred, pixels = AJI
    overlap = Overlap.from_pairs(truth, pred, scale * np.array(pixels))
    assert softpq.metrics.aji_plus(overlap).parts["intersection"] == 35 * scale
