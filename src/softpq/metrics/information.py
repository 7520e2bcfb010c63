"""Metrics that see two partitions of the pixels: variation of information and the adapted Rand error.

Here background is a segment like any other, one per image. ``background=False`` leaves out the pixels where truth is
background; what pred calls background inside of truth objects stays a segment.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.score import Parts, Score, ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from softpq.overlap import Overlap

    Counts = NDArray[np.int64]


def _segments(overlap: Overlap, background: bool) -> tuple[Counts, Counts, Counts, Counts, Counts]:
    """Pixels of every pair of segments, the truth and pred segment of each, and their sizes; background comes last."""
    pixels = [overlap.pair_pixels, overlap.truth_alone]
    truth = [overlap.pair_truth, np.arange(overlap.n_truth)]
    pred = [overlap.pair_pred, np.full(overlap.n_truth, overlap.n_pred)]
    if background and (overlap.n_truth or overlap.n_pred):  # without objects there is nothing to judge
        pixels += [overlap.pred_alone, np.array([overlap.background])]
        truth += [np.full(overlap.n_pred + 1, overlap.n_truth)]
        pred += [np.arange(overlap.n_pred + 1)]
    n, i, j = (np.concatenate(columns) for columns in (pixels, truth, pred))
    some = n > 0
    n, i, j = n[some], i[some], j[some]
    return n, i, j, _summed(i, n, overlap.n_truth + 1), _summed(j, n, overlap.n_pred + 1)


def _summed(place: Counts, pixels: Counts, size: int) -> Counts:
    return np.bincount(place, weights=pixels, minlength=size).astype(np.int64)


def _sum(values: NDArray[Any]) -> float:
    return math.fsum(values.tolist())


def _information_score(overlap: Overlap, name: str, formula: Callable[[Parts], float], background: bool) -> Score:
    n, i, j, truth_size, pred_size = _segments(overlap, background)
    parts = {
        "split_bits": _sum(n * np.log2(truth_size[i] / n)),
        "merge_bits": _sum(n * np.log2(pred_size[j] / n)),
        "pixels": int(n.sum()),
        "n_truth": overlap.n_truth,
        "n_pred": overlap.n_pred,
    }
    return Score(name, parts, formula, background)


def _split(parts: Parts) -> float:
    return ratio(parts, parts["split_bits"], parts["pixels"])


def _merge(parts: Parts) -> float:
    return ratio(parts, parts["merge_bits"], parts["pixels"])


def _total(parts: Parts) -> float:
    return ratio(parts, parts["split_bits"] + parts["merge_bits"], parts["pixels"])


def variation_of_information(overlap: Overlap, *, background: bool = True) -> Score:
    """Variation of information, in bits per pixel: the sum of its split and merge part; 0 is perfect.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(variation_of_information(Overlap.from_labels([1, 1, 1, 1], [1, 1, 2, 2])))
    1.0
    """
    return _information_score(overlap, "vi", _total, background)


def vi_split(overlap: Overlap, *, background: bool = True) -> Score:
    """Over-segmentation part H(pred | truth) of the variation of information, in bits per pixel.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(vi_split(Overlap.from_labels([1, 1, 1, 1], [1, 1, 2, 2])))
    1.0
    """
    return _information_score(overlap, "vi_split", _split, background)


def vi_merge(overlap: Overlap, *, background: bool = True) -> Score:
    """Under-segmentation part H(truth | pred) of the variation of information, in bits per pixel.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(vi_merge(Overlap.from_labels([1, 1, 1, 1], [1, 1, 2, 2])))
    0.0
    """
    return _information_score(overlap, "vi_merge", _merge, background)


def _rand_score(overlap: Overlap, name: str, formula: Callable[[Parts], float], background: bool) -> Score:
    n, _, _, truth_size, pred_size = _segments(overlap, background)

    def pairs(sizes: Counts) -> float:  # float: counts of pixel pairs outgrow 64 bits
        return _sum(sizes.astype(np.float64) * (sizes - 1))

    parts = {
        "together_in_both": pairs(n),
        "together_in_truth": pairs(truth_size),
        "together_in_pred": pairs(pred_size),
        "n_truth": overlap.n_truth,
        "n_pred": overlap.n_pred,
    }
    return Score(name, parts, formula, background)


def _agreement(parts: Parts, together: float) -> float:
    """Without a pair of pixels that could be apart or together, nothing is wrong."""
    return ratio(parts, parts["together_in_both"], together) if together else ratio(parts, 1, 1)


def _rand_error(parts: Parts) -> float:
    together = parts["together_in_truth"] + parts["together_in_pred"]
    return 1 - _agreement({**parts, "together_in_both": 2 * parts["together_in_both"]}, together)


def _rand_precision(parts: Parts) -> float:
    return _agreement(parts, parts["together_in_pred"])


def _rand_recall(parts: Parts) -> float:
    return _agreement(parts, parts["together_in_truth"])


def adapted_rand_error(overlap: Overlap, *, background: bool = False) -> Score:
    """Adapted Rand error: one less the F-score of precision and recall over pairs of pixels; 0 is perfect.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(adapted_rand_error(Overlap.from_labels([1, 1, 1, 1], [1, 1, 1, 1])))
    0.0
    """
    return _rand_score(overlap, "adapted_rand_error", _rand_error, background)


def adapted_rand_precision(overlap: Overlap, *, background: bool = False) -> Score:
    """Of the pixel pairs that pred puts together, the share that is together in truth; merges lower it.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(adapted_rand_precision(Overlap.from_labels([1, 1, 2, 2], [1, 1, 1, 1])))
    0.3333333333333333
    """
    return _rand_score(overlap, "adapted_rand_precision", _rand_precision, background)


def adapted_rand_recall(overlap: Overlap, *, background: bool = False) -> Score:
    """Of the pixel pairs that are together in truth, the share that pred puts together; splits lower it.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(adapted_rand_recall(Overlap.from_labels([1, 1, 2, 2], [1, 1, 1, 1])))
    1.0
    """
    return _rand_score(overlap, "adapted_rand_recall", _rand_recall, background)
