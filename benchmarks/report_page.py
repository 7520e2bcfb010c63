"""How large a report is, how soon it opens, and how fast it follows a slider.

Run with: python benchmarks/report_page.py [--images 1000] [--objects 200]
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

from softpq import evaluate_dataset
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=1000)
    parser.add_argument("--objects", type=int, default=200)
    options = parser.parse_args()
    scenes = [cells(objects=options.objects, seed=k) for k in range(40)]
    names = {f"image {k:04}": scenes[k % 40] for k in range(options.images)}
    truth = {name: scene.truth for name, scene in names.items()}
    pred = {name: np.roll(scene.pred, k // 40, axis=0) for k, (name, scene) in enumerate(names.items())}
    results = evaluate_dataset(truth, {"model": pred})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        start = time.perf_counter()
        results.report(path)
        print(f"writing: {time.perf_counter() - start:.1f} s, {path.stat().st_size / 1e6:.1f} MB")
        look(path)


def look(path: Path) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        start = time.perf_counter()
        page.goto(path.as_uri())
        page.wait_for_selector("body[data-ready]")
        print(f"opening: {time.perf_counter() - start:.2f} s")
        page.wait_for_selector("body[data-surface]")
        times = page.evaluate(MOVE)
        print(f"slider to picture: median {statistics.median(times):.0f} ms, slowest {max(times):.0f} ms")
        browser.close()


if __name__ == "__main__":
    main()
