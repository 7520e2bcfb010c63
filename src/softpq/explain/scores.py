"""What a threshold on the scores of predictions does to a metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq._checks import check_choice
from softpq.metrics import METRICS
from softpq.metrics.score import Score, pooled
from softpq.settings import Settings
from softpq.table.layered import as_masks
from softpq.table.masks import Masks
from softpq.table.overlap import Overlap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ScoreCurve:
    """A metric at every threshold that makes a difference.

    Attributes
    ----------
    metric
        Its name.
    thresholds
        All different scores, ascending; predictions with at least this score are kept.
    values
        Of the metric, pooled over all images.
    best_threshold, best_value
        Where it is best; of several the largest threshold. NaN if no value is defined.

    Examples
    --------
    >>> from softpq import Masks, score_curve
    >>> pred = Masks.from_labels([[1, 1, 3, 2, 2]], scores=[0.9, 0.6, 0.2])
    >>> score_curve([[1, 1, 0, 2, 2]], pred, "f1").thresholds.tolist()
    [0.2, 0.6, 0.9]
    """

    metric: str
    thresholds: Floats
    values: Floats = field(repr=False)
    best_threshold: float
    best_value: float


def score_curve(
    truth: Any,
    pred: Any,
    metric: str = "softpq",
    *,
    ignore: Any = None,
    strict: bool = False,
    class_agnostic: bool = False,
    **options: Any,
) -> ScoreCurve:
    """Compute a metric at every distinct score of the predictions, exactly; images are counted once.

    Parameters
    ----------
    truth, pred
        :class:`softpq.Masks` of one image, the predictions with scores; or as many images of each, in lists or
        mappings, which have one threshold for all. Truth may be label images.
    metric
        A name from ``softpq.metrics.METRICS``, of objects and not of bands.
    ignore
        A boolean mask, a label of truth, or Masks whose pixels count nowhere; in lists or mappings like the images.
    strict
        Match above the threshold of IoU instead of from it on.
    class_agnostic
        Where masks know their classes, match objects of all classes together instead of within each class.
    options
        Of SoftPQ, or ``threshold``.

    See Also
    --------
    softpq.curve : A metric against the threshold of IoU.
    softpq.average_precision : The area below precision and recall.

    Examples
    --------
    >>> truth = Masks.from_labels([[1, 1, 0, 2, 2]])
    >>> curve = score_curve(truth, Masks.from_labels([[1, 1, 3, 2, 2]], scores=[0.9, 0.6, 0.2]), "f1")
    >>> curve.best_threshold, curve.best_value
    (0.6, 1.0)
    """
    check_choice(metric, [name for name, record in METRICS.items() if record.reads == "objects"], "metric")
    full = _options(options, strict)
    counting: dict[str, Any] = {"strict": strict, "class_agnostic": class_agnostic}
    images = [_OneImage(*one, **counting) for one in _images(truth, pred, ignore)]
    thresholds = np.unique(np.concatenate([np.zeros(0), *(image.scores for image in images)]))
    columns = [image.at(thresholds, metric, full) for image in images]
    values = np.array([pooled([column[k] for column in columns]).value for k in range(len(thresholds))])
    return ScoreCurve(metric, thresholds, values, *_best(thresholds, values, METRICS[metric].less_is_better))


def _options(options: Mapping[str, Any], strict: bool) -> dict[str, Any]:
    own = {name: value for name, value in options.items() if name != "threshold"}
    rest = {name: options[name] for name in ("threshold",) if name in options}
    return {**vars(Settings.make(**own)), **rest, "strict": strict}


def _images(truth: Any, pred: Any, ignore: Any) -> list[tuple[Any, Any, Any]]:
    """One row per image."""
    if isinstance(pred, Masks):
        return [(truth, pred, ignore)]
    if isinstance(pred, Mapping):
        if not isinstance(truth, Mapping) or set(truth) != set(pred):
            raise ValueError("truth and pred must be mappings with the same names; theirs differ.")
        return [(truth[name], pred[name], None if ignore is None else ignore[name]) for name in pred]
    if not isinstance(pred, Sequence) or len(truth) != len(pred):
        raise ValueError("truth and pred must be Masks, or lists of as many; got something else.")
    return list(zip(truth, pred, ignore if ignore is not None else [None] * len(pred), strict=True))


class _OneImage:
    """The table of an image, and the score of each of its predictions."""

    def __init__(self, truth: Any, pred: Any, ignore: Any, **counting: Any) -> None:
        if not isinstance(pred, Masks) or (pred.scores is None and len(pred)):
            raise ValueError("pred must be Masks with scores for a curve over scores; got none.")
        self.table = Overlap.from_masks(as_masks(truth, "truth", ignore), pred, ignore=ignore, **counting)
        order = np.argsort(pred.numbers)
        self.scores = np.zeros(0) if pred.scores is None else pred.scores
        self._of_table = self.scores[order][np.searchsorted(pred.numbers[order], self.table.pred_ids.astype(np.int64))]

    def at(self, thresholds: Floats, metric: str, options: Mapping[str, Any]) -> list[Score]:
        """The scores of the metric; where a threshold changes nothing in this image, it is the one before."""
        everyone = np.ones(self.table.n_truth, bool)
        found: list[Score] = []
        before = -1
        for threshold in thresholds:
            keep = self._of_table >= threshold
            if int(keep.sum()) != before:
                found.append(METRICS[metric].score(self.table.restricted(everyone, keep), options))
            else:
                found.append(found[-1])
            before = int(keep.sum())
        return found


def _best(thresholds: Floats, values: Floats, less_is_better: bool) -> tuple[float, float]:
    if not len(values) or np.isnan(values).all():
        return float("nan"), float("nan")
    best = np.nanmin(values) if less_is_better else np.nanmax(values)
    return float(thresholds[values == best].max()), float(best)
