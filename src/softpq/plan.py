"""What is asked for: everything that changes a number, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property, lru_cache
from typing import Any, Literal, Unpack

from softpq._checks import check_choice, check_threshold, made_once, parse_axes
from softpq._documented import check_names
from softpq.metrics import METRICS, Metric
from softpq.metrics._metric import Bound
from softpq.settings import Settings, SettingsOptions
from softpq.table.labels import band_reach
from softpq.table.overlap import Overlap

Missing = Literal["error", "empty", "skip"]

DEFAULT_REACH = 0.02
"""Of boundary bands, as a share of the image's diagonal, as in the Boundary IoU paper."""


class EvaluateOptions(SettingsOptions, total=False):
    """What can be asked of one pair of images, as keyword arguments; what they mean stands at :class:`Plan`."""

    metrics: Sequence[str] | None
    threshold: float
    strict: bool
    boundary: float | None
    spacing: Sequence[float] | None
    check: bool
    score_threshold: float | None
    class_agnostic: bool


class PlanOptions(EvaluateOptions, total=False):
    """What can be asked of a dataset, as keyword arguments; what they mean stands at :class:`Plan`."""

    split_components: bool
    classes: str | Mapping[str, Any] | None
    missing: Missing
    geometry: Literal["check", "ignore"]
    axes: str | None
    channel: int | None
    allow_outside: bool
    require_chunks: bool


