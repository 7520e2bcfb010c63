"""Files that a decoder may choke on are read by a process of its own, with limits of time and memory.

The process lives as long as its parent, so that starting it is paid for once. It is asked in JSON, and answers with a
line of JSON and, behind it, the bytes of the array: whatever a file does to it, its answers can do nothing.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.format import Content, ReadOptions
from softpq.io.geometry import Geometry

if TYPE_CHECKING:
    from softpq.io.image import LabelImage

SERVE = "from softpq.io.child import serve; serve()"
"""What a child does."""

PATIENCE = 20.0
"""Seconds that a child may take for a small file."""

SLOWEST = 20e6
"""Bytes of pixels that a decoder unpacks in a second, at least."""

PIPE = 1 << 20
"""Bytes that the pipes hold: more is faster."""

SPARE = 1 << 29
"""Bytes that a child may use besides pixels: libraries, copies of chunks."""


def started(code: str) -> subprocess.Popen[bytes]:
    """Start a process that runs some lines of Python and talks through pipes.

    It imports what this process would import, and nothing from the folder it happens to be in: that may hold files of
    strangers, and one of them may be called json.py.
    """
    paths = os.pathsep.join(path for path in sys.path if os.path.isabs(path))
    few = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **few, "PYTHONPATH": paths},
        pipesize=PIPE,
        bufsize=0,
    )


class Child:
    """One process that reads files, one at a time."""

    def __init__(self) -> None:
        self._process = started(SERVE)

    def ask(self, request: dict[str, Any], nbytes: int) -> Content | list[str]:
        """Send a request, and wait for the answer: an image, or names.

        Raises
        ------
        ReadError
            If the file is refused.
        EOFError
            If the child dies over it.
        TimeoutError
            If it does not come to an end.
        """
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        late = threading.Event()

        def end() -> None:
            late.set()
            self._process.kill()

        timer = threading.Timer(PATIENCE + nbytes / SLOWEST, end)
        timer.daemon = True
        timer.start()
        try:
            stdin.write(json.dumps(request).encode() + b"\n")
            stdin.flush()
            return _understood(stdout, int(request["limit"]))
        except (EOFError, OSError, ValueError):
            raise TimeoutError if late.is_set() else EOFError from None
        finally:
            timer.cancel()

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


def _understood(answers: IO[bytes], limit: int) -> Content | list[str]:
    """The answer of a child, which is not trusted: plain numbers, and no more of them than allowed; or texts."""
    answer = json.loads(_head(answers))
    if "error" in answer:
        raise ReadError(str(answer["error"]))
    if "names" in answer:
        return [str(name) for name in answer["names"]]
    shape, dtype = tuple(int(size) for size in answer["shape"]), np.dtype(str(answer["dtype"]))
    if dtype.kind not in "biuf" or dtype.itemsize * int(np.prod(shape, dtype=object)) > limit:
        raise ValueError
    array = np.empty(shape, dtype)
    _fill(answers, array.reshape(-1).view(np.uint8).data)
    geometry = None if answer["geometry"] is None else Geometry.from_json(answer["geometry"])
    notes = tuple(str(note) for note in answer["notes"])
    listed = answer["classes"]
    classes = None if listed is None else {int(label): str(name) for label, name in listed}
    channels = tuple(str(name) for name in answer["channels"])
    stated, spread = answer["stated"] is True, answer["spread"] is True
    return Content(array, classes, geometry, notes, stated, spread, channels=channels)


def _head(answers: IO[bytes]) -> bytearray:
    """The head of an answer: its length, as eight digits, and as many bytes."""
    digits = bytearray(8)
    _fill(answers, memoryview(digits))
    head = bytearray(int(digits))
    _fill(answers, memoryview(head))
    return head


def _fill(answers: IO[bytes], buffer: memoryview) -> None:
    at = 0
    while at < len(buffer):
        count = answers.readinto(buffer[at:])  # type: ignore[attr-defined]  # of a pipe
        if not count:
            raise EOFError
        at += count


_idle: list[Child] = []
_lock = threading.Lock()


def read_in_child(image: LabelImage, options: ReadOptions, *, look: bool = False) -> Content:
    """Read an image in another process; a crash or a hang there costs this image only.

    Parameters
    ----------
    image
        In a file.
    options
        How to read.
    look
        Only open it, and read a little: what follows can be done here.
    """
    found = _asked(image, options, "look" if look else "read")
    assert isinstance(found, Content)
    return found


def names_in_child(image: LabelImage, options: ReadOptions) -> list[str]:
    """List the images of a file in another process; ``image`` is named after the file."""
    found = _asked(image, options, "list")
    assert isinstance(found, list)
    return found


def _asked(image: LabelImage, options: ReadOptions, what: str) -> Content | list[str]:
    with _lock:
        child = _idle.pop() if _idle else Child()
    request = {"name": image.name, "location": image.location, "index": image.index, "format": image.format}
    try:
        found = child.ask({**request, "what": what, **vars(options)}, _size(image.path))
    except ReadError:
        _keep(child)
        raise
    except TimeoutError:
        child.end()
        raise ReadError("cannot be read: reading it does not come to an end") from None
    except EOFError:
        child.end()
        raise ReadError("cannot be read: it ended the process that tried to, or took too much memory") from None
    except BaseException:
        child.end()
        raise
    _keep(child)
    return found


def _size(path: Path) -> int:
    return 100 * path.stat().st_size if path.is_file() else 1 << 30


def _keep(child: Child) -> None:
    with _lock:
        _idle.append(child)


@atexit.register
def _end_all() -> None:
    with _lock:
        while _idle:
            _idle.pop().end()


# ---------------------------------------------------------------- the child


def serve() -> None:
    """Answer requests until there are no more."""
    from softpq.io.image import LabelImage

    answers, sys.stdout = sys.stdout.buffer, sys.stderr  # nothing else must be written there
    for line in sys.stdin.buffer:
        request = json.loads(line)
        image = LabelImage(*(request.pop(key) for key in ("name", "location", "index", "format")))
        what, options = request.pop("what"), ReadOptions(**request)
        _limit_memory(options.limit)
        try:
            if what == "list":
                _say(answers, {"names": image.names_here(options)})
            else:
                _answer(answers, _looked_at(image, options) if what == "look" else image.read_here(options, alone=True))
        except ReadError as error:
            _say(answers, {"error": str(error)})
        except MemoryError:
            _say(answers, {"error": "needs more memory than allowed"})


def _looked_at(image: LabelImage, options: ReadOptions) -> Content:
    """The first and the last pixel."""
    array = image.open_parts_here(options, alone=True)
    for ends in ([(0, 1)] * len(array.shape), [(size - 1, size) for size in array.shape]):
        array[tuple(slice(*part) for part in ends)]
    return Content(np.zeros(0, np.uint8))


def _answer(answers: IO[bytes], found: Content) -> None:
    labels = np.ascontiguousarray(found.labels)  # formats that come here hold pixels
    if labels.dtype.kind not in "biuf":
        raise ReadError(f"holds {labels.dtype}, not labels")
    geometry = None if found.geometry is None else found.geometry.to_json()
    head = {"shape": labels.shape, "dtype": labels.dtype.str, "geometry": geometry, "notes": found.notes}
    classes = None if found.classes is None else list(found.classes.items())
    more = {"stated": found.stated, "spread": found.spread, "channels": found.channels}
    _say(answers, head | {"classes": classes} | more)
    answers.write(labels.reshape(-1).view(np.uint8).data)
    answers.flush()


def _say(answers: IO[bytes], head: dict[str, Any]) -> None:
    text = json.dumps(head).encode()
    answers.write(f"{len(text):08d}".encode() + text)
    answers.flush()


def _limit_memory(nbytes: int) -> None:
    """What is in use now, the pixels, and something to spare; not on systems that know no such limit."""
    try:
        import resource

        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (used + nbytes + SPARE, resource.RLIM_INFINITY))
    except (ImportError, OSError, ValueError):
        return
