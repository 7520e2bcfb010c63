"""What COCO's files hold, as columns: images, categories, annotations or results."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.errors import ReadError
from softpq.io.ids import shown_id

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class CocoImages:
    """The images of a file; of LVIS, also which categories are absent, and which are not told in full."""

    ids: list[int]
    names: list[str]
    heights: NDArray[np.int64]
    widths: NDArray[np.int64]
    absent: list[frozenset[int]] = field(default_factory=list)
    unfinished: list[frozenset[int]] = field(default_factory=list)

    @property
    def shown(self) -> list[str]:
        """Names of the files without their endings where all have one of their own, else ids."""
        stems = [PurePosixPath(name.replace("\\", "/")).stem for name in self.names]
        return stems if all(stems) and len(set(stems)) == len(stems) else [str(shown_id(one)) for one in self.ids]

    def places(self, image_ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Which image each of these ids is; they are known."""
        order = np.argsort(self.ids)
        return order[np.searchsorted(np.array(self.ids, np.int64)[order], image_ids)]


@dataclass(frozen=True)
class CocoClasses:
    """The categories of a file; of LVIS, also how frequent they are: r, c or f."""

    ids: list[int]
    names: list[str]
    frequencies: list[str]


@dataclass(frozen=True)
class CocoObjects:
    """Annotations or results, one row each.

    Attributes
    ----------
    ids, image_ids, class_ids
        As the file has them; results have no ids.
    scores
        Of results.
    crowd
        Of annotations.
    areas
        As the file states them; NaN where it does not.
    boxes
        x, y, width, height; NaN where there are none.
    segmentations
        Run-lengths or polygons; None where there are none.
    """

    ids: NDArray[np.int64]
    image_ids: NDArray[np.int64]
    class_ids: NDArray[np.int64]
    scores: NDArray[np.float64]
    crowd: NDArray[np.bool_]
    areas: NDArray[np.float64]
    boxes: NDArray[np.float64]
    segmentations: list[Any]
    odd: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.image_ids)

    def rows_of(self, image_id: int) -> NDArray[np.int64]:
        """Positions of what is on an image, in the order of the file."""
        order, ids = self._by_image
        return order[np.searchsorted(ids, image_id) : np.searchsorted(ids, image_id, "right")]

    @cached_property
    def _by_image(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        order = np.argsort(self.image_ids, kind="stable")
        return order, self.image_ids[order]

    def named(self, position: int) -> str:
        """How messages call one of them."""
        image = shown_id(int(self.image_ids[position]))
        if len(self.ids):
            return f"annotation {self.ids[position]} (image {image})"
        return f"result {position} (image {image})"

    def check_masks(self, at: NDArray[np.int64]) -> None:
        """Raise an error that names the first of these without a mask."""
        for k in at.tolist():
            if self.segmentations[k] is None:
                boxed = not np.isnan(self.boxes[k, 0])
                raise ReadError(f"{self.named(k)} {_ONLY_A_BOX if boxed else 'must have a segmentation; it has none'}")


_ONLY_A_BOX = "has a box and no mask; boxes alone are scored by softpq.average_precision with boxes=True"


@dataclass(frozen=True)
class CocoTruth:
    """A file of truth."""

    images: CocoImages
    classes: CocoClasses
    objects: CocoObjects

    @property
    def is_lvis(self) -> bool:
        """Whether images say which categories are absent."""
        return bool(self.images.absent)
