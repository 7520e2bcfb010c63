"""SoftPQ in every reading of the paper."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from softpq.matching import check_threshold, match, most_pairs
from softpq.score import Parts, Score, exact_sum, ratio

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from softpq.overlap import Overlap

Priority = Literal["over", "under"]
Reading = Literal["text", "figures", "unified", "released"]
PenaltyName = Literal["sqrt", "linear", "log", "log-raw"]
Penalty = PenaltyName | Callable[[int], float]

PENALTIES: Mapping[str, Callable[[int], float]] = MappingProxyType(
    {
        "sqrt": lambda n: math.sqrt(n + 1),
        "linear": lambda n: n + 1.0,
        "log": lambda n: max(1.0, math.log(n + 1)),
        "log-raw": lambda n: math.log(n + 1),
    }
)
"""Name -> divisor of the soft IoUs of an object with n soft matches."""

PRESETS: Mapping[str, tuple[float, float]] = MappingProxyType(
    {"general": (0.25, 0.5), "precise": (0.45, 0.7), "exploratory": (0.10, 0.5), "paper": (0.05, 0.5)}
)
"""Name -> (iou_low, iou_high), from the paper's guidance; ``paper`` is what its experiments use."""


@dataclass(frozen=True)
class Settings:
    """How SoftPQ is computed; checked when made.

    Attributes
    ----------
    iou_low, iou_high
        Pairs above ``iou_low`` count softly, matches from ``iou_high`` on count fully.
    penalty
        Divisor of soft matches: ``"sqrt"``, ``"linear"``, ``"log"``, ``"log-raw"`` or a function of n.
    priority
        ``"over"`` groups soft matches by truth object (splits), ``"under"`` by prediction (merges).
    reading
        ``"text"``, ``"figures"``, ``"unified"`` or ``"released"``.

    Examples
    --------
    >>> Settings.make(preset="general")
    Settings(iou_low=0.25, iou_high=0.5, penalty='sqrt', priority='over', reading='text')
    """

    iou_low: float = 0.05
    iou_high: float = 0.5
    penalty: Penalty = "sqrt"
    priority: Priority = "over"
    reading: Reading = "text"

    @classmethod
    def make(
        cls,
        iou_low: float = 0.05,
        iou_high: float = 0.5,
        penalty: Penalty = "sqrt",
        priority: Priority = "over",
        reading: Reading = "text",
        preset: str | None = None,
    ) -> Settings:
        """Make settings; a preset gives both thresholds."""
        if preset is not None:
            check_choice(preset, tuple(PRESETS), "preset")
            if (iou_low, iou_high) not in ((cls.iou_low, cls.iou_high), PRESETS[preset]):
                raise ValueError(
                    "preset must not be given together with other thresholds; "
                    f'got preset="{preset}" with iou_low={iou_low} and iou_high={iou_high}.'
                )
            iou_low, iou_high = PRESETS[preset]
        return cls(iou_low, iou_high, penalty, priority, reading)

    def __post_init__(self) -> None:
        for name in ("iou_low", "iou_high"):
            object.__setattr__(self, name, check_threshold(getattr(self, name), name))
        if self.iou_low > self.iou_high:
            raise ValueError(f"iou_low must not exceed iou_high; got {self.iou_low} and {self.iou_high}.")
        if self.iou_high == 0:
            raise ValueError("iou_high must be above 0; got 0.")
        if not callable(self.penalty):
            check_choice(self.penalty, tuple(PENALTIES), "penalty", "or a function of n")
        check_choice(self.priority, get_args(Priority), "priority")
        check_choice(self.reading, get_args(Reading), "reading")

    def divisors(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the divisor for each count of soft matches (all at least 1)."""
        penalty = self.penalty if callable(self.penalty) else PENALTIES[self.penalty]
        distinct, place = np.unique(counts, return_inverse=True)
        values = np.array([float(penalty(int(n))) for n in distinct], np.float64)
        if not np.all(np.isfinite(values) & (values > 0)):
            raise ValueError(f"penalty must return positive numbers; got {values.tolist()} for n={distinct.tolist()}.")
        return values[place]

    def __str__(self) -> str:
        penalty = self.penalty if isinstance(self.penalty, str) else getattr(self.penalty, "__name__", "custom")
        return f"l={self.iou_low:g}, h={self.iou_high:g}, {penalty}, {self.priority}, {self.reading}"


def check_choice(value: object, choices: tuple[str, ...], name: str, also: str = "") -> None:
    """Raise an error that lists the choices unless the value is one of them."""
    if value not in choices:
        listed = ", ".join(f'"{choice}"' for choice in choices) + (f" {also}" if also else "")
        raise ValueError(f"{name} must be one of {listed}; got {value!r}.")


def softpq(
    overlap: Overlap,
    *,
    iou_low: float = 0.05,
    iou_high: float = 0.5,
    penalty: Penalty = "sqrt",
    priority: Priority = "over",
    reading: Reading = "text",
) -> Score:
    """SoftPQ: matches count fully, overlaps between the thresholds softly, fragments with a penalty.

    ``iou_low = iou_high = 0.5`` is PQ. See :class:`Settings` for the parameters. On an ``Overlap``, the
    ``released`` reading takes the objects as they are; the connected-component step of the authors' program needs
    arrays and is done by :func:`softpq.score` and :func:`softpq.evaluate`.

    Examples
    --------
    >>> from softpq import Overlap
    >>> halves = Overlap.from_labels([1, 1, 1, 1], [1, 1, 1, 2])
    >>> round(float(softpq(halves)), 4)
    0.6179
    """
    return softpq_with(overlap, Settings(iou_low, iou_high, penalty, priority, reading))


def softpq_with(overlap: Overlap, settings: Settings) -> Score:
    """SoftPQ with settings that were already checked."""
    sided = overlap if settings.priority == "over" else overlap.swapped
    parts = _released_parts(sided, settings) if settings.reading == "released" else _parts(sided, settings)
    parts |= {"n_truth": overlap.n_truth, "n_pred": overlap.n_pred}
    return Score("softpq", parts, softpq_formula(settings), settings)


def softpq_formula(settings: Settings) -> Callable[[Parts], float]:
    """Return what turns the parts into the value."""
    return _FORMULAS[settings.reading, settings.priority]


def _parts(overlap: Overlap, settings: Settings) -> dict[str, float]:
    """The sums, with the objects that soft pairs are grouped by on the truth side."""
    matching = match(overlap, settings.iou_high)
    matched = np.zeros(len(overlap.pair_iou), bool)
    matched[matching.pairs] = True
    soft = np.flatnonzero(~matched & (overlap.pair_iou > settings.iou_low))
    return {
        "matched": matching.tp,
        "matched_iou": matching.iou_sum,
        "soft": len(soft),
        "soft_iou": _soft_sum(overlap, soft, settings),
        "forgiven": _FORGIVEN[settings.reading](overlap, matched, soft),
    }


def _soft_sum(overlap: Overlap, soft: NDArray[np.int64], settings: Settings) -> float:
    """Sum of IoU / divisor(n of its group); fsum, so that the order of objects cannot matter."""
    if not len(soft):
        return 0.0
    group = overlap.pair_truth[soft]
    return exact_sum(overlap.pair_iou[soft] / settings.divisors(np.bincount(group)[group]))


def _objects_of(pairs: NDArray[np.int64] | NDArray[np.bool_], positions: NDArray[np.int64], count: int) -> Any:
    """A mask over the objects that these pairs have."""
    mask = np.zeros(count, bool)
    mask[positions[pairs]] = True
    return mask


def _forgive_none(overlap: Overlap, matched: NDArray[np.bool_], soft: NDArray[np.int64]) -> int:
    return 0


def _forgive_fragments(overlap: Overlap, matched: NDArray[np.bool_], soft: NDArray[np.int64]) -> int:
    """Count unmatched predictions that are soft with a truth object that is matched."""
    truth_matched = _objects_of(matched, overlap.pair_truth, overlap.n_truth)
    pred_matched = _objects_of(matched, overlap.pair_pred, overlap.n_pred)
    fragment = truth_matched[overlap.pair_truth[soft]] & ~pred_matched[overlap.pair_pred[soft]]
    return len(np.unique(overlap.pair_pred[soft[fragment]]))


def _forgive_spare(overlap: Overlap, matched: NDArray[np.bool_], soft: NDArray[np.int64]) -> int:
    """Count unmatched predictions with a soft pair, less those that an unmatched truth object could claim."""
    truth_matched = _objects_of(matched, overlap.pair_truth, overlap.n_truth)
    pred_matched = _objects_of(matched, overlap.pair_pred, overlap.n_pred)
    free_pred = soft[~pred_matched[overlap.pair_pred[soft]]]
    free_both = free_pred[~truth_matched[overlap.pair_truth[free_pred]]]
    return len(np.unique(overlap.pair_pred[free_pred])) - most_pairs(overlap, free_both)


_FORGIVEN: dict[str, Callable[[Overlap, NDArray[np.bool_], NDArray[np.int64]], int]] = {
    "text": _forgive_none,
    "figures": _forgive_fragments,
    "unified": _forgive_spare,
}


def _released_parts(overlap: Overlap, settings: Settings) -> dict[str, float]:
    """The authors' program: hard is > h for the sum but >= h for the count; the first hard pair of a row is summed."""
    iou, row = overlap.pair_iou, overlap.pair_truth
    hard = np.flatnonzero(iou > settings.iou_high)
    soft = np.flatnonzero((iou > settings.iou_low) & (iou < settings.iou_high))
    hard_rows, first = np.unique(row[hard], return_index=True)
    return {
        "matched": match(overlap, settings.iou_high).tp,
        "matched_iou": exact_sum(iou[hard[first]]),
        "soft": len(soft),
        "soft_iou": _soft_sum(overlap, soft, settings),
        "forgiven": int(np.isin(row[soft], hard_rows).sum()),
    }


def _with_branch(parts: Parts) -> float:
    """Text and figures: without a match, the soft sum is shared by the truth objects."""
    if parts["matched"] == 0:
        return ratio(parts, parts["soft_iou"], parts["n_truth"])
    return _without_branch(parts)


def _without_branch(parts: Parts) -> float:
    quality = 2 * (parts["matched_iou"] + parts["soft_iou"])
    return ratio(parts, quality, parts["n_truth"] + parts["n_pred"] - parts["forgiven"])


def _released(parts: Parts, n_fewer: float, n_kept: float) -> float:
    if parts["n_truth"] == 0 or parts["n_pred"] == 0:
        return 0.0
    tp = parts["matched"]
    quality = (parts["matched_iou"] + parts["soft_iou"]) / (tp or parts["n_truth"])
    wrong = max(n_fewer - tp - parts["forgiven"], 0) + (n_kept - tp)
    return float(quality * (2 * tp / (2 * tp + wrong)) if tp else quality)


def _released_over(parts: Parts) -> float:
    return _released(parts, parts["n_pred"], parts["n_truth"])


def _released_under(parts: Parts) -> float:
    return _released(parts, parts["n_truth"], parts["n_pred"])


_FORMULAS: dict[tuple[str, str], Callable[[Parts], float]] = {
    ("text", "over"): _with_branch,
    ("text", "under"): _with_branch,
    ("figures", "over"): _with_branch,
    ("figures", "under"): _with_branch,
    ("unified", "over"): _without_branch,
    ("unified", "under"): _without_branch,
    ("released", "over"): _released_over,
    ("released", "under"): _released_under,
}
