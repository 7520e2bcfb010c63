"""Folders, files and names that the code blocks of the docs speak of, made up."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import tifffile
from PIL import Image

import softpq
from softpq.synthetic import cells, microscope

IMAGES = [f"patient{k // 2:02}_roi{k % 2}" for k in range(14)]
MODELS = {"model_a": {"split": 0.05}, "model_b": {"merged": 0.2}, "model_c": {"missed": 0.1}, "pred": {"split": 0.01}}


def write_folders(folder: Path) -> None:
    """Truth, raw images, four models, tables of pairs and groups, results of earlier runs."""
    for name in ("truth", "raw", "runs", *MODELS):
        (folder / name).mkdir()
    for seed, image in enumerate(IMAGES):
        for model, fates in MODELS.items():
            scene = cells((96, 96), 12, seed=seed, fates=fates, ghosts=0)
            tifffile.imwrite(folder / model / f"{image}.tif", scene.pred.astype(np.uint16))
        tifffile.imwrite(folder / "truth" / f"{image}.tif", scene.truth.astype(np.uint16))
        tifffile.imwrite(folder / "raw" / f"{image}.tif", microscope(scene.truth))
    rows = [f"truth/{image}.tif,model_a/{image}.tif,model_b/{image}.tif\n" for image in IMAGES]
    (folder / "pairs.csv").write_text("truth,a,b\n" + "".join(rows))
    (folder / "patients.csv").write_text("image,group\n" + "".join(f"{i},{i.split('_')[0]}\n" for i in IMAGES))
    for model in ("model_a", "model_b"):
        results = softpq.evaluate_dataset(folder / "truth", {model: folder / model}, keep_tables=True)
        results.to_json(folder / "runs" / f"{model}.json")


def write_zarr(folder: Path) -> None:
    import zarr

    scene = cells((256, 256), 60)
    for place in (folder, folder / "s"):
        place.mkdir(exist_ok=True)
        for name, labels in (("truth", scene.truth), ("pred", scene.pred)):
            zarr.create_array(str(place / f"{name}.zarr"), shape=(256, 256), chunks=(64, 64), dtype="int32")[:] = labels


def write_coco(folder: Path) -> None:
    """A COCO file and results; panoptic files and their PNGs."""
    box = [[10, 10, 50, 10, 50, 40, 10, 40]]
    image = {"id": 1, "file_name": "a.png", "height": 64, "width": 64}
    known = {"id": 1, "image_id": 1, "category_id": 1, "iscrowd": 0, "area": 1200, "bbox": [10, 10, 40, 30]}
    worms = [{"id": 1, "name": "worm", "isthing": 1}]
    truth = {"images": [image], "categories": worms, "annotations": [{**known, "segmentation": box}]}
    (folder / "truth.json").write_text(json.dumps(truth))
    found = [{"image_id": 1, "category_id": 1, "score": 0.9, "segmentation": box}]
    (folder / "results.json").write_text(json.dumps(found))
    colours = np.zeros((64, 64, 3), np.uint8)
    colours[10:40, 10:50, 0] = 1
    segments = [{"id": 1, "category_id": 1, "iscrowd": 0, "area": 1200, "bbox": [10, 10, 40, 30]}]
    annotations = [{"image_id": 1, "file_name": "a.png", "segments_info": segments}]
    for name in ("panoptic_truth", "panoptic_pred"):
        (folder / name).mkdir()
        Image.fromarray(colours).save(folder / name / "a.png")
        text = json.dumps({"images": [image], "categories": worms, "annotations": annotations})
        (folder / f"{name}.json").write_text(text)


def write_all(folder: Path) -> None:
    write_folders(folder)
    write_zarr(folder)
    write_coco(folder)


def names() -> dict[str, Any]:
    """What blocks take for granted: two images, tables, and what models return."""
    scene = cells()
    tables = [
        softpq.Overlap.from_labels(scene.truth[rows], scene.pred[rows]) for rows in (slice(256), slice(256, None))
    ]
    stack = np.stack([scene.truth == 1, scene.truth == 2])
    output = {"masks": stack[:, None].astype(np.float32), "scores": np.array([0.9, 0.8]), "labels": np.array([1, 1])}
    found = [{"segmentation": mask, "predicted_iou": 0.9, "area": int(mask.sum())} for mask in stack]
    return {
        "softpq": softpq,
        "metrics": softpq.metrics,
        "truth": scene.truth,
        "pred": scene.pred,
        "overlap": softpq.Overlap.from_labels(scene.truth, scene.pred),
        **dict(zip(("left", "right"), tables, strict=True)),
        **dict(zip(("a", "b"), tables, strict=True)),
        **dict(zip(("upper", "lower"), (scene.truth, scene.pred), strict=True)),
        "image": None,
        "model": lambda images: [output],
        "target": {"masks": stack},
        "generator": SimpleNamespace(generate=lambda image: found),
    }
