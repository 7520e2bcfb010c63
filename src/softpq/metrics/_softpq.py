"""SoftPQ in every reading of the paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq import _core
from softpq.metrics._metric import metric
from softpq.metrics.score import Parts, Terms, ratio, ratios
from softpq.settings import Penalty, Priority, Reading, Settings
from softpq.table.credits import matched_and_soft
from softpq.table.exact import exact_sum
from softpq.table.matching import match, most_pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softpq.table.overlap import Overlap


def softpq_formula(parts: Parts, *, reading: str, priority: str) -> float:
    """From the sums to the value."""
    terms = softpq_terms(parts, reading=reading)
    return _released(parts, priority) if terms is None else ratio(parts, *terms[0])


def softpq_terms(parts: Parts, *, reading: str) -> Terms | None:
    """The sums that the value is a quotient of; the authors' program has none."""
    if reading == "released":
        return None
    matched = parts["matched"].sum() if isinstance(parts["matched"], np.ndarray) else parts["matched"]
    if reading != "unified" and not matched:  # then the soft sum is shared by the truth objects
        return [(parts["soft_iou"], parts["n_truth"])]
    quality = 2 * (parts["matched_iou"] + parts["soft_iou"])
    return [(quality, parts["n_truth"] + parts["n_pred"] - parts["forgiven"])]


def softpq_each(parts: Parts, *, reading: str) -> NDArray[np.float64] | None:
    """The value of each image: those without a match share the soft sum among their truth objects."""
    if reading == "released":
        return None
    terms = {found: softpq_terms({**parts, "matched": found}, reading=reading) for found in (True, False)}
    (some,), (none,) = terms[True] or [], terms[False] or []
    found = parts["matched"] > 0
    return ratios(
        parts, *(np.where(found, with_match, without) for with_match, without in zip(some, none, strict=True))
    )


def _released(parts: Parts, priority: str) -> float:
    if parts["n_truth"] == 0 or parts["n_pred"] == 0:
        return 0.0
    tp = parts["matched"]
    sides = (parts["n_pred"], parts["n_truth"])
    fewer, kept = sides if priority == "over" else reversed(sides)
    quality = (parts["matched_iou"] + parts["soft_iou"]) / (tp or parts["n_truth"])
    wrong = max(fewer - tp - parts["forgiven"], 0) + (kept - tp)
    return float(quality * (2 * tp / (2 * tp + wrong)) if tp else quality)


@lru_cache
def made(*settings: Any) -> Settings:
    """The settings of many tables are checked once."""
    return Settings(*settings)


def softpq_sums(overlap: Overlap, settings: Settings) -> Parts:
    """The sums that SoftPQ is made of."""
    counts = {"n_truth": overlap.n_truth, "n_pred": overlap.n_pred}
    if settings.reading == "released":
        sided, matched = grouped_by_truth(overlap, settings)
        return _released_sums(sided, matched, settings) | counts
    if settings.reading == "text" and overlap.is_plain and (sums := _plain_sums(overlap, settings)):
        return sums | counts
    return _sums(SoftPairs.of(overlap, settings), settings) | counts


@dataclass(frozen=True)
class SoftPairs:
    """A table, and for every pair: whether it is matched, whether it is soft, and what it counts for if it is.

    The matching is that of the table as it is given, so that both priorities, verdicts and repairs see the same.
    """

    overlap: Overlap
    matched: NDArray[np.bool_]
    soft: NDArray[np.bool_]
    credit: NDArray[np.float64]

    @classmethod
    def of(cls, overlap: Overlap, settings: Settings) -> SoftPairs:
        """With the objects that soft pairs are grouped by on the truth side."""
        matched, soft, credit = matched_and_soft(overlap, settings.iou_low, settings.iou_high)
        if settings.priority == "over":
            return cls(overlap, matched, soft, credit)
        order = overlap.swapped_order
        return cls(overlap.swapped, matched[order], soft[order], credit[order])


def grouped_by_truth(overlap: Overlap, settings: Settings) -> tuple[Overlap, NDArray[np.bool_]]:
    """The table with the objects that soft pairs are grouped by on the truth side, and which pairs are matched."""
    if settings.reading == "released" and not overlap.is_partition:
        raise ValueError(
            'reading must not be "released" for objects that overlap: that program takes label images. '
            f"Got {overlap.whole.atoms.several} pixels with several objects."
        )
    matched = np.zeros(len(overlap.pair_iou), bool)
    matched[match(overlap, settings.iou_high).pairs] = True
    if settings.priority == "over":
        return overlap, matched
    return overlap.swapped, matched[overlap.swapped_order]


