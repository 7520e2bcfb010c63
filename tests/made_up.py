"""Datasets made up for tests: folders of several models, and arrays in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import tifffile

from softpq import Results, evaluate_dataset
from softpq.synthetic import cells

EMPTY = np.zeros((64, 64), np.int32)


def write_models(folder: Path, images: int = 6, **models: float) -> None:
    """Truth, and models whose share of missed cells is given."""
    for k in range(images):
        for model, missed in models.items():
            scene = cells((64, 64), 12, seed=k, fates={"missed": missed, "split": 0.1}, ghosts=0)
            for name, labels in (("truth", scene.truth), (model, scene.pred)):
                (folder / name).mkdir(exist_ok=True)
                tifffile.imwrite(folder / name / f"image_{k}.tif", labels)


def scored(pairs: dict[str, tuple[Any, Any]], model: str = "model", **options: Any) -> Results:
    """The results of images in memory: name -> (truth, pred)."""
    sides = [{name: np.asarray(pair[side]) for name, pair in pairs.items()} for side in (0, 1)]
    return evaluate_dataset(sides[0], {model: sides[1]}, **options)


def tied_scene(rng: np.random.Generator, kind: int) -> tuple[np.ndarray, np.ndarray]:
    """Two label images in which many matchings have equal sums: noise, lattices, strips."""
    if kind == 0:
        size = int(rng.integers(4, 13))
        return rng.integers(0, 4, size), rng.integers(0, 4, size)
    if kind == 1:
        shape = rng.integers(3, 9, 2)
        return rng.integers(0, 6, shape), rng.integers(0, 6, shape)
    if kind == 2:
        length = np.arange(int(rng.integers(6, 30)))
        wide, other, off = (int(n) for n in rng.integers(1, 5, 3))
        return length // wide + 1, (length + off) // other + 1
    count, side = (int(n) for n in rng.integers(2, 5, 2))
    tiles = np.kron(np.arange(1, count * count + 1).reshape(count, count), np.ones((side, side), int))
    if kind == 3:
        tiles = np.pad(tiles, side + int(rng.integers(0, 3)))
        return tiles, np.roll(tiles, tuple(int(n) for n in rng.integers(0, side, 2)), (0, 1))
    return tiles, np.roll(tiles, 1, 0) * (rng.random(tiles.shape) < 0.8)
