"""Average precision from files, against faster-coco-eval and pycocotools: each in a process of its own, interleaved.

    python benchmarks/coco.py --images 1500 --results 18000 --python PEERS/bin/python

``--python`` is an interpreter with faster-coco-eval and pycocotools; without it only softpq is measured.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

PROGRAMS = {
    "softpq": "import softpq; found = softpq.average_precision(truth, results)['AP']",
    "faster-coco-eval": (
        "from faster_coco_eval import COCO, COCOeval_faster as Eval; g = COCO(truth); d = g.loadRes(results); "
        "e = Eval(g, d, 'segm'); e.evaluate(); e.accumulate(); e.summarize(); "
        "found = e.stats[0]"
    ),
    "pycocotools": (
        "from pycocotools.coco import COCO; from pycocotools.cocoeval import COCOeval as Eval; g = COCO(truth); "
        "d = g.loadRes(results); e = Eval(g, d, 'segm'); e.evaluate(); e.accumulate(); e.summarize(); "
        "found = e.stats[0]"
    ),
}

TIMED = """
import contextlib, io, json, resource, sys, time
truth, results = sys.argv[1:3]
with contextlib.redirect_stdout(io.StringIO()):
    begin = time.perf_counter()
    {program}
    seconds = time.perf_counter() - begin
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({{"seconds": seconds, "memory": memory, "ap": float(found)}}))
"""


def run_lengths(mask: np.ndarray) -> dict[str, Any]:
    """COCO's code of one mask."""
    flat = mask.T.ravel()
    edges = np.flatnonzero(np.diff(flat, prepend=False))
    counts = np.diff(np.concatenate([[0], edges, [flat.size]])).tolist()
    text = bytearray()
    for k, count in enumerate(counts):
        value, more = count - (counts[k - 2] if k > 2 else 0), True
        while more:
            bits, value = value & 31, value >> 5
            more = value != (-1 if bits & 16 else 0)
            text.append(48 + bits + 32 * more)
    return {"size": list(mask.shape), "counts": text.decode()}


def made(folder: Path, images: int, results: int) -> list[str]:
    """Discs of 20 classes, found moved, in images of 480 x 640."""
    random = np.random.default_rng(0)
    rows, columns = np.mgrid[:480, :640]
    truth: dict[str, Any] = {
        "images": [],
        "annotations": [],
        "categories": [{"id": k, "name": str(k)} for k in range(1, 21)],
    }
    found: list[dict[str, Any]] = []
    for image in range(images):
        truth["images"].append({"id": image, "height": 480, "width": 640})
        for _ in range(max(1, round(results / images * 0.6))):
            y, x, radius = random.uniform(0, 480), random.uniform(0, 640), random.uniform(8, 90)
            kind = int(random.integers(1, 21))
            mask = (rows - y) ** 2 + (columns - x) ** 2 <= radius**2
            row = {"image_id": image, "category_id": kind, "segmentation": run_lengths(mask)}
            number = len(truth["annotations"]) + 1
            truth["annotations"].append(
                {**row, "id": number, "iscrowd": 0, "area": int(mask.sum()), "bbox": [0, 0, 1, 1]}
            )
            for _ in range(int(random.integers(1, 3))):
                dy, dx, dr = random.normal(0, radius / 8, 3)
                moved = (rows - y - dy) ** 2 + (columns - x - dx) ** 2 <= max(radius + dr, 2) ** 2
                found.append({**row, "segmentation": run_lengths(moved), "score": float(random.random())})
    paths = [str(folder / "truth.json"), str(folder / "results.json")]
    for path, content in zip(paths, (truth, found[:results]), strict=True):
        Path(path).write_text(json.dumps(content))
    return paths


def main() -> None:
    """Measure, and print the least of several interleaved runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=1500)
    parser.add_argument("--results", type=int, default=18000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--python", help="an interpreter with the peers")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = made(Path(folder), asked.images, asked.results)
        print(f"{asked.images} images, {sum(Path(path).stat().st_size for path in paths) / 1e6:.0f} MB of JSON")
        names = [name for name in PROGRAMS if name == "softpq" or asked.python]
        runs: dict[str, list[dict[str, float]]] = {name: [] for name in names}
        for _ in range(asked.rounds):
            for name in names:
                interpreter = sys.executable if name == "softpq" else asked.python
                command = [interpreter, "-c", TIMED.format(program=PROGRAMS[name]), *paths]
                runs[name].append(
                    json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
                )
    for name, found in runs.items():
        best = min(found, key=lambda run: run["seconds"])
        print(f"{name:<18} {best['seconds']:7.2f} s  {best['memory']:7.0f} MB  AP {best['ap']:.6f}")


if __name__ == "__main__":
    main()
