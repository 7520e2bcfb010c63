"""Against other tools and against the speed of memory, side by side in one run.

python benchmarks/run.py                                  # softpq and a plain contingency table
python benchmarks/run.py --peers scratch/bin/python       # and what is installed in that environment
python benchmarks/run.py --scratch scratch                # makes that environment first, if it is not there
python benchmarks/run.py --scratch scratch --write docs/benchmarks.md     # the page, with its plots
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import drawing
import folder as folders
import kinds
import numpy as np

import softpq
from softpq import Overlap, match, metrics, sweep
from softpq.synthetic import cells

SIZES = {
    "1024² · 500": ((1024, 1024), 500),
    "4096² · 10,000": ((4096, 4096), 10_000),
    "512³ · 20,000": ((512, 512, 512), 20_000),
    "16384² · 200,000": ((16384, 16384), 200_000),
}
PEERS = ("numpy_runs", "numpy_contingency", "polars", "fastremap", "monai", "stardist", "cellpose", "panoptica",
         "torchmetrics", "pycocotools")  # fmt: skip
PEER_SECONDS, PEER_BYTES = 60, 16 << 30
INSTALLED = (
    ("torch==2.13.0",),
    (
        "stardist",
        "cellpose",
        "panoptica",
        "scikit-image",
        "polars",
        "fastremap",
        "monai",
        "torchmetrics",
        "pycocotools",
    ),
)

Found = dict[str, dict[str, dict[str, float | str]]]


def fastest(work: Callable[[], object], repeats: int = 7) -> float:
    seconds = []
    for _ in range(repeats):
        start = perf_counter()
        work()
        seconds.append(perf_counter() - start)
    return min(seconds)


def read_once(*arrays: np.ndarray) -> None:
    for array in arrays:
        np.add.reduce(array.reshape(-1).view(np.uint64))


def scored(truth: np.ndarray, pred: np.ndarray, threads: int) -> tuple[float, float]:
    overlap = Overlap.from_labels(truth, pred, threads=threads)
    return float(metrics.pq(overlap)), float(metrics.softpq(overlap))


def forget(overlap: Overlap) -> None:
    """Drop what an Overlap remembers of earlier matchings."""
    overlap._known.clear()


def measure_softpq(truth: np.ndarray, pred: np.ndarray) -> dict[str, float]:
    overlap = Overlap.from_labels(truth, pred)

    def matched() -> None:
        forget(overlap)
        match(overlap, 0.3)

    return {
        "read": fastest(lambda: read_once(truth, pred)),
        "one": fastest(lambda: scored(truth, pred, 1)),
        "two": fastest(lambda: scored(truth, pred, 2)),
        "match": fastest(matched),
        "sweep": fastest(lambda: sweep(overlap, np.linspace(0, 1, 100), np.linspace(0.5, 1, 100)), 3),
    }


def run_worker(python: str, tool: str, folder: Path) -> dict[str, float | str]:
    command = [python, str(Path(__file__).with_name("worker.py")), tool, str(folder), str(PEER_BYTES)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PEER_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return {"failed": f"over {PEER_SECONDS} s"}
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        last = (done.stderr.strip().splitlines() or ["killed"])[-1]
        no_memory = any(word in last for word in ("alloc", "Alloc", "MemoryError"))
        return {"failed": f"out of {PEER_BYTES >> 30} GiB of memory" if no_memory else last[:90]}
    answer: dict[str, float | str] = json.loads(lines[-1])
    return answer


def scene_files(folder: Path, shape: tuple[int, ...], objects: int) -> tuple[np.ndarray, np.ndarray]:
    scene = cells(shape, objects, seed=1)
    dtype = np.uint16 if max(scene.truth.max(), scene.pred.max()) < 2**16 else np.uint32
    for name, labels in (("truth", scene.truth), ("pred", scene.pred)):
        np.save(folder / f"{name}.npy", labels.astype(dtype))
    return scene.truth.astype(np.uint32), scene.pred.astype(np.uint32)


def speed_rows(name: str, truth: np.ndarray, pred: np.ndarray) -> list[tuple[str, dict[str, float]]]:
    rows = [(f"{name} · 32 bit", measure_softpq(truth, pred))]
    if max(truth.max(), pred.max()) < 2**16:
        rows.insert(0, (f"{name} · 16 bit", measure_softpq(truth.astype(np.uint16), pred.astype(np.uint16))))
    return rows


def speed_table(rows: list[tuple[str, dict[str, float]]]) -> list[str]:
    lines = [
        "| image | read both | to PQ and SoftPQ, 1 thread | × read | 2 threads | × faster | match at 0.3 | surface |",
        "| --- | --: | --: | --: | --: | --: | --: | --: |",
    ]
    for name, t in rows:
        lines.append(
            f"| {name} | {1e3 * t['read']:.1f} ms | {1e3 * t['one']:.1f} ms | {t['one'] / t['read']:.1f} | "
            f"{1e3 * t['two']:.1f} ms | {t['one'] / t['two']:.2f} | {1e3 * t['match']:.1f} ms | "
            f"{1e3 * t['sweep']:.0f} ms |"
        )
    return lines


def peer_table(results: Found, reading: dict[str, float]) -> list[str]:
    lines = [
        "| image | tool | seconds | × softpq | × reading both | memory beyond the images | PQ |",
        "| --- | --- | --: | --: | --: | --: | --: |",
    ]
    for name, tools in results.items():
        ours = tools["softpq"]
        for tool, found in tools.items():
            if "failed" in found:
                lines.append(f"| {name} | {tool} | failed: {found['failed']} | | | | |")
                continue
            seconds = float(found["seconds"])
            pq = "" if found["pq"] != found["pq"] else f"{float(found['pq']):.6f}"  # Cellpose has none
            lines.append(
                f"| {name} | {tool} {found.get('version', '')} | {seconds:.4g} | "
                f"{seconds / float(ours['seconds']):,.0f} | {seconds / reading[name]:,.0f} | "
                f"{float(found['bytes']) / 1e6:,.0f} MB | {pq} |"
            )
    return lines


def machine() -> str:
    """What all this was measured on."""
    info = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    model = next((line.split(":", 1)[1].strip() for line in info.splitlines() if line.startswith("model name")), "")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{model or platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GiB of memory, {platform.system()}"


def scratch_python(folder: Path) -> str:
    """The Python of an environment with the peers, which is made if it is not there."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        for packages in INSTALLED:
            subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], check=True)
    return str(python)


