"""Processes that score images: where images are many and small, threads of Python wait for each other.

A process is given once what is to be done, then one unit of work after the other (the models of one image), and answers
with their outcomes. It is started as :func:`softpq.io.child.started` says, so that nobody's script needs a guard around
its main part, and it ends with its parent.
"""

from __future__ import annotations

import pickle
import signal
import struct
import sys
import threading
from dataclasses import replace
from functools import partial
from typing import IO, TYPE_CHECKING, Any

from softpq.dataset.image_result import Failure, ImageResult
from softpq.dataset.scoring import Scorer, Task
from softpq.errors import ReadError, TruthError
from softpq.io.child import started
from softpq.io.format import Content, ReadOptions, printable
from softpq.io.image import Image
from softpq.io.loading import read_image
from softpq.plan import Plan

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from softpq.metrics.score import Parts, Score

Outcome = ImageResult | Failure

SERVE = "from softpq.dataset.workers import serve; serve()"
"""What a process does."""


class Truth:
    """The truth of an image, read once for all models, and let go after the last."""

    def __init__(self, image: Image, uses: int, options: ReadOptions) -> None:
        self._image, self._uses, self._options = image, uses, options
        self._lock = threading.Lock()
        self._found: Content | ReadError | None = None

    def read(self) -> Content:
        """Return what it holds.

        Raises
        ------
        ReadError
            If it cannot be read.
        """
        with self._lock:
            self._uses -= 1
            found = self._found or self._read()
            self._found = found if self._uses else None
        if isinstance(found, ReadError):
            raise found
        return found

    def _read(self) -> Content | ReadError:
        try:
            return read_image(self._image, self._options)
        except ReadError as error:
            return TruthError(str(error))


class Gone(Exception):
    """A process ended before it answered."""


class Worker:
    """One process that scores, one unit of work at a time.

    Raises
    ------
    Gone
        If it cannot be started.
    """

    def __init__(self, scorer: Scorer) -> None:
        self._plan, self._ending = scorer.plan, threading.Lock()
        self._process = started(SERVE)
        self._ask(scorer)

    def score(self, tasks: list[Task]) -> list[Outcome]:
        """Score the models of one image.

        Raises
        ------
        Gone
            If the process dies over it.
        """
        answers = self._ask(tasks)
        return [unpacked(answer, task, self._plan) for answer, task in zip(answers, tasks, strict=True)]

    def end(self) -> None:
        """End the process; the thread that waits for an answer may do so, too."""
        with self._ending:
            self._process.kill()
            self._process.communicate()

    def _ask(self, question: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            _send(self._process.stdin, question)
            return _received(self._process.stdout)
        except (EOFError, OSError, ValueError) as error:
            self.end()
            raise Gone from error


class Team:
    """Workers, one for each thread that asks; whoever dies is replaced, and costs the image it died over."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer
        self._of_thread = threading.local()
        self._all: list[Worker] = []
        self._ended = False

    def score(self, tasks: list[Task]) -> list[Outcome]:
        """Score the models of one image.

        Raises
        ------
        Gone
            If no process can be started, or all were ended.
        """
        try:
            return self._worker().score(tasks)
        except Gone:
            self._forget()
        if len(tasks) == 1:
            return [_failed(tasks[0])]
        return [outcome for task in tasks for outcome in self.score([task])]

    def _worker(self) -> Worker:
        if self._ended:
            raise Gone
        if not hasattr(self._of_thread, "worker"):
            self._of_thread.worker = Worker(self._scorer)
            self._all.append(self._of_thread.worker)
        found: Worker = self._of_thread.worker
        return found

    def _forget(self) -> None:
        if self._ended or not hasattr(self._of_thread, "worker"):
            raise Gone
        del self._of_thread.worker

    def end(self) -> None:
        """End all processes."""
        self._ended = True
        for worker in self._all:
            worker.end()


def _failed(task: Task) -> Failure:
    return Failure(task.pair.name, task.model, "it ended the process that scored it, or took too much memory", False)


def guarded(task: Task, run: Callable[[], ImageResult]) -> Outcome:
    """Score one image, which must not end the work on a thousand."""
    of_truth = False
    try:
        return run()
    except TruthError as error:
        reason, of_truth = str(error), True
    except (ReadError, OSError, MemoryError) as error:
        reason = str(error) or type(error).__name__
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
    return Failure(task.pair.name, task.model, printable(" ".join(reason.split())), of_truth)


def score_unit(tasks: list[Task], scorer: Scorer) -> list[Outcome]:
    """Score the models of one image, whose truth is read once."""
    truth = Truth(tasks[0].pair.truth, len(tasks), scorer.reading)
    return [guarded(task, partial(scorer.score, task, truth.read)) for task in tasks]


# ---------------------------------------------------------------- what is said through the pipes


def packed(outcome: Outcome) -> Any:
    """An outcome without what the other side knows: formulas, settings, places of files."""
    if isinstance(outcome, Failure):
        return outcome
    lean = replace(outcome, scores={}, classes={}, pair=None)
    classes = {name: _parts_of(scores) for name, scores in outcome.classes.items()}
    return lean, _parts_of(outcome.scores), classes, outcome.pair is not None


def unpacked(answer: Any, task: Task, plan: Plan) -> Outcome:
    """The outcome again."""
    if isinstance(answer, Failure):
        return answer
    lean, scores, classes, has_pair = answer
    of_classes = {name: _scores_of(parts, plan) for name, parts in classes.items()}
    pair = task.pair if has_pair else None
    found: ImageResult = replace(lean, scores=_scores_of(scores, plan), classes=of_classes, pair=pair)
    return found


def _parts_of(scores: Mapping[str, Score]) -> dict[str, dict[str, Any]]:
    return {name: dict(score.parts) for name, score in scores.items()}


def _scores_of(found: Mapping[str, Parts], plan: Plan) -> dict[str, Score]:
    return {name: plan.bound[name].score_of(parts) for name, parts in found.items()}


def _send(stream: IO[bytes], thing: Any) -> None:
    text = pickle.dumps(thing, pickle.HIGHEST_PROTOCOL)
    left = memoryview(struct.pack("<Q", len(text)) + text)
    while left:
        left = left[stream.write(left) :]
    stream.flush()


def _received(stream: IO[bytes]) -> Any:
    return pickle.loads(_bytes(stream, *struct.unpack("<Q", _bytes(stream, 8))))


def _bytes(stream: IO[bytes], count: int) -> bytearray:
    found = bytearray(count)
    at = 0
    while at < count:
        more = stream.readinto(memoryview(found)[at:])  # type: ignore[attr-defined]  # of a pipe
        if not more:
            raise EOFError
        at += more
    return found


def serve() -> None:
    """Answer until there are no more questions; interrupts are for the parent, which then ends this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    questions, answers, sys.stdout = sys.stdin.buffer, sys.stdout.buffer, sys.stderr  # nothing else is written there
    try:
        scorer: Scorer = _received(questions)
        _send(answers, "ready")
        while True:
            _send(answers, [packed(outcome) for outcome in score_unit(_received(questions), scorer)])
    except (EOFError, BrokenPipeError):
        return
