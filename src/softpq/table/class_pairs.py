"""Which classes were matched with which, where objects that are alike could have changed places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from softpq.table.matching import Matching

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[Any]


def classes_of_matches(matching: Matching, classes: Sequence[Mapping[int, str]]) -> list[tuple[str, str]]:
    """Of each match, the class of the truth object and of the prediction; an empty text for none.

    Objects that overlap the same others by the same pixels, and are as large, may change places (one mask under two
    labels): then classes decide, those that agree first.

    Examples
    --------
    >>> from softpq import Masks, Overlap, match
    >>> twice = Masks.from_stack([[[1, 1]], [[1, 1]]], classes=["dog", "cat"])
    >>> found = match(Overlap.from_masks(Masks.from_labels([[1, 1]], classes=["cat"]), twice, class_agnostic=True))
    >>> classes_of_matches(found, ({1: "cat"}, {0: "dog", 1: "cat"}))
    [('cat', 'cat')]
    """
    table, pairs = matching.overlap, matching.pairs
    partner = dict(zip(table.pair_truth[pairs].tolist(), table.pair_pred[pairs].tolist(), strict=True))
    truth, pred = (
        [known.get(number, "") for number in ids.tolist()]
        for known, ids in zip(classes, (table.truth_ids, table.pred_ids), strict=True)
    )
    preds = alike(table.pred_areas, table.pair_pred, table.pair_truth, table.pair_pixels)
    partner = exchanged(partner, preds, truth, pred)
    back = {other: one for one, other in partner.items()}
    back = exchanged(back, alike(table.truth_areas, table.pair_truth, table.pair_pred, table.pair_pixels), pred, truth)
    return sorted((truth[one], pred[other]) for other, one in back.items())


def alike(areas: Numbers, own: Numbers, other: Numbers, pixels: Numbers) -> list[list[int]]:
    """Groups of objects of one side that overlap the same others by the same pixels, and are as large."""
    shared: dict[int, list[tuple[int, int]]] = {}
    for mine, theirs, count in zip(own.tolist(), other.tolist(), pixels.tolist(), strict=True):
        shared.setdefault(mine, []).append((theirs, count))
    groups: dict[Any, list[int]] = {}
    for one, overlaps in shared.items():
        groups.setdefault((int(areas[one]), tuple(sorted(overlaps))), []).append(one)
    return [members for members in groups.values() if len(members) > 1]


def exchanged(
    partner: Mapping[int, int], groups: Iterable[Sequence[int]], classes: Sequence[str], others: Sequence[str]
) -> dict[int, int]:
    """The same partners, but that members of a group change places: those of the class of their partner come first."""
    found = dict(partner)
    back = {other: one for one, other in partner.items()}
    for members in groups:
        slots = sorted((back[one] for one in members if one in back), key=lambda slot: classes[slot])
        free = sorted(members, key=lambda one: others[one])
        left = []
        for slot in slots:
            same = next((one for one in free if others[one] == classes[slot]), None)
            if same is None:
                left.append(slot)
            else:
                free.remove(same)
                found[slot] = same
        found.update(zip(left, free, strict=False))
    return found
