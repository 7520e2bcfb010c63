"""Metrics of masks that overlap: scenes of the reference, every pixel gives its credit once, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from overlapping import SCENES, masks_of, stacks, sums_by_pixel
from strategies import label_pairs, softpq_settings

from softpq import Masks, Overlap, Settings, curve, evaluate, match, sweep
from softpq.metrics import METRICS
from softpq.table.credits import matched_and_soft


def counted(stack: tuple[np.ndarray, np.ndarray]) -> Overlap:
    return Overlap.from_masks(Masks.from_stack(stack[0]), Masks.from_stack(stack[1]))


def softpq(overlap: Overlap, **settings: Any) -> float:
    return METRICS["softpq"](overlap, **settings).value


def is_one_of(value: float, listed: list[float | None]) -> bool:
    return any(math.isnan(value) if one is None else abs(value - one) < 1e-9 for one in listed)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene["name"])
def test_values_are_those_of_the_reference_for_every_order(scene: dict) -> None:
    truth, pred = (masks_of(scene[side], scene["shape"]) for side in ("truth", "pred"))
    first: list[float] = []
    for seed in range(6):
        shuffle = np.random.default_rng(seed).permutation
        sides = [side.select(shuffle(len(side))) if seed else side for side in (truth, pred)]
        overlap = Overlap.from_masks(*sides)
        values = []
        for low, high, penalty, priority, reading, listed in scene["softpq"]:
            options = {"iou_low": low, "iou_high": high, "penalty": penalty, "priority": priority, "reading": reading}
            values.append(softpq(overlap, **options))
            assert is_one_of(values[-1], listed), (options, values[-1], listed)
        first = first or values
        assert np.array_equal(values, first, equal_nan=True)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene["name"])
@pytest.mark.parametrize("strict", [False, True])
def test_matchings_are_those_of_the_reference(scene: dict, strict: bool) -> None:
    overlap = Overlap.from_masks(*(masks_of(scene[side], scene["shape"]) for side in ("truth", "pred")))
    for threshold, expected in scene["pq_strict" if strict else "pq"].items():
        found = match(overlap, float(threshold), strict=strict)
        assert [found.tp, found.fp, found.fn] == [expected[k] for k in ("tp", "fp", "fn")]
        assert found.iou_sum == pytest.approx(expected["iou_sum"][0] / expected["iou_sum"][1], abs=1e-12)
        for name in ("pq", "sq", "rq"):
            value = METRICS[name](overlap, threshold=float(threshold), strict=strict).value
            if overlap.n_truth or overlap.n_pred:  # else there is nothing to judge, and the value is NaN
                assert is_one_of(value, [expected[name]])


@given(stacks(), softpq_settings())
def test_credits_are_those_of_every_pixel(stack: tuple[np.ndarray, np.ndarray], options: dict) -> None:
    overlap, settings = counted(stack), Settings(**options)
    expected = sums_by_pixel(*stack, overlap, settings)
    _, soft, credit = matched_and_soft(overlap, settings.iou_low, settings.iou_high)
    where = np.flatnonzero(soft)
    found = dict(zip(zip(overlap.pair_truth[where], overlap.pair_pred[where], strict=True), credit[where], strict=True))
    assert set(found) == set(expected)
    for pair, value in expected.items():
        assert found[pair] == pytest.approx(value, abs=1e-12)


@given(stacks(), softpq_settings(), st.integers(0, 2**32 - 1))
def test_order_changes_nothing(stack: tuple[np.ndarray, np.ndarray], options: dict, seed: int) -> None:
    shuffle = np.random.default_rng(seed).permutation
    shuffled = tuple(side[shuffle(len(side))] for side in stack)
    values = [softpq(counted(one), **options) for one in (stack, shuffled)]
    assert np.array_equal(values[:1], values[1:], equal_nan=True)


@given(stacks(), softpq_settings())
def test_softpq_is_never_above_one_and_never_below_pq(stack: tuple[np.ndarray, np.ndarray], options: dict) -> None:
    overlap = counted(stack)
    value, pq = softpq(overlap, **options), METRICS["pq"](overlap, threshold=options["iou_high"]).value
    if math.isnan(value):
        assert overlap.n_truth == overlap.n_pred == 0
        return
    if options["reading"] != "figures":
        assert value <= 1 + 1e-12
    assert value >= (pq if match(overlap, options["iou_high"]).tp else 0) - 1e-12


@given(stacks(), st.sampled_from([0.5, 0.55, 0.7, 1.0]), st.sampled_from(["text", "figures", "unified"]))
def test_equal_thresholds_of_at_least_one_half_are_pq(
    stack: tuple[np.ndarray, np.ndarray], threshold: float, reading: str
) -> None:
    overlap = counted(stack)
    value = softpq(overlap, iou_low=threshold, iou_high=threshold, reading=reading)
    assert value == pytest.approx(METRICS["pq"](overlap, threshold=threshold).value, abs=1e-12, nan_ok=True)


@given(stacks(), softpq_settings(readings=("unified",)))
def test_unified_is_symmetric(stack: tuple[np.ndarray, np.ndarray], options: dict) -> None:
    other = {**options, "priority": "under" if options["priority"] == "over" else "over"}
    one, swapped = softpq(counted(stack), **options), softpq(counted((stack[1], stack[0])), **other)
    assert one == pytest.approx(swapped, abs=1e-12, nan_ok=True)


def test_an_object_found_twice_is_no_better_than_found_once() -> None:
    disc = np.zeros((1, 8, 8), bool)
    disc[:, 2:6, 2:6] = True
    twice = counted((disc, np.concatenate([disc, disc])))
    for reading in ("text", "figures", "unified"):
        assert softpq(twice, reading=reading) == pytest.approx(2 / 3)


def test_three_predictions_on_one_object_keep_every_metric_in_its_bounds() -> None:
    mask = np.zeros((1, 10, 10), bool)
    mask[:, :5] = True
    overlap = counted((mask, np.concatenate([mask] * 3)))
    assert METRICS["iou"](overlap).value == METRICS["dice"](overlap).value == METRICS["seg"](overlap).value == 1
    assert overlap.truth_alone.tolist() == [0]
    assert METRICS["aji"](overlap).value == pytest.approx(1 / 3)
    assert METRICS["aji_plus"](overlap).value == pytest.approx(1 / 3)


@pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if metric.needs_partition])
def test_metrics_of_partitions_are_refused_with_the_number_of_pixels(name: str) -> None:
    mask = np.ones((1, 2, 3), bool)
    with pytest.raises(ValueError, match=rf"{name} must be given one object per pixel.*got 6 pixels with several"):
        METRICS[name](counted((mask, np.concatenate([mask, mask]))))
    assert METRICS[name](counted((mask, mask))).value is not None


def test_the_released_reading_is_refused() -> None:
    mask = np.ones((1, 2, 3), bool)
    overlap = counted((mask, np.concatenate([mask, mask])))
    for refused in (lambda: softpq(overlap, reading="released"), lambda: sweep(overlap, reading="released")):
        with pytest.raises(ValueError, match=r"takes label images\. Got 6 pixels with several objects"):
            refused()


@given(label_pairs())
def test_label_images_have_the_same_value_in_every_metric_as_masks(pair: tuple[np.ndarray, np.ndarray]) -> None:
    truth, pred = (side if side.ndim > 1 else side[np.newaxis] for side in pair)
    for reads, options in (("objects", {}), ("bands", {"boundary": 1})):
        tables = [
            Overlap.from_labels(truth, pred, **options),
            Overlap.from_masks(truth, Masks.from_labels(pred), **options),
        ]
        for metric in METRICS.values():
            if metric.reads == reads:
                one, other = (metric(table).value for table in tables)
                assert np.array_equal(one, other, equal_nan=True), metric.name


@given(stacks(), softpq_settings())
def test_surfaces_are_exact(stack: tuple[np.ndarray, np.ndarray], options: dict) -> None:
    overlap = counted(stack)
    lows, highs = [0.0, 0.1, 0.25, 0.5, 0.7, 1.0], [0.3, 0.5, 0.6, 0.75, 1.0]
    rest = {name: options[name] for name in ("penalty", "priority", "reading")}
    surface = sweep(overlap, lows, highs, **rest)
    for i, j in np.argwhere(np.array(lows)[:, None] <= highs):
        expected = softpq(overlap, iou_low=lows[i], iou_high=highs[j], **rest)
        assert surface.values[i, j] == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert curve(overlap, "pq", [0.3, 0.6])[1].tolist() == pytest.approx(
        [METRICS["pq"](overlap, threshold=t).value for t in (0.3, 0.6)], nan_ok=True
    )


@given(stacks(), st.sampled_from([(False, False), (True, False), (False, True), (True, True)]))
def test_scores_do_not_depend_on_how_runs_are_known(
    pair: tuple[np.ndarray, np.ndarray], turned: tuple[bool, bool]
) -> None:
    if pair[0].ndim != 3:
        return
    plain = [Masks.from_stack(stack) for stack in pair]
    other = [
        Masks.from_stack(stack.transpose(0, 2, 1)).transposed() if turn else masks
        for stack, masks, turn in zip(pair, plain, turned, strict=True)
    ]
    one, two = (evaluate(*sides) for sides in (plain, other))
    for name, score in one.scores.items():
        assert score.value == pytest.approx(two.scores[name].value, rel=1e-14, abs=0, nan_ok=True), name
