"""What is only likely in one image, and certain where it is so in all of them: maps of classes."""

from __future__ import annotations

from collections.abc import Sequence

from softpq.dataset.image_result import Failure, ImageResult
from softpq.dataset.scoring import SIDES

CLASSES = "looks like a map of classes"
"""How the note on such an image begins, behind the name of its side."""

LEAST, SHARE = 3, 0.8
"""Images, and their share of all of a model."""


def without_class_maps(images: Sequence[ImageResult]) -> tuple[tuple[ImageResult, ...], tuple[Failure, ...]]:
    """Refuse a side of which nearly all images look like maps of classes; objects rarely come in several pieces.

    Returns
    -------
    images, failures
        Those that stay, and those that are refused.
    """
    failures: dict[tuple[str, str], Failure] = {}
    for model in dict.fromkeys(image.model for image in images):
        own = [image for image in images if image.model == model and not image.is_empty]
        for side in SIDES:
            said = [(image, note) for image in own for note in image.notes if note.startswith(f"{side} {CLASSES}")]
            if len(said) >= LEAST and len(said) >= SHARE * len(own):
                for image, note in said:
                    failures[image.name, model] = Failure(image.name, model, note, of_truth=side == "truth")
    kept = (image for image in images if (image.name, image.model) not in failures)
    return tuple(kept), tuple(failures.values())
