"""Run one tool once on saved images and print seconds, memory and PQ as JSON. Called by run.py."""

from __future__ import annotations

import json
import resource
import sys
from importlib import metadata
from pathlib import Path
from time import perf_counter

import numpy as np


def softpq(truth: np.ndarray, pred: np.ndarray) -> float:
    from softpq import Overlap, metrics

    overlap = Overlap.from_labels(truth, pred, threads=1)
    float(metrics.softpq(overlap))
    return float(metrics.pq(overlap))


def stardist(truth: np.ndarray, pred: np.ndarray) -> float:
    from stardist.matching import matching

    return float(matching(truth, pred, thresh=0.5).panoptic_quality)


def cellpose(truth: np.ndarray, pred: np.ndarray) -> float:
    from cellpose.metrics import average_precision

    average_precision([truth.astype(np.int32)], [pred.astype(np.int32)], threshold=[0.5])
    return float("nan")  # it has no PQ


def panoptica(truth: np.ndarray, pred: np.ndarray) -> float:
    from panoptica import InputType, Panoptica_Evaluator
    from panoptica.instance_matcher import NaiveThresholdMatching

    evaluator = Panoptica_Evaluator(InputType.UNMATCHED_INSTANCE, instance_matcher=NaiveThresholdMatching())
    answer = evaluator.evaluate(pred, truth, verbose=False)
    return float(next(iter(answer.values())).pq)


def quality(pairs: np.ndarray, pixels: np.ndarray) -> float:
    """PQ of counted pairs, truth in the high half: what one writes by hand. It matches above 0.5, not from 0.5 on."""
    t, p = (pairs >> np.uint64(32)).astype(np.int64), (pairs & np.uint64(0xFFFFFFFF)).astype(np.int64)
    truth_area, pred_area = np.bincount(t, pixels), np.bincount(p, pixels)
    inside = (t > 0) & (p > 0)
    iou = pixels[inside] / (truth_area[t[inside]] + pred_area[p[inside]] - pixels[inside])
    objects = (truth_area[1:] > 0).sum() + (pred_area[1:] > 0).sum()
    return float(2 * iou[iou > 0.5].sum() / objects)


def joined(truth: np.ndarray, pred: np.ndarray) -> np.ndarray:
    """Both labels of each pixel in one number."""
    return truth.ravel().astype(np.uint64) << np.uint64(32) | pred.ravel()


def numpy_contingency(truth: np.ndarray, pred: np.ndarray) -> float:
    """A sparse contingency table from NumPy alone."""
    return quality(*np.unique(joined(truth, pred), return_counts=True))


def numpy_runs(truth: np.ndarray, pred: np.ndarray) -> float:
    """The best NumPy that we know: find where either label changes, and sum runs of equal pairs."""
    t, p = truth.ravel(), pred.ravel()
    starts = np.flatnonzero((t[1:] != t[:-1]) | (p[1:] != p[:-1])) + 1
    starts = np.concatenate([[0], starts])
    pairs, place = np.unique(joined(t[starts], p[starts]), return_inverse=True)
    return quality(pairs, np.bincount(place, np.diff(starts, append=t.size)))


def fastremap(truth: np.ndarray, pred: np.ndarray) -> float:
    import fastremap as library

    return quality(*library.unique(joined(truth, pred), return_counts=True))


def polars(truth: np.ndarray, pred: np.ndarray) -> float:
    import polars as library

    found = library.DataFrame({"pair": joined(truth, pred)}).group_by("pair").len()
    return quality(found["pair"].to_numpy(), found["len"].to_numpy().astype(np.int64))


def pycocotools(truth: np.ndarray, pred: np.ndarray) -> float:
    """Masks one by one to run-lengths, and their IoU; it has no PQ of its own."""
    from pycocotools import mask

    if truth.ndim != 2:
        raise ValueError("not for volumes")
    sides = []
    for labels in (pred, truth):
        ids = np.unique(labels)
        sides.append([mask.encode(np.asfortranarray(labels == one).view(np.uint8)) for one in ids[ids > 0]])
    iou = mask.iou(*sides, [0] * len(sides[1]))
    return float(2 * iou[iou > 0.5].sum() / (len(sides[0]) + len(sides[1])))


def torchmetrics(truth: np.ndarray, pred: np.ndarray) -> float:
    import torch
    from torchmetrics.detection import PanopticQuality

    def channels(labels: np.ndarray) -> torch.Tensor:
        ids = torch.from_numpy(labels.astype(np.int64))
        return torch.stack([(ids > 0).long(), ids], dim=-1)[None]

    metric = PanopticQuality(things={1}, stuffs={0}, return_per_class=True)
    return float(metric(channels(pred), channels(truth)).ravel()[0])


def monai(truth: np.ndarray, pred: np.ndarray) -> float:
    import torch
    from monai.metrics.panoptic_quality import compute_panoptic_quality

    sides = (torch.from_numpy(labels.astype(np.int64)) for labels in (pred, truth))
    return float(compute_panoptic_quality(*sides, metric_name="pq", match_iou_threshold=0.5))


def peak() -> int:
    """Peak memory of this process; getrusage would also see what its parent had before."""
    status = Path("/proc/self/status")
    if status.exists():
        return next(int(line.split()[1]) for line in status.read_text().splitlines() if "VmHWM" in line) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    tool, folder, limit = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_AS, (int(limit), int(limit)))
    truth, pred = (np.load(Path(folder) / f"{name}.npy") for name in ("truth", "pred"))
    work = globals()[tool]
    work(truth[:64, :64], pred[:64, :64])  # imports and compiles
    before = peak()
    seconds = float("inf")
    for _ in range(5):
        start = perf_counter()
        pq = work(truth, pred)
        seconds = min(seconds, perf_counter() - start)
        if seconds > 1:
            break
    try:
        version = metadata.version(tool)
    except metadata.PackageNotFoundError:
        version = np.__version__
    print(json.dumps({"seconds": seconds, "bytes": max(peak() - before, 0), "pq": pq, "version": version}))


if __name__ == "__main__":
    main()
