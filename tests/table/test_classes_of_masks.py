"""Masks that know their classes: objects of one class make pairs, as if every class had an image of its own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import softpq
from softpq import Masks, Overlap, metrics

stacks = st.integers(0, 2**32).map(np.random.default_rng)


def random_masks(random: np.random.Generator, kinds: int) -> Masks:
    count = int(random.integers(0, 6))
    stack = np.zeros((count, 6, 7), bool)
    for mask in stack:
        y, x, h, w = random.integers(0, 5, 4)
        mask[y : y + h, x : x + w] = True  # some are empty
    return Masks.from_list(
        list(stack), shape=(6, 7), classes=[f"kind {k}" for k in random.integers(0, kinds, count)],
        ids=random.permutation(50)[:count] + 1,
    )  # fmt: skip


@given(stacks)
def test_scores_are_the_sum_of_those_of_the_classes(random: np.random.Generator) -> None:
    truth, pred = random_masks(random, 3), random_masks(random, 3)
    together = Overlap.from_masks(truth, pred)
    for metric in (metrics.softpq, metrics.pq, metrics.f1, metrics.aji):
        summed = [
            metric(Overlap.from_masks(*(side.select(side.classes == kind) for side in (truth, pred))))
            for kind in sorted({*truth.classes, *pred.classes})
        ]
        if summed:
            assert metric(together).value == pytest.approx(sum(summed).value, abs=1e-12, nan_ok=True)


@given(stacks)
def test_one_class_is_no_class(random: np.random.Generator) -> None:
    truth, pred = random_masks(random, 1), random_masks(random, 1)
    plain = [side.with_(classes=None) for side in (truth, pred)]
    assert softpq.evaluate(truth, pred).overlap == Overlap.from_masks(*plain)


@given(stacks)
def test_class_agnostic_takes_all_together(random: np.random.Generator) -> None:
    truth, pred = random_masks(random, 3), random_masks(random, 3)
    plain = [side.with_(classes=None) for side in (truth, pred)]
    assert softpq.evaluate(truth, pred, class_agnostic=True).overlap == Overlap.from_masks(*plain)


def test_an_object_of_another_class_is_no_match() -> None:
    truth = Masks.from_labels([[1, 1, 0]], classes=["worm"])
    pred = Masks.from_labels([[1, 1, 0]], classes=["egg"])
    assert softpq.score(truth, pred) == 0
    assert softpq.evaluate(truth, pred, class_agnostic=True)["pq"] == 1
