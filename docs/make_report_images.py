"""Make the screenshots of the report: python docs/make_report_images.py (needs Chromium and Playwright).

The dataset is made up: 24 fields of cells seen through a noisy microscope, and three models that fail differently.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from softpq import evaluate_dataset
from softpq.cli.demo import MODELS, write_fields

IMAGES = Path(__file__).parent / "images"


def take(page: Page, name: str) -> None:
    """Take a picture of what the window shows."""
    page.wait_for_selector("body[data-surface]")  # the last of what is computed in the background
    page.wait_for_timeout(1200)
    page.screenshot(path=IMAGES / name)


def main(out: Path | None) -> None:
    """Make the report, and look at it in two ways."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        root = Path(folder)
        write_fields(root, 24)
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
