"""Results in a few lines, however many images there are."""

from __future__ import annotations

import numpy as np
from made_up import scored

from softpq import Results, evaluate_dataset

A, B = np.array([[1, 1, 2, 0]]), np.array([[1, 0, 2, 0]])


def many(images: int, models: int = 3) -> Results:
    truth = {f"image_{k}": A for k in range(images)}
    preds = {f"<model {m}>": {f"image_{k}": A if (k + m) % 3 else B for k in range(images)} for m in range(models)}
    return evaluate_dataset(truth, preds, metrics=["softpq", "pq"])


def test_a_representation_does_not_grow_with_images() -> None:
    few, lots = repr(many(4)), repr(many(300))
    assert len(lots) < len(few) + 40
    assert len(lots.splitlines()) == 4
    assert lots.startswith("Results of 3 models, pooled over all objects (SoftPQ: l=0.05")


def test_a_card_is_small_and_escaped() -> None:
    results = many(300)
    card = results._repr_html_()
    assert len(card) < 5_000
    assert "<model" not in card
    assert "&lt;model 0&gt;" in card
    assert f"{results.pooled('<model 1>')['softpq']:.4f}" in card
    assert card.count("<svg") == card.count('aria-label="softpq 0.') == 3


def test_models_stand_in_order() -> None:
    truth = {"a": A, "b": A}
    results = evaluate_dataset(truth, {"bad": {"a": B, "b": B}, "good": truth}, metrics=["softpq"])
    lines = repr(results).splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["good", "bad"]


def test_failures_are_counted() -> None:
    results = scored({"a": (A, A[:, :2]), "b": (A, A)})
    assert "1 failure, in .failures" in repr(results)
    assert repr(scored({"a": (A, A[:, :2])})) == "Results: no image was scored, 1 failed."
    assert "no image was scored" in scored({"a": (A, A[:, :2])})._repr_html_()