def divisors(settings: Settings, counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the divisor for each count of soft matches (all at least 1)."""
    distinct = np.flatnonzero(np.bincount(counts))
    values = np.array([float(settings.divisor(int(n))) for n in distinct], np.float64)
    if not np.all(np.isfinite(values) & (values > 0)):
        raise ValueError(f"penalty must return positive numbers; got {values.tolist()} for n={distinct.tolist()}.")
    by_count = np.zeros(int(distinct[-1]) + 1)
    by_count[distinct] = values
    return by_count[counts]


def _sums(pairs: SoftPairs, settings: Settings) -> dict[str, float]:
    overlap = pairs.overlap
    matched, matched_iou, soft, soft_iou = _core.soft_sums(
        overlap.pair_truth, overlap.n_truth, overlap.pair_iou, pairs.matched, pairs.soft, pairs.credit, settings.divisor
    )
    forgiven = 0 if settings.reading == "text" else _FORGIVEN[settings.reading](pairs)
    return dict(zip(_SUMS, (matched, matched_iou, soft, soft_iou, forgiven), strict=True))


def _plain_sums(overlap: Overlap, settings: Settings) -> dict[str, float] | None:
    """The same in one step, where no object is in several matches and nothing is forgiven: mostly."""
    by_truth = settings.priority == "over"
    found = _core.plain_soft_sums(*overlap.pairs, settings.iou_low, settings.iou_high, by_truth, settings.divisor)
    return None if found is None else dict(zip(_SUMS, (*found, 0), strict=True))


_SUMS = ("matched", "matched_iou", "soft", "soft_iou", "forgiven")


def _soft_sum(group: NDArray[np.int64], credit: NDArray[np.float64], settings: Settings) -> float:
    """Sum of IoU / divisor(n of its group), rounded once, so that the order of objects cannot matter."""
    if not len(group):
        return 0.0
    return exact_sum(credit / divisors(settings, np.bincount(group)[group]))


def _objects_of(pairs: NDArray[np.int64] | NDArray[np.bool_], positions: NDArray[np.int64], count: int) -> Any:
    """A mask over the objects that these pairs have."""
    mask = np.zeros(count, bool)
    mask[positions[pairs]] = True
    return mask


def _forgive_fragments(pairs: SoftPairs) -> int:
    """Count unmatched predictions that are soft with a truth object that is matched."""
    overlap, matched, soft = pairs.overlap, pairs.matched, np.flatnonzero(pairs.soft)
    truth_matched = _objects_of(matched, overlap.pair_truth, overlap.n_truth)
    pred_matched = _objects_of(matched, overlap.pair_pred, overlap.n_pred)
    fragment = truth_matched[overlap.pair_truth[soft]] & ~pred_matched[overlap.pair_pred[soft]]
    return len(np.unique(overlap.pair_pred[soft[fragment]]))


def _forgive_spare(pairs: SoftPairs) -> int:
    """Count unmatched predictions with a soft pair, less those that an unmatched truth object could claim."""
    overlap, matched, soft = pairs.overlap, pairs.matched, np.flatnonzero(pairs.soft)
    truth_matched = _objects_of(matched, overlap.pair_truth, overlap.n_truth)
    pred_matched = _objects_of(matched, overlap.pair_pred, overlap.n_pred)
    free_pred = soft[~pred_matched[overlap.pair_pred[soft]]]
    free_both = free_pred[~truth_matched[overlap.pair_truth[free_pred]]]
    return len(np.unique(overlap.pair_pred[free_pred])) - most_pairs(overlap, free_both)


_FORGIVEN: dict[str, Callable[[SoftPairs], int]] = {
    "figures": _forgive_fragments,
    "unified": _forgive_spare,
}


def _released_sums(overlap: Overlap, matched: NDArray[np.bool_], settings: Settings) -> dict[str, float]:
    """The authors' program: hard is > h for the sum but >= h for the count; the first hard pair of a row is summed."""
    iou, row = overlap.pair_iou, overlap.pair_truth
    hard = np.flatnonzero(iou > settings.iou_high)
    soft = np.flatnonzero((iou > settings.iou_low) & (iou < settings.iou_high))
    hard_rows, first = np.unique(row[hard], return_index=True)
    return {
        "matched": int(matched.sum()),
        "matched_iou": exact_sum(iou[hard[first]]),
        "soft": len(soft),
        "soft_iou": _soft_sum(row[soft], iou[soft], settings),
        "forgiven": int(np.isin(row[soft], hard_rows).sum()),
    }


@metric(softpq_formula, usual=True, terms=softpq_terms, each=softpq_each)
def softpq(
    overlap: Overlap,
    *,
    iou_low: float = 0.05,
    iou_high: float = 0.5,
    penalty: Penalty = "sqrt",
    priority: Priority = "over",
    reading: Reading = "text",
) -> Parts:
    """SoftPQ: matches count fully, overlaps between the thresholds softly, fragments with a penalty.

    From 0 to 1; 1 is perfect. The reading ``figures`` and the penalty ``log-raw`` can exceed 1.

    ``iou_low = iou_high = 0.5`` is PQ. See :class:`softpq.Settings` for the parameters. On an ``Overlap``, the
    ``released`` reading takes the objects as they are; the connected-component step of the authors' program needs
    arrays and is done by :func:`softpq.score` and :func:`softpq.evaluate`.

    See Also
    --------
    softpq.metrics.pq : The same at one threshold.
    softpq.sweep : SoftPQ at all pairs of thresholds.
    softpq.metrics.boundary_softpq : Of boundary bands.

    References
    ----------
    R. Karmakar, S. F. Nørrelykke, *SoftPQ: Robust Instance Segmentation Evaluation via Soft Matching and Tunable
    Thresholds*.

    Examples
    --------
    >>> from softpq import Overlap
    >>> halves = Overlap.from_labels([1, 1, 1, 1], [1, 1, 1, 2])
    >>> round(float(softpq(halves)), 4)
    0.6179
    """
    return softpq_sums(overlap, made(iou_low, iou_high, penalty, priority, reading))
