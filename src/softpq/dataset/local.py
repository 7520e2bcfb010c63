"""All images of a dataset on this machine: in threads, or in processes where images are many."""

from __future__ import annotations

import contextlib
import itertools
import math
import pickle
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from time import perf_counter

from softpq import _core
from softpq.dataset.image_result import ImageResult
from softpq.dataset.resume import Log
from softpq.dataset.scoring import Progress, Scorer, Task
from softpq.dataset.workers import Gone, Outcome, Team, Truth, guarded
from softpq.io.format import machine_memory
from softpq.io.image import LabelImage
from softpq.table.labels import cores


def run_here(tasks: list[Task], scorer: Scorer, log: Log, jobs: int | None, progress: Progress | None) -> list[Outcome]:
    """Do all tasks, several images at a time; the models of an image one after the other, if there are many images."""
    workers = min(jobs or cores(), max(1, len(tasks)))
    scorer = replace(
        scorer,
        memory=scorer.memory // workers,
        limit=(scorer.limit or machine_memory() // 2) // workers,
        threads=max(1, (jobs or cores()) // workers),
    )
    outcomes: list[Outcome | None] = [noted(task, scorer, log) for task in tasks]
    waiting = [k for k, known in enumerate(outcomes) if known is None]
    groups = _by_truth(tasks, waiting)
    truths = {key: Truth(tasks[group[0]].pair.truth, len(group), scorer.reading) for key, group in groups.items()}
    done, lock = itertools.count(len(tasks) - len(waiting) + 1), threading.Lock()

    def finish(k: int, outcome: Outcome) -> None:
        outcomes[k] = outcome
        log.add(tasks[k], outcome)
        with lock:
            if progress is not None and len(tasks) > 1:
                progress(next(done), len(tasks))

    def work(places: list[int]) -> None:
        for k in places:
            of_parts = progress if len(tasks) == 1 else None
            truth = truths[id(tasks[k].pair.truth)].read
            finish(k, guarded(tasks[k], partial(scorer.score, tasks[k], truth, of_parts)))

    def work_elsewhere(team: Team, places: list[int]) -> None:
        for k, outcome in zip(places, team.score([tasks[k] for k in places]), strict=True):
            finish(k, outcome)

    units = deque(groups.values() if len(groups) >= workers else ([k] for k in waiting))
    many = workers > 1 and len(units) >= MANY * workers
    seconds = _seconds_each(work, units) if many else math.inf
    if many and len(units) * seconds >= WORTH and _can_travel(scorer, tasks):
        _in_processes(work_elsewhere, units, workers, scorer)
    _in_threads(work, units, 1 if seconds < SHORT else workers)  # also what is left if there can be no processes
    return [outcome for outcome in outcomes if outcome is not None]


MANY = 16
"""Images for each worker; with fewer, it is not looked whether processes are better."""

FIRST = 0.3
"""Seconds for which the first images are scored, to see how long the others will take."""

WORTH = 1.2
"""Seconds that one thread would take for the others, from which on processes are worth starting."""

SHORT = 0.005
"""Seconds for an image; threads that take less for one are in each other's way."""


def _seconds_each(work: Callable[[list[int]], None], units: deque[list[int]]) -> float:
    """Do the first units of work, and return how long each takes."""
    start, before = perf_counter(), len(units)
    while True:
        work(units.popleft())
        took = perf_counter() - start
        if took >= FIRST or not units:
            return took / (before - len(units))


def _in_threads(work: Callable[[list[int]], None], units: deque[list[int]], workers: int) -> None:
    """Do all units of work."""
    if units:
        _all_at_once(partial(_go_on, work, units), workers)


def _in_processes(
    work: Callable[[Team, list[int]], None], units: deque[list[int]], workers: int, scorer: Scorer
) -> None:
    """Do all units of work in processes of their own; where there can be none, units are left."""
    team = Team(scorer)

    def go_on() -> None:
        with contextlib.suppress(Gone):
            _go_on(partial(work, team), units)

    try:
        _all_at_once(go_on, workers)
    finally:
        team.end()


def _go_on(work: Callable[[list[int]], None], units: deque[list[int]]) -> None:
    """Do units of work until there are no more; one that cannot be done is put back."""
    while True:
        try:
            unit = units.popleft()
        except IndexError:
            return
        try:
            work(unit)
        except Gone:
            units.append(unit)
            raise


def _all_at_once(go_on: Callable[[], None], workers: int) -> None:
    """Run a function in several threads; an interrupt ends native code, too."""
    pool = ThreadPoolExecutor(max_workers=max(1, workers))
    try:
        for future in [pool.submit(go_on) for _ in range(workers)]:
            future.result()
    except BaseException:
        _core.stop_everything(True)
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()


def _can_travel(scorer: Scorer, tasks: list[Task]) -> bool:
    """Whether other processes can do it: all images are files, nobody looks on, options can be sent."""
    images = (image for task in tasks for image in (task.pair.truth, task.pair.pred, task.pair.ignore))
    if scorer.observers or not all(image is None or isinstance(image, LabelImage) for image in images):
        return False
    try:
        pickle.dumps(scorer)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False  # a penalty that is a function somebody wrote on the spot
    return True


def _by_truth(tasks: list[Task], places: list[int]) -> dict[int, list[int]]:
    """Places of the tasks of each truth image."""
    groups: dict[int, list[int]] = {}
    for k in places:
        groups.setdefault(id(tasks[k].pair.truth), []).append(k)
    return groups


def noted(task: Task, scorer: Scorer, log: Log) -> ImageResult | None:
    """What was noted in a run before, with images that can be read again, if they are not too large."""
    known = log.find(task)
    return None if known is None else replace(known, pair=None if scorer.is_large(task.pair) else task.pair)
