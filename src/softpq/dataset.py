"""A dataset: folders in, Results out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np

from softpq.backends.blocks import parse_size
from softpq.evaluate import evaluate_labels
from softpq.files import Location
from softpq.image_result import Failure, ImageResult
from softpq.io import ReadError, printable, split_inner, stem_of
from softpq.io.sources import Pairing, open_source, pair_up
from softpq.job import Job, Progress
from softpq.metrics.softpq import Penalty, Priority, Reading, Settings, check_choice
from softpq.results import Results
from softpq.runs import Log, image_result, one_line, run_in_threads, run_on_cluster
from softpq.sweep import Surface, sweep

Missing = Literal["error", "empty", "skip"]


def evaluate_folders(
    truth: Location,
    pred: Location | Mapping[str, Location],
    *,
    metrics: Sequence[str] | None = None,
    iou_low: float = 0.05,
    iou_high: float = 0.5,
    penalty: Penalty = "sqrt",
    priority: Priority = "over",
    reading: Reading = "text",
    preset: str | None = None,
    threshold: float = 0.5,
    boundary: float | None = None,
    missing: Missing = "error",
    split_components: bool = False,
    classes: str | None = None,
    keep_objects: bool = False,
    keep_tables: bool = False,
    jobs: int | None = None,
    memory: str | int = "1GB",
    dask: str | None = None,
    resume: Location | None = None,
    progress: Progress | None = None,
) -> Results:
    """Score one or several models on a dataset.

    Parameters
    ----------
    truth
        A folder, a glob, or a file of label images.
    pred
        The same of a model, or a mapping from model names to such.
    metrics
        Names from ``softpq.metrics.METRICS``; all by default.
    iou_low, iou_high, penalty, priority, reading, preset, threshold, boundary
        As for :func:`softpq.evaluate`.
    missing
        What a truth image without a prediction is: an error, an empty prediction, or left out.
    split_components
        Label the connected components of each label first, for binary masks.
    classes
        Score every class by itself as well: ``"auto"`` where the files know the class of each label (PanNuke), a JSON
        file of image -> truth / pred -> label -> class, or ``"truth_folder,pred_folder"`` of class images.
    keep_objects
        Keep a table of all objects, for ``results.objects``.
    keep_tables
        Keep the table of every image, so that ``results.report`` need not read the images again.
    jobs
        Images at a time; all cores by default. The result is the same for any number.
    memory
        Pairs of images that need more than half of it are read and counted in parts, where the format allows.
    dask
        Work on a cluster: ``"local"``, ``"local:4"``, or the address of a scheduler.
    resume
        A file that finished images are noted in; those noted before, with the same content and settings, are not
        computed again.
    progress
        Called with the number of finished and of all images.

    Returns
    -------
    Results
    """
    check_choice(missing, ("error", "empty", "skip"), "missing")
    if metrics is not None and (isinstance(metrics, str) or not len(metrics)):
        raise ValueError(f"metrics must be a list of names; got {metrics!r}.")
    settings = Settings.make(iou_low, iou_high, penalty, priority, reading, preset)
    names = None if metrics is None else tuple(metrics)
    job = Job(
        names, settings, threshold, boundary, split_components, keep_objects, keep_tables, classes, parse_size(memory)
    )
    job.check()
    if resume is not None and callable(penalty):
        raise ValueError("resume needs a named penalty; got a function, which cannot be recognised in the next run.")
    sources = pred if isinstance(pred, Mapping) else {model_name(pred): pred}
    truth_images = open_source(truth)
    pairings = {model: pair_up(truth_images, open_source(place)) for model, place in sources.items()}
    _check_missing(pairings, missing)
    tasks = [
        (model, name, truth_image, pred_image)
        for model, pairing in pairings.items()
        for name, truth_image, pred_image in pairing.pairs
        if pred_image is not None or missing == "empty"
    ]
    log = Log(resume, job)
    with log:
        if dask is not None:
            found = run_on_cluster(tasks, job, log, dask, progress)
        else:
            found = run_in_threads(tasks, job, log, jobs, progress)
    images = tuple(result for result in found if isinstance(result, ImageResult))
    failures = tuple(result for result in found if isinstance(result, Failure))
    return Results(images, job.settings, job.threshold, failures, _notes(pairings, missing))


def sweep_folders(
    truth: Location,
    pred: Location,
    *,
    penalty: Penalty = "sqrt",
    priority: Priority = "over",
    reading: Reading = "text",
) -> tuple[Surface, list[Failure]]:
    """Compute SoftPQ over both thresholds for every image, and return the mean surface and what failed.

    Parameters
    ----------
    truth, pred
        Folders, globs or files.
    penalty, priority, reading
        As for :func:`softpq.score`.
    """
    job, found, failures = Job(metrics=("pq",)), [], []
    for name, truth_image, pred_image in pair_up(open_source(truth), open_source(pred)).pairs:
        if pred_image is None:
            continue
        try:
            overlap = job.run(name, truth_image, pred_image)[0].overlap
        except (ReadError, OSError, MemoryError) as error:
            failures.append(Failure(name, model_name(pred), printable(one_line(str(error)))))
            continue
        found.append(sweep(overlap, penalty=penalty, priority=priority, reading=reading))
    if not found:
        raise ReadError("No pair of images could be scored.")
    values = np.stack([surface.values for surface in found])
    defined = ~np.isnan(values)
    total = np.where(defined, values, 0).sum(axis=0)
    mean = np.divide(total, defined.sum(axis=0), out=np.full(total.shape, np.nan), where=defined.any(axis=0))
    return replace(found[0], values=mean), failures


def model_name(location: Location) -> str:
    """Return what to call the model whose predictions are there: the name of the folder or file.

    Examples
    --------
    >>> model_name("runs/unet/"), model_name("runs/unet.nii.gz"), model_name("out/*/pred.png")
    ('unet', 'unet', 'pred')
    """
    path, _ = split_inner(location)
    return stem_of(path) or str(location)


def _check_missing(pairings: Mapping[str, Pairing], missing: Missing) -> None:
    for model, pairing in pairings.items():
        lost = pairing.missing
        if len(lost) == len(pairing.pairs):
            raise ReadError(
                f"No prediction of {model} has the name of a truth image, such as {pairing.pairs[0][0]}; there are "
                f"{', '.join(pairing.unused[:3]) or 'none'}. Pass a glob such as 'folder/*_pred.tif' to say which part "
                "of the path is the name."
            )
        if lost and missing == "error":
            listed = ", ".join(lost[:5]) + (" ..." if len(lost) > 5 else "")
            raise ReadError(
                f'No prediction for {len(lost)} of {len(pairing.pairs)} images: {listed}. Pass missing="empty" to '
                'score them as empty, or "skip".'
            )


def _notes(pairings: Mapping[str, Pairing], missing: Missing) -> tuple[str, ...]:
    notes = []
    for model, pairing in pairings.items():
        paired = [pair for pair in pairing.pairs if pair[2] is not None]
        name, truth, pred = paired[0]
        assert pred is not None
        notes.append(
            printable(
                f"{model}: {len(paired)} of {len(pairing.pairs)} images were paired, such as {truth.path.parent.name}/"
                f"{truth.path.name} with {pred.path.parent.name}/{pred.path.name} ({name})."
            )
        )
        if pairing.missing:
            done = "scored as empty" if missing == "empty" else "left out"
            notes.append(f"{model}: {len(pairing.missing)} images without a prediction were {done}.")
        if pairing.unused:
            notes.append(f"{model}: {len(pairing.unused)} predictions have no truth image and were not used.")
    return tuple(notes)


def evaluate_arrays(
    pairs: Mapping[str, tuple[Any, Any]], *, model: str = "model", settings: Settings | None = None
) -> Results:
    """Score a dataset that is already in memory: name -> (truth, pred).

    Examples
    --------
    >>> evaluate_arrays({"a": ([1, 1, 2], [1, 1, 2])}).pooled()["pq"]
    1.0
    """
    settings = settings or Settings()
    images = []
    for name, (truth, pred) in pairs.items():
        found = evaluate_labels(truth, pred, settings=settings)
        assert found.arrays is not None
        images.append(replace(image_result(name, model, found), arrays=partial(same_arrays, found.arrays)))
    return Results(tuple(images), settings)


def same_arrays(arrays: tuple[Any, Any]) -> tuple[Any, Any]:
    """Return what is already in memory."""
    return arrays
