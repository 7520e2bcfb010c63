"""The report in Firefox: that it opens without a complaint, computes Python's numbers, and can be used.

Run with: make test-firefox. Needs Firefox (firefox-esr, or the one that the variable FIREFOX names).
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
from made_up import scored
from nodejs import node
from overlapping_pages import crossing_results
from pages import two_models

from softpq import Results, Settings
from softpq.dataset.rescoring import rescored
from softpq.report.facts import FACTS
from softpq.synthetic import cells

DRIVER = Path(__file__).parent / "report" / "firefox.mjs"
READY = "document.body.dataset.surface !== undefined && document.body.dataset.curves !== undefined"
SCORES = "softpq.report.models.map((_, k) => softpq.page.analysis.scoresOf(k).pooled)"
DRAWN = "document.querySelector('canvas.pane').dataset.detail === 'outlines'"
COLOURS = """(() => { const c = document.querySelector('canvas.pane'), seen = new Set();
  const data = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
  for (let k = 0; k < data.length; k += 4) seen.add([data[k], data[k + 1], data[k + 2]].join());
  return [...seen]; })()"""


def main() -> None:
    results = two_models()
    volume = cells(objects=20, shape=(6, 64, 64), seed=2)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        results.report(folder / "two.html")
        crossing_results().report(folder / "worms.html")
        raw = np.where(volume.truth > 0, 200, 30).astype(np.uint8)
        scored({"v": (volume.truth, volume.pred)}, spacing=(2, 1, 1)).report(folder / "volume.html", images=raw)
        moved = "document.getElementById('iou-high').value = 0.72"
        steps = [
            ["true", SCORES],
            [READY, "softpq.page.workshop.worker !== null"],
            [DRAWN, COLOURS],
            ["true", f"({moved}, document.getElementById('iou-high').dispatchEvent(new Event('input')), 1)"],
            ["softpq.page.state.high === 0.72 && !softpq.page.frame", SCORES],
            ["true", "(document.getElementById('next-error').click(), 1)"],
            ["softpq.page.viewer.selected !== null", "document.getElementById('object-info').innerText"],
        ]
        seen = [["!softpq.page.viewer.sides.element.hidden", "softpq.page.viewer.bar.text"], [READY, "1"]]
        pages = [
            {"address": (folder / "two.html").as_uri(), "steps": steps},
            {"address": (folder / "volume.html").as_uri(), "steps": seen},
            {"address": (folder / "worms.html").as_uri(), "steps": [[READY, SCORES]]},
        ]
        (folder / "profile").mkdir()
        answer = json.loads(node(str(DRIVER), str(folder / "profile"), given=json.dumps(pages), facts=FACTS))
    check(answer, results)
    print("Firefox: no complaint, numbers as in Python.")


def check(answer: dict[str, list[list[object]]], results: Results) -> None:
    """Compare with Python."""
    assert answer["complaints"] == [], answer["complaints"]
    (first, threads, colours, _, then, _, told), (bar, _), (worms,) = answer["found"]
    for found, high in ((first, 0.5), (then, 0.72)):
        wanted = rescored(kept(results), iou_high=high, iou_low=Settings().iou_low)
        assert np.allclose(found, [wanted.pooled(model)["softpq"] for model in results.models], atol=1e-9)
    crossing = crossing_results()
    assert np.allclose(worms, [crossing.pooled(model)["softpq"] for model in crossing.models], atol=1e-9)
    assert threads is True
    assert ",".join(map(str, FACTS["verdicts"][0]["colour"])) in colours
    assert "adds" in str(told)
    assert str(bar).endswith("units")


def kept(results: Results) -> Results:
    """The same with tables."""
    found = []
    for model in results.models:
        pairs = {image.name: (image.pair.truth.array, image.pair.pred.array) for image in results.of(model)}
        found += scored(pairs, model=model, keep_tables=True).images
    return Results(tuple(found))


if __name__ == "__main__":
    main()
