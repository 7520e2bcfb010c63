"""What share of `softpq evaluate` on a folder is the decoder's.

python benchmarks/folder.py
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import imagecodecs
import numpy as np
import tifffile

from softpq import Overlap, evaluate_dataset
from softpq.io import read_labels
from softpq.synthetic import cells

PAIRS = 200
WRITERS: dict[str, tuple[str, Callable[[Path, np.ndarray], object]]] = {
    "TIFF, zlib": (".tif", lambda path, labels: tifffile.imwrite(path, labels, compression="zlib")),
    "TIFF, LZW": (".tif", lambda path, labels: tifffile.imwrite(path, labels, compression="lzw")),
    "PNG, 16 bit": (".png", lambda path, labels: path.write_bytes(imagecodecs.png_encode(labels))),
}


def seconds(work: Callable[[], object]) -> float:
    """The faster of two runs."""
    times = []
    for _ in range(2):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return min(times)


def measure(name: str, scenes: list[tuple[np.ndarray, np.ndarray]]) -> str:
    suffix, write = WRITERS[name]
    with tempfile.TemporaryDirectory() as folder:
        for side in ("truth", "pred"):
            (Path(folder) / side).mkdir()
        for k in range(PAIRS):
            for side, labels in zip(("truth", "pred"), scenes[k % len(scenes)], strict=True):
                write(Path(folder) / side / f"{k:04d}{suffix}", labels)
        files = sorted(Path(folder).rglob(f"*{suffix}"))
        truth, pred = Path(folder) / "truth", Path(folder) / "pred"
        decode = seconds(lambda: sum(read_labels(file).size for file in files))
        usual = seconds(lambda: evaluate_dataset(truth, pred, metrics=["softpq", "pq", "f1"], jobs=1))
        every = seconds(lambda: evaluate_dataset(truth, pred, jobs=1))
        two = seconds(lambda: evaluate_dataset(truth, pred, jobs=2))
    count = seconds(lambda: [Overlap.from_labels(*scenes[k % len(scenes)], threads=1) for k in range(PAIRS)])
    per_pair = [1e3 * t / PAIRS for t in (decode, count, usual, every, two)]
    cells_text = " | ".join(f"{t:.1f} ms" for t in per_pair)
    return f"| {name} | {cells_text} | {decode / usual:.0%} | {every / two:.2f} |"


def main() -> None:
    scenes = [cells((1024, 1024), 500, seed=seed) for seed in range(5)]
    pairs = [(scene.truth.astype(np.uint16), scene.pred.astype(np.uint16)) for scene in scenes]
    print("| files | decode | count | softpq, pq, f1 | all metrics | all, 2 jobs | decoder | × by 2 jobs |")
    print("| --- | --: | --: | --: | --: | --: | --: | --: |")
    for name in WRITERS:
        print(measure(name, pairs), flush=True)


if __name__ == "__main__":
    main()
