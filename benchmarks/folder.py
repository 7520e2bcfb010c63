"""Folders of files: what share of the time is that of bare decoders, and what a second thread brings.

python benchmarks/folder.py                                  # prints the section
python benchmarks/folder.py --write docs/benchmarks.md       # puts it into the page

CPU time on one thread, the fastest of five turns; two threads by the clock.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time

import imagecodecs
import numpy as np
import tifffile
from PIL import Image

from softpq import evaluate_dataset
from softpq.io import read_labels
from softpq.io.pairs import paired_by_name
from softpq.synthetic import cells

HEADING = "## Folders"
METRICS = ["softpq", "pq", "f1"]
KINDS: dict[str, tuple[str, Callable[[Path, np.ndarray], object], Callable[[Path], object]]] = {
    "NPY": (".npy", np.save, np.load),
    "TIFF, zlib": (".tif", lambda path, labels: tifffile.imwrite(path, labels, compression="zlib"), tifffile.imread),
    "PNG, 16 bit": (
        ".png",
        lambda path, labels: path.write_bytes(imagecodecs.png_encode(labels)),
        lambda path: np.asarray(Image.open(path)),
    ),
}


def fastest(work: Callable[[], object], clock: Callable[[], float] = process_time, turns: int = 5) -> float:
    found = []
    for _ in range(turns):
        start = clock()
        work()
        found.append(clock() - start)
    return min(found)


def written(folder: Path, kind: str, size: int, objects: int, pairs: int) -> list[Path]:
    """A folder of truth and one of predictions."""
    suffix, write, _ = KINDS[kind]
    scenes = [cells((size, size), objects, seed=seed) for seed in range(5)]
    for side in ("truth", "pred"):
        (folder / side).mkdir()
        for k in range(pairs):
            write(folder / side / f"{k:05d}{suffix}", getattr(scenes[k % 5], side).astype(np.uint16))
    return sorted(folder.rglob(f"*{suffix}"))


def row(kind: str, size: int, objects: int, pairs: int) -> str:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        files, decode = written(folder, kind, size, objects, pairs), KINDS[kind][2]

        def scored(jobs: int) -> Callable[[], object]:
            return lambda: evaluate_dataset(folder / "truth", folder / "pred", metrics=METRICS, jobs=jobs)

        bare = fastest(lambda: [decode(file) for file in files])
        read = fastest(lambda: [read_labels(file) for file in files])
        one = fastest(scored(1))
        one_clock, two_clock = (fastest(scored(jobs), perf_counter) for jobs in (1, 2))
    times = " | ".join(f"{1e3 * t / pairs:.2f} ms" for t in (bare, read, one))
    return f"| {kind} | {size}² | {times} | {read / bare:.1f} | {bare / one:.0%} | {one_clock / two_clock:.2f} |"


def pairing(pairs: int) -> str:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        found = []
        for kind in ("PNG, 16 bit", "TIFF, zlib"):
            own = folder / kind[:3]
            own.mkdir()
            written(own, kind, 64, 5, pairs)
            sides = str(own / "truth"), {"pred": str(own / "pred")}
            found.append(f"{fastest(lambda sides=sides: paired_by_name(*sides), turns=3):.1f} s ({kind})")
    return f"Listing and pairing {2 * pairs:,} files: {', '.join(found)}."


def section() -> list[str]:
    """The lines of the section."""
    lines = [
        HEADING,
        "",
        "Made by `python benchmarks/folder.py --write docs/benchmarks.md`. A pair of images, from files to SoftPQ, PQ",
        "and F1, 100 objects at 256², 500 at 1024². *Bare* is what NumPy, tifffile and Pillow take alone; *read* is",
        "`softpq.io.read_labels`.",
        "",
        "| files | image | bare | read | evaluate | read / bare | bare / evaluate | × by two threads |",
        "| --- | --- | --: | --: | --: | --: | --: | --: |",
    ]
    for kind in KINDS:
        for size, objects, pairs in ((256, 100, 300), (1024, 500, 60)):
            lines.append(row(kind, size, objects, pairs))
            print(lines[-1], flush=True)
    return [
        *lines,
        "",
        "Targets: reading 1.3 times bare, and bare decoding 70 % of all. What keeps small files from both is what is",
        "done besides: files are looked at for what they are (regular, complete, labels at all), and the scores of an",
        "image are records in Python.",
        "",
        pairing(5_000),
        "",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path, help="the page that the section is put into")
    chosen = parser.parse_args()
    text = "\n".join(section())
    print(text)
    if chosen.write:
        page = chosen.write.read_text()
        found = re.sub(rf"{HEADING}\n.*?(?=\n## )", lambda _: text.rstrip() + "\n", page, flags=re.S)
        chosen.write.write_text(
            found if HEADING in page else page.replace("## Against other tools", text + "\n## Against other tools")
        )


if __name__ == "__main__":
    main()
