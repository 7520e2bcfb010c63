"""In the training loop: SoftPQ and PQ as torchmetrics, which add over batches and over processes."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from softpq._checks import check_choice
from softpq.errors import needs
from softpq.metrics import METRICS
from softpq.metrics import Metric as Record
from softpq.settings import Settings, SettingsOptions
from softpq.table.content import suspicion
from softpq.table.layered import above_score, overlap_of
from softpq.table.masks import Masks
from softpq.table.overlap import Overlap

needs("torchmetrics", "torch", "softpq.adapters.torchmetrics")

import torch  # noqa: E402  # after the check that it is there
from torchmetrics import Metric  # noqa: E402

if TYPE_CHECKING:
    from torch import Tensor

    from softpq.metrics.score import Score


Batch = Any  # a tensor, or a list of tensors
Over = Literal["pooled", "mean"]

_EMPTY = Overlap.from_pairs([], [], [])
_PADDED = (
    "Scores are summed over processes. A DistributedSampler repeats images where their number is no multiple of the "
    "number of processes, and these count twice: use drop_last, or a sampler that does not pad."
)
_warned = False


class InstanceMetric(Metric):
    """A metric of label images that adds over images: its state is the sums of its Scores.

    Parameters
    ----------
    record
        From ``softpq.metrics.METRICS``; one whose parts are numbers.
    settings
        Options of that metric.
    over
        ``"pooled"``: every object has the same weight. ``"mean"``: every image has.
    score_threshold, mask_threshold
        For masks: predictions with at least this score are kept; pixels of probabilities of at least this are inside.
    class_agnostic
        For masks with classes: match objects of all classes together instead of within each class.
    options
        Of :class:`torchmetrics.Metric`.
    """

    is_differentiable = False
    full_state_update = False

    def __init__(
        self,
        record: Record,
        settings: Mapping[str, Any] = MappingProxyType({}),
        over: Over = "pooled",
        *,
        score_threshold: float | None = None,
        mask_threshold: float | None = None,
        class_agnostic: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.score_threshold, self.mask_threshold = score_threshold, mask_threshold
        self.class_agnostic = class_agnostic
        check_choice(over, ("pooled", "mean"), "over")
        self.record, self.options, self.over = record, dict(settings), over
        self._warned_of_content = False
        # Names carry the settings: a MetricCollection shares the states of metrics that look the same after one batch.
        of_masks = f" {score_threshold} {mask_threshold} {class_agnostic}"
        of_masks = "" if of_masks == " None None False" else of_masks
        self._prefix = re.sub(r"\W+", "_", f"{record.name} {sorted(self.options.items())}{of_masks}").strip("_")
        self._part_names = tuple(record(_EMPTY, **self.options).parts)
        for name in (*self._part_names, "value_sum", "n_defined", "n_images"):
            self.add_state(self._state(name), torch.zeros((), dtype=torch.float64), dist_reduce_fx="sum")

    @property
    def higher_is_better(self) -> bool:
        """Whether more is better."""
        return not self.record.less_is_better

    def _state(self, name: str) -> str:
        return f"{self._prefix}_{name}"

    def update(self, preds: Batch, target: Batch) -> None:
        """Add a batch.

        Parameters
        ----------
        preds, target
            Label images, 0 is background: tensors whose first axis is the batch, or lists of tensors, which may have
            different shapes. For objects that overlap: lists of dictionaries with ``masks`` (N, H, W), as torchvision
            and torchmetrics have them, or :class:`softpq.Masks`. What is on a GPU is moved to the CPU.
        """
        _warn_of_padding()
        found, truth = _images(preds, "preds"), _images(target, "target")
        if len(found) != len(truth):
            raise ValueError(f"preds and target must have as many images; got {len(found)} and {len(truth)}.")
        sides = zip(map(self._as_side, truth), map(self._as_side, found), strict=True)
        arrays = [(one, self._above(other)) for one, other in sides]
        counting: dict[str, Any] = {"strict": bool(self.options.get("strict")), "class_agnostic": self.class_agnostic}
        tables = [overlap_of(*pair, **counting) for pair in arrays]
        self._look_at(arrays, tables)
        for score in [self.record(table, **self.options) for table in tables]:  # all or none
            self._add(score)

    def _as_side(self, given: Any) -> Any:
        """A label image, or masks."""
        return (
            _as_numpy(given) if isinstance(given, torch.Tensor) else Masks.of(given, mask_threshold=self.mask_threshold)
        )

    def _above(self, pred: Any) -> Any:
        """Predictions with at least the score that is asked for."""
        return above_score(pred, self.score_threshold) if isinstance(pred, Masks) else pred

    def _look_at(self, arrays: list[tuple[Any, Any]], tables: list[Overlap]) -> None:
        """Warn once of what is no label image: a training run must not end over it."""
        for pair, table in zip(arrays, tables, strict=True):
            for name, labels, ids in zip(("target", "preds"), pair, (table.truth_ids, table.pred_ids), strict=True):
                known = self._warned_of_content or isinstance(labels, Masks)
                found = None if known else suspicion(labels, ids)
                if found is not None:
                    self._warned_of_content = True
                    warnings.warn(f"{name} {found}", stacklevel=4)

    def _apply(self, fn: Any, *more: Any, **options: Any) -> Any:
        """Move, but stay in 64 bits: a model in half precision must not round the sums."""
        kept = {name: getattr(self, name) for name in self._defaults}
        defaults = dict(self._defaults)
        moved = super()._apply(fn, *more, **options)
        for name, value in kept.items():
            device = getattr(self, name).device
            if device.type != "mps":  # it has no 64 bits
                setattr(self, name, value.to(device))
                self._defaults[name] = defaults[name].to(device)
        return moved

    def _add(self, score: Score) -> None:
        value = score.value
        amounts = {**score.parts, "n_images": 1.0}
        if not math.isnan(value):
            amounts |= {"value_sum": value, "n_defined": 1.0}
        for name, amount in amounts.items():
            state = self._state(name)
            setattr(self, state, getattr(self, state) + float(amount))

    def compute(self) -> Tensor:
        """Return the value over all images so far, of all processes; NaN if there was no object."""
        if self.over == "pooled":
            value = self.record.restored({name: self._sum(name) for name in self._part_names}, self.options).value
        else:
            defined = self._sum("n_defined")
            value = self._sum("value_sum") / defined if defined else math.nan
        return torch.tensor(value, dtype=torch.float64, device=self.device)

    def _sum(self, name: str) -> float:
        return float(getattr(self, self._state(name)))

    @property
    def n_undefined(self) -> int:
        """Images without an object on either side; they are left out of means."""
        return int(self._sum("n_images") - self._sum("n_defined"))


class SoftPQ(InstanceMetric):
    """SoftPQ as a torchmetrics Metric.

    Parameters
    ----------
    iou_low, iou_high
        Thresholds, 0 <= iou_low <= iou_high <= 1: matches from ``iou_high`` on count in full, overlaps between both
        softly.
    penalty
        Of n soft matches of one object: ``"sqrt"``, ``"linear"``, ``"log"``, ``"log-raw"``, or a function of n.
    priority
        Soft matches belong to truth objects (``"over"``) or to predictions (``"under"``).
    reading
        ``"text"``, ``"figures"``, ``"released"`` or ``"unified"``. ``"released"`` takes labels as they are, without
        splitting them into connected components.
    preset
        Both thresholds by name: ``"general"``, ``"precise"``, ``"exploratory"``, ``"paper"``.
    over
        ``"pooled"`` (every object has the same weight) or ``"mean"`` (every image).
    options
        Of :class:`torchmetrics.Metric`.

    See Also
    --------
    softpq.score : The same of two arrays.
    softpq.adapters.torchmetrics.PQ : At one threshold.

    Examples
    --------
    >>> metric = SoftPQ()
    >>> target = torch.tensor([[[1, 1, 1, 0, 2, 2]]])  # a batch of one label image
    >>> metric.update(torch.tensor([[[1, 1, 0, 0, 2, 2]]]), target)  # predictions come first
    >>> metric.compute()
    tensor(0.8333)
    """

    def __init__(self, *, preset: str | None = None, over: Over = "pooled", **options: Any) -> None:
        given = {name: options.pop(name) for name in SettingsOptions.__annotations__ if name in options}
        self.settings = Settings.make(preset=preset, **given)
        super().__init__(METRICS["softpq"], vars(self.settings), over, **options)


class PQ(InstanceMetric):
    """Panoptic quality of one class as a torchmetrics Metric.

    Parameters
    ----------
    threshold
        Smallest IoU of a match.
    strict
        Ask for more than the threshold, as PQ was published.
    over
        ``"pooled"`` or ``"mean"``.
    options
        Of :class:`torchmetrics.Metric`.

    See Also
    --------
    softpq.adapters.torchmetrics.SoftPQ : With partial credit.

    Examples
    --------
    >>> metric = PQ(threshold=0.6)
    >>> metric(torch.tensor([[[1, 1, 0, 0, 2, 2]]]), torch.tensor([[[1, 1, 1, 0, 2, 2]]]))
    tensor(0.8333)
    """

    def __init__(self, threshold: float = 0.5, strict: bool = False, over: Over = "pooled", **options: Any) -> None:
        self.threshold, self.strict = threshold, strict
        super().__init__(METRICS["pq"], {"threshold": threshold, "strict": strict}, over, **options)


def _images(batch: Batch, name: str) -> list[Any]:
    if isinstance(batch, torch.Tensor):
        if batch.ndim < 3:
            raise ValueError(
                f"{name} must be a batch, its first axis the images; got shape {tuple(batch.shape)}. "
                f"Pass {name}[None] for one image, or a list."
            )
        return list(batch)
    if isinstance(batch, list | tuple) and all(isinstance(one, torch.Tensor | Mapping | Masks) for one in batch):
        return list(batch)
    raise TypeError(
        f"{name} must be a tensor, or a list of tensors, of dictionaries with masks, or of Masks; "
        f"got {type(batch).__name__}."
    )


def _as_numpy(labels: Tensor) -> Any:
    plain = labels.detach().cpu()
    return (plain.float() if plain.dtype == torch.bfloat16 else plain).numpy()


def _warn_of_padding() -> None:
    global _warned
    distributed = torch.distributed
    if _warned or not (distributed.is_available() and distributed.is_initialized()):
        return
    _warned = True
    if distributed.get_world_size() > 1 and distributed.get_rank() == 0:
        warnings.warn(_PADDED, UserWarning, stacklevel=3)


__all__ = ["PQ", "InstanceMetric", "SoftPQ"]