def tissue_rows() -> list[str]:
    """Matching where everything touches: nearly all objects are one connected graph at thresholds near 0."""
    from scipy.spatial import cKDTree

    lines = ["| objects | pairs | at 0.5 | at 0.3 | at 0.1 | at 0.01 |", "| --: | --: | --: | --: | --: | --: |"]
    for objects, size in ((16_000, 160), (60_000, 260)):
        rng = np.random.default_rng(0)
        seeds = rng.random((objects, 3)) * size
        moved = np.r_[seeds[: objects * 9 // 10], rng.random((objects // 5, 3)) * size]
        grid = np.stack(np.meshgrid(*[np.arange(size)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
        labels = [1 + cKDTree(points).query(grid)[1] for points in (seeds, moved + rng.normal(0, 2, moved.shape))]
        overlap = Overlap.from_labels(*labels)
        times = []
        for threshold in (0.5, 0.3, 0.1, 0.01):
            forget(overlap)
            start = perf_counter()
            match(overlap, threshold)
            times.append(f"{1e3 * (perf_counter() - start):.1f} ms")
        lines.append(f"| {overlap.n_truth:,} | {len(overlap.pair_iou):,} | {' | '.join(times)} |")
    return lines


def page(speed: list[str], peers: list[str], tissue: list[str]) -> str:
    versions = f"softpq {softpq.__version__}, Python {platform.python_version()}, NumPy {np.__version__}"
    return "\n".join(
        [
            "# Benchmarks",
            "",
            f"{versions}; {machine()}.",
            "Made by `python benchmarks/run.py --scratch scratch --write docs/benchmarks.md`; tools ran side by side.",
            "Synthetic cells (`softpq.synthetic.cells`, seed 1): about one run of equal labels per 15 pixels.",
            "",
            "## Against the speed of memory",
            "",
            "*Read both* sums both arrays as 64-bit integers: nothing can be faster. *match* is the one-to-one",
            "matching at IoU 0.3, *surface* the 100 × 100 SoftPQ scores of `softpq.sweep`. The best of seven runs.",
            "",
            *speed,
            "",
            "What limits it: about 7 runs of equal labels per 100 pixels. Finding them costs little more than reading;",
            "adding each to the table takes 4 to 5 ns, and that is most of the time. Larger objects have fewer runs.",
            "",
            *kinds.section(),
            "",
            "## Matching in touching tissue",
            "",
            "A volume without background, every voxel labelled on both sides; one graph connects nearly all objects.",
            "",
            *tissue,
            "",
            *folders.section(),
            "## Against other tools",
            "",
            "Each in its own process, 16-bit labels where they fit, one thread where there is a choice, from arrays",
            "to PQ (Cellpose: AP; softpq: PQ and SoftPQ). The best of five where one takes less than a second.",
            "*numpy_contingency* is what one writes by hand with `np.unique`; *numpy_runs*, the best NumPy we know,",
            "sums runs of equal pairs. *polars* and *fastremap* count pairs in place of NumPy. These, and",
            "pycocotools on masks one by one, match above 0.5, not from 0.5 on.",
            f"Limits: {PEER_SECONDS} s and {PEER_BYTES >> 30} GiB of memory.",
            "",
            "![Seconds of each tool by size](images/benchmark_seconds.png)",
            "",
            "![Memory of each tool by size](images/benchmark_memory.png)",
            "",
            *peers,
            "",
            "Images and volumes that fit into no memory: [scale](scale.md). The report: `benchmarks/report_page.py`.",
            "",
        ]
    )


def with_judgement(made: str, before: Path) -> str:
    """The page with what people wrote about targets that are missed, which no program knows."""
    old = re.search(rf"{MISSED}.*?(?={LAST})", before.read_text(), re.DOTALL) if before.exists() else None
    return made.replace(LAST, f"{old.group()}{LAST}") if old else made


MISSED, LAST = "## What is missed", "Images and volumes that fit into no memory"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", default=sys.executable, help="Python of the environment that has the peers")
    parser.add_argument("--scratch", type=Path, help="an environment for the peers, made if it is not there")
    parser.add_argument("--write", type=Path, help="write the page here, and its plots to images/ beside it")
    parser.add_argument("--sizes", nargs="*", default=list(SIZES), choices=list(SIZES))
    chosen = parser.parse_args()
    peers = scratch_python(chosen.scratch) if chosen.scratch else chosen.peers
    speed: list[tuple[str, dict[str, float]]] = []
    results: Found = {}
    reading: dict[str, float] = {}
    for name in chosen.sizes:
        with tempfile.TemporaryDirectory() as folder:
            truth, pred = scene_files(Path(folder), *SIZES[name])
            rows = speed_rows(name, truth, pred)
            reading[name] = rows[0][1]["read"]  # of the type that the peers get
            speed += rows
            print("\n".join(speed_table(speed[-2:])), flush=True)
            del truth, pred
            results[name] = {"softpq": run_worker(sys.executable, "softpq", Path(folder))}
            for tool in PEERS:
                results[name][tool] = run_worker(peers, tool, Path(folder))
            print("\n".join(peer_table({name: results[name]}, reading)), flush=True)
    if chosen.write:
        images = chosen.write.parent / "images"
        drawing.draw(results, "seconds", 1.0, "seconds, from arrays to PQ", images / "benchmark_seconds.png")
        drawing.draw(results, "bytes", 1e-6, "megabytes beyond the images", images / "benchmark_memory.png")
        made = page(speed_table(speed), peer_table(results, reading), tissue_rows())
        chosen.write.write_text(with_judgement(made, chosen.write))


if __name__ == "__main__":
    main()
