"""What becomes of predictions that are missing or cannot be used: one rule for both, and the same for all models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from softpq._checks import how_many
from softpq.dataset.image_result import Failure, ImageResult
from softpq.dataset.scoring import Task
from softpq.plan import Missing

Outcome = ImageResult | Failure

NOT_FOUND = "no prediction was found"

LEFT_OUT = "was left out for all models"
"""What is said of an image without a prediction of every model."""


@dataclass(frozen=True)
class Settled:
    """The images that count, those that failed, and what should be said of them."""

    images: tuple[ImageResult, ...]
    failures: tuple[Failure, ...]
    notes: tuple[str, ...] = ()


def settle(tasks: Sequence[Task], policy: Missing, run: Callable[[list[Task]], list[Outcome]]) -> Settled:
    """Score all pairs, and decide on those without a prediction that can be used.

    Parameters
    ----------
    tasks
        One per model and image; a pair may be without a prediction.
    policy
        ``"error"``: they are failures. ``"empty"``: they are scored as empty. ``"skip"``: their images are left out,
        for all models.
    run
        Scores pairs; their outcomes are in the same order.
    """
    there = [k for k, task in enumerate(tasks) if task.pair.pred is not None]
    outcomes: list[Outcome] = [Failure(task.pair.name, task.model, NOT_FOUND) for task in tasks]
    for k, outcome in zip(there, run([tasks[k] for k in there]), strict=True):
        outcomes[k] = outcome
    if policy == "empty":
        outcomes = _as_empty(tasks, outcomes, run)
    images = tuple(outcome for outcome in outcomes if isinstance(outcome, ImageResult))
    failures = tuple(outcome for outcome in outcomes if isinstance(outcome, Failure))
    return _left_out(images, failures) if policy == "skip" else Settled(images, failures, _said(outcomes))


def _as_empty(
    tasks: Sequence[Task], outcomes: list[Outcome], run: Callable[[list[Task]], list[Outcome]]
) -> list[Outcome]:
    """Score again, against nothing, what failed for its prediction."""
    places = [k for k, outcome in enumerate(outcomes) if isinstance(outcome, Failure) and not outcome.of_truth]
    again = [replace(tasks[k], pair=replace(tasks[k].pair, pred=None)) for k in places]
    settled = list(outcomes)
    for k, outcome in zip(places, run(again), strict=True):
        before = outcomes[k]
        if isinstance(outcome, ImageResult) and isinstance(before, Failure):
            settled[k] = replace(outcome, notes=(*outcome.notes, f"scored as empty: {before.reason}"))
    return settled


def _said(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """How many images of each model were scored as empty."""
    counts: dict[str, int] = {}
    for outcome in outcomes:
        if isinstance(outcome, ImageResult) and any(note.startswith("scored as empty") for note in outcome.notes):
            counts[outcome.model] = counts.get(outcome.model, 0) + 1
    return tuple(
        f"{model}: {how_many(count, 'image')} scored as empty, as the prediction is missing or cannot be used."
        for model, count in counts.items()
    )


def _left_out(images: tuple[ImageResult, ...], failures: tuple[Failure, ...]) -> Settled:
    """Without the images that some model has no prediction for."""
    lost: dict[str, list[str]] = {}
    for failure in failures:
        if not failure.of_truth:
            lost.setdefault(failure.name, []).append(f"{failure.model}: {failure.reason.rstrip('.')}")
    notes = tuple(f"{name} {LEFT_OUT}: {'; '.join(said)}." for name, said in lost.items())
    if len(notes) > 5:
        notes = (*notes[:5], f"{len(lost) - 5} more images were left out for all models.")
    return Settled(
        tuple(image for image in images if image.name not in lost),
        tuple(failure for failure in failures if failure.of_truth),
        notes,
    )
