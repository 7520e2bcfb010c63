"""Made-up COCO files: discs of several classes and sizes, crowds, scores with ties."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from coco_masks import as_text, counted


def disc(height: int, width: int, y: float, x: float, radius: float) -> np.ndarray:
    rows, columns = np.mgrid[:height, :width]
    return (rows - y) ** 2 + (columns - x) ** 2 <= radius**2


def rle(mask: np.ndarray) -> dict[str, Any]:
    return {"size": list(mask.shape), "counts": as_text(counted(mask)).decode()}


def scene(seed: int, images: int = 4, kinds: int = 3, most: int = 6) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Truth and results: objects are found moved, twice, in another class, or not at all."""
    random = np.random.default_rng(seed)
    truth: dict[str, Any] = {"images": [], "annotations": [], "categories": []}
    truth["categories"] = [{"id": 3 * k + 2, "name": f"kind {k}"} for k in range(kinds)]
    results: list[dict[str, Any]] = []
    for image in random.permutation(images).tolist():
        height, width = (int(v) for v in random.integers(20, 40, 2))
        number = 10 * image + 1
        truth["images"].append({"id": number, "height": height, "width": width, "file_name": f"photo_{image}.jpg"})
        for _ in range(int(random.integers(0, most))):
            y, x, radius = random.uniform(0, height), random.uniform(0, width), random.uniform(0.5, 12)
            kind = int(random.integers(kinds))
            mask = disc(height, width, y, x, radius)
            annotation = {
                "id": len(truth["annotations"]) + 1, "image_id": number, "category_id": 3 * kind + 2,
                "segmentation": rle(mask), "iscrowd": int(random.random() < 0.2),
                "area": float(round(mask.sum() * random.choice([1, 1.3]), 2)),
                "bbox": [max(x - radius, 0), max(y - radius, 0), 2 * radius, 2 * radius],
            }  # fmt: skip
            truth["annotations"].append(annotation)
            for _ in range(int(random.choice([0, 1, 1, 2]))):
                moved = disc(height, width, *random.normal([y, x, radius], [1, 1, 0.5]))
                other = int(random.integers(kinds)) if random.random() < 0.2 else kind
                results.append({
                    "image_id": number, "category_id": 3 * other + 2, "segmentation": rle(moved),
                    "score": float(round(random.random(), 1)),
                })  # fmt: skip
    random.shuffle(results)
    return truth, results


def written(folder: Path, truth: Any, results: Any) -> tuple[Path, Path]:
    """Both as files."""
    paths = folder / "truth.json", folder / "results.json"
    for path, content in zip(paths, (truth, results), strict=True):
        path.write_text(json.dumps(content))
    return paths
