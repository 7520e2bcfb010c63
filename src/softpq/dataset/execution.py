"""How images are scored: in threads, processes or on a cluster, noting what is done. No number depends on it."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypedDict

from softpq import _core
from softpq._checks import check_whole, parse_size
from softpq._files import Location
from softpq.counting import MEMORY
from softpq.dataset.local import noted, run_here
from softpq.dataset.resume import Log
from softpq.dataset.scoring import Observer, Progress, Scorer, Task
from softpq.dataset.workers import Outcome, guarded
from softpq.errors import NotesWarning
from softpq.io.classes import ClassMaps
from softpq.io.format import machine_memory
from softpq.io.image import LabelImage, images_in
from softpq.io.pairing import Pair
from softpq.plan import Plan
from softpq.table.overlap import Overlap


class ExecutionOptions(TypedDict, total=False):
    """How to do it, as keyword arguments; what they mean stands at :class:`Execution`."""

    keep_objects: bool
    keep_tables: bool
    keep_overlaps: bool
    jobs: int | None
    memory: str | int | None
    dask: str | None
    resume: Location | None
    progress: Progress | None
    observers: tuple[Observer, ...]


@dataclass(frozen=True)
class Execution:
    """How the work is done.

    Attributes
    ----------
    keep_objects
        Keep a table of all objects, for ``results.objects``.
    keep_tables
        Keep all tables of every image, so that ``results.report`` need not read the images again.
    keep_overlaps
        Keep the table of the objects of every image: less than all tables, and enough for ``results.gains``, sizes of
        objects, other thresholds and ``results.winners``.
    jobs
        Images at a time; all cores by default. Many images are scored by processes, few by threads. The result is the
        same for any number.
    memory
        Pairs of images that need more than half of it (of 1 GB by default) are read and counted in parts, where the
        format allows; a file that would unpack to more is refused (by default, to more than half of the machine's).
    dask
        Work on a cluster: ``"local"``, ``"local:4"``, or the address of a scheduler.
    resume
        A file that finished images are noted in; those noted before, with the same content and plan, are not computed
        again.
    progress
        Called with the number of finished and of all images.
    observers
        Functions that are shown every result with its images, while those are in memory; not on a cluster.
    """

    keep_objects: bool = False
    keep_tables: bool = False
    keep_overlaps: bool = False
    jobs: int | None = None
    memory: str | int | None = None
    dask: str | None = None
    resume: Location | None = None
    progress: Progress | None = None
    observers: tuple[Observer, ...] = ()

    def __post_init__(self) -> None:
        if self.memory is not None:
            parse_size(self.memory)
        if self.jobs is not None:
            check_whole(self.jobs, "jobs")

    def scorer(self, plan: Plan, class_maps: ClassMaps | None) -> Scorer:
        """What is done to every pair."""
        kept = {name: getattr(self, name) for name in ("keep_objects", "keep_tables", "keep_overlaps", "observers")}
        limit = machine_memory() // 2 if self.memory is None else parse_size(self.memory)
        return Scorer(plan, parse_size(self.memory or MEMORY), limit, class_maps=class_maps, **kept)

    def run(self, tasks: list[Task], scorer: Scorer) -> list[Outcome]:
        """Do all tasks; the outcomes are in their order."""
        _core.stop_everything(False)
        with Log(self.resume, scorer) as log:
            if self.dask is not None:
                outcomes = _run_on_cluster(tasks, scorer, log, self.dask, self.progress)
            else:
                outcomes = run_here(tasks, scorer, log, self.jobs, self.progress)
        if log.problem:
            warnings.warn(log.problem, NotesWarning, stacklevel=2)
        return outcomes


# ---------------------------------------------------------------- clusters


def _run_on_cluster(
    tasks: list[Task], scorer: Scorer, log: Log, address: str, progress: Progress | None
) -> list[Outcome]:
    """Give images to workers; where images are fewer than workers, parts of images."""
    from softpq.scale import dask

    scorer = replace(scorer, observers=())
    outcomes: list[Outcome | None] = [noted(task, scorer, log) for task in tasks]
    waiting = [k for k, known in enumerate(outcomes) if known is None]
    with dask.connected(address) as client:
        workers = len(client.scheduler_info()["workers"])
        in_parts = {k for k in waiting if len(waiting) < workers and _can_be_spread(tasks[k].pair, scorer)}
        whole = [k for k in waiting if k not in in_parts]
        found = dask.in_order(client, partial(_run_there, scorer), [tasks[k] for k in whole])
        results: Iterator[Any] = itertools.chain(
            zip(whole, found, strict=True), ((k, _by_parts(tasks[k], scorer)) for k in sorted(in_parts))
        )
        for done, (k, outcome) in enumerate(results, 1):
            outcomes[k] = outcome
            log.add(tasks[k], outcome)
            if progress is not None:
                progress(done, len(waiting))
    return [outcome for outcome in outcomes if outcome is not None]


def _run_there(scorer: Scorer, task: Task) -> Outcome:
    return guarded(task, partial(scorer.score, task))


def _by_parts(task: Task, scorer: Scorer) -> Outcome:
    """Count one pair on all workers."""
    from softpq.scale.dask import count_delayed

    def count_pair(pair: Pair, **options: Any) -> Overlap:
        assert isinstance(pair.truth, LabelImage)
        assert isinstance(pair.pred, LabelImage)
        places, ignore = (pair.truth.location, pair.pred.location), scorer.plan.ignore
        strict = scorer.plan.strict
        return count_delayed(*places, ignore=ignore, strict=strict, memory=scorer.memory // 2, **options)

    return guarded(task, partial(scorer.score_parts, task, count_pair))


def _can_be_spread(pair: Pair, scorer: Scorer) -> bool:
    """Whether all workers can count parts of one pair: they are told of files, not of moments and channels."""
    if pair.ignore is not None or scorer.plan.axes is not None or scorer.plan.channel is not None:
        return False
    return scorer.has_parts(pair) and all(
        isinstance(image, LabelImage) and len(images_in(image.location)) == 1 for image in (pair.truth, pair.pred)
    )
