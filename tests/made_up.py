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
