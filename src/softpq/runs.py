"""How the images of a dataset are scored: in threads or on a cluster, noting what is done."""

from __future__ import annotations

import itertools
import json
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from softpq.evaluate import Evaluation
from softpq.files import Location
from softpq.image_result import Failure, ImageResult, image_from_json, image_to_json
from softpq.io import LabelImage, ReadError, again, printable, split_inner
from softpq.job import ClassScores, Job, Progress
from softpq.objects import verdict_counts
from softpq.overlap import Overlap
from softpq.tables import fingerprint

Task = tuple[str, str, LabelImage, LabelImage | None]


def run_in_threads(
    tasks: list[Task], job: Job, log: Log, jobs: int | None, progress: Progress | None
) -> list[ImageResult | Failure]:
    """Do all tasks, several at a time."""
    cores = os.cpu_count() or 1
    workers = min(jobs if jobs is not None else cores, max(1, len(tasks)))
    if workers < 1:
        raise ValueError(f"jobs must be at least 1; got {jobs}.")
    job = replace(job, memory=job.memory // workers, threads=max(1, (jobs or cores) // workers))
    lock, count = threading.Lock(), itertools.count(1)

    def work(task: Task) -> ImageResult | Failure:
        result = _run_one(task, job, log, progress if len(tasks) == 1 else None)
        with lock:
            if progress is not None and len(tasks) > 1:
                progress(next(count), len(tasks))
        return result

    with ThreadPoolExecutor(max_workers=workers) as pool:
        return list(pool.map(work, tasks))


def _run_one(task: Task, job: Job, log: Log, progress: Progress | None = None) -> ImageResult | Failure:
    _, name, truth, pred = task
    known = _found(task, job, log)
    if known is not None:
        return known
    result = _guarded(task, lambda: _scored(task, job, *job.run(name, truth, pred, progress)))
    log.add(task, result)
    return result


def _found(task: Task, job: Job, log: Log) -> ImageResult | None:
    """What was noted in a run before; its images can be read again."""
    try:
        known = log.find(task)
    except OSError:
        return None  # reading it will say why
    if known is None:
        return None
    found = _readable_here(known, task, job)
    return found if isinstance(found, ImageResult) else None


def _guarded(task: Task, run: Callable[[], ImageResult]) -> ImageResult | Failure:
    """One image must not end the work on a thousand."""
    model, name, _, _ = task
    try:
        return run()
    except (ReadError, OSError, MemoryError) as error:
        return Failure(name, model, printable(one_line(str(error) or type(error).__name__)))
    except Exception as error:
        return Failure(name, model, printable(one_line(f"{type(error).__name__}: {error}")))


def _scored(task: Task, job: Job, evaluation: Evaluation, by_class: ClassScores) -> ImageResult:
    model, name, truth, pred = task
    result = image_result(name, model, evaluation, keep_objects=job.keep_objects, keep_tables=job.keep_tables)
    whole = None if evaluation.arrays is None else partial(job.arrays, truth, pred)
    return replace(result, classes=by_class, arrays=whole)


def run_on_cluster(
    tasks: list[Task], job: Job, log: Log, address: str, progress: Progress | None
) -> list[ImageResult | Failure]:
    """Give images to workers; where images are fewer than workers, parts of images."""
    from softpq.backends import dask

    results: list[ImageResult | Failure | None] = [_found(task, job, log) for task in tasks]
    open_tasks = [k for k, known in enumerate(results) if known is None]
    with dask.connected(address) as client:
        workers = len(client.scheduler_info()["workers"])
        in_parts = [k for k in open_tasks if len(open_tasks) < workers and job.comes_in_parts(*tasks[k][2:])]
        whole = [k for k in open_tasks if k not in set(in_parts)]
        found = dask.in_order(client, _run_there, [_portable(tasks[k], job) for k in whole])
        for done, (k, result) in enumerate(
            itertools.chain(zip(whole, found, strict=True), _by_parts(tasks, in_parts, job)), 1
        ):
            results[k] = result if k in in_parts else _readable_here(result, tasks[k], job)
            log.add(tasks[k], result)
            if progress is not None:
                progress(done, len(open_tasks))
    return [result for result in results if result is not None]


def _readable_here(result: ImageResult | Failure, task: Task, job: Job) -> ImageResult | Failure:
    """The result of a worker, with images that can be read again, if they are not too large."""
    _, _, truth, pred = task
    if isinstance(result, Failure) or (pred is not None and job.is_large(truth, pred)):
        return result
    return replace(result, arrays=partial(job.arrays, truth, pred))


def _by_parts(tasks: list[Task], places: list[int], job: Job) -> Iterator[tuple[int, ImageResult | Failure]]:
    from softpq.backends import dask

    def count(truth: LabelImage, pred: LabelImage, boundary: float | None) -> Overlap:
        assert truth.where is not None
        assert pred.where is not None
        return dask.overlap(truth.where[0], pred.where[0], boundary=boundary, memory=job.memory // 2)

    def run(task: Task) -> ImageResult:
        _, _, truth, pred = task
        assert pred is not None
        return _scored(task, job, job.run_in_parts(truth, pred, count), {})

    for k in places:
        yield k, _guarded(tasks[k], partial(run, tasks[k]))


Portable = tuple[Job, str, str, tuple[str, int], tuple[str, int] | None]


def _portable(task: Task, job: Job) -> Portable:
    """A task without open files, for another process."""
    model, name, truth, pred = task
    assert truth.where is not None
    return job, model, name, truth.where, None if pred is None else pred.where


def _run_there(portable: Portable) -> ImageResult | Failure:
    """Open the images of a task, and score them."""
    job, model, name, truth, pred = portable
    nobody = LabelImage(name, Path(truth[0]), lambda: np.zeros(0))

    def run() -> ImageResult:
        pair = again(truth, name), None if pred is None else again(pred, name)
        return _scored((model, name, *pair), job, *job.run(name, *pair))

    return _guarded((model, name, nobody, None), run)


def one_line(text: str) -> str:
    """Return a text without line breaks."""
    return " ".join(text.split())


def image_result(
    name: str, model: str, evaluation: Evaluation, *, keep_objects: bool = False, keep_tables: bool = False
) -> ImageResult:
    """Make the result of an image from its evaluation."""
    found = verdict_counts(evaluation.overlap, evaluation.settings)
    counts = {f"{side}_{verdict}": n for (side, verdict), n in found.items()}
    result = ImageResult(name, model, evaluation.scores, counts, evaluation.objects if keep_objects else None)
    return with_tables(result, evaluation) if keep_tables else result


def with_tables(image: ImageResult, evaluation: Evaluation) -> ImageResult:
    """Keep what the scores were computed from."""
    arrays = evaluation.arrays
    prints = None if arrays is None else (fingerprint(arrays[0]), fingerprint(arrays[1]))
    return replace(image, tables=evaluation.tables(), fingerprints=prints)


def _inside(image: LabelImage | None) -> tuple[str | None, int] | None:
    """Where in its file an image is."""
    return None if image is None or image.where is None else (split_inner(image.where[0])[1], image.where[1])


class Log:
    """Finished images, one JSON line each, so that a run that was ended can go on."""

    def __init__(self, path: Location | None, job: Job) -> None:
        self._path, self._job = None if path is None else Path(path), job
        self._known: dict[str, Any] = {}
        self._keys: dict[tuple[str, str], str] = {}
        self._lock = threading.Lock()
        self._file: Any = None
        if self._path is not None and self._path.exists():
            for line in self._path.read_text(encoding="utf-8", errors="replace").splitlines():
                try:
                    item = json.loads(line)
                    self._known[item["key"]] = item["image"]
                except (ValueError, KeyError, TypeError):
                    continue  # the line that was being written when the run ended

    def __enter__(self) -> Log:
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("a", encoding="utf-8")
            self._file.write("\n")
        return self

    def __exit__(self, *error: object) -> None:
        if self._file is not None:
            self._file.close()

    def _key(self, task: Task) -> str:
        model, name, truth, pred = task
        if (model, name) not in self._keys:
            content = self._job.key(truth.path, *([pred.path] if pred else []))
            places = [_inside(image) for image in (truth, pred)]
            self._keys[model, name] = f"{content} {model} {name} {truth.name} {pred.name if pred else None} {places}"
        return self._keys[model, name]

    def find(self, task: Task) -> ImageResult | None:
        """Return what was noted of this task, if its files are still the same."""
        if self._path is None or self._job.keep_objects:
            return None
        item = self._known.get(self._key(task))
        return None if item is None else image_from_json(item, self._job.settings, self._job.threshold)

    def add(self, task: Task, result: ImageResult | Failure) -> None:
        """Note a result; failures are tried again."""
        if self._file is None or isinstance(result, Failure):
            return
        line = json.dumps({"key": self._key(task), "image": image_to_json(result)})
        with self._lock:
            self._file.write(line + "\n")
            self._file.flush()
