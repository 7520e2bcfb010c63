"""Make the screenshots of the report: python docs/make_report_images.py (needs Chromium, Playwright and SciPy).

The dataset is made up: 24 fields of cells seen through a noisy microscope, and three models that fail differently.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import tifffile
from playwright.sync_api import Page, sync_playwright
from scipy import ndimage

from softpq import evaluate_dataset
from softpq.synthetic import cells

IMAGES = Path(__file__).parent / "images"
MODELS = {
    "careful": {"split": 0.03, "merged": 0.04, "missed": 0.10, "shifted": 0.04},
    "eager": {"split": 0.16, "merged": 0.05, "missed": 0.02, "shifted": 0.06},
    "blurry": {"split": 0.02, "merged": 0.22, "missed": 0.05, "shifted": 0.12},
}


def microscope(labels: np.ndarray, seed: int) -> np.ndarray:
    """What a camera might see: cells of different brightness, out of focus, with noise."""
    rng = np.random.default_rng(seed)
    brightness = np.r_[0.0, rng.uniform(300, 1200, labels.max())]
    seen = ndimage.gaussian_filter(brightness[labels], 2.2) + 120
    return rng.poisson(seen).astype(np.uint16)


def write_dataset(folder: Path) -> None:
    """Write truth, raw images and predictions as folders of TIFF files."""
    for name in ("truth", "raw", *MODELS):
        (folder / name).mkdir(parents=True)
    for k in range(24):
        size, name = 220 + 12 * (k % 5), f"field_{k:02}.tif"
        scenes = {
            model: cells(
                (size, size), 50 + 3 * k, seed=k, fates={f: share * (0.4 + k / 12) for f, share in fates.items()}
            )
            for model, fates in MODELS.items()
        }
        truth = scenes["careful"].truth
        tifffile.imwrite(folder / "truth" / name, truth.astype(np.uint16))
        tifffile.imwrite(folder / "raw" / name, microscope(truth, k))
        for model, scene in scenes.items():
            tifffile.imwrite(folder / model / name, scene.pred.astype(np.uint16))


def take(page: Page, name: str) -> None:
    """Take a picture of what the window shows."""
    page.wait_for_timeout(1200)  # what is computed in the background
    page.screenshot(path=IMAGES / name)


def main(out: Path | None) -> None:
    """Make the report, and look at it in two ways."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        root = Path(folder)
        write_dataset(root)
        results = evaluate_dataset(root / "truth", {name: root / name for name in MODELS}, keep_tables=True)
        report = (out or root) / "report.html"
        command = f"softpq evaluate truth {' '.join(MODELS)} --html report.html --images raw"
        results.report(report, title="Fields of cells, three models", images=root / "raw", command=command)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 1440}, color_scheme="light")
        page.goto(f"{report.as_uri()}#l=0.1")
        page.wait_for_selector("body[data-ready]")
        take(page, "report.png")
        page.set_viewport_size({"width": 1440, "height": 1000})
        page.emulate_media(color_scheme="dark")
        page.locator("#images-title").evaluate("(title) => title.scrollIntoView()")
        page.evaluate("window.scrollBy(0, -100)")
        page.click("#side-by-side")
        page.click("#next-error")
        take(page, "report_dark.png")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
