"""The two label images of a table, where they are still at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from softpq.table.labels import as_ignore

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class Images(NamedTuple):
    """The two label images that were scored, and what was ignored."""

    truth: NDArray[Any]
    pred: NDArray[Any]
    ignore: ArrayLike | None = None

    @property
    def ignored(self) -> NDArray[np.uint8] | None:
        """The mask of ignored pixels."""
        return as_ignore(self.ignore, self.truth)
