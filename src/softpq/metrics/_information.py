"""Metrics that see two partitions of the pixels: variation of information and the adapted Rand error.

Here background is a segment like any other, one per image. ``background=False`` leaves out the pixels where truth is
background; what pred calls background inside of truth objects stays a segment.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from softpq import _core
from softpq.metrics._metric import metric
from softpq.metrics.score import Parts, Quotients, Terms, ratio, ratios
from softpq.table.overlap import Overlap
from softpq.table.remembered import once_per_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Counts = NDArray[np.int64]


def _judged(overlap: Overlap, background: bool) -> bool:
    """Whether pixels where truth is background count; without objects there is nothing to judge."""
    return background and bool(overlap.n_truth or overlap.n_pred)


@once_per_table
def _information(overlap: Overlap, background: bool) -> Parts:
    split, merge, pixels = _core.segment_bits(*overlap.whole.pairs, overlap.background, _judged(overlap, background))
    return MappingProxyType(
        {
            "split_bits": split,
            "merge_bits": merge,
            "pixels": pixels,
            "n_truth": overlap.n_truth,
            "n_pred": overlap.n_pred,
        }
    )


def _split(parts: Parts) -> Terms:
    return [(parts["split_bits"], parts["pixels"])]


def _merge(parts: Parts) -> Terms:
    return [(parts["merge_bits"], parts["pixels"])]


def _total(parts: Parts) -> Terms:
    return [(parts["split_bits"] + parts["merge_bits"], parts["pixels"])]


@metric(Quotients(_total), name="vi", less_is_better=True, needs_partition=True, unbounded=True)
def variation_of_information(overlap: Overlap, *, background: bool = True) -> Parts:
    """Variation of information, in bits per pixel: the sum of its split and merge part; 0 is perfect.

    See Also
    --------
    softpq.metrics.vi_split : Its part from splits.
    softpq.metrics.vi_merge : Its part from merges.
    softpq.metrics.adapted_rand_error : Another measure of partitions.

    References
    ----------
    M. Meilă, *Comparing clusterings: an information based distance*, Journal of Multivariate Analysis 2007.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(variation_of_information(Overlap.from_labels([1, 1, 1, 1], [1, 1, 2, 2])))
    1.0
    """
    return _information(overlap, background)


@metric(Quotients(_split), less_is_better=True, needs_partition=True, unbounded=True)
def vi_split(overlap: Overlap, *, background: bool = True) -> Parts:
    """Over-segmentation part H(pred | truth) of the variation of information, in bits per pixel.

    See Also
    --------
    softpq.metrics.vi_merge : The other part.
    softpq.metrics.variation_of_information : The sum.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(vi_split(Overlap.from_labels([1, 1, 1, 1], [1, 1, 2, 2])))
    1.0
    """
    return _information(overlap, background)


@metric(Quotients(_merge), less_is_better=True, needs_partition=True, unbounded=True)
def vi_merge(overlap: Overlap, *, background: bool = True) -> Parts:
    """Under-segmentation part H(truth | pred) of the variation of information, in bits per pixel.

    See Also
    --------
    softpq.metrics.vi_split : The other part.
    softpq.metrics.variation_of_information : The sum.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(vi_merge(Overlap.from_labels([1, 1, 1, 1], [1, 1, 2, 2])))
    0.0
    """
    return _information(overlap, background)


@once_per_table
def _rand(overlap: Overlap, background: bool) -> Parts:
    both, truth, pred = _core.segment_pairs(*overlap.whole.pairs, overlap.background, _judged(overlap, background))
    return MappingProxyType(
        {
            "together_in_both": both,
            "together_in_truth": truth,
            "together_in_pred": pred,
            "n_truth": overlap.n_truth,
            "n_pred": overlap.n_pred,
        }
    )


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


def _agreements(parts: Parts, together: NDArray[np.float64], both: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same of each image."""
    some = together != 0
    return ratios(parts, np.where(some, both, 1.0), np.where(some, together, 1.0))


def _rand_errors(parts: Parts) -> NDArray[np.float64]:
    together = parts["together_in_truth"] + parts["together_in_pred"]
    return 1 - _agreements(parts, together, 2 * parts["together_in_both"])


def _rand_precisions(parts: Parts) -> NDArray[np.float64]:
    return _agreements(parts, parts["together_in_pred"], parts["together_in_both"])


def _rand_recalls(parts: Parts) -> NDArray[np.float64]:
    return _agreements(parts, parts["together_in_truth"], parts["together_in_both"])


@metric(_rand_error, each=_rand_errors, less_is_better=True, needs_partition=True, by_pixels=True)
def adapted_rand_error(overlap: Overlap, *, background: bool = False) -> Parts:
    """Adapted Rand error: one less the F-score of precision and recall over pairs of pixels; 0 is perfect.

    From 0 to 1.

    See Also
    --------
    softpq.metrics.adapted_rand_precision : What merges lower.
    softpq.metrics.adapted_rand_recall : What splits lower.
    softpq.metrics.variation_of_information : Another measure of partitions.

    References
    ----------
    I. Arganda-Carreras et al., *Crowdsourcing the creation of image segmentation algorithms for connectomics*,
    Frontiers in Neuroanatomy 2015.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(adapted_rand_error(Overlap.from_labels([1, 1, 1, 1], [1, 1, 1, 1])))
    0.0
    """
    return _rand(overlap, background)


@metric(_rand_precision, each=_rand_precisions, needs_partition=True, by_pixels=True)
def adapted_rand_precision(overlap: Overlap, *, background: bool = False) -> Parts:
    """Of the pixel pairs that pred puts together, the share that is together in truth; merges lower it.

    From 0 to 1; 1 is perfect.

    See Also
    --------
    softpq.metrics.adapted_rand_recall : What splits lower.
    softpq.metrics.adapted_rand_error : Both.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(adapted_rand_precision(Overlap.from_labels([1, 1, 2, 2], [1, 1, 1, 1])))
    0.3333333333333333
    """
    return _rand(overlap, background)


@metric(_rand_recall, each=_rand_recalls, needs_partition=True, by_pixels=True)
def adapted_rand_recall(overlap: Overlap, *, background: bool = False) -> Parts:
    """Of the pixel pairs that are together in truth, the share that pred puts together; splits lower it.

    From 0 to 1; 1 is perfect.

    See Also
    --------
    softpq.metrics.adapted_rand_precision : What merges lower.
    softpq.metrics.adapted_rand_error : Both.

    Examples
    --------
    >>> from softpq import Overlap
    >>> float(adapted_rand_recall(Overlap.from_labels([1, 1, 2, 2], [1, 1, 1, 1])))
    1.0
    """
    return _rand(overlap, background)
