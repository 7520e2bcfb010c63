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


def numpy_contingency(truth: np.ndarray, pred: np.ndarray) -> float:
    """What one writes by hand: a sparse contingency table from NumPy alone."""
    pairs, pixels = np.unique(truth.ravel().astype(np.uint64) << 32 | pred.ravel(), return_counts=True)
    t, p = (pairs >> np.uint64(32)).astype(np.int64), (pairs & np.uint64(0xFFFFFFFF)).astype(np.int64)
    truth_area, pred_area = np.bincount(t, pixels), np.bincount(p, pixels)
    inside = (t > 0) & (p > 0)
    iou = pixels[inside] / (truth_area[t[inside]] + pred_area[p[inside]] - pixels[inside])
    objects = (truth_area[1:] > 0).sum() + (pred_area[1:] > 0).sum()
    return float(2 * iou[iou > 0.5].sum() / objects)


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
