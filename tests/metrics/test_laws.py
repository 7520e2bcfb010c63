"""Laws that every metric obeys. A metric that is not in LAWS fails a test."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import HUGE, label_pairs, relabelled

from softpq import Overlap, Score, evaluate, pooled
from softpq.metrics import METRICS


@dataclass(frozen=True)
class Law:
    """What a metric answers on a perfect prediction, between what bounds it lies, and what it makes of background."""

    perfect: float = 1.0
    lowest: float = 0.0
    highest: float = 1.0
    background_is_a_segment: bool = False


def _laws() -> dict[str, Law]:
    of_objects = (
        "softpq pq sq rq f1 precision recall accuracy map accuracy_range iou dice mean_matched_iou mean_true_iou "
        "sorted_ap aji aji_plus seg boundary_iou boundary_pq boundary_softpq"
    )
    laws = dict.fromkeys(of_objects.split(), Law())
    laws |= dict.fromkeys(("vi", "vi_split", "vi_merge"), Law(0.0, highest=math.inf, background_is_a_segment=True))
    laws |= {"adapted_rand_error": Law(0.0, background_is_a_segment=True)}
    laws |= dict.fromkeys(("adapted_rand_precision", "adapted_rand_recall"), Law(background_is_a_segment=True))
    return laws


LAWS = _laws()

every_metric = pytest.mark.parametrize("name", list(METRICS))


def of(name: str, truth: np.ndarray, pred: np.ndarray) -> Score:
    return METRICS[name](Overlap.from_labels(truth, pred))


def same(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


def test_no_metric_is_left_out() -> None:
    assert set(LAWS) == set(METRICS)
    assert {name for name, law in LAWS.items() if law.perfect == 0} == {
        name for name, metric in METRICS.items() if metric.less_is_better
    }


@every_metric
@given(pair=label_pairs())
def test_a_perfect_prediction_is_perfect(name: str, pair: tuple[np.ndarray, np.ndarray]) -> None:
    truth, _ = pair
    expected = LAWS[name].perfect if truth.any() else math.nan
    assert float(of(name, truth, truth)) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@every_metric
@pytest.mark.parametrize("shape", [(0,), (4,), (3, 0), (3, 5), (2, 3, 4)])
def test_without_objects_the_value_is_undefined(name: str, shape: tuple[int, ...]) -> None:
    nothing = np.zeros(shape, np.uint8)
    assert math.isnan(float(of(name, nothing, nothing)))


@pytest.mark.parametrize("name", [name for name, law in LAWS.items() if not law.background_is_a_segment])
def test_one_empty_side_is_the_worst_value(name: str) -> None:
    """For metrics that see background as a segment, an empty image is one large segment: nothing special."""
    some, nothing = np.array([0, 1, 1, 2]), np.zeros(4, int)
    assert float(of(name, some, nothing)) == float(of(name, nothing, some)) == LAWS[name].lowest


@every_metric
@given(pair=label_pairs(), seed=st.integers(0, 1000))
def test_relabelling_changes_nothing(name: str, pair: tuple[np.ndarray, np.ndarray], seed: int) -> None:
    truth, pred = pair
    renamed = float(of(name, relabelled(truth, seed), relabelled(pred, seed + 1)))
    assert renamed == pytest.approx(float(of(name, truth, pred)), abs=1e-12, nan_ok=True)


@every_metric
@given(pair=label_pairs(), seed=st.integers(0, 1000))
def test_moving_pixels_changes_nothing(name: str, pair: tuple[np.ndarray, np.ndarray], seed: int) -> None:
    truth, pred = pair
    order = np.random.default_rng(seed).permutation(truth.size)
    assert same(float(of(name, truth.ravel()[order], pred.ravel()[order])), float(of(name, truth, pred)))


@every_metric
@given(pair=label_pairs(), data=st.data())
def test_tiles_add_up(name: str, pair: tuple[np.ndarray, np.ndarray], data: st.DataObject) -> None:
    truth, pred = pair
    axis = data.draw(st.integers(0, truth.ndim - 1))
    cut = data.draw(st.integers(0, truth.shape[axis]))
    tiles = [
        Overlap.from_labels(t, p)
        for t, p in zip(np.split(truth, [cut], axis), np.split(pred, [cut], axis), strict=True)
    ]
    whole = Overlap.from_labels(truth, pred)
    assert tiles[0] + tiles[1] == whole == tiles[1] + tiles[0]
    assert same(float(METRICS[name](tiles[0] + tiles[1])), float(METRICS[name](whole)))


@every_metric
@given(first=label_pairs(), second=label_pairs())
def test_pooled_is_the_disjoint_union(
    name: str, first: tuple[np.ndarray, np.ndarray], second: tuple[np.ndarray, np.ndarray]
) -> None:
    """Images that share no label, laid side by side, score like the pooled images.

    Where background is a segment, two images would share it; they get objects in its place.
    """
    flat = [image.ravel() for image in (*first, *second)]
    if LAWS[name].background_is_a_segment:
        flat = [np.where(image == 0, 999, image) for image in flat]
    union = [np.concatenate([a, np.where(b > 0, b + 1000, 0)]) for a, b in ((flat[0], flat[2]), (flat[1], flat[3]))]
    total = float(pooled([of(name, flat[0], flat[1]), of(name, flat[2], flat[3])]))
    assert total == pytest.approx(float(of(name, *union)), abs=1e-12, nan_ok=True)


@every_metric
@given(pair=label_pairs())
def test_every_score_knows_how_many_objects_there_are(name: str, pair: tuple[np.ndarray, np.ndarray]) -> None:
    score = of(name, *pair)
    counts = [len(np.unique(image[image > 0])) for image in pair]
    assert [score.parts["n_truth"], score.parts["n_pred"]] == counts


@every_metric
@given(pair=label_pairs())
def test_values_stay_in_range(name: str, pair: tuple[np.ndarray, np.ndarray]) -> None:
    value = float(of(name, *pair))
    assert math.isnan(value) or LAWS[name].lowest <= value <= LAWS[name].highest + 1e-12


@given(pair=label_pairs(labels=HUGE))
def test_huge_labels_are_ordinary_labels(pair: tuple[np.ndarray, np.ndarray]) -> None:
    small = [np.searchsorted(np.array(HUGE, np.uint64), image).astype(np.uint8) for image in pair]
    huge, ordinary = evaluate(*pair), evaluate(*small)
    assert all(value == pytest.approx(ordinary[name], abs=1e-12, nan_ok=True) for name, value in huge.items())


@given(label_pairs())
def test_the_foreground_is_counted_pixel_by_pixel(images: tuple[np.ndarray, np.ndarray]) -> None:
    truth, pred = (image != 0 for image in images)
    both, either, sum_of_areas = (truth & pred).sum(), (truth | pred).sum(), truth.sum() + pred.sum()
    expected = (both / either, 2 * both / sum_of_areas) if either else (math.nan, math.nan)
    assert same(of("iou", *images).value, expected[0])
    assert same(of("dice", *images).value, expected[1])
