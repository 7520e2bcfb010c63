"""What right classes would bring: objects that were found, under the name of another class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.settings import Settings
from softpq.table.images import Images
from softpq.table.masks import Masks
from softpq.table.matching import match
from softpq.table.overlap import Overlap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.uint64]

CLASSES_CORRECTED = "classes corrected"
"""The repair, by name."""


def classes_corrected(
    overlap: Overlap, images: Images | None, settings: Settings, *, strict: bool = False
) -> Overlap | None:
    """Return the table if predictions had the class of the object that they match; None where there are no classes.

    What matches an object of its class stays; of what is left, all classes are matched together. Predictions that were
    forgiven, and crowds, are not there.

    Parameters
    ----------
    overlap
        The table, counted within classes.
    images
        Both sides, if they are at hand.
    settings
        Of SoftPQ; ``iou_high`` decides what matches.
    strict
        What is forgiven is matched above an IoU of 0.5 instead of from it on.

    Examples
    --------
    >>> truth = Masks.from_labels([[1, 1, 2]], classes=["worm", "egg"])
    >>> pred = truth.with_(classes=["egg", "egg"])
    >>> classes_corrected(Overlap.from_masks(truth, pred), Images.of(truth, pred), Settings()).pair_iou
    array([1., 1.])
    """
    if images is None or not images.has_masks or images.truth.classes is None or images.pred.classes is None:
        return None
    sides = zip(images[:2], (overlap.truth_ids, overlap.pred_ids), strict=True)
    truth, pred = (masks.with_(ids=masks.numbers).select(np.isin(masks.numbers, ids)) for masks, ids in sides)
    right = match(overlap, settings.iou_high)
    left = [
        masks.select(~np.isin(masks.ids, ids.astype(np.int64)))
        for masks, ids in ((truth, right.truth_ids), (pred, right.pred_ids))
    ]
    options: Any = {"ignore": images.ignore, "strict": strict}
    found = match(Overlap.from_masks(left[0], left[1], class_agnostic=True, **options), settings.iou_high)
    if not found.tp:
        return overlap
    return Overlap.from_masks(truth, _renamed(truth, pred, found.truth_ids, found.pred_ids), **options)


def _renamed(truth: Masks, pred: Masks, truth_ids: Numbers, pred_ids: Numbers) -> Masks:
    """The predictions, some with the class of their partner."""
    assert truth.classes is not None
    assert pred.classes is not None
    of_truth = dict(zip(truth.numbers.tolist(), truth.classes.tolist(), strict=True))
    partner = dict(zip(pred_ids.tolist(), truth_ids.tolist(), strict=True))
    names = [
        of_truth[partner[number]] if number in partner else name
        for number, name in zip(pred.numbers.tolist(), pred.classes.tolist(), strict=True)
    ]
    return pred.with_(classes=np.array(names, str))
