"""The two sides of a table, where they are still at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from softpq.table.labels import as_ignore, as_labels
from softpq.table.layered import as_masks, has_masks, without_ignored
from softpq.table.masks import Masks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Images(NamedTuple):
    """The two sides that were scored, label images or masks, and what was ignored."""

    truth: Any
    pred: Any
    ignore: Any = None

    @classmethod
    def of(cls, truth: Any, pred: Any, ignore: Any = None) -> Images:
        """Keep label images as arrays; masks on one side make masks of both."""
        if has_masks(truth, pred):
            if ignore is not None and not has_masks(truth, ignore) and np.ndim(ignore) == 0:
                ignore = as_labels(truth, "truth") == ignore
            return cls(as_masks(truth, "truth", ignore), as_masks(pred, "pred", ignore), ignore)
        return cls(as_labels(truth, "truth"), as_labels(pred, "pred"), ignore)

    @property
    def has_masks(self) -> bool:
        """Whether the sides are masks."""
        return isinstance(self.truth, Masks)

    @property
    def ignored(self) -> NDArray[np.uint8] | None:
        """The mask of ignored pixels."""
        return as_ignore(self.ignore, self.truth)

    @property
    def masks(self) -> tuple[Masks, Masks]:
        """Both sides, without the pixels that are ignored, where they are masks."""
        return without_ignored(self.truth, self.pred, self.ignore)
