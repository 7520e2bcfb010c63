"""Surfaces and curves: every point equals the score computed by itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import label_pairs

from softpq import Overlap, curve, metrics, sweep
from softpq.synthetic import cells

LOWS = [0.0, 0.5, 0.1, 0.05, 0.3, 0.75, 1.0]
HIGHS = [0.5, 0.05, 0.3, 0.75, 1.0, 0.51]


def check(overlap: Overlap, lows: list[float], highs: list[float], **settings: str) -> None:
    surface = sweep(overlap, lows, highs, **settings)  # type: ignore[arg-type]
    for i, low in enumerate(lows):
        for j, high in enumerate(highs):
            if low > high:
                assert np.isnan(surface.values[i, j])
                continue
            expected = float(metrics.softpq(overlap, iou_low=low, iou_high=high, **settings))  # type: ignore[arg-type]
            assert surface.values[i, j] == pytest.approx(expected, abs=1e-9, nan_ok=True), (low, high)


@given(
    label_pairs(),
    st.sampled_from(("text", "figures", "unified", "released")),
    st.sampled_from(("over", "under")),
    st.sampled_from(("sqrt", "linear", "log", "log-raw")),
)
def test_every_point_of_the_surface(pair: tuple, reading: str, priority: str, penalty: str) -> None:
    check(Overlap.from_labels(*pair), LOWS, HIGHS, reading=reading, priority=priority, penalty=penalty)


@pytest.mark.parametrize("reading", ["text", "figures", "unified", "released"])
@pytest.mark.parametrize("priority", ["over", "under"])
def test_a_larger_image(reading: str, priority: str) -> None:
    scene = cells(objects=250, seed=2)
    overlap = Overlap.from_labels(scene.truth, scene.pred)
    check(overlap, np.linspace(0, 1, 9).tolist(), np.linspace(0.2, 1, 9).tolist(), reading=reading, priority=priority)


def test_the_diagonal_is_pq() -> None:
    scene = cells(objects=100, seed=3)
    overlap = Overlap.from_labels(scene.truth, scene.pred)
    at = np.linspace(0.5, 1, 11)
    assert np.diag(sweep(overlap, at, at).values) == pytest.approx(curve(overlap, "pq", at.tolist())[1])


@given(label_pairs(), st.sampled_from(("pq", "f1", "accuracy")))
def test_every_point_of_a_curve(pair: tuple, metric: str) -> None:
    overlap = Overlap.from_labels(*pair)
    at, values = curve(overlap, metric, [0.1, 0.5, 0.9])
    for t, value in zip(at, values, strict=True):
        assert value == pytest.approx(float(metrics.METRICS[metric](overlap, threshold=t)), nan_ok=True)


def test_defaults() -> None:
    surface = sweep(Overlap.from_labels([1, 1], [1, 0]))
    assert surface.values.shape == (101, 51)
    assert len(curve(Overlap.from_labels([1, 1], [1, 0]))[1]) == 51


@pytest.mark.parametrize(
    ("thresholds", "message"),
    [
        ({"iou_low": [-0.1]}, "iou_low must be between 0 and 1"),
        ({"iou_high": [1.5]}, "iou_high must be between 0 and 1"),
        ({"iou_high": [0.0]}, "iou_high must be above 0"),
        ({"iou_low": [[0.1]]}, "iou_low must be a flat list"),
    ],
)
def test_bad_thresholds(thresholds: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sweep(Overlap.from_labels([1], [1]), **thresholds)
    with pytest.raises(ValueError, match="metric must be one of"):
        curve(Overlap.from_labels([1], [1]), "iou")


@pytest.mark.parametrize("labels", [(1, 2), (2, 1)])
@pytest.mark.parametrize("shared", [(20, 40), (40, 20)])
def test_a_fragment_of_two_objects_that_are_matched_up_to_other_thresholds(
    labels: tuple[int, int], shared: tuple[int, int]
) -> None:
    """Prediction 9 lies on two objects: one is matched up to .9, the other up to .6."""
    first, second = labels
    overlap = Overlap.from_pairs(
        [first, second, first, second, 0], [first, second, 9, 9, 9], [900, 600, shared[0], shared[1], 30]
    )
    overlap += Overlap.from_pairs([first, second], [0, 0], [100 - shared[0], 400 - shared[1]])
    for reading in ("figures", "unified"):
        check(overlap, [0.0, 0.01, 0.02, 0.03, 0.05], [0.51, 0.55, 0.6, 0.7, 0.88, 0.95], reading=reading)


def test_defaults_are_every_hundredth() -> None:
    scene = cells(objects=60, seed=4)
    overlap = Overlap.from_labels(scene.truth, scene.pred)
    surface = sweep(overlap)
    hundredths = np.arange(101) / 100
    assert surface.values.tobytes() == sweep(overlap, hundredths, hundredths[50:]).values.tobytes()
    assert curve(overlap, "f1")[0].tolist() == hundredths[50:].tolist()


def test_one_may_ask_for_perfect_matches_alone() -> None:
    assert sweep(Overlap.from_labels([1, 1], [1, 1]), [0.0], [1.0]).values.tolist() == [[1.0]]


@pytest.mark.parametrize("reading", ["text", "figures", "unified", "released"])
@pytest.mark.parametrize("seed", range(6))
def test_every_point_where_objects_have_many_partners(reading: str, seed: int) -> None:
    """Long objects across each other: predictions that are matched at some thresholds, beside soft ones of many."""
    rng = np.random.default_rng(seed)
    truth, pred = (np.repeat(np.arange(1, 40), rng.integers(1, 30, 39))[:300] for _ in range(2))
    size = min(len(truth), len(pred))
    check(Overlap.from_labels(truth[:size], pred[:size]), LOWS, HIGHS, reading=reading)
    check(Overlap.from_labels(pred[:size] // 3 + 1, truth[:size]), LOWS, HIGHS, reading=reading)
    check(Overlap.from_labels(truth[:size], pred[:size] // 3 + 1), LOWS, HIGHS, reading=reading)
