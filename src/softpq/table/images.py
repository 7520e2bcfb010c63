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
    def counted(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Both images, with nothing where pixels are ignored."""
        mask = as_ignore(self.ignore, self.truth)
        if mask is None:
            return self.truth, self.pred
        return tuple(np.where(mask, 0, side) for side in (self.truth, self.pred))  # type: ignore[return-value]
