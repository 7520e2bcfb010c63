"""Results of objects that overlap, with classes and scores, for the page."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from softpq import Masks, Results, evaluate_dataset

SHAPE = (96, 110)
KINDS = np.array(["egg", "worm"])


def worm(rng: np.random.Generator, spread: float = 0.0, like: np.ndarray | None = None) -> np.ndarray:
    """Where a long ellipse is, or one like it: centre, half axes, angle."""
    if like is None:
        return np.array([rng.uniform(15, 80), rng.uniform(15, 95), rng.uniform(12, 24), rng.uniform(4, 9),
                         rng.uniform(0, np.pi)])  # fmt: skip
    return like + rng.normal(0, 1, 5) * np.array([2, 2, 1.5, 0.8, 0.12]) * spread


def drawn(ellipse: np.ndarray) -> np.ndarray:
    y, x = np.mgrid[: SHAPE[0], : SHAPE[1]]
    cy, cx, long, short, angle = ellipse
    along = (x - cx) * np.cos(angle) + (y - cy) * np.sin(angle)
    across = (y - cy) * np.cos(angle) - (x - cx) * np.sin(angle)
    mask: np.ndarray = (along / long) ** 2 + (across / max(short, 2)) ** 2 <= 1
    return mask


def found(rng: np.random.Generator, worms: list[np.ndarray], kinds: np.ndarray, spread: float) -> Masks:
    """What a model makes of them: some missed, some twice, some of another class, some from nothing."""
    pred, scores, classes = [], [], []
    for one, kind in zip(worms, kinds, strict=True):
        for _ in range(int(rng.choice([0, 1, 1, 1, 2, 3]))):
            pred.append(drawn(worm(rng, spread, one)))
            scores.append(rng.uniform(0.4, 1))
            classes.append(kind if rng.uniform() < 0.8 else rng.choice(KINDS))
    for _ in range(int(rng.integers(0, 3))):
        pred.append(drawn(worm(rng)))
        scores.append(rng.uniform(0.05, 0.6))
        classes.append(rng.choice(KINDS))
    if pred:
        pred.append(pred[0].copy())  # an exact copy
        scores.append(round(scores[0] - 0.1, 3))
        classes.append(classes[0])
    return Masks.from_list(pred, shape=SHAPE, scores=np.round(scores, 3), classes=np.array(classes, str))


def crossing(n_images: int = 8) -> tuple[dict[str, Masks], Mapping[str, dict[str, Masks]]]:
    """Truth and two models: worms that cross, and eggs that lie on them."""
    truth: dict[str, Masks] = {}
    models: dict[str, dict[str, Masks]] = {"careful": {}, "hasty": {}}
    for k in range(n_images):
        rng = np.random.default_rng(100 + k)
        worms = [worm(rng) for _ in range(int(rng.integers(3, 8)))]
        kinds = rng.choice(KINDS, len(worms))
        masks = [drawn(one) for one in worms]
        truth[f"dish {k}"] = Masks.from_list(masks, shape=SHAPE, classes=kinds)
        for name, spread in (("careful", 0.5), ("hasty", 1.6)):
            models[name][f"dish {k}"] = found(rng, worms, kinds, spread)
    return truth, models


def crossing_results(n_images: int = 8) -> Results:
    """Both models, with tables."""
    truth, models = crossing(n_images)
    return evaluate_dataset(truth, models, classes="auto", keep_tables=True)
