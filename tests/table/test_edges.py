"""Edges of the core: defaults, limits, and what is only seen where two things are equal."""

from __future__ import annotations

import math

import numpy as np
import pytest

from softpq import Overlap, Settings
from softpq.explain.verdicts import VERDICTS
from softpq.metrics import METRICS
from softpq.metrics._softpq import divisors
from softpq.table import tables
from softpq.table.labels import as_labels, band_reach
from softpq.table.tables import as_text, fingerprint, from_text


@pytest.mark.parametrize("size", [0.0, -1.0, math.inf, math.nan])
def test_pixels_have_a_size(size: float) -> None:
    with pytest.raises(ValueError, match="spacing must be one positive number per axis"):
        band_reach(3, [1.0, size], (9, 9))


def test_a_bool_array_of_three_dimensions_may_be_a_stack_and_one_of_two_is_a_mask() -> None:
    with pytest.raises(TypeError, match=r"Masks\.from_stack"):
        as_labels(np.ones((2, 3, 3), bool), "truth")
    with pytest.raises(TypeError, match="got a boolean mask"):
        as_labels(np.ones((3, 3), bool), "truth")


def test_atoms_leave_no_background_unless_it_is_said() -> None:
    table = Overlap.from_labels([1, 1, 2, 0], [1, 1, 2, 0])
    assert Overlap.from_atoms(table.truth_ids, table.pred_ids, table.atoms).background == 0


def test_verdicts_that_have_a_place_in_the_order_have_different_ones() -> None:
    ranks = [verdict.rank for verdict in VERDICTS if verdict.rank]
    assert sorted(ranks) == list(range(1, len(ranks) + 1))
    assert all(verdict.rank == 0 for verdict in VERDICTS if verdict.name == "matched")


@pytest.mark.parametrize("divisor", [0.0, -1.0, math.inf, math.nan])
@pytest.mark.parametrize("masks", [True, False])
def test_a_penalty_divides_by_positive_numbers(divisor: float, masks: bool) -> None:
    truth, pred = np.array([1] * 9 + [0]), np.array([1] * 3 + [2] * 3 + [0] * 4)
    table = Overlap.from_labels(truth, pred)
    if not masks:  # several tables of one size take another way
        table = table + Overlap.from_labels(np.zeros(3, int), np.zeros(3, int))
    with pytest.raises(ValueError, match="penalty must return positive numbers"):
        METRICS["softpq"](table, penalty=lambda n: divisor)
    assert 0 < METRICS["softpq"](table, penalty=lambda n: 2.0).value < 1


def test_the_released_program_counts_what_is_wrong_on_both_sides() -> None:
    """One match, one object in two soft fragments beside it, one miss, two ghosts: by hand."""
    truth = np.array([1] * 10 + [2] * 10 + [3] * 10 + [0] * 20)
    pred = np.array([1] * 10 + [0] * 20 + [0] * 5 + [7] * 5 + [0] * 5 + [8] * 5)
    value = METRICS["softpq"](Overlap.from_labels(truth, pred), reading="released").value
    assert value == pytest.approx(1.0 * 2 / (2 + 2 + 2))


def test_labels_beyond_32_bits_have_fingerprints_of_their_own() -> None:
    labels = np.array([1, 2**32, 2**32 + 1], np.int64)
    assert fingerprint(labels[1:2]) != fingerprint(np.array([0]))
    assert (
        len({fingerprint(labels), fingerprint(labels % 2**32), fingerprint(labels - 1), fingerprint(labels[:2])}) == 4
    )


def test_settings_are_checked() -> None:
    with pytest.raises(ValueError, match="iou_low"):
        Settings(iou_low=0.6, iou_high=0.5)


def test_accuracy_at_two_thresholds_is_the_mean_of_both() -> None:
    table = Overlap.from_labels([1] * 10 + [2] * 10, [1] * 10 + [2] * 6 + [0] * 4)
    assert METRICS["map"](table, thresholds=(0.5, 0.9)).value == pytest.approx((1 + 1 / 3) / 2)


@pytest.mark.parametrize("divisor", [0.0, -1.0, math.inf, -math.inf, math.nan])
def test_divisors_are_positive_numbers(divisor: float) -> None:
    with pytest.raises(ValueError, match="penalty must return positive numbers"):
        divisors(Settings(penalty=lambda n: divisor), np.array([1, 2]))


def test_texts_of_columns_hold_what_they_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    assert from_text(as_text(b""), []) == b""
    with pytest.raises(ValueError, match="columns must have at most 2147483648 bytes; they claim 2147483649"):
        from_text("", [["a", "u1", 2**31 + 1]])
    monkeypatch.setattr(tables, "MOST_BYTES", 3)
    assert from_text(as_text(b"abc"), [["a", "u1", 3]]) == b"abc"
