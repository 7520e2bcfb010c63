"""A dataset: many images in, Results out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral
from typing import Any, Unpack

from softpq._documented import check_names, takes
from softpq._files import Location
from softpq.dataset.execution import Execution, ExecutionOptions
from softpq.dataset.groups import Groups, groups_of
from softpq.dataset.image_result import with_common_metrics
from softpq.dataset.policy import settle
from softpq.dataset.results import Results
from softpq.dataset.scoring import Task
from softpq.errors import ReadError
from softpq.io.classes import ClassMaps
from softpq.io.format import ReadOptions, printable
from softpq.io.formats import split_inner, stem_of
from softpq.io.image import LabelImage
from softpq.io.pairing import Pairing, named_alike, pair_up, with_ignored
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
    {options}
    preset
        ``"general"``, ``"precise"``, ``"exploratory"`` or ``"paper"`` instead of the two thresholds of SoftPQ.

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
    plan, execution = replace(Plan.of(**planned), ignore=label), Execution(**how)
    if execution.resume is not None and callable(plan.settings.penalty):
        raise ValueError("resume needs a named penalty; got a function, which cannot be recognised in the next run.")
    reading = execution.scorer(plan, None).reading
    masks = None if ignore is None or label is not None else open_source(ignore, reading)  # type: ignore[arg-type]
    pairings = _paired(truth, pred, reading)
    if masks is not None:
        pairings = {model: with_ignored(pairing, masks) for model, pairing in pairings.items()}
    _check_paired(pairings)
    names = [pair.name for pairing in pairings.values() for pair in pairing.pairs]
    known = groups_of(names, groups)
    return replace(_scored(pairings, plan, execution), groups=known)


def _paired(truth: Images, pred: Images | Mapping[str, Images], reading: ReadOptions) -> dict[str, Pairing]:
    images = open_source(truth, reading)
    return named_alike({model: pair_up(images, open_source(place, reading)) for model, place in _models(pred).items()})


def _models(pred: Images | Mapping[str, Images]) -> Mapping[str, Images]:
    """Name -> images of each model; one that is given by itself is named after its folder."""
    if isinstance(pred, Mapping) and not any(is_array(value) for value in pred.values()):
        return pred
    return {model_name(pred) if isinstance(pred, Location) else "model": pred}


def _scored(pairings: Mapping[str, Pairing], plan: Plan, execution: Execution) -> Results:
    tasks = [Task(model, pair) for model, pairing in pairings.items() for pair in pairing.pairs]
    scorer = execution.scorer(plan, None if plan.classes is None else ClassMaps(plan.classes))
    settled = settle(tasks, plan.missing, lambda some: execution.run(some, scorer))
    images, left_out = with_common_metrics(settled.images)
    return Results(images, plan, settled.failures, (*_notes(pairings), *settled.notes, *left_out))


def model_name(location: Location) -> str:
    """Return what to call the model whose predictions are there: the name of the folder or file.

    Examples
    --------
    >>> model_name("runs/unet/"), model_name("runs/unet.nii.gz"), model_name("out/*/pred.png")
    ('unet', 'unet', 'pred')
    """
    path, _ = split_inner(location)
    return stem_of(path) or str(location)


def _check_paired(pairings: Mapping[str, Pairing]) -> None:
    for model, pairing in pairings.items():
        if len(pairing.missing) == len(pairing.pairs):
            raise ReadError(
                f"No prediction of {model} has the name of a truth image, such as {pairing.pairs[0].name}; there are "
                f"{', '.join(pairing.unused[:3]) or 'none'}. Pass a glob such as 'folder/*_pred.tif' to say which part "
                "of the path is the name."
            )


def _notes(pairings: Mapping[str, Pairing]) -> tuple[str, ...]:
    """What was paired, with an example; one line for all models whose images all have a partner."""
    whole = [model for model, pairing in pairings.items() if not pairing.missing]
    notes = [_said(", ".join(whole) if len(whole) < len(pairings) or len(whole) == 1 else "all models",
                   pairings[whole[0]])] if whole else []  # fmt: skip
    for model, pairing in pairings.items():
        if pairing.missing:
            notes.append(_said(model, pairing))
        if pairing.unused:
            notes.append(f"{model}: {len(pairing.unused)} predictions have no truth image and were not used.")
    return tuple(note for note in notes if note)


def _said(who: str, pairing: Pairing) -> str:
    paired = [pair for pair in pairing.pairs if pair.pred is not None]
    first = paired[0]
    if not isinstance(first.truth, LabelImage) or not isinstance(first.pred, LabelImage):
        return ""
    places = [f"{image.path.parent.name}/{image.path.name}" for image in (first.truth, first.pred)]
    count = f"{len(paired)} of {len(pairing.pairs)} images were paired"
    return printable(f"{who}: {count}, such as {places[0]} with {places[1]} ({first.name}).")
