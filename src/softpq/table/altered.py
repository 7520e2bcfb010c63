"""Tables made of tables: with fewer objects, with other labels, of two tiles together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from softpq import _core
from softpq.table.atoms import Atoms
from softpq.table.overlap import Overlap

if TYPE_CHECKING:
    from numpy.typing import NDArray


def restricted(overlap: Overlap, keep_truth: NDArray[np.bool_], keep_pred: NDArray[np.bool_]) -> Overlap:
    """The table without some objects: what they covered becomes background."""
    keep = keep_truth[overlap.pair_truth] & keep_pred[overlap.pair_pred]
    kept = Overlap(
        overlap.truth_ids[keep_truth],
        overlap.truth_areas[keep_truth],
        overlap.pred_ids[keep_pred],
        overlap.pred_areas[keep_pred],
        (np.cumsum(keep_truth) - 1)[overlap.pair_truth[keep]],
        (np.cumsum(keep_pred) - 1)[overlap.pair_pred[keep]],
        overlap.pair_pixels[keep],
        under=None if overlap.under is None else overlap.under.restricted(keep_truth, keep_pred),
    )
    if overlap.across is None:
        return replace(kept, background=overlap.pixels - kept.pixels)
    return _with(kept, restricted(overlap.across, keep_truth, keep_pred))


def _with(within: Overlap, across: Overlap) -> Overlap:
    """A table of pairs within classes, with that of all pairs, which knows the pixels."""
    return replace(within, background=across.background, across=across)


def renumbered(overlap: Overlap, truth: NDArray[np.uint64], pred: NDArray[np.uint64]) -> Overlap:
    """The table with other labels, given in the order of the present ones."""
    if overlap.across is not None:
        return _with(renumbered(replace(overlap, across=None), truth, pred), renumbered(overlap.across, truth, pred))
    has_empty = not (overlap.truth_areas.all() and overlap.pred_areas.all())
    if overlap.under is not None or has_empty:
        order = [np.argsort(ids) for ids in (truth, pred)]
        atoms = overlap.atoms.renumbered(np.argsort(order[0]), np.argsort(order[1]))
        return Overlap.from_atoms(truth[order[0]], pred[order[1]], atoms, overlap.background)
    nobody = np.zeros(max(len(truth), len(pred), 1), np.uint64)
    return Overlap.from_pairs(
        np.concatenate([truth[overlap.pair_truth], truth, nobody[: len(pred)], nobody[:1]]),
        np.concatenate([pred[overlap.pair_pred], nobody[: len(truth)], pred, nobody[:1]]),
        np.concatenate([overlap.pair_pixels, overlap.truth_alone, overlap.pred_alone, [overlap.background]]),
    )


def added(one: Overlap, other: Overlap) -> Overlap:
    """The table of two tiles together."""
    if one.across is not None or other.across is not None:
        alone = [replace(table, across=None) for table in (one, other)]
        return _with(added(*alone), added(*(table.across or table for table in (one, other))))
    merged = Overlap(*_core.merge_tables(one.as_tuple(), other.as_tuple()))
    if one.under is None and other.under is None:
        return merged
    return replace(merged, under=_atoms_in(one, merged) + _atoms_in(other, merged))


def _atoms_in(overlap: Overlap, merged: Overlap) -> Atoms:
    """The atoms, with the places that their objects have in a table of more."""
    truth = np.searchsorted(merged.truth_ids, overlap.truth_ids)
    return overlap.atoms.renumbered(truth, np.searchsorted(merged.pred_ids, overlap.pred_ids))
