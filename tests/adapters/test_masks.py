"""Objects that overlap as torch metrics: lists of dictionaries, as detection models and their targets are."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs torch: make test-torch")
pytest.importorskip("torchmetrics", reason="needs torch: make test-torch")

from softpq import Masks, Overlap, metrics  # noqa: E402
from softpq.adapters.torchmetrics import PQ, SoftPQ  # noqa: E402
from softpq.metrics.score import pooled  # noqa: E402


def stack(seed: int, count: int) -> np.ndarray:
    """Rectangles that overlap."""
    rng = np.random.default_rng(seed)
    found = np.zeros((count, 24, 30), bool)
    for one in found:
        y, x = rng.integers(0, 14, 2)
        one[y : y + 10, x : x + int(rng.integers(6, 16))] = True
    return found


def batch() -> tuple[list[dict], list[dict], list[tuple[Masks, Masks]]]:
    preds, target, plain = [], [], []
    for seed in range(3):
        truth, pred = stack(seed, 4), np.concatenate([stack(seed, 4)[1:], stack(seed + 50, 3)])
        scores = np.linspace(0.2, 0.9, len(pred))
        labels = torch.ones(len(pred), dtype=torch.int64)
        probabilities = torch.tensor(np.where(pred, 0.8, 0.1))[:, None].float()  # (N, 1, H, W), as torchvision has it
        preds.append({"masks": probabilities, "scores": torch.tensor(scores), "labels": labels})
        target.append({"masks": torch.tensor(truth), "labels": labels[: len(truth)]})
        plain.append((Masks.from_stack(truth), Masks.from_stack(pred[scores >= 0.4])))
    return preds, target, plain


@pytest.mark.parametrize(("kind", "one"), [(SoftPQ, metrics.softpq), (PQ, metrics.pq)])
def test_lists_of_dictionaries_give_what_masks_give(kind: type, one: object) -> None:
    preds, target, plain = batch()
    metric = kind(score_threshold=0.4, mask_threshold=0.5)
    metric.update(preds[:2], target[:2])
    metric.update(preds[2:], target[2:])
    expected = pooled([one(Overlap.from_masks(truth, pred)) for truth, pred in plain]).value  # type: ignore[operator]
    assert float(metric.compute()) == pytest.approx(expected, abs=1e-6)


def test_probabilities_need_a_threshold() -> None:
    preds, target, _ = batch()
    with pytest.raises((TypeError, ValueError), match="mask_threshold"):
        SoftPQ().update(preds, target)


def test_a_dictionary_without_masks_is_explained() -> None:
    with pytest.raises((TypeError, ValueError), match="masks"):
        SoftPQ().update([{"boxes": torch.zeros(1, 4)}], [{"masks": torch.zeros(1, 4, 4, dtype=torch.bool)}])


def test_strict_metrics_forgive_as_evaluate_does() -> None:
    """A prediction mostly on a crowd, with an IoU of exactly a half: above it, it fits nothing, and is forgiven."""
    truth, pred = torch.zeros(3, 1, 40, dtype=torch.bool), torch.zeros(2, 1, 40, dtype=torch.bool)
    truth[0, 0, :4], truth[1, 0, 1:20], truth[2, 0, 30:40] = True, True, True
    pred[0, 0, :8], pred[1, 0, 30:40] = True, True
    target = {"masks": truth, "labels": torch.ones(3, dtype=torch.int64), "iscrowd": torch.tensor([0, 1, 0])}
    preds = {"masks": pred, "labels": torch.ones(2, dtype=torch.int64)}
    metric = PQ(strict=True)
    metric.update([preds], [target])
    expected = metrics.pq(Overlap.from_masks(Masks.of(target), Masks.of(preds), strict=True), strict=True).value
    assert float(metric.compute()) == pytest.approx(expected) == pytest.approx(2 / 3)
