"""The front door: two label images in, numbers out."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Unpack

from softpq._checks import looked_up
from softpq._documented import check_names, takes
from softpq.explain.classes import classes_corrected
from softpq.explain.objects import Objects, objects_of
from softpq.explain.repairs import attribution
from softpq.metrics import METRICS
from softpq.metrics._metric import Bound
from softpq.metrics.score import Score
from softpq.plan import EvaluateOptions, Plan
from softpq.settings import Settings, SettingsOptions
from softpq.table.content import check_content
from softpq.table.images import Images
from softpq.table.layered import above_score, has_masks, mask_notes, overlap_of
from softpq.table.matching import match
from softpq.table.overlap import Overlap
from softpq.table.pieces import pieces_overlap
from softpq.table.tables import Tables
from softpq.table.told import Told, judged, note_on_classes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from softpq._files import Location
    from softpq.table.masks import Masks

_SETTINGS = tuple(SettingsOptions.__annotations__)
_OWN = tuple(name for name in EvaluateOptions.__annotations__ if name not in _SETTINGS)


@takes((Settings, _SETTINGS))
def score(
    truth: ArrayLike | Masks,
    pred: ArrayLike | Masks,
    *,
    ignore: ArrayLike | Masks | None = None,
    empty: float | None = None,
    check: bool = True,
    score_threshold: float | None = None,
    class_agnostic: bool = False,
    **settings: Unpack[SettingsOptions],
) -> float:
    """SoftPQ of a prediction.

    Parameters
    ----------
    truth, pred
        Label images of the same shape: integers, 0 is background, one label is one object. Or :class:`softpq.Masks`,
        on one side or both, for objects that overlap.
    ignore
        A boolean mask, or a label of truth, whose pixels count nowhere.
    empty
        The answer when neither image has an object; by default NaN, and 0 in the ``released`` reading.
    check
        Refuse what is no label image: binary masks, maps of classes, intensities, labels that ran over.
    score_threshold
        Keep predictions whose score is at least this; for masks that have scores.
    class_agnostic
        Where masks know their classes, match objects of all classes together instead of within each class.
    {options}
    preset
        ``"general"``, ``"precise"``, ``"exploratory"`` or ``"paper"`` instead of the two thresholds.

    See Also
    --------
    softpq.evaluate : All metrics of two images, and what happened to each object.
    softpq.evaluate_dataset : Many images and models.
    softpq.metrics.softpq : The same of a table that is counted.

    Examples
    --------
    >>> score([[1, 1, 0], [2, 2, 0]], [[1, 1, 0], [0, 2, 0]])
    0.75
    """
    check_names(settings, SettingsOptions.__annotations__)
    made, pred = Settings.make(**settings), above_score(pred, score_threshold)
    overlap = overlap_of(truth, pred, ignore=ignore, class_agnostic=class_agnostic)
    if check:
        check_content(truth, pred, overlap)
    if empty is not None and not overlap.n_truth and not overlap.n_pred:
        return float(empty)
    if made.reading == "released":
        overlap = pieces_overlap(truth, pred, ignore=ignore)
    return _softpq_with(made)(overlap).value


@lru_cache
def _softpq_with(settings: Settings) -> Bound:
    return METRICS["softpq"].bound(vars(settings))


class Evaluation(Mapping[str, float]):
    """All numbers of one pair of images: a read-only mapping from metric name to value.

    Attributes
    ----------
    scores
        Metric name -> Score; Scores of several images add.
    overlap
        The table they were computed from.
    plan
        What was asked for.
    images
        The two label images, if they are at hand.
    notes
        What should be said of them.

    Examples
    --------
    >>> import softpq
    >>> evaluation = softpq.evaluate([1, 1, 1, 1, 0, 2], [1, 1, 1, 0, 3, 0])
    >>> evaluation["pq"], evaluation["tp"], evaluation["fp"], evaluation["fn"]
    (0.375, 1, 1, 1)
    """

    def __init__(
        self,
        scores: Mapping[str, Score],
        overlap: Overlap,
        plan: Plan,
        images: Images | None = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        self.scores = scores
        self.overlap = overlap
        self.plan = plan
        self.images = images
        self.notes = notes

    @cached_property
    def _values(self) -> dict[str, float]:
        return {name: score.value for name, score in self.scores.items()} | self.counts

    @property
    def settings(self) -> Settings:
        """Of SoftPQ."""
        return self.plan.settings

    @cached_property
    def counts(self) -> dict[str, int]:
        """Objects of both sides, and what the matching at the threshold found."""
        found = match(self.overlap, self.plan.threshold, strict=self.plan.strict)
        sides = {"n_truth": self.overlap.n_truth, "n_pred": self.overlap.n_pred}
        soft = {"n_soft": int(self.scores["softpq"].parts["soft"])} if "softpq" in self.scores else {}
        return {"tp": found.tp, "fp": found.fp, "fn": found.fn, **sides, **soft}

    @cached_property
    def objects(self) -> Objects:
        """What happened to each object; with places where the images that were given are at hand."""
        return objects_of(self.overlap, self.settings, images=self.images)

    def tables(self, classes: Sequence[Mapping[int, str] | None] = (None, None)) -> Tables:
        """Return the table and all that can be found beside it; ``classes`` are label -> class of truth and of pred.

        Examples
        --------
        >>> import softpq
        >>> evaluation = softpq.evaluate([1, 1, 1, 1, 0, 2], [1, 1, 1, 0, 3, 0])
        >>> evaluation.tables().objects.n_truth
        2
        """
        return Tables.of(self.overlap, self.images, classes, strict=self.plan.strict)

    @cached_property
    def corrected(self) -> Overlap | None:
        """The table if classes were right, where objects have classes and are matched within them."""
        images = None if self.plan.class_agnostic else self.images
        return classes_corrected(self.overlap, images, self.settings, strict=self.plan.strict)

    def attribution(self) -> dict[str, dict[str, float]]:
        """By how much SoftPQ, PQ and F1 would rise if one kind of error were repaired.

        Examples
        --------
        >>> import softpq
        >>> evaluation = softpq.evaluate([1, 1, 1, 1, 0, 2], [1, 1, 1, 0, 3, 0])
        >>> round(evaluation.attribution()["misses found"]["f1"], 3)
        0.3
        """
        return attribution(self.overlap, self.settings, self.corrected)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "objects": self.objects, "images": None}  # which do not travel

    def __getitem__(self, name: str) -> float:
        return looked_up(self._values, name, "metric")

    def __getattr__(self, name: str) -> Any:
        instead = f"; values are looked up: evaluation[{name.lower()!r}]" if name.lower() in METRICS else ""
        raise AttributeError(f"'Evaluation' object has no attribute {name!r}{instead}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def to_dict(self) -> dict[str, float | None]:
        """Return a plain dictionary that is valid JSON: undefined values are None.

        Examples
        --------
        >>> import softpq
        >>> evaluation = softpq.evaluate([1, 1, 1, 1, 0, 2], [1, 1, 1, 0, 3, 0])
        >>> evaluation.to_dict()["f1"]
        0.5
        """
        return {name: None if math.isnan(value) else value for name, value in self.items()}

    def to_json(self) -> str:
        """Return the values as JSON.

        Examples
        --------
        >>> import softpq
        >>> evaluation = softpq.evaluate([1, 1, 1, 1, 0, 2], [1, 1, 1, 0, 3, 0])
        >>> evaluation.to_json()[:20]
        '{"softpq": 0.375, "p'
        """
        return json.dumps(self.to_dict())

    def __repr__(self) -> str:
        width = max(len(name) for name in self)
        rows = "\n".join(f"  {k:<{width}}  {v if isinstance(v, int) else f'{v:.4f}'}" for k, v in self.items())
        notes = "".join(f"\n  ({note})" for note in self.notes)
        return f"Evaluation (SoftPQ: {self.settings}; others at IoU {self.plan.threshold:g})\n{rows}{notes}"

    def report(self, path: Location, **options: Any) -> None:
        """Write a page that shows why the score is what it is; options as for :func:`softpq.report.write_report`.

        Examples
        --------
        >>> import softpq, tempfile, pathlib
        >>> page = pathlib.Path(tempfile.mkdtemp(), "report.html")
        >>> softpq.evaluate([[1, 1, 0, 2]], [[1, 1, 0, 0]]).report(page, title="One image")
        >>> page.read_text().startswith("<!doctype html>")
        True
        """
        import_module("softpq.report").write_report(self, path, **options)

    def _repr_html_(self) -> str:
        return str(import_module("softpq.report").inline(self))


@takes((Plan, _OWN), (Settings, _SETTINGS))
def evaluate(
    truth: ArrayLike | Masks | Overlap,
    pred: ArrayLike | Masks | None = None,
    *,
    ignore: ArrayLike | Masks | None = None,
    bands: Overlap | None = None,
    threads: int | None = None,
    **options: Unpack[EvaluateOptions],
) -> Evaluation:
    """Compute all metrics, or those asked for, of one prediction.

    Parameters
    ----------
    truth, pred
        Label images of the same shape, or :class:`softpq.Masks` for objects that overlap; or, as the only one, an
        :class:`softpq.Overlap` that was counted before.
    ignore
        A boolean mask, or a label of truth, whose pixels count nowhere.
    bands
        With an Overlap: that of boundary bands, for the boundary metrics.
    threads
        Threads to count with; all cores by default.
    {options}
    preset
        ``"general"``, ``"precise"``, ``"exploratory"`` or ``"paper"`` instead of the two thresholds of SoftPQ.

    See Also
    --------
    softpq.score : SoftPQ alone.
    softpq.evaluate_dataset : Many images and models.
    softpq.count : The table that all metrics are of.

    Examples
    --------
    >>> evaluation = evaluate([1, 1, 1, 1, 0, 2], [1, 1, 1, 0, 3, 0])
    >>> evaluation["pq"], evaluation["tp"], evaluation["fp"], evaluation["fn"]
    (0.375, 1, 1, 1)
    """
    plan = Plan.of(**options)
    if isinstance(truth, Overlap):
        if pred is not None or ignore is not None:
            raise TypeError("pred and ignore must not be given with an Overlap, which holds both sides.")
        return evaluate_tables(truth, plan, bands=bands)
    if pred is None:
        raise TypeError("pred must be given with truth; got only one image.")
    return evaluate_images(truth, pred, plan, ignore=ignore, threads=threads)


def evaluate_images(
    truth: ArrayLike | Masks,
    pred: ArrayLike | Masks,
    plan: Plan,
    *,
    ignore: ArrayLike | Masks | None = None,
    threads: int | None = None,
    stated: tuple[bool, bool] = (False, False),
    told: Told | None = None,
) -> Evaluation:
    """Count two label images, or masks, as planned; ``stated`` as for :func:`check_content`, ``told`` of classes."""
    pred, unjudged = judged(truth, above_score(pred, plan.score_threshold), plan.class_agnostic, plan.strict, told)
    options: Any = {"ignore": ignore, "threads": threads, "strict": plan.strict, "class_agnostic": plan.class_agnostic}
    counted = partial(overlap_of, truth, pred, **options)
    overlap = counted()
    notes = unjudged + note_on_classes(truth, pred, plan.class_agnostic)
    notes += mask_notes(overlap) if has_masks(truth, pred) else ()
    notes += check_content(truth, pred, overlap, stated) if plan.check else ()
    released = plan.settings.reading == "released"
    pieces = pieces_overlap(truth, pred, ignore=ignore, strict=plan.strict) if released else None
    bands = counted(boundary=plan.reach, spacing=plan.spacing) if plan.wants_bands else None
    return evaluate_tables(
        overlap, plan, pieces=pieces, bands=bands, images=Images.of(truth, pred, ignore), notes=notes
    )


def evaluate_tables(
    objects: Overlap,
    plan: Plan,
    *,
    pieces: Overlap | None = None,
    bands: Overlap | None = None,
    images: Images | None = None,
    notes: tuple[str, ...] = (),
) -> Evaluation:
    """Score tables that are already counted, as planned.

    Parameters
    ----------
    objects
        The table.
    plan
        What to compute.
    pieces
        That of connected components, for the ``released`` reading; the objects by default.
    bands
        That of boundary bands, for the boundary metrics.
    images, notes
        What was counted, if it is at hand, and what should be said of it.
    """
    wanted = plan.wanted_of(objects)
    if len(wanted) < len(plan.wanted):
        left_out = ", ".join(metric.name for metric in plan.wanted if metric not in wanted)
        notes = (*notes, f"left out, as they need one object per pixel: {left_out}")
    if bands is None and plan.wants_bands:
        missing = next(metric.name for metric in wanted if metric.reads == "bands")
        raise ValueError(f'bands must be given for "{missing}"; see Overlap.from_labels(boundary=...).')
    tables = {"objects": objects, "bands": bands or objects}
    scores = {metric.name: plan.bound[metric.name](tables[metric.reads]) for metric in wanted}
    if pieces is not None:
        readers = [metric.name for metric in wanted if metric.reads == "objects" and "reading" in metric.options]
        scores |= {name: plan.bound[name](pieces) for name in readers}
    return Evaluation(scores, objects, plan, images, notes)
