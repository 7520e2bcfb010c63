"""How large a report is, how soon it opens, and how fast it follows a slider.

Run with: python benchmarks/report_page.py [--images 1000] [--objects 200] [--models 5] [--max-images 0], or with
--slide 12000 (or 200000) for one image of 4000 x 4000 pixels with so many cells.
Times are those that the thread of the page was busy, so that other work on the machine does not count. Needs Chromium
and Playwright.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from softpq import Evaluation, Results, evaluate, evaluate_dataset
from softpq.synthetic import cells

MOVE = """async (k) => {
  const slider = document.getElementById("iou-high");
  slider.value = 0.3 + 0.04 * k;
  slider.dispatchEvent(new Event("input"));
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""

SHIFT = """async (k) => {
  softpq.page.viewer.shift(k % 2 ? 20 : -20, 5);
  await createImageBitmap(document.querySelector("canvas.pane"));
}"""

ZOOM = "(scale) => { const { viewer } = softpq.page; viewer.zoom((scale || viewer.view.scale) / viewer.view.scale); }"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=1000)
    parser.add_argument("--objects", type=int, default=200)
    parser.add_argument("--models", type=int, default=1)
    parser.add_argument("--max-images", type=int, default=40)
    parser.add_argument("--slide", type=int, metavar="CELLS", help="one image of 4000 x 4000 pixels instead")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        results = slide(options.slide) if options.slide else dataset(options.images, options.objects, options.models)
        start = time.process_time()
        results.report(path, max_images=options.max_images)
        print(f"writing: {time.process_time() - start:.1f} s, {path.stat().st_size / 1e6:.1f} MB")
        look(path, bool(options.slide), bool(options.max_images))


def dataset(images: int, objects: int, models: int) -> Results:
    scenes = [cells(objects=objects, seed=k) for k in range(40)]
    names = {f"image {k:04}": scenes[k % 40] for k in range(images)}
    truth = {name: scene.truth for name, scene in names.items()}
    preds = {
        f"model {j}": {n: np.roll(scene.pred, (k // 40 + j, j), (0, 1)) for k, (n, scene) in enumerate(names.items())}
        for j in range(models)
    }
    return evaluate_dataset(truth, preds, metrics=["softpq", "pq"], keep_tables=True)


def slide(count: int) -> Evaluation:
    """A slide of 100 fields that take turns; small cells where there are many."""
    scenes = [cells(objects=count // 100, shape=(400, 400), seed=k) for k in range(4)]
    sides = []
    for of in ("truth", "pred"):
        tiles, last = [], 0
        for k in range(100):
            tile = getattr(scenes[k * 3 % 4], of).astype(np.int64)
            tiles.append(np.where(tile > 0, tile + last, 0))
            last += int(tile.max())
        sides.append(np.block([tiles[10 * row : 10 * row + 10] for row in range(10)]))
    return evaluate(*sides)


class Clock:
    """Time that the page was busy, whatever else the machine did meanwhile."""

    def __init__(self, page: Any) -> None:
        self.session = page.context.new_cdp_session(page)
        self.session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def read(self, name: str = "TaskDuration") -> float:
        """Seconds so far, or another of the browser's counters."""
        found = self.session.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in found if one["name"] == name))


def look(path: Path, is_slide: bool, has_pictures: bool) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        clock, start = Clock(page), time.perf_counter()
        page.goto(path.as_uri())
        for what, selector in (("opening", "body[data-ready]"), ("first picture", "canvas.pane[data-detail]")):
            if what == "opening" or has_pictures:
                page.wait_for_selector(selector, timeout=300_000)
                print(f"{what}: {clock.read():.2f} s busy, {time.perf_counter() - start:.2f} s by the clock")
            if what == "opening":
                print(
                    f"ready: {int(page.evaluate('document.body.dataset.ready')) / 1000:.2f} s by the clock of the page"
                )
        page.wait_for_selector("body[data-surface]", timeout=900_000)
        for scale in (0, 0.5, 1, 2, 4, 8) if is_slide else ():
            page.evaluate(ZOOM, scale)
            print(f"moving at {page.evaluate('softpq.page.viewer.view.scale'):.2f}: {median(page, clock, SHIFT, 11)}")
        print(f"slider to picture: {median(page, clock, MOVE, 15)}")
        print(f"heap: {clock.read('JSHeapUsedSize') / 1e6:.0f} MB")
        browser.close()


def median(page: Any, clock: Clock, act: str, times: int) -> str:
    found = []
    for k in range(times):
        before = clock.read()
        page.evaluate(act, k)
        found.append(1000 * (clock.read() - before))
    return f"median {statistics.median(found):.0f} ms, slowest {max(found):.0f} ms"


if __name__ == "__main__":
    main()
