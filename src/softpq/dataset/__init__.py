"""A dataset: many images in, Results out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, Unpack

from softpq._checks import how_many
from softpq._documented import check_names, takes
from softpq._files import Location
from softpq.dataset.execution import Execution, ExecutionOptions
from softpq.dataset.groups import Groups, groups_of
from softpq.dataset.image_result import ImageResult, with_common_metrics
from softpq.dataset.policy import settle
from softpq.dataset.results import Results
from softpq.dataset.scoring import Scorer, Task
from softpq.dataset.suspects import without_class_maps
from softpq.errors import Ambiguous
from softpq.io.classes import ClassMaps
from softpq.io.format import printable
from softpq.io.image import LabelImage, LoadedImage
from softpq.io.naming import model_names
from softpq.io.pairing import Pairing, with_ignored
from softpq.io.pairs import paired_as_said, paired_by_name
from softpq.io.remarks import left_out, noticed, shown_place
from softpq.io.sources import Images, is_array, open_source
from softpq.plan import Plan, PlanOptions
from softpq.settings import Settings, SettingsOptions


class DatasetOptions(PlanOptions, ExecutionOptions, total=False):
    """What can be asked of a dataset, and how to do it."""


_SETTINGS = tuple(SettingsOptions.__annotations__)
_PLAN = tuple(name for name in PlanOptions.__annotations__ if name not in _SETTINGS)


@takes((Plan, _PLAN), (Settings, _SETTINGS), (Execution, ExecutionOptions.__annotations__))
def evaluate_dataset(
    truth: Images,
    pred: Images | Mapping[str, Images],
    *,
    ignore: int | Images | None = None,
    groups: Groups | None = None,
    pairs: Location | None = None,
    **options: Unpack[DatasetOptions],
) -> Results:
    """Score one or several models on a dataset.

    Parameters
    ----------
    truth
        A folder, a glob, or a file of label images; a mapping from image names to arrays or :class:`softpq.Masks`; or
        a list of them.
    pred
        The same of a model; or a mapping from model names to such.
    ignore
        A label of truth whose pixels count nowhere; or masks, given like the images: what is not 0 counts nowhere.
    groups
        Images that belong together (of one patient, slide or plate), which are then the units of intervals and tests: a
        mapping from image to group, a CSV file with the columns image and group, or a pattern such as ``"(p[0-9]+)_"``.
    pairs
        A CSV file that says which files belong together: a column truth, and one per model, or pred.
    {options}
    preset
        ``"general"``, ``"precise"``, ``"exploratory"`` or ``"paper"`` instead of the two thresholds of SoftPQ.

    See Also
    --------
    softpq.evaluate : Two images.
    softpq.Results : What comes back.
    softpq.average_precision : AP of COCO and LVIS files.

    Examples
    --------
    >>> import numpy as np
    >>> images = {"a": np.array([1, 1, 2]), "b": np.array([3, 3, 0])}
    >>> results = evaluate_dataset(images, {"good": images, "bad": {"a": np.array([1, 1, 0]), "b": np.zeros(3, int)}})
    >>> results.pooled("good")["f1"], results.pooled("bad")["f1"]
    (1.0, 0.5)
    """
    check_names(options, DatasetOptions.__annotations__)
    planned: Any = {name: value for name, value in options.items() if name in PlanOptions.__annotations__}
    how: Any = {name: value for name, value in options.items() if name in ExecutionOptions.__annotations__}
    label = int(ignore) if isinstance(ignore, Integral) else None
    maps = None if planned.get("classes") is None else ClassMaps(planned["classes"])
    plan = replace(Plan.of(**planned | {"classes": maps and maps.said}), ignore=label)
    execution = Execution(**how)
    if execution.resume is not None and callable(plan.settings.penalty):
        raise ValueError("resume needs a named penalty; got a function, which cannot be recognised in the next run.")
    if execution.resume is not None and maps is not None and maps.in_memory:
        raise ValueError("resume needs classes in files; got arrays, which cannot be recognised in the next run.")
    reading = execution.scorer(plan, None).reading
    models = _models(pred)
    if maps is not None and maps.has_images and len(models) > 1:
        raise ValueError(
            f"classes must be images of one model; got {len(models)} models. Score one by one and add the results, "
            "or pass a JSON file that has each model's classes under its name."
        )
    masks = None if ignore is None or label is not None else open_source(ignore, reading)  # type: ignore[arg-type]
    found = paired_by_name(truth, models, reading) if pairs is None else paired_as_said(pairs, truth, models, reading)
    pairings = dict(found)
    if masks is not None:
        pairings = {model: with_ignored(pairing, masks) for model, pairing in pairings.items()}
    check_paired(pairings)
    names = [pair.name for pairing in pairings.values() for pair in pairing.pairs]
    known = groups_of(names, groups)
    published = "strict" not in planned and _is_strict(pairings)
    results = _scored(pairings, execution.scorer(replace(plan, strict=True) if published else plan, maps), execution)
    return replace(results, groups=known, notes=(*results.notes, *((_STRICT,) if published else ())))


_STRICT = "panoptic files: objects match above the threshold, as PQ was published; strict=False from it on."


def _is_strict(pairings: Mapping[str, Pairing]) -> bool:
    """Whether the truth is of files whose objects match above the threshold."""
    truths = [pair.truth for pairing in pairings.values() for pair in pairing.pairs]
    return all(isinstance(image, LabelImage) and image.is_strict for image in truths)


def _is_copy(image: ImageResult) -> bool:
    """Whether both sides hold the same objects, pixel by pixel, as the sums of PQ tell."""
    sums = image.scores["pq"].parts if "pq" in image.scores else {}
    return bool(sums and 0 < sums["tp"] == sums["n_truth"] == sums["n_pred"] == sums["iou_sum"])


def _models(pred: Images | Mapping[str, Images]) -> Mapping[str, Images]:
    """Name -> images of each model; one that is given by itself is named after its folder."""
    if isinstance(pred, Mapping) and not any(is_array(value) for value in pred.values()):
        return pred
    return {model_names([pred])[0] if isinstance(pred, Location) else "model": pred}


def _scored(pairings: Mapping[str, Pairing], scorer: Scorer, execution: Execution) -> Results:
    plan = scorer.plan
    tasks = [Task(model, pair) for model, pairing in pairings.items() for pair in pairing.pairs]
    settled = settle(tasks, plan.missing, lambda some: execution.run(some, scorer))
    found, refused = without_class_maps(settled.images) if plan.check else (settled.images, ())
    images, uncommon = with_common_metrics(found)
    notes = (*said_of(pairings), *_copies(images), *settled.notes, *uncommon)
    return Results(images, plan, (*settled.failures, *refused), notes)


def _copies(images: Sequence[ImageResult]) -> Iterator[str]:
    """How many predictions of each model are the truth itself."""
    for model in dict.fromkeys(image.model for image in images):
        own = [image for image in images if image.model == model]
        same = sum(_is_copy(image) for image in own)
        if same:
            yield f"{model}: {same} of {len(own)} predictions are identical to the truth. Is it a copy?"


def check_paired(pairings: Mapping[str, Pairing]) -> None:
    """Refuse models of which no image could be paired.

    Raises
    ------
    ReadError
        With what to pass instead, if there is something.
    """
    if not pairings:
        raise ValueError("pred must name at least one model; got an empty mapping.")
    for model, pairing in pairings.items():
        if not pairing.pairs:
            raise ValueError("truth must hold at least one image; got none.")
        if len(pairing.missing) == len(pairing.pairs):
            raise _unpaired(model, pairing)


def _unpaired(model: str, pairing: Pairing) -> Ambiguous:
    """The error of a model without a pair, with what would give some."""
    what = printable(
        f"No prediction of {model} has the name of a truth image, such as {pairing.pairs[0].name}; there are "
        f"{', '.join(pairing.unused[:3]) or 'none'}{f' ({pairing.how})' if pairing.how else ''}."
        f"{' Only if they mean the same here.' if pairing.how and pairing.instead else ''}"
    )
    advice = (
        "Pass globs whose stars stand for what both sides call an image, such as 'folder/*_pred.tif', or a table of "
        'what belongs together, pairs="pairs.csv", with the columns truth and pred.'
    )
    return Ambiguous(what, pairing.instead, advice)


def said_of(pairings: Mapping[str, Pairing]) -> tuple[str, ...]:
    """What was paired, with an example; one line for models whose images all have a partner, found by one rule."""
    whole: dict[str, list[str]] = {}
    for model, pairing in pairings.items():
        if not pairing.missing:
            whole.setdefault(pairing.how, []).append(model)
    notes = [
        _said("all models" if 1 < len(models) == len(pairings) else ", ".join(models), pairings[models[0]])
        for models in whole.values()
    ]
    for model, pairing in pairings.items():
        if pairing.missing:
            notes.append(_said(model, pairing))
        if pairing.unused:
            said = f"{how_many(len(pairing.unused), 'prediction')} without a truth image, not used"
            notes.append(printable(f"{model}: {said}, such as {pairing.unused[0]}."))
        notes += [f"{model}: {said}" for said in noticed(pairing)]
    return (*left_out(pairings), *(note for note in notes if note))


def _said(who: str, pairing: Pairing) -> str:
    paired = [pair for pair in pairing.pairs if pair.pred is not None]
    first = next((pair for pair in paired if pair.pred is not None and pair.pred.name != pair.truth.name), paired[0])
    if isinstance(first.truth, LoadedImage) or isinstance(first.pred, LoadedImage):
        return ""
    places = [shown_place(image) for image in (first.truth, first.pred) if image is not None]
    count = f"{len(paired)} of {len(pairing.pairs)} images were paired{f' {pairing.how}' if pairing.how else ''}"
    return printable(f"{who}: {count}, such as {places[0]} with {places[1]} ({first.name}).")
