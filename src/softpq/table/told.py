"""What the truth does not tell (LVIS): classes that nobody looked for, and classes that are not told in full."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from softpq._checks import how_many
from softpq.table.layered import know_classes
from softpq.table.masks import Masks
from softpq.table.matching import match
from softpq.table.overlap import Overlap


@dataclass(frozen=True)
class Told:
    """What is known of the classes of an image.

    Attributes
    ----------
    absent
        Classes that were looked for, and are not there.
    unfinished
        Classes with objects that the truth does not have.
    """

    absent: frozenset[str] = frozenset()
    unfinished: frozenset[str] = frozenset()

    def judged(self, truth: Masks, pred: Masks, *, strict: bool = False) -> Masks:
        """Return the predictions that can be right or wrong.

        Those of classes that are neither there nor named absent are left out; so are those of unfinished classes that
        match no object.

        Examples
        --------
        >>> from softpq import Masks
        >>> truth = Masks.from_labels([[1, 0, 0, 0]], classes=["worm"])
        >>> pred = Masks.from_labels([[1, 2, 3, 4]], classes=["worm", "worm", "egg", "fly"])
        >>> Told(frozenset({"egg"}), frozenset({"worm"})).judged(truth, pred).ids
        array([1, 3])
        """
        if truth.classes is None or pred.classes is None:
            return pred
        keep = np.isin(pred.classes, [*self.absent, *truth.classes])
        for kind in self.unfinished & set(pred.classes[keep].tolist()):
            mine = pred.classes == kind
            found = matched_only(truth.select(truth.classes == kind), pred.select(mine), strict=strict)
            keep[mine] = found
        return pred.with_(ids=pred.numbers).select(keep)


def matched_only(truth: Masks, pred: Masks, *, strict: bool = False) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Tell which predictions match an object, all of one class."""
    overlap = Overlap.from_masks(truth, pred, strict=strict, class_agnostic=True)
    return np.isin(pred.numbers, match(overlap, 0.5, strict=strict).pred_ids.astype(np.int64))


def note_on_classes(truth: Any, pred: Any, class_agnostic: bool) -> tuple[str, ...]:
    """Say so where both sides know classes, and have none in common, so that nothing can match; or only one does."""
    if class_agnostic or not all(isinstance(side, Masks) and len(side) for side in (truth, pred)):
        return ()
    if not know_classes(truth, pred):
        return _note_on_one_side(truth, pred)
    kinds = [sorted(set(side.classes.tolist())) for side in (truth, pred)]
    if set(kinds[0]) & set(kinds[1]):
        return ()
    shown = [", ".join(names[:3]) + (", ..." if len(names) > 3 else "") for names in kinds]
    both = f"truth has {shown[0]}, pred {shown[1]}"
    return (f"no class in common, so that nothing matches: {both}; class_agnostic=True takes all together",)


def _note_on_one_side(truth: Masks, pred: Masks) -> tuple[str, ...]:
    """Say so where only one side knows its classes: then objects match whatever their class."""
    known = [name for name, side in (("truth", truth), ("pred", pred)) if side.classes is not None]
    return (f"only {known[0]} has classes: objects of all classes are matched together",) if known else ()


def judged(truth: Any, pred: Any, class_agnostic: bool, strict: bool, told: Told | None) -> tuple[Any, tuple[str, ...]]:
    """Return the predictions that can be right or wrong, and what to say of the others."""
    if told is None or class_agnostic or not (isinstance(truth, Masks) and isinstance(pred, Masks)):
        return pred, ()
    kept = told.judged(truth, pred, strict=strict)
    out = len(pred) - len(kept)
    said = f"pred: {how_many(out, 'object')} not judged, as truth does not tell their classes in full"
    return kept, (said,) if out else ()
