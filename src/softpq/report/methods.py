"""What a paper would say of these numbers."""

from __future__ import annotations

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
        f'"{settings.reading}" reading) and with PQ and F1 at an IoU threshold of {results.plan.threshold:g}. '
        f"Scores were pooled over all objects{_of_images(results)}."
    )


def _of_images(results: Results) -> str:
    if len({image.name for image in results.images}) < 2:
        return ""
    unit = "groups of images" if results.groups else "images"
    text = f"; 95 % intervals come from a jackknife over {unit} on the logit scale"
    if len(results.models) < 2:
        return text
    return f"{text}, differences and p-values from exchanging two models unit by unit, adjusted by Holm over all pairs"
