"""What a paper would say of these numbers."""

from __future__ import annotations

import math

import softpq
from softpq.dataset.results import Results
from softpq.settings import PENALTY_FORMULAS

BIBTEX = """@article{karmakar2025softpq,
  title  = {{SoftPQ}: Robust Instance Segmentation Evaluation via Soft Matching and Tunable Thresholds},
  author = {Karmakar, Ranit and N{\\o}rrelykke, Simon F.},
  year   = {2025}
}"""


def methods_sentence(results: Results) -> str:
    """Say how the scores were made, to be copied into a methods section."""
    settings = results.settings
    side = "ground-truth object" if settings.priority == "over" else "prediction"
    penalty = PENALTY_FORMULAS.get(str(settings.penalty), str(settings.penalty))
    return (
        f"Instance segmentation was evaluated with SoftPQ (softpq {softpq.__version__}; "
        f"iou_low = {settings.iou_low:g}, iou_high = {settings.iou_high:g}, "
        f"soft matches of each {side} divided by {penalty}, "
        f"reading: {settings.reading}); objects of other metrics match at an IoU of {results.plan.threshold:g}. "
        f"{_OVER[results.headline.over]}{_of_images(results)}."
    )


_OVER = {"pooled": "Scores were pooled over all objects", "mean": "Scores are means over images"}


def _of_images(results: Results) -> str:
    """How intervals and p-values were made, where there are any."""
    unit = "groups of images" if results.groups else "images"
    found = []
    if any(math.isfinite(results.interval(model=model).low) for model in results.scored):
        level = f"{100 * results.headline.level:g} %"
        found.append(f"{level} intervals come from a jackknife over {unit} on the logit scale")
    common = results.on_common()
    if common.images and any(math.isfinite(pair.p) for pair in common.comparisons()):
        found.append(f"p-values from exchanging two models, {unit} one by one, adjusted by Holm over all pairs")
    return f"; {', '.join(found)}" if found else ""
