"""Scores add; what must not be added is refused."""

from __future__ import annotations

import math
import pickle

import pytest

from softpq import Overlap, mean, metrics, pooled
from softpq.metrics import METRICS

ONE = Overlap.from_labels([1, 1, 1, 2, 2, 0], [1, 1, 0, 2, 3, 3])
OTHER = Overlap.from_labels([1, 1, 1, 2, 2, 0], [0, 1, 1, 2, 2, 0])
EMPTY = Overlap.from_labels([0, 0], [0, 0])


@pytest.mark.parametrize("name", list(METRICS))
def test_scores_survive_pickling_and_add_in_any_order(name: str) -> None:
    a, b = METRICS[name](ONE), METRICS[name](OTHER)
    assert pickle.loads(pickle.dumps(a)) == a
    assert float(a + b) == pytest.approx(float(b + a))
    assert float(sum([a, b])) == pytest.approx(float(pooled([a, b])))


@pytest.mark.parametrize("name", list(METRICS))
def test_an_empty_image_changes_no_pooled_value(name: str) -> None:
    a = METRICS[name](ONE)
    assert float(a + METRICS[name](EMPTY)) == pytest.approx(float(a))


def test_means_leave_undefined_images_out() -> None:
    scores = [metrics.pq(ONE), metrics.pq(EMPTY), metrics.pq(OTHER)]
    assert mean(scores) == pytest.approx((float(scores[0]) + float(scores[2])) / 2)
    assert math.isnan(mean([metrics.pq(EMPTY)]))


def test_different_metrics_do_not_add() -> None:
    with pytest.raises(ValueError, match=r"same metric and settings to add; got pq .* and f1"):
        metrics.pq(ONE) + metrics.f1(ONE)
    with pytest.raises(ValueError, match=r"iou_low=0\.05.*iou_low=0\.1"):
        metrics.softpq(ONE) + metrics.softpq(ONE, iou_low=0.1)
    with pytest.raises(TypeError):
        metrics.pq(ONE) + 1


def test_mean_accuracies_of_other_thresholds_do_not_add() -> None:
    with pytest.raises(ValueError, match="same metric and settings"):
        metrics.map_(ONE, thresholds=[0.5]) + metrics.map_(ONE, thresholds=[0.5, 0.9])
    with pytest.raises(ValueError, match="different numbers"):
        metrics.map_(ONE, thresholds=[0.5, 0.5])


def test_scores_are_hashable_and_tables_sum() -> None:
    assert len({metrics.pq(ONE), metrics.pq(ONE), metrics.pq(OTHER)}) == 2
    assert sum([ONE, OTHER]) == ONE + OTHER


def test_nothing_cannot_be_pooled() -> None:
    with pytest.raises(ValueError, match="at least one score"):
        pooled([])


def test_parts_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        metrics.pq(ONE).parts["tp"] = 5  # type: ignore[index]


def test_a_score_describes_itself() -> None:
    assert repr(metrics.f1(ONE)) == "Score(f1=0.8; tp=2, iou_sum=1.16667, n_truth=2, n_pred=3)"


def test_thresholds_must_not_be_empty() -> None:
    with pytest.raises(ValueError, match="thresholds must be one or more different numbers"):
        metrics.map_(ONE, thresholds=())
