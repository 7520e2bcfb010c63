"""How large a report is, how soon it opens, and how fast it follows a slider.

Run with: python benchmarks/report_page.py [--images 1000] [--objects 200] [--models 1], or with --slide for one of
4000 x 4000 pixels and 12,000 cells.
Needs Chromium and Playwright.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

from softpq import Evaluation, Results, evaluate, evaluate_dataset
from softpq.synthetic import cells

MOVE = """async () => {
  const slider = document.getElementById("iou-high"), times = [];
  const painted = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  for (let k = 0; k < 15; k++) {
    const start = performance.now();
    slider.value = 0.3 + 0.04 * k;
    slider.dispatchEvent(new Event("input"));
    await painted();
    times.push(performance.now() - start);
  }
  return times;
}"""


PAN = """async () => {
  const viewer = softpq.page.viewer, found = {};
  const middle = (times) => times.sort((a, b) => a - b)[times.length >> 1];
  for (const scale of [viewer.view.scale, 0.5, 1, 2, 4, 8]) {
    viewer.zoom(scale / viewer.view.scale);
    const times = [];
    for (let k = 0; k < 11; k++) {
      const start = performance.now();
      viewer.shift(k % 2 ? 20 : -20, 5);
      await createImageBitmap(document.querySelector("canvas.pane"));
      times.push(performance.now() - start);
    }
    found[scale.toFixed(2)] = middle(times);
  }
  return found;
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=1000)
    parser.add_argument("--objects", type=int, default=200)
    parser.add_argument("--models", type=int, default=1)
    parser.add_argument("--slide", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        results = slide() if options.slide else dataset(options.images, options.objects, options.models)
        start = time.perf_counter()
        results.report(path)
        print(f"writing: {time.perf_counter() - start:.1f} s, {path.stat().st_size / 1e6:.1f} MB")
        look(path, options.slide)


def dataset(images: int, objects: int, models: int) -> Results:
    scenes = [cells(objects=objects, seed=k) for k in range(40)]
    names = {f"image {k:04}": scenes[k % 40] for k in range(images)}
    truth = {name: scene.truth for name, scene in names.items()}
    preds = {
        f"model {j}": {n: np.roll(scene.pred, (k // 40 + j, j), (0, 1)) for k, (n, scene) in enumerate(names.items())}
        for j in range(models)
    }
    return evaluate_dataset(truth, preds, metrics=["softpq", "pq"], keep_tables=True)


def slide() -> Evaluation:
    scenes = [cells(objects=120, shape=(400, 400), seed=k) for k in range(4)]
    sides = []
    for of in ("truth", "pred"):
        tiles, last = [], 0
        for k in range(100):
            tile = getattr(scenes[k * 3 % 4], of).astype(np.int64)
            tiles.append(np.where(tile > 0, tile + last, 0))
            last += int(tile.max())
        sides.append(np.block([tiles[10 * row : 10 * row + 10] for row in range(10)]))
    return evaluate(*sides)


def look(path: Path, is_slide: bool) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        start = time.perf_counter()
        page.goto(path.as_uri())
        page.wait_for_selector("body[data-ready]")
        print(f"opening: {time.perf_counter() - start:.2f} s")
        page.wait_for_selector("canvas.pane[data-detail]")
        print(f"first picture: {time.perf_counter() - start:.2f} s")
        page.wait_for_selector("body[data-surface]", timeout=300_000)
        if is_slide:
            moved = page.evaluate(PAN)
            print("moving, median by scale: " + ", ".join(f"{scale}: {ms:.0f} ms" for scale, ms in moved.items()))
        times = page.evaluate(MOVE)
        print(f"slider to picture: median {statistics.median(times):.0f} ms, slowest {max(times):.0f} ms")
        browser.close()


if __name__ == "__main__":
    main()
