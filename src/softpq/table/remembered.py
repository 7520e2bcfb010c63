"""What a table remembers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from softpq.table.overlap import Overlap

P = ParamSpec("P")
R = TypeVar("R")


def once_per_table(
    function: Callable[Concatenate[Overlap, P], R],
) -> Callable[Concatenate[Overlap, P], R]:
    """Let a table remember what a function of it returned: several metrics ask the same of one table.

    The other arguments must be hashable; what is returned must not refer to the table, as a cycle would keep both in
    memory.
    """

    @wraps(function)
    def remembered(overlap: Overlap, /, *args: P.args, **options: P.kwargs) -> R:
        key = (function, args, tuple(options.items()))
        if key not in overlap._known:
            overlap._known[key] = function(overlap, *args, **options)
        found: R = overlap._known[key]
        return found

    return remembered


@contextmanager
def forgetting(overlap: Overlap) -> Iterator[None]:
    """Let a table forget what it is asked meanwhile: at thousands of thresholds that would be all of the memory."""
    before = dict(overlap._known)
    try:
        yield
    finally:
        overlap._known.clear()
        overlap._known.update(before)
