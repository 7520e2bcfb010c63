"""Exact values of SoftPQ in every reading, and of the classic metrics, on cases one can check by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from golden_cases import CASES, GOLDEN, drawn, overlap_of, softpq_values

from softpq import mean, metrics, pooled, score
from softpq.table.matching import match

pytestmark = pytest.mark.shared


@pytest.mark.parametrize("name", list(CASES))
def test_softpq_has_the_golden_value_in_every_reading(name: str) -> None:
    case = CASES[name]
    overlap = overlap_of(case)
    seen = 0
    for settings, expected in softpq_values(case):
        if "truth" in case:
            value = score(drawn(case["truth"]), drawn(case["pred"]), **settings)
        else:
            value = float(metrics.softpq(overlap, **settings))
        assert value == pytest.approx(np.nan if expected is None else expected, abs=1e-12, nan_ok=True), settings
        seen += 1
    assert seen >= 8


@pytest.mark.parametrize("name", list(CASES))
def test_matches_and_forgiven_predictions_are_the_golden_counts(name: str) -> None:
    case = CASES[name]
    overlap = overlap_of(case)
    for block in case["softpq"]:
        for priority in ("over", "under"):
            for reading, values in block[priority].items():
                if "matches" in values:
                    thresholds = {"iou_low": block["iou_low"], "iou_high": block["iou_high"]}
                    parts = metrics.softpq(overlap, **thresholds, priority=priority, reading=reading).parts
                    assert (parts["matched"], parts["forgiven"]) == (values["matches"], values["forgiven"])


def exact(value: str | int | None) -> float:
    return np.nan if value is None else float(Fraction(value))


@pytest.mark.parametrize("name", list(CASES))
def test_classic_metrics_have_the_golden_value(name: str) -> None:
    overlap, golden = overlap_of(CASES[name]), CASES[name]["classic"]
    matching = match(overlap)
    assert (matching.tp, matching.fp, matching.fn) == (golden["tp"], golden["fp"], golden["fn"])
    computed = {
        "pq": metrics.pq(overlap),
        "sq": metrics.sq(overlap),
        "rq": metrics.rq(overlap),
        "f1": metrics.f1(overlap),
        "pq_strict": metrics.pq(overlap, strict=True),
        "ap50": metrics.accuracy(overlap, threshold=0.5),
        "ap75": metrics.accuracy(overlap, threshold=0.75),
        "ap90": metrics.accuracy(overlap, threshold=0.9),
        "mAP": metrics.map_(overlap),
        "fg_iou": metrics.iou(overlap),
    }
    if name == "both_empty":  # recorded as 0, but without objects every metric is undefined: the specification decides
        assert golden["sq"] == "0"
        assert np.isnan(float(computed.pop("sq")))
    for metric, value in computed.items():
        assert float(value) == pytest.approx(exact(golden[metric]), abs=1e-12, nan_ok=True), metric


@pytest.mark.parametrize("name", [name for name in CASES if "iou" in CASES[name]])
def test_ious_are_the_golden_fractions(name: str) -> None:
    overlap = overlap_of(CASES[name])
    found = {
        f"{truth},{pred}": iou
        for truth, pred, iou in zip(
            overlap.truth_ids[overlap.pair_truth], overlap.pred_ids[overlap.pair_pred], overlap.pair_iou, strict=True
        )
    }
    assert found == {key: float(Fraction(value)) for key, value in CASES[name]["iou"].items()}


@pytest.mark.parametrize("index", range(len(GOLDEN["datasets"])))
def test_datasets_pool_and_average_to_the_golden_value(index: int) -> None:
    golden = GOLDEN["datasets"][index]
    overlaps = [overlap_of(CASES[name]) for name in golden["cases"]]
    for priority in ("over", "under"):
        for reading, expected in golden[priority].items():
            scores = [
                metrics.softpq(
                    overlap,
                    iou_low=golden["iou_low"],
                    iou_high=golden["iou_high"],
                    priority=priority,
                    reading=reading,
                )
                for overlap in overlaps
            ]
            assert float(pooled(scores)) == pytest.approx(expected["pooled"], abs=1e-12)
            assert mean(scores) == pytest.approx(expected["mean"], abs=1e-12)


def test_nothing_of_the_golden_file_is_left_out() -> None:
    assert (len(GOLDEN["cases"]), len(GOLDEN["scenes"]), len(GOLDEN["datasets"])) == (38, 51, 3)
    assert len(CASES) == 89