@dataclass(frozen=True)
class Plan:
    """What is asked for.

    Attributes
    ----------
    settings
        Of SoftPQ.
    metrics
        Names from ``softpq.metrics.METRICS``; all of them by default, those of boundary bands if ``boundary`` is given.
    threshold
        Smallest IoU of a match for PQ, F1, precision, recall, accuracy and the counts.
    strict
        Match above the threshold, as PQ was published, instead of from it on; COCO panoptic files always are, unless
        False is given.
    boundary
        Reach of the boundary bands: adds the boundary metrics. In pixels (1, 2, ...), or, below 1, as a fraction of the
        image's diagonal.
    spacing
        Size of a pixel along each axis; the reach of the bands is then in the same unit.
    check
        Refuse what is no label image: binary masks, maps of classes, intensities, labels that ran over.
    score_threshold
        Keep predictions whose score is at least this; for masks that have scores.
    class_agnostic
        Where masks know their classes, match objects of all classes together instead of within each class.
    split_components
        Label the connected components of each label first, for binary masks.
    classes
        Score every class by itself as well: ``"auto"`` where masks or files know the class of each object, a JSON
        file of image -> truth / pred -> label -> class, ``"truth_folder,pred_folder"`` of class images; or a mapping
        from ``"truth"`` and ``"pred"`` to class images, which are named, or lie in their lists, like the images.
    missing
        What a prediction is that is missing or cannot be used: an ``"error"`` (it is listed, and the rest is scored),
        ``"empty"``, or left out, for all models (``"skip"``).
    geometry
        ``"check"`` brings predictions onto the truth where both files state how they lie in space (NIfTI, NRRD), and
        refuses what lies elsewhere; ``"ignore"`` takes arrays as they are.
    axes
        What the axes of files are, such as ``"ZYX"``, ``"TYX"`` or ``"CYX"``; as the files say by default. Every moment
        is an image of its own.
    channel
        Which of several channels holds the labels.
    allow_outside
        Whether a file may name others outside of its own folder (external storage, companions), which are then read.
    require_chunks
        Whether chunks of a Zarr array that are not stored are a failure; else they stand for the fill value, and a note
        says how many there are.
    ignore
        A label of truth whose pixels count nowhere.

    Examples
    --------
    >>> Plan.of(preset="general", metrics=["pq"]).settings.iou_low
    0.25
    """

    settings: Settings = field(default_factory=Settings)
    metrics: tuple[str, ...] | None = None
    threshold: float = 0.5
    strict: bool = False
    boundary: float | None = None
    spacing: tuple[float, ...] | None = None
    check: bool = True
    score_threshold: float | None = None
    class_agnostic: bool = False
    split_components: bool = False
    classes: str | None = None
    missing: Missing = "error"
    geometry: Literal["check", "ignore"] = "check"
    axes: str | None = None
    channel: int | None = None
    allow_outside: bool = False
    require_chunks: bool = False
    ignore: int | None = None

    @classmethod
    def of(cls, **options: Unpack[PlanOptions]) -> Plan:
        """Make a plan from keyword arguments, the settings of SoftPQ among them. What was made before is remembered."""
        made: Plan = made_once(_planned, options)
        return made

    @classmethod
    def _of(cls, **options: Any) -> Plan:
        check_names(options, PlanOptions.__annotations__)
        own = {name: value for name, value in options.items() if name not in SettingsOptions.__annotations__}
        of_softpq = {name: value for name, value in options.items() if name in SettingsOptions.__annotations__}
        return cls(settings=Settings.make(**of_softpq), **own)

    def __post_init__(self) -> None:
        if self.metrics is not None:
            object.__setattr__(self, "metrics", _checked_names(self.metrics))
        object.__setattr__(self, "threshold", check_threshold(self.threshold, "threshold"))
        if self.spacing is not None:
            object.__setattr__(self, "spacing", tuple(float(size) for size in self.spacing))
        if self.boundary is not None:
            band_reach(self.boundary, None, (1,))
        check_choice(self.missing, ("error", "empty", "skip"), "missing")
        check_choice(self.geometry, ("check", "ignore"), "geometry")
        if self.axes is not None:
            object.__setattr__(self, "axes", parse_axes(self.axes))
        if self.split_components and self.classes is not None and "," not in self.classes:
            raise ValueError("classes must be images where labels are split, as pieces have new labels; got a list.")

    def __getstate__(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(self)}  # what follows from them is found again

    @cached_property
    def options(self) -> Mapping[str, Any]:
        """What metrics may want to know; each takes what it names."""
        return {**vars(self.settings), "threshold": self.threshold, "strict": self.strict}

    @cached_property
    def wanted(self) -> list[Metric]:
        """The metrics to compute."""
        if self.metrics is not None:
            return [METRICS[name] for name in self.metrics]
        return [metric for metric in METRICS.values() if metric.reads == "objects" or self.boundary is not None]

    def wanted_of(self, table: Overlap) -> list[Metric]:
        """The metrics to compute from this table: without those that need a partition, unless they were asked for."""
        if self.metrics is not None or table.is_partition:
            return self.wanted
        return [metric for metric in self.wanted if not metric.needs_partition]

    @cached_property
    def bound(self) -> Mapping[str, Bound]:
        """The metrics to compute, by name, each with its options."""
        return {metric.name: metric.bound(self.options) for metric in self.wanted}

    @cached_property
    def wants_bands(self) -> bool:
        """Whether boundary bands are needed."""
        return any(metric.reads == "bands" for metric in self.wanted)

    @property
    def reach(self) -> float:
        """Of the boundary bands."""
        return DEFAULT_REACH if self.boundary is None else self.boundary

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, by name: it identifies the plan, and can be written down."""
        return {**asdict(self), "settings": self.settings.to_dict()}

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Plan:
        """Read what :meth:`to_dict` made."""
        known = {one.name for one in fields(cls)}
        own = {name: value for name, value in found.items() if name in known}
        return cls(**{**own, "settings": Settings(**found["settings"])})


@lru_cache(typed=True)
def _planned(**options: Any) -> Plan:
    return Plan._of(**options)


def _checked_names(metrics: Sequence[str]) -> tuple[str, ...]:
    if isinstance(metrics, str) or not len(metrics):
        raise ValueError(f"metrics must be a list of names; got {metrics!r}.")
    for name in metrics:
        check_choice(name, METRICS, "metrics")
    return tuple(metrics)
