"""The shortest proof that a wheel works, also without a global lock: many threads count, and all count the same."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import softpq

WITH_A_LOCK = getattr(sys, "_is_gil_enabled", lambda: True)


def main() -> int:
    """Run."""
    labels = np.arange(1, 401).reshape(20, 20).repeat(25, axis=0).repeat(25, axis=1)
    shifted = np.roll(labels, 3, axis=1)
    with ThreadPoolExecutor(8) as threads:
        values = set(threads.map(lambda _: softpq.score(labels, shifted), range(200)))
    free = bool(getattr(sys, "abiflags", "").count("t"))
    if len(values) != 1 or not 0.5 < min(values) < 1:
        return say(f"threads disagree: {values}")
    if free and WITH_A_LOCK():
        return say("the module turned the global lock on")
    where = f"Python {sys.version.split()[0]}{' without a lock' if free else ''}"
    print(f"softpq {softpq.__version__} on {where}: {values.pop():.6f}")
    return 0


def say(problem: str) -> int:
    """What is wrong, and the exit code."""
    print(problem, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
